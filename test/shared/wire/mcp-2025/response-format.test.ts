// The extension `countersign/responseFormat`: what each revision reads, and what it refuses and
// where.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonReply } from "../../../../shared/provider/json-reply.ts";
import { responseFormatKey } from "../../../../shared/wire/extension-keys.ts";
import { originatingIn } from "../../../../shared/wire/mcp-2025/meta.ts";
import { parseCancelled } from "../../../../shared/wire/mcp-2025/tasks.ts";
import { mcpCodec } from "../../../../shared/wire/mcp-codecs.ts";
import { jsonSentence } from "../../../../shared/wire/json-sentence.ts";

const revisions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const at = "/_meta/countersign~1responseFormat";

const paramsWith = (format: unknown, more: object = {}) => ({
  messages: [{ role: "user", content: { type: "text", text: "Where is it?" } }],
  maxTokens: 50,
  ...more,
  _meta: { [responseFormatKey]: format },
});

function read(format: unknown, more: object = {}, revision = "2025-11-25") {
  const result = mcpCodec(revision).decode(paramsWith(format, more));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

function errorsOf(format: unknown, revision = "2025-11-25") {
  const result = mcpCodec(revision).decode(paramsWith(format));
  if (result.ok || result.error.kind !== "invalid") throw new Error(`not invalid: ${JSON.stringify(result)}`);
  return result.error.errors;
}

describe.each(revisions)("the format of a reply in %s", (revision) => {
  test("is the neutral request's, and the system prompt asks for it", () => {
    const { request, meta } = read({ type: "json" }, {}, revision);
    expect(request).toMatchObject({ responseFormat: { type: "json" }, systemPrompt: jsonSentence });
    expect(meta).toEqual({});
  });

  test("may have a schema, which the system prompt gives to models whose API takes none", () => {
    const { request } = read({ type: "json", schema }, { systemPrompt: "Be brief." }, revision);
    expect(request.responseFormat).toEqual({ type: "json", schema });
    const prompt = `${jsonSentence} The value must fit this JSON Schema: ${JSON.stringify(schema)}`;
    expect(request.systemPrompt).toBe(`Be brief.\n\n${prompt}`);
  });

  test("is refused where its schema cannot be checked, at the place in the schema", () => {
    const remote = { type: "object", properties: { a: { $ref: "https://example.com/a.json" } } };
    expect(errorsOf({ type: "json", schema: remote }, revision)).toMatchObject([{ pointer: `${at}/schema/properties/a/$ref` }]);
  });
});

test("without a format nothing is added to the request", () => {
  const result = mcpCodec().decode({ ...paramsWith(null), _meta: { "countersign/session": "s" } });
  expect(result).toMatchObject({ ok: true, value: { meta: { session: "s" } } });
  expect(result.ok && ["systemPrompt", "responseFormat"].filter((name) => name in result.value.request)).toEqual([]);
});

test("a request with tools asks for JSON unless the model calls one", () => {
  const { request } = read({ type: "json" }, { tools: [{ name: "look", inputSchema: { type: "object" } }] });
  expect(request.systemPrompt).toMatch(/^Unless you call a tool, answer with one JSON value and nothing else/);
});

describe("what is no format is refused", () => {
  test.each<[string, unknown, string[]]>([
    ["null", null, [at]],
    ["a text", "json", [at]],
    ["a list", [{ type: "json" }], [at]],
    ["an object without a type", {}, [`${at}/type`]],
    ["the type of another API", { type: "json_schema" }, [`${at}/type`]],
    ["another API's member", { type: "json", json_schema: { schema } }, [at]],
    ["a name that is spelled otherwise", { type: "json", Schema: schema }, [at]],
    ["a schema that is a text", { type: "json", schema: "object" }, [`${at}/schema`]],
    ["a schema that is true", { type: "json", schema: true }, [`${at}/schema`]],
    ["a schema that is a list", { type: "json", schema: [schema] }, [`${at}/schema`]],
    ["a keyword of the wrong type", { type: "json", schema: { minLength: "2" } }, [`${at}/schema/minLength`]],
    ["a reference to nothing", { type: "json", schema: { $ref: "#/$defs/none" } }, [`${at}/schema/$ref`]],
    ["a pattern that needs backtracking", { type: "json", schema: { pattern: "(a)\\1" } }, [`${at}/schema/pattern`]],
    ["a draft that nobody knows", { type: "json", schema: { $schema: "https://example.com/draft" } }, [`${at}/schema/$schema`]],
  ])("%s", (_what, format, pointers) => {
    expect(errorsOf(format).map(({ pointer }) => pointer)).toEqual(pointers);
  });

  test("whatever it is, without throwing; and what is read is a format that replies can be checked by", () => {
    const formats = fc.oneof(
      fc.jsonValue(),
      fc.record({ type: fc.constant("json"), schema: fc.jsonValue() }, { requiredKeys: ["type"] }),
      fc.record({
        type: fc.constant("json"),
        schema: fc.dictionary(fc.constantFrom("type", "enum", "properties", "$ref"), fc.jsonValue()),
      }),
    );
    fc.assert(
      fc.property(formats, (format) => {
        const result = mcpCodec().decode(paramsWith(format));
        if (result.ok) expect(result.value.request.responseFormat).toEqual(format);
        else expect(result.error.kind === "invalid" && result.error.errors.every(({ pointer }) => pointer.startsWith(at))).toBe(true);
      }),
    );
    // A schema without conditions is one that every value fits: it was read, and does not refuse
    // all.
    const { responseFormat } = read({ type: "json", schema: {} }).request;
    expect(isJsonReply({ content: [{ type: "text", text: "7" }] }, responseFormat)).toBe(true);
  });

  test("a deep schema is refused by its depth, and not by an overflow", () => {
    let deep: object = {};
    for (let i = 0; i < 20_000; i += 1) deep = { not: deep };
    expect(errorsOf({ type: "json", schema: deep }).length).toBeGreaterThan(0);
  });
});

describe("a format that is none of ours to read", () => {
  const originating = { id: 1, method: "tools/call", name: "t", server: "s" };
  const meta = { "countersign/session": "s", "countersign/originatingRequest": originating, [responseFormatKey]: "json" };

  test("does not hide which client request a refused request names", () => {
    expect(originatingIn({ _meta: meta })).toEqual(originating);
  });

  test("is ignored in a cancellation, which has no reply", () => {
    expect(parseCancelled({ requestId: 1, _meta: meta })).toMatchObject({ ok: true });
  });
});
