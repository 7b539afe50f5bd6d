import { describe, expect, test } from "vitest";
import type { Outcome } from "../../../shared/model/outcome.ts";
import { addressFault } from "../../../shared/relay/url-elicitation.ts";
import { elicitResult, parseElicitation } from "../../../shared/wire/elicitation.ts";
import { mcpCodec } from "../../../shared/wire/mcp-codecs.ts";

const requestedSchema = { type: "object", properties: { ok: { type: "boolean" } } };
const form = { message: "Well?", requestedSchema };
const read = (params: unknown, hosts?: readonly string[]) =>
  parseElicitation(params, (url) => addressFault(url, { elicitationHosts: hosts, allowPrivate: false }));
const pointers = (params: unknown): string[] => {
  const parsed = read(params);
  return parsed.ok || parsed.error.kind !== "invalid" ? [] : parsed.error.errors.map(({ pointer }) => pointer);
};

describe("the params of an elicitation", () => {
  test("are a form, in revisions that have no other too", () => {
    for (const mode of [{}, { mode: "form" }])
      expect(read({ ...form, ...mode, _meta: { progressToken: 7 } })).toEqual({
        ok: true,
        value: { asked: { message: "Well?", schema: requestedSchema }, meta: { progressToken: 7 } },
      });
  });

  test("or an address, as browsers read it", () => {
    const asked = { mode: "url", elicitationId: "e", message: "Sign in", url: "https:\\\\LINEAR.app/%7Ea b" };
    expect(read(asked)).toMatchObject({ ok: true, value: { asked: { schema: {}, url: "https://linear.app/%7Ea%20b" } } });
  });

  test.each<[string, unknown, string]>([
    ["no object", null, ""],
    ["no message", { requestedSchema }, "/message"],
    ["an empty message", { ...form, message: "" }, "/message"],
    ["no schema", { message: "Well?" }, "/requestedSchema"],
    ["another mode", { ...form, mode: "page" }, "/mode"],
    ["a task, which is not declared", { ...form, task: {} }, "/task"],
    ["no address", { mode: "url", message: "Sign in" }, "/url"],
    ["more than a page has", { ...form, message: "x".repeat(100_001) }, ""],
  ])("with %s are refused", (_, params, pointer) => {
    expect(pointers(params)).toEqual([pointer]);
  });
});

test.each<[string, boolean]>([
  ["https://linear.app/", true],
  ["https://linear.app:8443/a?b#c", true],
  ["https://LINEAR.app/", true],
  ["https://linear.app.evil.example/", false],
  ["https://evil.example/linear.app", false],
  ["https://linear.app@evil.example/", false],
  ["https://user:secret@linear.app/", false],
  ["https://user@linear.app/", false],
  ["http://linear.app/", false],
  ["javascript:alert(1)//linear.app", false],
  ["https://127.0.0.1/", false],
  ["linear.app", false],
])("of the hosts that an entry lists, %s: %s", (url, isAllowed) => {
  const settings = { elicitationHosts: ["linear.app"], allowPrivate: false };
  expect(addressFault(url, settings) === null).toBe(isAllowed);
});

test.each(["https://127.0.0.1/", "https://[::ffff:10.0.0.1]/", "https://0x7f.1/", "https://localhost/"])(
  "where an entry lists none, not %s",
  (url) => {
    expect(addressFault(url, { allowPrivate: false })).not.toBeNull();
    expect(addressFault(url, { allowPrivate: true })).toBeNull();
  },
);

describe("the result", () => {
  test.each<[string, Extract<Outcome, { kind: "elicited" }>, object]>([
    ["an answer", { kind: "elicited", action: "accept", content: { ok: true } }, { action: "accept", content: { ok: true } }],
    ["an address that was opened", { kind: "elicited", action: "accept", content: null }, { action: "accept" }],
    ["a no", { kind: "elicited", action: "decline" }, { action: "decline" }],
    ["nobody's word", { kind: "elicited", action: "cancel" }, { action: "cancel" }],
  ])("of %s is the same in every revision", (_, outcome, result) => {
    expect(elicitResult(outcome)).toEqual(result);
    for (const revision of ["2025-06-18", "2025-11-25", "2026-07-28"]) expect(mcpCodec(revision).encode(outcome)).toEqual({ result });
  });
});
