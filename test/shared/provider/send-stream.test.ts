// Replies in pieces, from scripted providers on real sockets.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { textOfReply } from "../../../shared/provider/json-reply.ts";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import type { Candidate } from "../../../shared/routing/choose.ts";
import type { Model } from "../../../shared/routing/table.ts";
import { createSender, type SendOptions } from "../../../workers/providers/send.ts";
import { startProviderServer, type Break, type ProviderServer, type ProviderStep } from "../../support/provider-server.ts";
import { candidate, request, weather } from "../../support/providers/requests.ts";

let first: ProviderServer;
let second: ProviderServer;
beforeAll(async () => {
  first = await startProviderServer();
  second = await startProviderServer();
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
});
afterEach(() => {
  first.reset();
  second.reset();
});

type Kind = "anthropic" | "openai";
const at = (server: ProviderServer, kind: Kind, id = "model-1", model: Partial<Model> = {}): Candidate =>
  candidate(kind, { id, ...model }, { baseUrl: kind === "openai" ? server.openaiUrl : server.url });

const sender = createSender({
  lookup: () => "sk-test-0123456789-secret",
  fetch: globalThis.fetch,
  now: () => 0,
  sleep: async () => {},
  random: () => 0.5,
});
/** Attempts may take 20 s, which only a server that hangs uses, with a limit of its own. */
const options: SendOptions = { totalTimeoutMs: 60_000, attemptTimeoutMs: 20_000, maxAttemptsPerCandidate: 3 };

async function send(
  candidates: readonly Candidate[],
  changes: Partial<ChatRequest> = {},
  { onDelta, ...limits }: Partial<SendOptions> & { onDelta?: (text: string) => void } = {},
) {
  const deltas: string[] = [];
  const result = await sender.send(request(changes), candidates, { ...options, ...limits }, (text) => {
    deltas.push(text);
    onDelta?.(text);
  });
  const attempts = result.ok ? result.value.attempts : result.error.attempts;
  return {
    deltas,
    result,
    faults: attempts.map(({ fault }) => fault),
    text: result.ok ? textOfReply(result.value.modelReply.reply) : undefined,
  };
}
const broken = (after: number, how: Break): ProviderStep => ({
  answer: "reply",
  text: "The first half, and the second.",
  breaks: { after, how },
  usage: { input: 12, output: 8 },
});

