import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeHeaderValue, encodeHeaderValue } from "../../../../shared/wire/mcp-2026/header-values.ts";
import { headersFor, paramHeadersIn, strayParamHeader } from "../../../../shared/wire/mcp-2026/param-headers.ts";

describe("a value in a header", () => {
  // The examples of the specification (basic/transports/streamable-http, "Value Encoding").
  test.each([
    ["us-west1", "us-west1"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["", ""],
  ])("%j is %j", (text, value) => {
    expect([encodeHeaderValue(text), decodeHeaderValue(value)]).toEqual([value, text]);
  });

  test("is one that a header can have, and stands for its text again", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const value = encodeHeaderValue(text);
        expect(value).toMatch(/^[\x20-\x7e]*$/);
        expect(new Headers([["Mcp-Name", value]]).get("Mcp-Name")).toBe(value);
        expect(decodeHeaderValue(value)).toBe(text.toWellFormed());
      }),
    );
  });

  test.each(["=?base64?!!!?=", "=?base64?/w==?=", "=?base64?YQ=?="])("is refused where its Base64 stands for no text: %s", (value) => {
    expect(decodeHeaderValue(value)).toBeUndefined();
  });
});

describe("the headers of a tool's arguments", () => {
  const schema = {
    type: "object",
    properties: {
      region: { type: "string", "x-mcp-header": "Region" },
      place: { type: "object", properties: { floor: { type: "integer", "x-mcp-header": "Floor" } } },
      sure: { type: "boolean", "x-mcp-header": "Sure" },
      list: { type: "array", items: { type: "object", properties: { inner: { type: "string", "x-mcp-header": "Inner" } } } },
      bad: { type: "string", "x-mcp-header": "no token" },
    },
  };

  test("are those that are reached by properties alone", () => {
    expect(paramHeadersIn(schema)).toEqual([
      { name: "Region", path: ["region"] },
      { name: "Floor", path: ["place", "floor"] },
      { name: "Sure", path: ["sure"] },
    ]);
  });

  test("say what the arguments say, and nothing of what is not there", () => {
    const headers = paramHeadersIn(schema);
    expect(headersFor(headers, { region: "Zürich", place: { floor: -7 }, sure: true })).toEqual([
      ["Mcp-Param-Region", "=?base64?WsO8cmljaA==?="],
      ["Mcp-Param-Floor", "-7"],
      ["Mcp-Param-Sure", "true"],
    ]);
    expect(headersFor(headers, { region: null, place: { floor: 1.5 } })).toEqual([]);
    expect(headersFor(headers, undefined)).toEqual([]);
  });

  test.each<[string, [string, string], boolean, boolean]>([
    ["what the argument says", ["mcp-param-REGION", "=?base64?WsO8cmljaA==?="], true, true],
    ["a number", ["Mcp-Param-Floor", "-7"], true, true],
    ["what another argument says", ["Mcp-Param-Region", "-7"], false, true],
    ["what no argument says", ["Mcp-Param-Region", "Bern"], false, false],
    ["what nobody can read", ["Mcp-Param-Region", "=?base64?_?="], false, false],
    ["an argument that has no header", ["Mcp-Param-Note", "-7"], false, true],
    ["what is no argument's header", ["Mcp-Name", "x"], true, true],
  ])("under review may repeat %s: by its schema, and without one", (_, header, isKnown, isSaid) => {
    const args = { region: "Zürich", place: { floor: -7 }, list: ["Bern"] };
    expect(strayParamHeader([header], args, schema)).toBe(isKnown ? null : header[0]);
    expect(strayParamHeader([header], args, null)).toBe(isSaid ? null : header[0]);
  });
});
