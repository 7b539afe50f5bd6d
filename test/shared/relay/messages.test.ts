import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonRpcMessage, fromServer, maySampleByItself, messageOf, samplingMethod } from "../../../shared/relay/messages.ts";

const request = (id: unknown, more: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: samplingMethod,
  params: { maxTokens: 5 },
  ...more,
});

/** A relay that answers sampling. */
const ours = (message: JsonRpcMessage): boolean => message.kind === "request" && message.method === samplingMethod;
/** A relay whose client answers by itself. */
const never = (): boolean => false;

const look = (value: unknown): ReturnType<typeof fromServer> => fromServer(JSON.stringify(value), ours);

describe("a client's own reply to sampling", () => {
  const isFound = (text: string): boolean => {
    return maySampleByItself(new TextEncoder().encode(text), JSON.parse(text));
  };
  const reply = '{"role":"assistant","content":{"type":"text","text":"x"},"model":"m"}';

  test.each([
    ["as a host writes it", `{"jsonrpc":"2.0","id":1,"result":${reply}}`],
    ["without a model", '{"jsonrpc":"2.0","id":1,"result":{"role":"assistant","content":[]}}'],
    ["without a role", '{"jsonrpc":"2.0","id":1,"result":{"model":"m","content":[]}}'],
    ["with an id that is none of ours", `{"jsonrpc":"2.0","id":null,"result":${reply}}`],
    ["in other letters", '{"jsonrpc":"2.0","id":1,"Result":{"Role":"assistant","CONTENT":[],"Model":"m"}}'],
    ["in escapes", `{"jsonrpc":"2.0","id":1,"\\u0072esult":${reply}}`],
    ["before a result that is none", `{"jsonrpc":"2.0","id":1,"result":${reply},"result":{}}`],
    ["after a result that is none", `{"jsonrpc":"2.0","id":1,"result":{},"result":${reply}}`],
    ["in a batch", `[{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","id":1,"result":${reply}}]`],
    ["with nothing but content", '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'],
    ["in a message that is a request too", `{"jsonrpc":"2.0","id":1,"method":"ping","result":${reply}}`],
  ])("is found %s", (_how, text) => {
    expect(isFound(text)).toBe(true);
  });

  test.each([
    ["an elicitation's answer", '{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"role":"admin","model":"x"}}}'],
    ["roots", '{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}'],
    ["an empty result", '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ["an error", '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}'],
    ["a call that speaks of one", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"result":${reply}}}`],
  ])("is not %s", (_what, text) => {
    expect(isFound(text)).toBe(false);
  });
});

describe("which message a value is", () => {
  test.each<[string, unknown, JsonRpcMessage["kind"]]>([
    ["a request", { jsonrpc: "2.0", id: 1, method: "ping" }, "request"],
    ["a request with id 0", { jsonrpc: "2.0", id: 0, method: "ping" }, "request"],
    ["a request with an empty id", { jsonrpc: "2.0", id: "", method: "ping" }, "request"],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, "notification"],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }, "response"],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } }, "response"],
    ["an error without an id", { jsonrpc: "2.0", id: null, error: { code: 1, message: "" } }, "other"],
    ["a request whose id is null", { jsonrpc: "2.0", id: null, method: "ping" }, "other"],
    ["a request whose id is a fraction", { jsonrpc: "2.0", id: 1.5, method: "ping" }, "other"],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }, "other"],
    ["nothing of it", { jsonrpc: "2.0", id: 1 }, "other"],
    ["a list", [], "other"],
    ["null", null, "other"],
    ["a string", "ping", "other"],
  ])("%s", (_name, value, kind) => {
    expect(messageOf(value).kind).toBe(kind);
  });
});

describe("what a server sends", () => {
  test("passes as it came, byte for byte, where nothing in it is ours", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (!text.includes(samplingMethod)) expect(fromServer(text, ours)).toMatchObject({ intercepted: [], rest: undefined });
      }),
    );
  });

  test("is taken out where it asks for sampling", () => {
    expect(look(request(7))).toMatchObject({ intercepted: [{ id: 7, method: samplingMethod, params: { maxTokens: 5 } }], rest: null });
    expect(look(request("7"))).toMatchObject({ intercepted: [{ id: "7" }], rest: null });
  });

  test("is left to the client where sampling is the client's", () => {
    expect(fromServer(JSON.stringify(request(7)), never)).toMatchObject({ intercepted: [], rest: undefined });
    expect(fromServer(JSON.stringify(request(1.5)), never)).toMatchObject({ intercepted: [], rest: undefined });
    expect(fromServer('{"method":"sampling/createMessage","temperature":NaN}', never)).toMatchObject({ intercepted: [], rest: undefined });
  });

  test.each(["sampling\\/createMessage", "\\u0073ampling/createMessage", "sampling/\\u0063reateMessage", "sampling\\u002fcreateMessage"])(
    "is taken out where the method is written %s",
    (method) => {
      expect(fromServer(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":{}}`, ours)).toMatchObject({
        intercepted: [{ id: 1 }],
        rest: null,
      });
      expect(fromServer(`{"jsonrpc":"2.0","id":1,"\\u006dethod":"${method}","params":{}}`, ours)).toMatchObject({
        intercepted: [{ id: 1 }],
      });
    },
  );

  test.each<[string, object]>([
    ["an id that is a fraction", request(1.5)],
    ["an id that JSON does not carry exactly", request(1e300)],
    ["an id that is too long", request("x".repeat(513))],
    ["an id of null", request(null)],
    ["an id that is a list", request([1])],
    ["no id", { jsonrpc: "2.0", method: samplingMethod }],
    ["no version", { id: 1, method: samplingMethod }],
    ["another version", request(1, { jsonrpc: "2.1" })],
    ["a member whose case is another", { jsonrpc: "2.0", id: 1, Method: samplingMethod }],
    ["two members that differ in case", request(1, { method: "ping", METHOD: samplingMethod })],
    ["a result beside it", { jsonrpc: "2.0", id: 1, result: {}, Method: samplingMethod }],
  ])("goes nowhere where it asks for sampling with %s: some client might take it", (_name, value) => {
    expect(look(value)).toMatchObject({ intercepted: [], rest: null });
    expect(look([value, { jsonrpc: "2.0", method: "a" }])).toMatchObject({ intercepted: [], rest: '[{"jsonrpc":"2.0","method":"a"}]' });
  });

  test("passes where it is not JSON, but not where it might ask for sampling", () => {
    expect(fromServer("not JSON", ours).rest).toBeUndefined();
    expect(fromServer('{"a":NaN}', ours).rest).toBeUndefined();
    expect(fromServer('{"method":"sampling/createMessage","temperature":NaN}', ours).rest).toBeNull();
    expect(fromServer('{"method":"sampling/\\u0063reateMessage","temperature":NaN}', ours).rest).toBeNull();
  });

  test("is taken out of a batch, of which the others stay in order", () => {
    const others = [{ jsonrpc: "2.0", method: "a" }, { jsonrpc: "2.0", id: 1, result: { text: samplingMethod } }, { odd: true }];
    const seen = look([others[0], request(1), others[1], request(2), others[2]]);
    expect(seen.intercepted.map(({ id }) => id)).toEqual([1, 2]);
    expect(JSON.parse(seen.rest ?? "")).toEqual(others);
    expect(look([request(1)]).rest).toBeNull();
    expect(look([]).rest).toBeUndefined();
  });

  test("passes where it only speaks of sampling", () => {
    const result = {
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text: JSON.stringify(request(1)) }], method: samplingMethod },
    };
    expect(look(result)).toMatchObject({ intercepted: [], rest: undefined, answered: [1] });
  });

  test("tells what was answered, how far things are, and what was given up", () => {
    expect(
      look([
        { jsonrpc: "2.0", id: 1, result: {} },
        { jsonrpc: "2.0", id: "a", error: { code: 1, message: "" } },
      ]).answered,
    ).toEqual([1, "a"]);
    const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "p", progress: 0.5 } };
    expect(look(progress)).toMatchObject({ progress: [{ token: "p", progress: 0.5 }], rest: undefined });
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3, reason: "why" } };
    expect(look(cancelled)).toMatchObject({ cancelled: [{ id: 3, reason: "why" }], rest: undefined });
    expect(look({ ...cancelled, params: { requestId: {}, reason: 5 } }).cancelled).toEqual([]);
  });
});
