// Responses that a server sends to other requests than those of the exchange.

import { describe, expect, test } from "vitest";
import { withoutOtherResponses } from "../../../shared/relay/own-responses.ts";

const own = new Set(['"mine"', "7"]);
const result = (id: unknown): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"n":1.0}}`;
const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"result":1}}';

describe("passes as it is", () => {
  test.each([
    ["a response to a request of its own", result("mine")],
    ["one to a number", result(7)],
    ["a notification that speaks of a result", progress],
    ["a request of the server", '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ["an error to no request", '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}'],
    ["an error without an id", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}'],
    ["what is no message", "a text"],
  ])("%s", (_, text) => {
    expect(withoutOtherResponses(text, own)).toBeUndefined();
  });
});

describe("does not pass", () => {
  test.each([
    ["a response to another request", result("other")],
    ["an error to another request", '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"the secret"}}'],
    ["the id as a text, which some clients read as a number", result("7")],
    ["a result without an id", '{"jsonrpc":"2.0","result":{}}'],
    ["a result with a method", '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}'],
    ["a result in another case", '{"jsonrpc":"2.0","id":1,"Result":{}}'],
    ["a result in escapes", '{"jsonrpc":"2.0","id":1,"r\\u0065sult":{}}'],
    ["another id before its own", '{"jsonrpc":"2.0","id":1,"id":7,"result":{}}'],
    ["another id beside its own", '{"jsonrpc":"2.0","id":7,"Id":1,"result":{}}'],
    ["what only some clients read", '{"jsonrpc":"2.0","id":1,"result":{"n":NaN}}'],
  ])("%s", (_, text) => {
    expect(withoutOtherResponses(text, own)).toBeNull();
  });

  test("in a batch, the rest of which passes with its bytes", () => {
    expect(withoutOtherResponses(`[ ${result("mine")}, ${result("other")}, ${progress} ]`, own)).toBe(`[${result("mine")},${progress}]`);
  });
});
