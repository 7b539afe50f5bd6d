import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonReply, textOfReply } from "../../../shared/provider/json-reply.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { finishReply } from "../../../shared/provider/reply.ts";
import type { SamplingRequest } from "../../../shared/model/sampling.ts";
import { callOf, text } from "../../support/providers/requests.ts";

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
const json = { type: "json" as const };
const withCity = { ...json, schema: city };

const finished = (said: readonly string[], responseFormat: SamplingRequest["responseFormat"] = json) =>
  finishReply(callOf("openai", { responseFormat }), {
    content: said.map((each) => ({ type: "text" as const, text: each })),
    model: "m",
    usage: { inputTokens: 3, outputTokens: 4 },
  });
const textOf = (result: ReturnType<typeof finished>): string | undefined => (result.ok ? textOfReply(result.value.reply) : undefined);

describe("a reply that must be JSON", () => {
  test.each([["{}"], ["[1, 2]"], [' "a text" '], ["null"], ['\n{"a": {"b": []}}\n']])("%j passes as it is", (said) => {
    expect(textOf(finished([said]))).toBe(said);
  });

  test.each([
    [""],
    ["Here you are: {}"],
    ["{} {}"],
    ["{'a': 1}"],
    ['{"a": 1'],
    ["undefined"],
    ["```json\n{\n```"],
    ["``` {} ```"],
    ["{}\u00a0"],
    ["\uFEFF{}"],
    ["[NaN]"],
    ['{"a": 1, "a": 1}'],
    ['[{"b": [{"a": 1, "\\u0061": 2}]}]'],
  ])("%j is a broken answer with what it cost, and the next candidate is asked", (said) => {
    expect(finished([said])).toEqual({
      ok: false,
      error: { kind: "brokenAnswer", status: 200, then: "next", detail: "replyNotJson", usage: { inputTokens: 3, outputTokens: 4 } },
    });
  });

  test.each([["```json\n{}\n```"], ["```\n{}\n```"], [" \n```JSON \r\n{}\n``` \n"], ["```json\n{}```"]])(
    "the fence of %j is gone from it",
    (said) => {
      expect(textOf(finished([said]))?.trim()).toBe("{}");
      expect(textOf(finished([said]))).not.toContain("`");
    },
  );

  test("a fence that begins in one block and ends in another is gone too", () => {
    expect(finished(["```json\n{", '"a": 1}\n```'])).toMatchObject({ ok: true, value: { reply: { content: [text('{"a": 1}')] } } });
  });

  test("what a text holds between fences of its own stays", () => {
    const said = JSON.stringify("```json\n{}\n```");
    expect(textOf(finished([said]))).toBe(said);
  });

  test.each([
    ['{"city": "Oslo"}', true],
    ['```\n{"city": "Oslo"}\n```', true],
    ['{"city": 5}', false],
    ['{"city": "Oslo", "more": 1}', false],
    ["{}", false],
    ["[]", false],
  ])("with a schema, of %s it is %s that it passes", (said, passes) => {
    expect(finished([said], withCity).ok).toBe(passes);
  });

  test.each([
    ["a reference that leads nowhere", { $ref: "#/$defs/none" }],
    ["a pattern that is none", { type: "string", pattern: "(" }],
  ])("a schema with %s fits nothing", (_what, schema) => {
    expect(finished(['"a"'], { ...json, schema }).ok).toBe(false);
  });

  test("formats that nobody knows are annotations", () => {
    expect(finished(['"a"'], { ...json, schema: { type: "string", format: "colour" } }).ok).toBe(true);
  });

  test("a reply with a tool use is not the answer yet", () => {
    const content = [text("Let me see."), { type: "tool_use" as const, id: "a", name: "weather", input: {} }];
    expect(isJsonReply({ content } as Parameters<typeof isJsonReply>[0], json)).toBe(true);
  });

  test("whatever is nested, and however deep, is an answer and never an exception", () => {
    expect(finished(["[".repeat(200_000) + "]".repeat(200_000)], { ...json, schema: { items: { $ref: "#" } } }).ok).toBeTypeOf("boolean");
  });

  test("a schema that would take hours fits nothing, or is checked in linear time", () => {
    const twice = (to: string): JsonObject => ({ allOf: [{ $ref: to }, { $ref: to }] });
    const $defs = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`d${i}`, i === 49 ? {} : twice(`#/$defs/d${i + 1}`)]));
    expect(finished(["1"], { ...json, schema: { $defs, $ref: "#/$defs/d0" } }).ok).toBe(false);
    expect(finished([`"${"a".repeat(50)}!"`], { ...json, schema: { pattern: "^(a+)+$" } }).ok).toBe(false);
    expect(finished([`"${"a".repeat(50)}"`], { ...json, schema: { pattern: "^(a+)+$" } }).ok).toBe(true);
  });

  test("the same name in different objects is no name twice, and what a text holds is no name", () => {
    for (const said of [
      '[{"a": 1}, {"a": 2}]',
      '{"a": {"a": {"a": []}}}',
      '{"a": "\\"a\\": 1, \\"a\\":", "b": "a"}',
      '{"a": "{", "b": ":a"}',
    ])
      expect(textOf(finished([said]))).toBe(said);
  });

  test("every object passes, and none with one of its names a second time", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 4 });
    fc.assert(
      fc.property(object, fc.nat(), fc.jsonValue(), fc.nat(3), (value, which, again, depth) => {
        const names = Object.keys(value);
        const name = names[which % names.length] ?? "";
        const inside = (json: string): string => `${'[{"in": '.repeat(depth)}${json}${"}]".repeat(depth)}`;
        const whole = JSON.stringify(value);
        expect(finished([inside(whole)]).ok).toBe(true);
        expect(finished([inside(`${whole.slice(0, -1)}, ${JSON.stringify(name)}: ${JSON.stringify(again)}}`)]).ok).toBe(false);
      }),
    );
  });

  test("every JSON value passes, with a fence and without, and comes out as the same value", () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom("", "json"), fc.boolean(), (value, word, fenced) => {
        const passed = textOf(finished([fenced ? `\`\`\`${word}\n${value}\n\`\`\`` : value]));
        expect(passed).toBe(value.toWellFormed());
      }),
    );
  });
});

test("where no JSON was asked for, no reply is looked at", () => {
  expect(isJsonReply({ content: [{ type: "text", text: "no JSON" }] }, undefined)).toBe(true);
});
