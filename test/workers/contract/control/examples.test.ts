// The examples of the protocol's own description, whole, as files: answered as they stand, but for
// the keys that the source elides.

import { beforeEach, describe, expect, test } from "vitest";
import { defaultRoutingTable } from "../../../../shared/routing/default-table.ts";
import allMembers from "../../../fixtures/control/all-members.json";
import complete from "../../../fixtures/control/complete.json";
import embedding from "../../../fixtures/control/embedding.json";
import functionCall from "../../../fixtures/control/function-call.json";
import multimodal from "../../../fixtures/control/multimodal-generation.json";
import textGeneration from "../../../fixtures/control/text-generation.json";
import translation from "../../../fixtures/control/translation.json";
import { images } from "../../../support/image-files.ts";
import {
  type ControlAnswer,
  type Sent,
  control,
  controlAnswerOf,
  eventsOf,
  everyKind,
  gates,
  saidIn,
  sentBody,
} from "../../support/control.ts";
import { configure, createKey, model } from "../../support/gateway.ts";
import { answerAt, modelHost } from "../../support/provider.ts";
import { audience, issuerName, signingPair, tokenBy } from "../../support/issuer.ts";

const issuer = await signingPair("ES256");
let key: string;

/**
 * Posts the example without any header that says who it is, but for those that say nothing
 * themselves.
 */
async function send(example: Sent): Promise<Response> {
  const given = example["auth"] as { api_key?: string; token?: string } | undefined;
  if (given === undefined) return control(example, { key });
  const auth = { ...(given.api_key !== undefined && { api_key: key }), ...(given.token !== undefined && { token: await tokenBy(issuer) }) };
  return control({ ...example, auth }, { key: null });
}

/** The answer, of whichever kind it is; the deltas of a stream are the text of its end. */
async function answerTo(example: Sent): Promise<ControlAnswer> {
  const response = await send(example);
  expect(response.status).toBe(200);
  const { parameters } = example["task"] as { parameters: { stream?: boolean } };
  if (parameters.stream !== true) return controlAnswerOf(response);
  expect(response.headers.get("Content-Type")).toBe("text/event-stream");
  const events = eventsOf(await response.text());
  const last = events.at(-1);
  expect(last?.name).toBe("result");
  expect(saidIn(events)).toBe(last?.data.result?.text);
  return last?.data as ControlAnswer;
}

beforeEach(async () => {
  await gates({}, { imageHosts: ["example.com"] });
  const made = await createKey();
  ({ key } = made);
  const entry = { issuer: issuerName, algorithm: "ES256", audience, keys: { keys: [issuer.jwk] }, subjects: { ada: made.id } };
  await configure("issuers", JSON.parse(JSON.stringify({ issuers: { idp: entry } })) as object);
  answerAt("https://example.com", () => new Response(images["image/jpeg"], { headers: { "Content-Type": "image/jpeg" } }));
});

