// What an MCP server says that its tool takes, where arguments cannot be checked by it, and where
// that is work.

import { beforeEach, describe, expect, test } from "vitest";
import { asked, control, controlAnswerOf, envelopeOf, gates } from "../../support/control.ts";
import { type ToolServer, scriptToolServer } from "../../support/tool-server.ts";

let server: ToolServer;

beforeEach(async () => {
  await gates();
  server = await scriptToolServer();
});

const takes = (inputSchema: object): void => {
  server.tools = [{ name: "sum", inputSchema: { type: "object", ...inputSchema } }];
};
const call = (parameters: object) => envelopeOf("function_call", { function_call: { name: "sum", parameters } });

describe("a schema that cannot be checked by", () => {
  test.each<[string, object]>([
    ["leads out of itself", { properties: { a: { $ref: "https://example.com/a.json" } } }],
    ["leads to nothing", { properties: { a: { $ref: "#/$defs/a" } } }],
    ["leads to itself", { allOf: [{ $ref: "#" }] }],
    ["has a pattern that is none", { properties: { a: { pattern: "[" } } }],
    ["has keywords of a wrong kind", { properties: { a: { minimum: "3" } } }],
    ["is of a draft that is not known", { $schema: "http://json-schema.org/draft-03/schema#" }],
  ])("%s: the function is unavailable, which is no fault of the arguments, and nothing runs", async (_name, inputSchema) => {
    takes(inputSchema);
    const response = await control(call({ a: 1, b: 2 }));
    expect(response.status).toBe(502);
    expect(await controlAnswerOf(response)).toMatchObject({
      status: "failed",
      error: {
        code: -32_011,
        message: expect.stringContaining("JSON Schema") as string,
        details: { function: "tools/sum", reason: "uncheckableSchema" },
      },
    });
    expect(server.ran()).toEqual([]);
  });

  test("and was another when the call was approved: nothing runs", async () => {
    await asked(call({ a: 1, b: 2 }));
    // What is known of the tool is a minute old at the most; the server is asked again before it
    // runs.
    takes({ properties: { a: { pattern: "[" } } });
    expect(await asked(call({ a: 1, b: 2 }))).toMatchObject({ status: "failed", error: { code: -32_011 } });
    expect(server.ran()).toHaveLength(1);
  });
});

describe("a schema that is work", () => {
  test("a pattern that a backtracking matcher could go on with for ever is matched", async () => {
    takes({ properties: { a: { type: "string", pattern: "^(a+)+$" } } });
    expect(await asked(call({ a: "aaaa" }))).toMatchObject({ status: "completed" });
    expect(await asked(call({ a: `${"a".repeat(60)}!` }))).toMatchObject({
      status: "invalid",
      error: {
        details: { errors: [{ pointer: "/task/parameters/function_call/parameters/a", message: "must match the pattern" }] },
      },
    });
    expect(server.ran()).toHaveLength(1);
  });

  test("an e-mail address, as zod writes its schema, is checked", async () => {
    const pattern = "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$";
    takes({ $schema: "https://json-schema.org/draft/2020-12/schema", properties: { a: { type: "string", format: "email", pattern } } });
    expect(await asked(call({ a: "someone@example.com" }))).toMatchObject({ status: "completed" });
    expect(await asked(call({ a: "someone..else@example.com" }))).toMatchObject({ status: "invalid" });
  });

  test("arguments that are as deep as an envelope may be are checked in the Worker's stack", async () => {
    takes({
      $defs: {
        any: {
          anyOf: [
            { type: "object", additionalProperties: { $ref: "#/$defs/any" } },
            { type: "array", items: { $ref: "#/$defs/any" } },
            { type: ["number", "string"] },
          ],
        },
      },
      properties: { a: { $ref: "#/$defs/any" } },
    });
    const nested = (levels: number, inner: unknown): unknown => (levels === 0 ? inner : { v: [nested(levels - 1, inner)] });
    expect(await asked(call({ a: nested(28, 1) }))).toMatchObject({ status: "completed" });
    expect(await asked(call({ a: nested(28, null) }))).toMatchObject({ status: "invalid" });
  });
});