describe.each(["anthropic", "openai"] as const)("%s", (kind) => {
  const one = (model: Partial<Model> = {}) => [at(first, kind, "model-1", model)];
  const two = () => [at(first, kind), at(second, kind, "model-2")];

  test("a stream comes to the same reply, usage and notes as a whole answer, and its pieces to the reply's text", async () => {
    const step: ProviderStep = {
      answer: "reply",
      text: "Héllo 😀 from far END away",
      usage: { input: 30, output: 20, cached: 12, written: 7 },
    };
    const changes = { stopSequences: ["END"], temperature: 1.5, systemPrompt: "Be brief." };
    first.script(step, step);
    const whole = await sender.send(request(changes), one(), options);
    const { deltas, result } = await send(one(), changes);
    expect(result).toEqual(whole);
    const usage = { inputTokens: 30, outputTokens: 20, cachedInputTokens: 12, cacheWriteTokens: 7 };
    expect(result).toMatchObject({ ok: true, value: { modelReply: { usage } } });
    expect(deltas.length).toBeGreaterThan(3);
    expect(deltas.join("")).toBe("Héllo 😀 from far ");
    expect(first.requests.map(({ body }) => (body as { stream?: unknown }).stream)).toEqual([undefined, true]);
  });

  test("the body of a request for a stream is that for a whole answer, and what asks for the stream", async () => {
    const changes = { tools: [weather], toolChoice: "auto" as const, maxTokens: 7, topP: 0.5 };
    await sender.send(request(changes), one(), options);
    await send(one(), changes);
    const counting = kind === "openai" ? { stream_options: { include_usage: true } } : {};
    expect(first.requests[1]?.body).toEqual({ ...(first.requests[0]?.body as object), stream: true, ...counting });
    expect({ ...first.requests[1]?.headers, "content-length": 0 }).toEqual({ ...first.requests[0]?.headers, "content-length": 0 });
  });

  test("tool calls come whole, and nothing of them is handed on as text", async () => {
    const calls = [
      { id: "c1", name: "weather", input: { city: "Tromsø" } },
      { id: "c2", name: "weather", input: {} },
    ];
    first.script({ answer: "reply", calls });
    const { deltas, result } = await send(one(), { tools: [weather] });
    expect(deltas).toEqual([]);
    expect(result).toMatchObject({ ok: true, value: { modelReply: { reply: { content: calls, stopReason: "toolUse" } } } });
  });

  test("pieces are handed on before the reply is whole", async () => {
    first.script(broken(15, "hang"));
    const gone = new AbortController();
    const { deltas, faults } = await send(two(), {}, { signal: gone.signal, onDelta: () => gone.abort() });
    expect(deltas.length).toBeGreaterThan(0);
    expect(faults).toMatchObject([{ kind: "connection", detail: "cancelled", then: "stop" }]);
    expect(await first.requests[0]?.ended).toBe("cut");
  });

  describe.each(["reset", "end", "error", "done"] as const)("a stream that breaks (%s)", (how) => {
    const notJson = kind === "anthropic" && how === "done";
    const detail = how === "error" ? "errorInSuccess" : notJson ? "notJson" : "cutOff";

    test("before its first piece is failed over, and not asked for again from the same provider", async () => {
      first.script(broken(0, how));
      second.script({ answer: "reply", text: "From the second." });
      const { deltas, faults, text } = await send(two());
      expect(faults).toMatchObject([{ kind: "brokenAnswer", detail, then: "next" }]);
      expect(text).toBe("From the second.");
      expect(deltas.join("")).toBe(text);
      expect(first.requests).toHaveLength(1);
    });

    test("after it is the end: nobody else is asked, and it is told what it has cost", async () => {
      first.script(broken(15, how));
      const { deltas, faults, result } = await send(two());
      expect(result.ok).toBe(false);
      expect(deltas.join("")).toBe("The first half,");
      expect(faults).toMatchObject([{ kind: "brokenAnswer", detail, then: "stop", usage: { outputTokens: 4, estimated: true } }]);
      expect(faults[0]?.usage?.inputTokens).toBeGreaterThan(8);
      expect(second.requests).toHaveLength(0);
    });
  });

  test("a stream that hangs before its first piece is cut at the attempt's time, and the next candidate answers", async () => {
    first.script(broken(0, "hang"));
    const { deltas, faults, text } = await send(two(), {}, { attemptTimeoutMs: 3_000 });
    expect(faults).toMatchObject([{ kind: "timeout", then: "next" }]);
    expect(deltas.join("")).toBe(text);
    expect(await first.requests[0]?.ended).toBe("cut");
  });

  test("a stream that hangs after it is cut at the end of all time, with what it has cost, and nobody else is asked", async () => {
    first.script(broken(15, "hang"));
    const { deltas, faults } = await send(two(), {}, { attemptTimeoutMs: 3_000, totalTimeoutMs: 6_000 });
    expect(deltas.join("")).toBe("The first half,");
    expect(faults).toMatchObject([{ kind: "timeout", then: "stop", usage: { outputTokens: 4 } }]);
    expect(await first.requests[0]?.ended).toBe("cut");
    expect(second.requests).toHaveLength(0);
  });

  test("what waits for the end of a stop sequence has not been said: a stream that breaks there is failed over", async () => {
    first.script(broken(3, "end"));
    const { deltas, text } = await send(two(), { stopSequences: ["The end"] });
    expect(text).toBe("Hello from the scripted provider.");
    expect(deltas.join("")).toBe(text);
  });

  test("whoever takes the pieces and fails ends the attempt and its connection", async () => {
    first.script(broken(15, "hang"));
    const onDelta = (): void => {
      throw new Error("whoever takes the pieces");
    };
    const { faults } = await send(two(), {}, { onDelta });
    expect(faults).toMatchObject([{ kind: "brokenAnswer", then: "stop" }]);
    expect(await first.requests[0]?.ended).toBe("cut");
  });

  test("a server that answers with the whole reply although a stream was asked for is understood", async () => {
    const whole = await startProviderServer();
    const answers = globalThis.fetch;
    const withoutStream = createSender({
      lookup: () => "key",
      // The body without the wish for a stream, as a server without streams reads it.
      fetch: (input, init) => answers(input, { ...init, body: String(init?.body).replace(/,"stream":true.*$/, "}") }),
      now: () => 0,
      sleep: async () => {},
      random: () => 0,
    });
    const deltas: string[] = [];
    const result = await withoutStream.send(request(), [at(whole, kind)], options, (text) => deltas.push(text));
    expect(result).toMatchObject({ ok: true, value: { modelReply: { usage: { inputTokens: 12, outputTokens: 5 } } } });
    expect(deltas).toEqual(["Hello from the scripted provider."]);
    await whole.close();
  });

  test("a model whose server cannot stream is asked for the whole reply, which is one piece", async () => {
    const { deltas } = await send(one({ omits: ["stream"] }));
    expect(deltas).toEqual(["Hello from the scripted provider."]);
    expect(first.requests[0]?.body).not.toHaveProperty("stream");
  });

  test.each([
    ["an error before the stream", { answer: "error", status: 400 }, "badRequest"],
    ["a page", { answer: "text", type: "text/html", body: "<p>" }, "brokenAnswer"],
    ["an empty stream", { answer: "text", type: "text/event-stream", body: "" }, "brokenAnswer"],
    ["an error document in place of the stream", { answer: "errorInSuccess" }, "brokenAnswer"],
  ] as const)("%s is what it would be without a stream", async (_what, step, fault) => {
    first.script(step);
    const { deltas, faults } = await send(one());
    expect(faults).toMatchObject([{ kind: fault }]);
    expect(deltas).toEqual([]);
  });

  test("after 503 the same candidate is asked for its stream again", async () => {
    first.script({ answer: "error", status: 503 });
    const { deltas, text } = await send(one());
    expect(text).toBe("Hello from the scripted provider.");
    expect(deltas.join("")).toBe(text);
  });

  test("a reply that was said and is over the limit is not cut, since it cannot be unsaid, and the note tells so", async () => {
    first.script({ answer: "reply", text: "much too long", usage: { input: 5, output: 500 } });
    const { deltas, result } = await send(one());
    expect(deltas.join("")).toBe("much too long");
    expect(result).toMatchObject({ ok: true, value: { modelReply: { notes: [{ kind: "overLimit", cut: false }] } } });
  });

  describe("JSON", () => {
    const asked = { responseFormat: { type: "json" as const }, systemPrompt: "Answer in JSON." };

    test("comes out of its fence", async () => {
      first.script({ answer: "reply", text: '```json\n{"a": 1}\n```' });
      const { deltas, text } = await send(one(), asked);
      expect(text).toBe('{"a": 1}');
      expect(deltas.join("")).toBe(text);
    });

    test("that is a sentence was not said yet, and the next candidate is asked", async () => {
      first.script({ answer: "reply", text: 'Here it is: {"a": 1}' });
      second.script({ answer: "reply", text: '{"a": 2}' });
      const { deltas, faults } = await send(two(), asked);
      expect(faults).toMatchObject([{ detail: "replyNotJson", then: "next", usage: { outputTokens: 5 } }]);
      expect(deltas.join("")).toBe('{"a": 2}');
    });

    test("that turns out to be none when it was said already is the end", async () => {
      first.script({ answer: "reply", text: '{"a": 1} and more' });
      const { faults } = await send(two(), asked);
      expect(faults).toMatchObject([{ detail: "replyNotJson", then: "stop" }]);
      expect(second.requests).toHaveLength(0);
    });
  });
});

test("OpenAI: a server that refuses stream_options gets none, and the tokens are estimated", async () => {
  const { result } = await send([at(first, "openai", "model-1", { omits: ["streamUsage"] })]);
  expect(first.requests[0]?.body).toMatchObject({ stream: true });
  expect(first.requests[0]?.body).not.toHaveProperty("stream_options");
  expect(result).toMatchObject({ ok: true, value: { modelReply: { usage: { estimated: true } } } });
});

test("the demo hands on its reply token by token", async () => {
  const { deltas, text } = await send([candidate("demo")]);
  expect(deltas.length).toBeGreaterThan(5);
  expect(deltas.join("")).toBe(text);
});
