import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  failure,
  failures,
  idKey,
  isRequestId,
  parseIdJson,
  parseMessage,
  refusedIds,
  success,
  type RequestId,
} from "../../../shared/wire/json-rpc.ts";
import { fixture, officialErrors } from "./official.ts";

const idArbitrary: fc.Arbitrary<RequestId> = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.maxSafeInteger().map((n) => (n === 0 ? 0 : n)),
  fc.constantFrom("1", 1, "", '"', "null", "-0"),
);

const text = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });

describe("a message", () => {
  test("with an id is a request, and without one a notification", () => {
    expect(parseMessage(text({ id: 1, method: "tasks/get", params: { taskId: "t" } }))).toEqual({
      ok: true,
      value: { kind: "request", id: 1, method: "tasks/get", params: { taskId: "t" } },
    });
    expect(parseMessage(text({ method: "notifications/cancelled", params: {} }))).toEqual({
      ok: true,
      value: { kind: "notification", method: "notifications/cancelled", params: {} },
    });
  });

  test("keeps the JSON type of its id", () => {
    for (const id of [0, 1, -7, "1", "", Number.MAX_SAFE_INTEGER]) {
      expect(parseMessage(text({ id, method: "m" }))).toMatchObject({ ok: true, value: { id } });
    }
    expect(parseMessage('{"jsonrpc":"2.0","id":-0,"method":"m"}')).toEqual(parseMessage('{"jsonrpc":"2.0","id":0,"method":"m"}'));
  });

  test("that is not JSON is told apart from one that is not a request", () => {
    for (const body of ["", "{", "nul", "{'a':1}", "\ufeff{}", "{} {}", '{"jsonrpc":"2.0",}']) {
      expect(parseMessage(body), body).toEqual({ ok: false, error: { kind: "notJson" } });
    }
  });

  test.each([
    ["null", "null"],
    ["a number", "1"],
    ["a text", '"x"'],
    ["an empty batch", "[]"],
    ["a batch of one", `[${text({ id: 1, method: "m" })}]`],
    ["no jsonrpc", '{"id":1,"method":"m"}'],
    ["jsonrpc 1.0", '{"jsonrpc":"1.0","id":1,"method":"m"}'],
    ["jsonrpc as a number", '{"jsonrpc":2.0,"id":1,"method":"m"}'],
    ["no method", text({ id: 1 })],
    ["a method that is no text", text({ id: 1, method: 1 })],
    ["a result", text({ id: 1, result: {} })],
    ["an error", text({ id: 1, error: { code: 1, message: "" } })],
    ["a request that is also a response", text({ id: 1, method: "m", result: {} })],
    ["a null id", text({ id: null, method: "m" })],
    ["a fractional id", text({ id: 1.5, method: "m" })],
    ["a boolean id", text({ id: true, method: "m" })],
    ["an object as id", text({ id: {}, method: "m" })],
    ["an array as id", text({ id: [1], method: "m" })],
    ["an id that parsing changed", '{"jsonrpc":"2.0","id":9007199254740993,"method":"m"}'],
    ["an infinite id", '{"jsonrpc":"2.0","id":1e999,"method":"m"}'],
    ["an id of 513 letters", text({ id: "x".repeat(513), method: "m" })],
    ["an id with a lone surrogate", '{"jsonrpc":"2.0","id":"\\ud800","method":"m"}'],
    ["a method with a lone surrogate", '{"jsonrpc":"2.0","id":1,"method":"\\udfff"}'],
    ["an array as params", text({ id: 1, method: "m", params: [] })],
    ["null params", text({ id: 1, method: "m", params: null })],
    ["params as a text", text({ id: 1, method: "m", params: "{}" })],
    ["a hundred thousand levels", `{"jsonrpc":"2.0","id":1,"method":"m","params":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`],
  ])("is no single request with %s", (_what, body) => {
    expect(parseMessage(body)).toMatchObject({ ok: false, error: { kind: "notSingleRequest" } });
  });

  test("that is refused still gives its id where that can be told", () => {
    expect(parseMessage('{"id":"a","method":"m"}')).toMatchObject({ error: { id: "a" } });
    expect(parseMessage(text({ id: 1.5, method: "m" }))).toMatchObject({ error: { id: null } });
  });

  test("of any text is answered with a value and never with an exception", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (body) => {
        expect(typeof parseMessage(body).ok).toBe("boolean");
      }),
    );
  });

  test("is a valid message of the protocol's own schema wherever it is taken as one", () => {
    const part = fc.record(
      {
        jsonrpc: fc.constantFrom("2.0", "1.0"),
        id: fc.oneof(idArbitrary, fc.jsonValue()),
        method: fc.oneof(fc.string(), fc.jsonValue()),
        params: fc.jsonValue(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(part, (message) => {
        const parsed = parseMessage(JSON.stringify(message));
        if (!parsed.ok) return;
        const definition = parsed.value.kind === "request" ? "JSONRPCRequest" : "JSONRPCNotification";
        expect(officialErrors("2025-11-25", definition, message)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test("never changes Object's prototype", () => {
    parseMessage('{"jsonrpc":"2.0","id":1,"method":"m","__proto__":{"polluted":1},"params":{"__proto__":{"polluted":1}}}');
    expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  });
});

describe("a response", () => {
  test("is one of the protocol's in every revision", () => {
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"] as const) {
      expect(officialErrors(revision, "JSONRPCResponse", success("a", { x: 1 }))).toEqual([]);
      expect(officialErrors(revision, "JSONRPCError", failure(1, { code: -1, message: "no", data: { x: [] } }))).toEqual([]);
    }
    expect(officialErrors("2025-11-25", "JSONRPCResultResponse", success("a", { x: 1 }))).toEqual([]);
    expect(officialErrors("2025-11-25", "JSONRPCErrorResponse", failure(1, { code: -1, message: "no" }))).toEqual([]);
  });

  test("that says no is the official message", () => {
    const error = (code: number, message: string) => ({ code, message });
    expect(failure(3, error(-1, "User rejected sampling request"))).toEqual(fixture("documentation/2025-11-25/error-rejected.json"));
    expect(failure(4, error(-32602, "Tool result missing in request"))).toEqual(
      fixture("documentation/2025-11-25/error-tool-result-missing.json"),
    );
  });

  test("to a message whose id could not be told has none: no revision allows null", () => {
    const answer = failure(null, { code: -32700, message: "Parse error" });
    expect(answer).toEqual({ jsonrpc: "2.0", error: { code: -32700, message: "Parse error" } });
    for (const revision of ["2025-11-25", "2026-07-28"] as const)
      expect(officialErrors(revision, "JSONRPCErrorResponse", answer)).toEqual([]);
  });
});

test.each<[string, unknown, unknown]>([
  ["a request", { jsonrpc: "2.0", id: 7, method: "m" }, 7],
  ["what would be a request but for its version or params", { id: "a", method: 3, params: [] }, "a"],
  ["a notification", { jsonrpc: "2.0", method: "m" }, null],
  ["a response, whose id is of the other side", { jsonrpc: "2.0", id: 7, result: {} }, null],
  ["an id that is none", { jsonrpc: "2.0", id: 1.5, method: "m" }, null],
  ["a batch", [{ id: 1, method: "m" }, { method: "n" }, { id: 2, result: {} }, null, { id: "b", method: "m" }], [1, "b"]],
  ["a batch without requests", [{ method: "n" }], []],
  ["no object", "text", null],
])("the refusal of %s is for the ids of its requests, and is what the schemas allow", (_what, body, expected) => {
  const ids = refusedIds(body);
  expect(ids).toEqual(expected);
  const answer: unknown = failures(ids, { code: -32600, message: "No" });
  for (const each of [answer].flat()) {
    expect(officialErrors("2025-11-25", "JSONRPCErrorResponse", each)).toEqual([]);
    if (Object.hasOwn(Object(each), "id"))
      for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18"] as const)
        expect(officialErrors(revision, "JSONRPCError", each)).toEqual([]);
  }
  if (Array.isArray(answer)) expect(officialErrors("2025-03-26", "JSONRPCBatchResponse", answer)).toEqual([]);
});

describe("the key of an id", () => {
  test("gives back exactly the id, and no two ids share one", () => {
    fc.assert(
      fc.property(idArbitrary, idArbitrary, (a, b) => {
        expect(parseIdJson(idKey(a))).toBe(a);
        expect(idKey(a) === idKey(b)).toBe(a === b);
      }),
    );
    expect(idKey(1)).not.toBe(idKey("1"));
  });

  test("is read in any JSON spelling, as in a URL", () => {
    expect(parseIdJson("1.0")).toBe(1);
    expect(parseIdJson('"\\u0041"')).toBe("A");
    expect(Object.is(parseIdJson("-0"), 0)).toBe(true);
    for (const bad of ["", "abc", "1.5", "null", "{}", "[1]", "true", "9007199254740993"]) expect(parseIdJson(bad), bad).toBeUndefined();
  });

  test("of any text is an id or nothing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const id = parseIdJson(text);
        expect(id === undefined || isRequestId(id)).toBe(true);
      }),
    );
  });
});
