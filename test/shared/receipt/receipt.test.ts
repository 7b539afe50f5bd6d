// Receipts against fixed vectors, as the client package checks them; what their digests are of.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import canonicalize from "canonicalize";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReceiptJwk, verifyReceipt } from "../../../client/sampling-handler.ts";
import { canonicalText, readClaims, replyText, requestText } from "../../../shared/receipt/claims.ts";
import file from "./vectors.json" with { type: "json" };

type Vector = {
  readonly name: string;
  readonly receipt: string;
  readonly error: string | null;
  readonly request?: typeof file.request;
  readonly reply?: unknown;
};
const vectors = file.vectors as readonly Vector[];
const keys = file.keys as readonly ReceiptJwk[];
const { now, issuer, audience, request } = file;
/** What a vector says in place of what all expect. */
const ownOf = ({ name: _name, ...own }: Omit<Vector, "receipt" | "error">) => own;
const expected = { issuer, audience, keys, now, request };

describe("a receipt", () => {
  test.each(vectors.map((vector) => [vector.name, vector] as const))("%s", async (_name, { receipt, error, ...given }) => {
    expect(await verifyReceipt(receipt, { ...expected, ...ownOf(given) })).toMatchObject(
      error === null ? { ok: true } : { ok: false, error },
    );
  });

  test("is used once", async () => {
    const used = new Map<string, number>();
    const isFirstUse = (id: string, until: number): boolean => !used.has(id) && used.set(id, until).size > 0;
    expect(await verifyReceipt(file.replayed, { ...expected, isFirstUse })).toMatchObject({ ok: true });
    expect(await verifyReceipt(file.replayed, { ...expected, isFirstUse })).toEqual({ ok: false, error: "usedBefore" });
    expect([...used.values()]).toEqual([now - 5 + 3_600]);
  });

  test("that is refused is not used up", async () => {
    const isFirstUse = (): boolean => {
      throw new Error("asked for a receipt that does not hold");
    };
    expect(await verifyReceipt(file.replayed, { ...expected, audience: "gitlab", isFirstUse })).toMatchObject({ ok: false });
  });

  test("that was kept holds after its time, but not of a key that was revoked before", async () => {
    const receiptOf = (name: string): string => vectors.find((each) => each.name === name)?.receipt ?? "";
    const kept = { ...expected, now: null };
    expect(await verifyReceipt(receiptOf("expired"), kept)).toMatchObject({ ok: true });
    expect(await verifyReceipt(receiptOf("of a revoked key"), kept)).toEqual({ ok: false, error: "revokedKey" });
    expect(await verifyReceipt(receiptOf("of a revoked key, dated before"), kept)).toMatchObject({ ok: true });
  });

  test("has every member that it is read for, of its kind", () => {
    const [, payload = ""] = file.replayed.split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, object>;
    expect(readClaims(claims)).toEqual(claims);
    const reviewers = [{ id: "x", gate: "request", decision: "approved", at: "now", amr: "link" }];
    for (const wrong of [
      { policy: {} },
      { edited: { request: "no", reply: false } },
      { reviewers },
      { reviewers: [null] },
      { request: { jcs: 1 } },
      { request: { inputResponses: { ask: 1 } } },
      { request: { inputResponses: "ask" } },
      { request: [] },
      { reply: { jcs: {} } },
      { tool: 7 },
      { v: 2 },
    ])
      expect([wrong, readClaims({ ...claims, ...wrong })]).toEqual([wrong, undefined]);
  });

  test("is only as good as who decided, where the server says who", async () => {
    expect(await verifyReceipt(file.replayed, { ...expected, modes: ["human"] })).toMatchObject({ ok: true });
    expect(await verifyReceipt(file.replayed, { ...expected, modes: ["policy", "grant"] })).toEqual({ ok: false, error: "otherMode" });
  });

  test.each([undefined, null, 7, {}, "", "a.b.c", "..", "x".repeat(20_000), `${file.replayed}=`, ` ${file.replayed}`])(
    "is not %s",
    async (receipt) => {
      expect(await verifyReceipt(receipt, expected)).toMatchObject({ ok: false });
    },
  );

  test("with any byte changed does not hold", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(file.replayed.length - 1), fc.constantFrom(..."Aa0-_."), async (at, letter) => {
        fc.pre(file.replayed[at] !== letter);
        const changed = file.replayed.slice(0, at) + letter + file.replayed.slice(at + 1);
        expect((await verifyReceipt(changed, expected)).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the digests", () => {
  test("are of the canonical JSON of RFC 8785", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonicalText(value)).toBe(canonicalize(value));
      }),
    );
    for (const none of [Number.NaN, Number.POSITIVE_INFINITY, undefined, "\ud800", () => 1])
      expect(() => canonicalText(none)).toThrow("not a JSON value");
  });

  test("leave out what says how a message travels, and of a call all but its name and arguments", () => {
    const call = { name: "x", arguments: { b: 1, a: 2 }, _meta: { a: 1 }, task: {}, requestState: "s", inputResponses: {} };
    expect(requestText("tools/call", call)).toBe('{"method":"tools/call","params":{"arguments":{"a":2,"b":1},"name":"x"}}');
    expect(requestText("tools/call", { name: "x" })).toBe('{"method":"tools/call","params":{"arguments":{},"name":"x"}}');
    expect(requestText("elicitation/create", { message: "m", _meta: {}, task: {} })).toBe(
      '{"method":"elicitation/create","params":{"message":"m"}}',
    );
    expect(replyText({ resultType: "complete", action: "accept", content: { a: 1 }, _meta: {} })).toBe(
      '{"action":"accept","content":{"a":1}}',
    );
  });
});

const python = ["python3", "/usr/bin/python3"].find((name) => {
  try {
    execFileSync(name, ["-c", "import jwt, cryptography"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

test.skipIf(python === undefined)("PyJWT, which this project does not use, says the same of every vector's signature and time", () => {
  const script = fileURLToPath(new URL("verify_receipts.py", import.meta.url));
  const said = JSON.parse(execFileSync(python ?? "", [script], { encoding: "utf8" })) as Record<string, string | null>;
  expect(said).toEqual(Object.fromEntries(vectors.map(({ name, error }) => [name, error])));
});