describe("through scripted providers that have the models", () => {
  const [first, , , vectors] = everyKind.models;

  beforeEach(async () => {
    const meta = { kind: "openai", baseUrl: `${modelHost}/v1`, keyless: true };
    await configure("routing", {
      providers: { meta, openai: meta },
      models: [
        { ...first, id: "llama3-70b", provider: "meta", name: "llama3-70b-2.0", takes: ["topK"] },
        { ...first, id: "gpt-4", provider: "openai", name: "gpt-4-0613" },
        { ...vectors, id: "vectors", provider: "meta" },
      ],
      equivalents: [{ hint: "llama", models: ["vectors"] }],
    });
  });

  test("text generation, with everything that it asks for", async () => {
    model.script({ pieces: ['{"核心', '观点":"…"}'] });
    const answer = await answerTo(textGeneration);
    expect(answer).toMatchObject({
      protocol_version: "1.0",
      request_id: "req-7f9a3b2d-8c1e-4d5b-9a0c-1f2e3d4c5b6a",
      status: "completed",
      model: { id: "llama3-70b", name: "llama3-70b-2.0", requested: { name: "llama3-70b", version: "2.0", provider: "meta" } },
      result: { type: "text_generation", text: '{"核心观点":"…"}', json: { 核心观点: "…" } },
    });
    expect(answer).not.toHaveProperty("notes");
    const asked = { max_tokens: 1024, temperature: 0.7, top_p: 0.9, top_k: 50, stop: ["\n", "###"], stream: true };
    expect(sentBody()).toMatchObject({ ...asked, response_format: { type: "json_object" } });
  });

  test("translation", async () => {
    model.script({ text: '{"translation":"您好,世界!"}' });
    expect((await answerTo(translation)).result).toEqual({
      type: "translation",
      text: "您好,世界!",
      source_lang: "en",
      target_lang: "zh-CN",
      stop_reason: "end_turn",
    });
    expect(JSON.stringify(sentBody())).toMatch(/zh-CN.*formally/s);
  });

  test("function call", async () => {
    const calls = [{ name: "weather_query", arguments: { city: "上海", date: "2025-10-30" }, status: "validated" }];
    expect((await answerTo(functionCall)).result).toEqual({ type: "function_call", calls });
    expect(model.calls).toHaveLength(0);
  });

  test("multimodal generation: the image of the address and the other one, in their order", async () => {
    model.script({ text: "两张图片。" });
    expect(await answerTo(multimodal)).toMatchObject({ protocol_version: "2.0", status: "completed", result: { text: "两张图片。" } });
    const [{ content }] = sentBody()["messages"] as [{ content: { type: string; image_url?: { url: string } }[] }];
    expect(content.map(({ type, image_url: image }) => image?.url.split(",", 1)[0] ?? type)).toEqual([
      "data:image/jpeg;base64",
      "data:image/png;base64",
      "text",
    ]);
  });

  test("embedding", async () => {
    const answer = await answerTo(embedding);
    expect(answer.result).toEqual({ type: "embedding", embeddings: [{ index: 0, vector: [13, 0.5, -0.25] }], dimensions: 3 });
    expect(answer.model?.id).toBe("vectors");
  });

  test("the one with every member, a key and a token", async () => {
    model.script({ pieces: ["[", "1]"] });
    expect(await answerTo(allMembers)).toMatchObject({ status: "completed", result: { text: "[1]", json: [1] } });
    const said = JSON.stringify(sentBody()["messages"]);
    for (const part of ["简洁语言", "什么是MCP协议", "MCP协议是模型控制协议", "它的请求结构包含哪些部分"]) expect(said).toContain(part);
  });

  test("the complete one of section 3", async () => {
    model.script({ text: "HTTP 是传输协议。" });
    const answer = await answerTo(complete);
    expect(answer).toMatchObject({
      protocol_version: "1.0",
      request_id: "req-20251030-12345",
      status: "completed",
      model: { id: "gpt-4", requested: { name: "gpt-4" } },
      result: { type: "text_generation", text: "HTTP 是传输协议。", stop_reason: "end_turn" },
    });
    expect(sentBody()).toMatchObject({ max_tokens: 512, temperature: 0.5 });
    expect((sentBody()["messages"] as { role: string }[]).map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  });
});

describe("on a fresh checkout", () => {
  beforeEach(() => configure("routing", defaultRoutingTable()));

  test.each<[string, Sent]>(Object.entries({ textGeneration, translation, functionCall, multimodal, embedding, allMembers, complete }))(
    "%s is answered, and the demo says that it is one",
    async (name, example) => {
      const answer = await answerTo(example);
      expect(answer.status).toBe("completed");
      expect(answer.result?.type).toBe((example["task"] as { type: string }).type);
      if (name !== "functionCall") expect(answer.model).toMatchObject({ id: "demo", name: "countersign-demo" });
      expect(model.calls).toHaveLength(0);
    },
  );
});
