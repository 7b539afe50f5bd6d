import { describe, expect, test } from "vitest";
import { type Requestor, identicalDigest } from "../../../shared/run/run-input.ts";

describe("the digest of an identical request", () => {
  const requestor: Requestor = { server: "notes", method: "tools/call", name: "summarize", provenance: "claimed" };
  const of = (change: Partial<Requestor> = {}, boundTo: "tool" | "server" | "key" = "tool", content = "content"): string =>
    identicalDigest({ ...requestor, ...change }, { boundTo, redaction: null }, content);

  test.each(["tool", "server", "key"] as const)(
    "bound to one %s is another for other content, another server, or less surely tied",
    (boundTo) => {
      const others = [of({}, boundTo, "other"), of({ server: "mail" }, boundTo), of({ provenance: "inferred" }, boundTo)];
      expect(of({}, boundTo)).toBe(of({}, boundTo));
      expect(new Set([of({}, boundTo), ...others]).size).toBe(4);
    },
  );

  test("is another under other rules of what is masked", () => {
    const under = (secrets: "known" | "assigned"): string =>
      identicalDigest(
        requestor,
        { boundTo: "tool", redaction: { rules: [{ name: "secrets", at: ["reply"], secrets }], mayLift: [] } },
        "content",
      );
    expect(new Set([of(), under("known"), under("assigned")]).size).toBe(3);
  });

  test("is another for another tool, and for a prompt of the tool's name, unless the rule lets any tool of the server do", () => {
    const others: Partial<Requestor>[] = [{ name: "delete_all_files" }, { method: "prompts/get" }];
    expect(new Set([of(), ...others.map((change) => of(change))]).size).toBe(3);
    for (const boundTo of ["server", "key"] as const) for (const change of others) expect(of(change, boundTo)).toBe(of({}, boundTo));
  });
});
