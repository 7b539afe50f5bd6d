// The scripted provider against the official SDKs: what the other tests rely on is what the real
// clients of these APIs read.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startProviderServer, type ProviderServer } from "../../support/provider-server.ts";

let server: ProviderServer;
let openai: OpenAI;
let anthropic: Anthropic;
beforeAll(async () => {
  server = await startProviderServer();
  openai = new OpenAI({ apiKey: "key", baseURL: server.openaiUrl, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: "key", baseURL: server.url, maxRetries: 0, logLevel: "off" });
});
afterAll(() => server.close());
afterEach(() => server.reset());

const text = "Héllo 😀 from far away";
const calls = [
  { id: "c1", name: "weather", input: { city: "Tromsø" } },
  { id: "c2", name: "weather", input: {} },
];
const step = { answer: "reply", text, calls, usage: { input: 12, output: 8 } } as const;
const messages = [{ role: "user" as const, content: "Hello" }];
const chat = { model: "gpt", messages, stream_options: { include_usage: true } };
const message = { model: "claude", messages, max_tokens: 100 };

describe("OpenAI's SDK", () => {
  test("reads a stream of the scripted provider as the whole answer that the same step gives", async () => {
    server.script(step, step);
    const whole = await openai.chat.completions.create({ model: "gpt", messages });
    const stream = openai.chat.completions.stream(chat);
    const deltas: string[] = [];
    stream.on("content", (delta) => deltas.push(delta));
    const put = await stream.finalChatCompletion();
    expect(deltas.join("")).toBe(text);
    expect(deltas.length).toBeGreaterThan(3);
    const [choice] = put.choices;
    expect(choice?.message.content).toBe(text);
    const callsIn = (made: readonly OpenAI.ChatCompletionMessageToolCall[] = []) =>
      made.map((call) => [call.id, call.type === "function" && call.function.name, call.type === "function" && call.function.arguments]);
    expect(callsIn(choice?.message.tool_calls)).toEqual(callsIn(whole.choices[0]?.message.tool_calls));
    expect(choice?.message.tool_calls).toHaveLength(2);
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(put.usage).toEqual(whole.usage);
  });

  test.each(["error", "reset"] as const)("takes a stream that breaks (%s) for a failure", async (how) => {
    server.script({ ...step, breaks: { after: 10, how } });
    await expect(openai.chat.completions.stream(chat).finalChatCompletion()).rejects.toThrow(Error);
  });

  test("takes a stream without a reason why it stopped for a failure, also with [DONE]", async () => {
    server.script({ ...step, breaks: { after: 10, how: "done" } });
    await expect(openai.chat.completions.stream(chat).finalChatCompletion()).rejects.toThrow("finish_reason");
  });

  test("may ask for stream_options with a stream only", async () => {
    await expect(openai.chat.completions.create(chat)).rejects.toThrow("only allowed when 'stream' is enabled");
  });
});

describe("Anthropic's SDK", () => {
  test("reads a stream of the scripted provider as the whole answer that the same step gives", async () => {
    server.script(step, step);
    const whole = await anthropic.messages.create(message);
    const stream = anthropic.messages.stream(message);
    const deltas: string[] = [];
    stream.on("text", (delta) => deltas.push(delta));
    const put = await stream.finalMessage();
    expect(deltas.join("")).toBe(text);
    expect(deltas.length).toBeGreaterThan(3);
    expect(JSON.parse(JSON.stringify(put.content))).toEqual(JSON.parse(JSON.stringify(whole.content)));
    expect(put.stop_reason).toBe("tool_use");
    expect(put.usage).toMatchObject(whole.usage);
  });

  test.each(["error", "reset"] as const)("takes a stream that breaks (%s) for a failure", async (how) => {
    server.script({ ...step, breaks: { after: 10, how } });
    await expect(anthropic.messages.stream(message).finalMessage()).rejects.toThrow(Error);
  });

  test("takes a stream without message_stop for a failure", async () => {
    server.script({ ...step, breaks: { after: 10, how: "end" } });
    await expect(anthropic.messages.stream(message).finalMessage()).rejects.toThrow("without producing a Message");
  });
});
