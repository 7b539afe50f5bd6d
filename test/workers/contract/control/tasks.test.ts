// Every task of an envelope, through scripted providers of both kinds: what the models are asked,
// and the one shape of all answers.

import { beforeEach, describe, expect, test } from "vitest";
import { decodePng } from "../../../../shared/image/decode-png.ts";
import { readPng } from "../../../../shared/image/png-chunks.ts";
import { jsonSentence } from "../../../../shared/wire/json-sentence.ts";
import { translationPrompt } from "../../../../shared/wire/control/translation.ts";
import { base64Of, png } from "../../../support/image-files.ts";
import { asked, control, controlAnswerOf, envelopeOf, everyKind, gates, prompt, sentBody, textEnvelope } from "../../support/control.ts";
import { configure, model, openNotice } from "../../support/gateway.ts";
import { promptMarker, replyMarker } from "../../support/logs.ts";
import { decide, press } from "../../support/reviewer.ts";

beforeEach(async () => {
  await gates();
  await configure("routing", everyKind);
});

/** The size and the pixels of a PNG, on white. */
function pixelsOf(bytes: Uint8Array): unknown {
  const parts = readPng(bytes);
  const raster = parts.ok ? decodePng(parts.value) : parts;
  return raster.ok ? { ...raster.value, rgb: [...raster.value.rgb] } : raster.error;
}

const reply = `Paris. ${replyMarker}`;
const usage = { input_tokens: 12, output_tokens: 5, total_tokens: 17, cost_usd: 0.000022 };

/** What stands in every answer of a model. */
const answerBy = (id: string, name: string, more: object): object => ({
  protocol_version: "2.1",
  request_id: expect.stringMatching(/^req-\d+$/),
  status: "completed",
  model: { id, name, requested: { name: id }, why: expect.stringContaining(`"${id}"`) },
  usage,
  run: expect.stringMatching(/^run_/),
  edited: { request: false, response: false },
  ...more,
});

const kinds: [string, string][] = [
  ["first", "vendor/first"],
  ["claude", "vendor/claude"],
];

