import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../shared/encoding.ts";
import { minimalArguments } from "../../../../shared/provider/demo/demo-arguments.ts";
import { answerDemo, demoDimensions, embedDemo } from "../../../../shared/provider/demo/demo-reply.ts";
import { fits } from "../../../../shared/json/fields.ts";
import { samplingReply, type ChatRequest } from "../../../../shared/model/sampling.ts";
import { anyRequest, callOf, candidate, png, request, round, text, user, weather } from "../../../support/providers/requests.ts";

/** A CommonJS module whose types and run-time shape differ by loader. */
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

function demo(changes: Partial<ChatRequest> = {}) {
  const result = answerDemo(callOf("demo", changes));
  if (!result.ok) throw new Error("the demo failed");
  return result.value;
}
const said = (changes: Partial<ChatRequest> = {}): string =>
  demo(changes)
    .reply.content.map((block) => (block.type === "text" ? block.text : ""))
    .join("");

describe("the demo provider", () => {
  test("says that it is not a model, what it got, and how the last text begins", () => {
    expect(
      said({
        messages: [user(text("Earlier.")), user(text("How high is the tower?"), { type: "image", data: png, mimeType: "image/png" })],
        tools: [weather],
      }),
    ).toBe(
      'This is the gateway\'s built-in demo, not a model. It received 2 messages with 1 image and 1 tool. The last user text begins: "How high is the tower?".',
    );
  });

  test("a long text is repeated only in part", () => {
    expect(said({ messages: [user(text("word ".repeat(500)))], maxTokens: 1000 }).length).toBeLessThan(400);
  });

  test("maxTokens is kept exactly, and its usage says so", () => {
    const { reply, usage } = demo({ maxTokens: 5 });
    expect(reply).toMatchObject({ content: [{ type: "text", text: "This is the gateway'" }], stopReason: "maxTokens" });
    expect(usage.outputTokens).toBe(5);
  });

  test("a stop sequence ends the text before it", () => {
    expect(demo({ stopSequences: ["zebra", " not a model"] }).reply).toMatchObject({
      content: [{ type: "text", text: "This is the gateway's built-in demo," }],
      stopReason: "stopSequence",
    });
  });

  test("what it has nothing to sample with is noted", () => {
    expect(demo({ temperature: 0, topP: 0.5, topK: 3 }).notes.map((note) => note.kind === "omitted" && note.field)).toEqual([
      "temperature",
      "topP",
      "topK",
    ]);
    expect(demo({ temperature: 0, topP: 0.5, topK: 3 }).reply).toEqual(demo().reply);
  });

  test("JSON is its sentence in an object, or what the schema asks for with the sentence in the strings that are free", () => {
    const responseFormat = { type: "json" as const };
    const whole = said();
    expect(JSON.parse(said({ responseFormat }))).toEqual({ demo: true, text: whole });
    const schema = {
      type: "object",
      properties: { translation: { type: "string" }, source: { type: "string", default: "en" }, short: { type: "string", maxLength: 4 } },
      required: ["translation", "source", "short"],
    };
    expect(JSON.parse(said({ responseFormat: { ...responseFormat, schema } }))).toEqual({
      translation: whole,
      source: "en",
      short: "This",
    });
  });

  test("JSON that maxTokens cuts is a fault and no half of an object", () => {
    expect(answerDemo(callOf("demo", { maxTokens: 5, responseFormat: { type: "json" } }))).toMatchObject({
      ok: false,
      error: { kind: "brokenAnswer", then: "next", detail: "replyNotJson", usage: { outputTokens: 5 } },
    });
  });

  test("a required tool is called with arguments that fit its schema, and after the results it answers in text", () => {
    const first = demo({ tools: [weather], toolChoice: "required" });
    expect(first.reply).toMatchObject({ content: [{ type: "tool_use", name: "weather", input: { city: "demo" } }], stopReason: "toolUse" });
    const messages = round({ type: "tool_result", toolUseId: "a", content: [{ type: "text", text: "12 degrees" }] });
    expect(demo({ tools: [weather], toolChoice: "required", messages }).reply).toMatchObject({ stopReason: "endTurn" });
    expect(said({ tools: [weather], toolChoice: "required", messages })).toContain('The last tool result begins: "12 degrees".');
  });

  test.each(["auto", "none"] as const)("with tool choice %s it answers in text", (toolChoice) => {
    expect(demo({ tools: [weather], toolChoice }).reply).toMatchObject({ content: [{ type: "text" }], stopReason: "endTurn" });
  });

  test("the same request always gets the same valid reply, within its limit", () => {
    fc.assert(
      fc.property(anyRequest({ audio: true }), (any) => {
        const call = { request: any, candidate: candidate("demo") };
        const result = answerDemo(call);
        expect(answerDemo(call)).toEqual(result);
        expect(result.ok && fits(samplingReply, result.value.reply)).toBe(true);
        expect(result.ok && result.value.usage.outputTokens <= any.maxTokens).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test("vectors have length 1, are the same for the same text, and nearer for texts with words in common", () => {
    const { vectors, usage } = embedDemo(["the red house", "a red house", "quarterly tax forms", ""]);
    for (const vector of vectors) {
      expect(vector).toHaveLength(demoDimensions);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 10);
    }
    expect(embedDemo(["the red house"]).vectors[0]).toEqual(vectors[0]);
    const near = (a: number, b: number): number => (vectors[a] ?? []).reduce((sum, value, at) => sum + value * (vectors[b]?.[at] ?? 0), 0);
    expect(near(0, 1)).toBeGreaterThan(near(0, 2));
    expect(usage.inputTokens).toBeGreaterThan(0);
  });

  test("its own request is answered as any other", () => {
    expect(answerDemo({ request: request(), candidate: candidate("demo") })).toMatchObject({
      ok: true,
      value: { reply: { model: "countersign-demo" } },
    });
  });
});

describe("the smallest arguments of a tool", () => {
  const schemas: JsonObject[] = [
    { type: "object" },
    { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["b"] },
    {
      type: "object",
      properties: { a: { type: "string", minLength: 9, maxLength: 9 }, b: { type: "string", maxLength: 2 } },
      required: ["a", "b"],
    },
    {
      type: "object",
      properties: { a: { enum: ["x", "y"] }, b: { const: 7 }, c: { type: ["null", "string"] } },
      required: ["a", "b", "c"],
    },
    {
      type: "object",
      properties: { a: { type: "integer", minimum: 3, multipleOf: 5 }, b: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 } },
      required: ["a", "b"],
    },
    {
      type: "object",
      properties: { a: { type: "integer", maximum: -3 }, b: { type: "integer", exclusiveMaximum: -3 } },
      required: ["a", "b"],
    },
    {
      type: "object",
      properties: { a: { type: "array", minItems: 2, items: { type: "object", properties: { z: { type: "boolean" } }, required: ["z"] } } },
      required: ["a"],
    },
    {
      type: "object",
      properties: { a: { $ref: "#/$defs/point" } },
      required: ["a"],
      $defs: { point: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
    },
    {
      allOf: [
        { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { type: "null" } }, required: ["b"] },
      ],
    },
    {
      type: "object",
      properties: { a: { anyOf: [{ type: "integer" }, { type: "string" }] }, b: { oneOf: [{ type: "boolean" }] } },
      required: ["a", "b"],
    },
    {
      type: "object",
      properties: Object.fromEntries(
        ["date", "date-time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"].map((format) => [format, { type: "string", format }]),
      ),
      required: ["date", "date-time", "email", "uri", "uuid", "ipv4", "ipv6", "hostname"],
    },
  ];

  test.each(schemas.map((schema) => [JSON.stringify(schema).slice(0, 90), schema] as const))("satisfy %s", (_name, schema) => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    const validate = ajv.compile(schema);
    validate(minimalArguments(schema));
    expect(validate.errors).toBeNull();
  });

  // Without a bound each of these asks for 10^16 values or more: the test would not end.
  const names = Array.from({ length: 10 }, (_, i) => `p${i}`);
  const list = (levels: number): JsonObject => ({
    type: "array",
    minItems: 100,
    items: levels === 0 ? { type: "null" } : list(levels - 1),
  });
  test.each<[string, JsonObject]>([
    ["lists in lists", { type: "object", properties: { a: list(14) }, required: ["a"] }],
    [
      "members that are the whole again",
      { type: "object", properties: Object.fromEntries(names.map((name) => [name, { $ref: "#" }])), required: names },
    ],
    ["parts that are the whole again", { type: "object", allOf: names.map(() => ({ $ref: "#" })) }],
  ])("a schema whose values multiply (%s) is given up after so many", (_name, schema) => {
    expect(JSON.stringify(minimalArguments(schema)).length).toBeLessThan(100_000);
  });

  test("a schema that refers to itself ends, and nothing is thrown for any JSON", () => {
    expect(minimalArguments({ $ref: "#" })).toEqual({});
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("type", "properties", "required", "items", "allOf", "$ref", "minItems", "enum"), fc.jsonValue()),
        (schema) => void minimalArguments(schema as JsonObject),
      ),
    );
  });
});
