// Every limit of an envelope: the last value that is taken and the first that is not, by the reader
// and by the schema that is published.

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { mostMembers } from "../../../../shared/wire/control/envelope-fields.ts";
import { envelopeJsonSchema } from "../../../../shared/wire/control/envelope-schema.ts";
import { parseEnvelope } from "../../../../shared/wire/control/read-envelope.ts";
import { edited, envelopes } from "./envelopes.ts";

const published = new Ajv2020({ strict: false }).compile(envelopeJsonSchema("2.1") ?? false);
const text = edited(envelopes.text, "/protocol_version", "2.1");
const withContext = edited(text, "/context", { session_id: "s", history: [], remember: { ttl: 1 } });
const withControl = edited(text, "/control", { cache: { enable: true } });
const withAuth = edited(text, "/auth", {});
const { translation, embedding, functionCall, choice, multimodal } = envelopes;
const times = <T>(length: number, one: T): T[] => Array.from({ length }, () => one);
const turns = (length: number): unknown[] => times(length, { role: "user", content: "" });
const functions = (length: number): unknown[] => Array.from({ length }, (_, i) => ({ name: `f${i}` }));
const image = { type: "base64", value: "aGk=" };
const p = "/task/parameters";

describe("at the limit and beyond it", () => {
  test.each<[string, unknown, readonly unknown[], readonly unknown[]]>([
    ["/request_id", text, ["x", "x".repeat(256), "😀".repeat(256), " "], ["", "x".repeat(257), "a\nb", "\u0000", "\u0085", 1, null]],
    ["/model/name", text, ["x".repeat(256)], ["", "x".repeat(257), null, {}]],
    ["/model/version", text, ["latest", "1"], ["", "x".repeat(257), 1]],
    ["/model/provider", text, ["meta"], ["", 2]],
    [`${p}/prompt`, text, [" ", "x".repeat(100_000)], ["", null, ["x"]]],
    [`${p}/max_tokens`, text, [1, Number.MAX_SAFE_INTEGER], [0, -1, 1.5, 2 ** 53, "1"]],
    [`${p}/temperature`, text, [0, 1, 0.5], [-0.001, 1.001, "0", null]],
    [`${p}/top_p`, text, [0, 1], [-1, 1.1]],
    [`${p}/top_k`, text, [1], [0, 1.5]],
    [`${p}/stop`, text, ["x", ["x"], times(mostMembers.stop, "x")], ["", [], [""], times(mostMembers.stop + 1, "x"), 1]],
    [`${p}/stream`, text, [true, false], [0, "true", null]],
    [`${p}/response_format`, text, ["text", "json"], ["xml", "JSON", null]],
    [`${p}/text`, translation, ["x"], ["", ["x"]]],
    [`${p}/source_lang`, translation, ["en", "zh-Hant-TW"], ["e", "en_US", "", 1, null]],
    [`${p}/target_lang`, translation, ["de"], ["", "d", "-de", "de-", "x".repeat(9)]],
    [`${p}/formality`, translation, ["formal", "informal"], ["polite", null]],
    [`${p}/text`, embedding, ["x", ["x"], times(mostMembers.texts, "x")], ["", [], ["x", ""], times(mostMembers.texts + 1, "x"), 1]],
    [
      `${p}/functions`,
      functionCall,
      [[], functions(mostMembers.functions)],
      [functions(mostMembers.functions + 1), {}, [1], [{}], [{ name: "" }]],
    ],
    [`${p}/functions`, choice, [functions(1), functions(mostMembers.functions)], [[], functions(mostMembers.functions + 1)]],
    [`${p}/functions/0/parameters`, functionCall, [{}, { type: "object" }], [{ type: "string" }, true, []]],
    [
      `${p}/function_call`,
      functionCall,
      [{ name: "x" }, { name: "x", parameters: { a: [1] } }],
      [{}, { name: "" }, { name: "x", parameters: [] }, null],
    ],
    [`${p}/prompt`, choice, ["x"], ["", 1]],
    [
      `${p}/images`,
      multimodal,
      [[image], times(mostMembers.images, image)],
      [[], times(mostMembers.images + 1, image), [{ type: "file", value: "x" }], [{ type: "url", value: "" }]],
    ],
    ["/context/session_id", withContext, ["!", "~".repeat(128)], ["", "~".repeat(129), "a b", "é", "a\n"]],
    [
      "/context/history",
      withContext,
      [turns(mostMembers.history)],
      [turns(mostMembers.history + 1), [{ role: "tool", content: "" }], [{ role: "user" }], {}],
    ],
    ["/context/system_prompt", withContext, ["", "x"], [1, null]],
    ["/context/remember", withContext, [{ ttl: 1 }, { ttl: 2_592_000 }], [{}, { ttl: 0 }, { ttl: 2_592_001 }, { ttl: 1.5 }]],
    ["/control/timeout", withControl, [1, 600_000], [0, 600_001, 1.5, "1"]],
    ["/control/priority", withControl, ["low", "normal", "high"], ["urgent", 1]],
    ["/control/retryable", withControl, [true, false], [1, null]],
    [
      "/control/cache",
      withControl,
      [
        { enable: true, ttl: 1 },
        { enable: false, ttl: 86_400 },
      ],
      [{}, { enable: true, ttl: 0 }, { enable: true, ttl: 86_401 }, true],
    ],
    ["/auth/api_key", withAuth, ["x".repeat(16_384)], ["", "x".repeat(16_385), 1]],
    ["/auth/token", withAuth, ["x".repeat(16_384)], ["", "x".repeat(16_385), null]],
  ])("%s", (pointer, envelope, taken, refused) => {
    for (const value of taken) {
      const given = edited(envelope, pointer, value);
      expect(parseEnvelope(given)).toMatchObject({ ok: true });
      expect([published(given), published.errors]).toEqual([true, null]);
    }
    for (const value of refused) {
      const given = edited(envelope, pointer, value);
      const parsed = parseEnvelope(given);
      expect({ value, at: parsed.ok ? [] : parsed.error.errors.map((error) => error.pointer.startsWith(pointer)) }).toEqual({
        value,
        at: [true],
      });
      expect({ value, fits: published(given) }).toEqual({ value, fits: false });
    }
  });

  test("a member that has to be there and is not is told as required", () => {
    const required: [unknown, string][] = [
      [text, "/request_id"],
      [text, "/model"],
      [text, "/model/name"],
      [text, "/task"],
      [text, `${p}/prompt`],
      [translation, `${p}/target_lang`],
      [translation, `${p}/text`],
      [embedding, `${p}/text`],
      [multimodal, `${p}/images`],
      [choice, `${p}/functions`],
      [choice, `${p}/prompt`],
      [withContext, "/context/session_id"],
      [withControl, "/control/cache/enable"],
    ];
    for (const [envelope, pointer] of required) {
      const given = edited(envelope, pointer, undefined);
      const parsed = parseEnvelope(given);
      expect(parsed.ok ? [] : parsed.error.errors.map((error) => error.pointer)).toEqual([pointer]);
      expect([pointer, published(given)]).toEqual([pointer, false]);
    }
  });

  test("a model chooses for the history where there is no prompt", () => {
    const without = edited(choice, `${p}/prompt`, undefined);
    const given = edited(without, "/context", { history: turns(1) });
    expect([parseEnvelope(given).ok, published(given)]).toEqual([true, true]);
    const empty = edited(without, "/context", { history: [] });
    expect([parseEnvelope(empty).ok, published(empty)]).toEqual([false, false]);
  });
});