describe.each(kinds)("at a provider of the kind of %s", (id, name) => {
  const at = { model: { name: id } };

  test("text is asked for with everything that the caller set, and answered", async () => {
    model.script({ text: reply });
    const context = {
      system_prompt: "Be brief.",
      history: [
        { role: "system", content: "Be kind." },
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi" },
      ],
    };
    const answer = await asked(textEnvelope({ max_tokens: 40, temperature: 0.5, stop: ["###"] }, { ...at, context }));
    expect(answer).toEqual(answerBy(id, name, { result: { type: "text_generation", text: reply, stop_reason: "end_turn" } }));
    const body = sentBody();
    expect(body).toMatchObject({ model: name, max_tokens: 40, temperature: 0.5 });
    expect(body["stop"] ?? body["stop_sequences"]).toEqual(["###"]);
    const said = JSON.stringify([body["system"] ?? "", body["messages"]]);
    for (const part of ["Be brief.", "Be kind.", "Hello", "Hi", prompt]) expect(said).toContain(part);
    expect(said.indexOf("Be brief.")).toBeLessThan(said.indexOf("Be kind."));
  });

  test("without a word about it, 512 tokens at most are asked for", async () => {
    await asked(textEnvelope({}, at));
    expect(sentBody()).toMatchObject({ max_tokens: 512 });
  });

  test("a base64 image is shown before the prompt", async () => {
    model.script({ text: reply });
    const images = [{ type: "base64", value: base64Of(png) }];
    const answer = await asked(envelopeOf("multimodal_generation", { prompt, images }, at));
    expect(answer).toEqual(answerBy(id, name, { result: { type: "multimodal_generation", text: reply, stop_reason: "end_turn" } }));
    const [message] = sentBody()["messages"] as [{ content: { type: string }[] }];
    expect(message.content.map(({ type }) => type)).toEqual([id === "claude" ? "image" : "image_url", "text"]);
    // Encoded again: the pixels are those that came, on white.
    const [, sent = ""] = /(iVBORw0KGgo[A-Za-z0-9+/=]*)/.exec(JSON.stringify(message)) ?? [];
    expect(pixelsOf(Uint8Array.fromBase64(sent))).toEqual(pixelsOf(png));
  });

  test("a translation is the text alone, with the language that the model found", async () => {
    model.script({ text: '{"source_lang":"EN","translation":"Bonjour."}' });
    const answer = await asked(envelopeOf("translation", { text: `Hello. ${promptMarker}`, target_lang: "FR", formality: "formal" }, at));
    expect(answer).toEqual(
      answerBy(id, name, {
        result: { type: "translation", text: "Bonjour.", source_lang: "en", target_lang: "fr", stop_reason: "end_turn" },
      }),
    );
    const body = sentBody();
    const words = translationPrompt({ type: "translation", text: "", targetLang: "fr", formality: "formal" });
    expect(JSON.stringify([body["system"] ?? "", body["messages"]])).toContain(JSON.stringify(words).slice(1, -1));
  });

  test("a translation may come without JSON, as small models give it", async () => {
    model.script({ text: "Bonjour." });
    const answer = await asked(envelopeOf("translation", { text: `Hello. ${promptMarker}`, target_lang: "fr" }, at));
    const result = { type: "translation", text: "Bonjour.", source_lang: null, target_lang: "fr", stop_reason: "end_turn" };
    expect(answer).toEqual(answerBy(id, name, { result }));
  });

  test("a model chooses among functions, and its calls are handed back in order", async () => {
    model.script({
      calls: [
        { id: "a", name: "weather", input: { city: "Oslo" } },
        { id: "b", name: "weather", input: { city: "Rome" } },
      ],
    });
    const answer = await asked(envelopeOf("function_call", { functions: [weather], prompt }, at));
    const calls = ["Oslo", "Rome"].map((city) => ({ name: "weather", arguments: { city }, status: "validated" }));
    expect(answer).toEqual(answerBy(id, name, { result: { type: "function_call", calls } }));
    const { tool_choice: choice } = sentBody();
    expect(choice).toEqual(id === "claude" ? { type: "any" } : "required");
  });
});

const weather = {
  name: "weather",
  description: "The weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

test("top_k goes where the provider has it; where it has not, the answer says that it was left out", async () => {
  const omitted = await asked(textEnvelope({ top_k: 40 }));
  expect(omitted.notes).toEqual([expect.stringMatching(/^Left out: top_k\. /)]);
  expect(sentBody()).not.toHaveProperty("top_k");
  expect(await asked(textEnvelope({ top_k: 40 }, { model: { name: "claude" } }))).not.toHaveProperty("notes");
  expect(sentBody(1)).toMatchObject({ top_k: 40 });
});

test("members that are not known are ignored, and the answer says which", async () => {
  const answer = await asked(textEnvelope({ best_of: 3 }, { colour: "blue" }));
  expect(answer.status).toBe("completed");
  expect(answer.notes?.join(" ")).toMatch(/\/colour.*\/task\/parameters\/best_of|\/task\/parameters\/best_of.*\/colour/);
});

describe("JSON", () => {
  const json = (more: object = {}) => textEnvelope({ response_format: "json", ...more });

  test("is asked for in the API's own way and in words, and is in the answer as text and as what it says", async () => {
    model.script({ text: '{"city":"Paris"}' });
    const answer = await asked(json());
    expect(answer.result).toEqual({ type: "text_generation", text: '{"city":"Paris"}', json: { city: "Paris" }, stop_reason: "end_turn" });
    expect(sentBody()).toMatchObject({ response_format: { type: "json_object" } });
    expect(JSON.stringify(sentBody()["messages"])).toContain(jsonSentence);
  });

  test("in a fence is JSON without the fence", async () => {
    model.script({ text: "```json\n[1]\n```" });
    expect((await asked(json())).result).toMatchObject({ text: "[1]", json: [1] });
  });

  test("that is none fails at every model that is asked, and says why", async () => {
    model.script({ text: "It is Paris." }, { text: "Paris, of course." });
    const answer = await asked(json());
    expect(answer).toMatchObject({ status: "failed", error: { code: -32011 } });
    expect(answer).not.toHaveProperty("result");
    expect(JSON.stringify(answer)).not.toContain("Paris");
    expect(answer.error?.details?.["attempts"]).toMatchObject([{ model: "first", fault: "brokenAnswer" }]);
  });

  test("is what the reviewer made of it, which has to be JSON again", async () => {
    await gates({ response: "review" });
    model.script({ text: '{"city":"Paris"}' });
    const waiting = controlAnswerOf(control(json()));
    const notice = await openNotice("response");
    const edit = "edit:/content/0/text";
    const refused = await press(notice.link, "approve", (fields) => fields.set(edit, "Paris"));
    expect(refused.status).not.toBe(303);
    await decide("response", "approve", undefined, (fields) => fields.set(edit, '{"city":"Lyon"}'));
    const answer = await waiting;
    expect(answer.result).toMatchObject({ text: '{"city":"Lyon"}', json: { city: "Lyon" } });
    expect(answer.edited).toEqual({ request: false, response: true });
  });
});

test("a reviewer's edits of the request go to the model, and the answer says that there were some", async () => {
  await gates({ request: "review" });
  const waiting = asked(textEnvelope());
  await decide("request", "approve", undefined, (fields) => fields.set("edit:/messages/0/content/0/text", "And of Norway?"));
  expect((await waiting).edited).toEqual({ request: true, response: false });
  expect(JSON.stringify(sentBody()["messages"])).toContain("And of Norway?");
});

describe("embedding", () => {
  const vectors = { model: { name: "vectors" } };

  test("gives one vector for each text, in their order", async () => {
    const answer = await asked(envelopeOf("embedding", { text: ["a", "bb", promptMarker] }, vectors));
    const numbers = [1, 2, promptMarker.length].map((length, index) => ({ index, vector: [length, 0.5, -0.25] }));
    expect(answer.result).toEqual({ type: "embedding", embeddings: numbers, dimensions: 3 });
    expect(answer).toMatchObject({
      status: "completed",
      model: { id: "vectors" },
      usage: { input_tokens: 3, output_tokens: 0, total_tokens: 3 },
    });
    expect(model.calls.map(({ url }) => new URL(url).pathname)).toEqual(["/v1/embeddings"]);
    expect(sentBody()).toMatchObject({ model: "vendor/vectors", input: ["a", "bb", promptMarker] });
  });

  test("of one text is a list of one vector", async () => {
    const answer = await asked(envelopeOf("embedding", { text: "abc" }, vectors));
    expect(answer.result).toEqual({ type: "embedding", embeddings: [{ index: 0, vector: [3, 0.5, -0.25] }], dimensions: 3 });
  });

  test("comes from the demo too", async () => {
    const answer = await asked(envelopeOf("embedding", { text: ["a", "b"] }, { model: { name: "demo" } }));
    expect(answer.result).toMatchObject({ dimensions: 64, embeddings: [{ index: 0 }, { index: 1 }] });
  });

  test.each(["claude", "first"])("by %s, which has none, is no model, and the answer says so", async (name) => {
    const response = await control(envelopeOf("embedding", { text: "abc" }, { model: { name } }));
    expect(response.status).toBe(422);
    const answer = await controlAnswerOf(response);
    expect(answer).toMatchObject({ status: "no_model", error: { code: -32010, details: { models: expect.any(Array) } } });
    expect(JSON.stringify(answer.error?.details)).toMatch(/embed/i);
    expect(model.calls).toHaveLength(0);
  });
});

describe("a function call that is given", () => {
  test("is checked and handed back: no model is asked and nothing is used", async () => {
    const answer = await asked(
      envelopeOf("function_call", { functions: [weather], function_call: { name: "weather", parameters: { city: "Oslo" } } }),
    );
    expect(answer).toEqual({
      protocol_version: "2.1",
      request_id: expect.any(String),
      status: "completed",
      model: { requested: { name: "first" } },
      result: { type: "function_call", calls: [{ name: "weather", arguments: { city: "Oslo" }, status: "validated" }] },
      usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: 0 },
    });
    expect(model.calls).toHaveLength(0);
  });
});
