// The sender against scripted providers on real sockets. It stands beside the pure tests because
// workerd's test runner opens no sockets.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Candidate } from "../../../shared/routing/choose.ts";
import type { Model, Provider } from "../../../shared/routing/table.ts";
import { createSender, waitMs, type SendOptions } from "../../../workers/providers/send.ts";
import { startProviderServer, type ProviderServer, type ProviderStep } from "../../support/provider-server.ts";
import { candidate, png, request, round, text, user, weather } from "../../support/providers/requests.ts";

const key = "sk-test-0123456789-secret";
const words = "the provider's own words";
let first: ProviderServer;
let second: ProviderServer;
const waits: number[] = [];
let elapsed = 0;

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
  waits.length = 0;
  elapsed = 0;
});

type Kind = "anthropic" | "openai";
const at = (server: ProviderServer, kind: Kind, id = "model-1", model: Partial<Model> = {}, provider: Partial<Provider> = {}): Candidate =>
  candidate(kind, { id, ...model }, { baseUrl: kind === "openai" ? server.openaiUrl : server.url, ...provider });

/**
 * Waiting takes no time, but the clock goes on by as much. Attempts may take 20 s, which only a
 * silent server uses, with a limit of its own.
 */
const newSender = (random = 0.5, environment: Record<string, string> = { PROVIDER_KEY: key }) =>
  createSender({
    lookup: (name) => environment[name],
    fetch: globalThis.fetch,
    now: () => 1_000_000 + elapsed,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      elapsed += milliseconds;
    },
    random: () => random,
  });
const options: SendOptions = { totalTimeoutMs: 60_000, attemptTimeoutMs: 20_000, maxAttemptsPerCandidate: 3 };
const send = (candidates: readonly Candidate[], changes = {}, limits: Partial<SendOptions> = {}, random = 0.5) =>
  newSender(random).send(request(changes), candidates, { ...options, ...limits });

describe.each(["anthropic", "openai"] as const)("%s", (kind) => {
  const one = () => [at(first, kind)];
  const two = () => [at(first, kind), at(second, kind, "model-2")];
  const faultsOf = (result: Awaited<ReturnType<typeof send>>) =>
    (result.ok ? result.value.attempts : result.error.attempts).map(({ model, fault }) => [model, fault.kind, fault.status]);

  test("a plain request is answered by the first candidate, with one request and no other attempt", async () => {
    const result = await send(two(), { systemPrompt: "Be brief." });
    expect(result).toMatchObject({
      ok: true,
      value: {
        modelReply: {
          reply: { content: [{ type: "text", text: "Hello from the scripted provider." }], model: "vendor/model-1", stopReason: "endTurn" },
          usage: { inputTokens: 12, outputTokens: 5 },
          notes: [],
        },
        candidate: { model: { id: "model-1" } },
        attempts: [],
      },
    });
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(0);
  });

  test("an answer that is longer than any reply is not read to its end, and the next candidate is asked", async () => {
    first.script({ answer: "text", type: "application/json", body: `"${"x".repeat(16 * 1024 * 1024)}"` });
    const result = await send(two());
    expect(result).toMatchObject({ ok: true, value: { candidate: { model: { id: "model-2" } } } });
    expect(result.ok && result.value.attempts.map(({ fault }) => fault)).toEqual([
      { kind: "brokenAnswer", status: 200, then: "next", detail: "tooLarge" },
    ]);
  });

  test("the body of an error is not read: it is cancelled, whatever is in it", async () => {
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000)),
      cancel: () => {
        cancelled = true;
      },
    });
    const sender = createSender({
      lookup: () => key,
      fetch: async () => new Response(endless, { status: 400 }),
      now: () => 0,
      sleep: async () => {},
      random: () => 0,
    });
    expect(faultsOf(await sender.send(request(), one(), options))).toEqual([["model-1", "badRequest", 400]]);
    expect(cancelled).toBe(true);
  });

  test("the credential is sent as the API wants it, and the SDK's retries stay off", async () => {
    first.script({ answer: "error", status: 503 });
    const result = await send(one(), {}, { maxAttemptsPerCandidate: 1 });
    expect(first.requests).toHaveLength(1);
    expect(first.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    expect(faultsOf(result)).toEqual([["model-1", "overloaded", 503]]);
  });

  test("one client serves many requests, each with its own body", async () => {
    const sender = newSender();
    for (const question of ["one", "two", "three"]) await sender.send(request({ messages: [user(text(question))] }), one(), options);
    expect(first.requests.map(({ body }) => JSON.stringify(body).match(/one|two|three/)?.[0])).toEqual(["one", "two", "three"]);
    expect(new Set(first.requests.map(({ headers }) => JSON.stringify({ ...headers, "content-length": 0 }))).size).toBe(1);
  });

  test("a tool round is sent whole and its parallel calls come back", async () => {
    first.script({
      answer: "reply",
      calls: [
        { id: "c1", name: "weather", input: { city: "Oslo" } },
        { id: "c2", name: "weather", input: { city: "Rome" } },
      ],
    });
    const messages = round({
      type: "tool_result",
      toolUseId: "a",
      content: [{ type: "image", data: png, mimeType: "image/png" }],
      isError: true,
    });
    expect(await send(one(), { tools: [weather], toolChoice: "required", messages })).toMatchObject({
      ok: true,
      value: {
        modelReply: {
          reply: {
            content: [
              { id: "c1", input: { city: "Oslo" } },
              { id: "c2", input: { city: "Rome" } },
            ],
            stopReason: "toolUse",
          },
        },
      },
    });
  });

  test.each([408, 409, 429, 500, 503, 529])("after %d the same candidate is asked again, and its reply is used", async (status) => {
    first.script({ answer: "error", status }, { answer: "error", status });
    const result = await send(two());
    expect(result).toMatchObject({ ok: true, value: { candidate: { model: { id: "model-1" } } } });
    expect(faultsOf(result).map(([, , seen]) => seen)).toEqual([status, status]);
    expect(waits).toEqual([250, 500]);
  });

  test.each([400, 401, 403, 404, 413, 422])("%d is neither retried nor failed over", async (status) => {
    first.script({ answer: "error", status, message: `${words} ${key}` });
    const result = await send(two());
    expect(faultsOf(result)).toEqual([["model-1", status === 401 || status === 403 ? "refusedCredential" : "badRequest", status]]);
    expect(result.ok).toBe(false);
    expect(second.requests).toHaveLength(0);
  });

  test("a fault carries neither the key, nor the content, nor the provider's words", async () => {
    const steps: ProviderStep[] = [
      { answer: "error", status: 500, message: `${words} ${key}` },
      { answer: "errorInSuccess" },
      { answer: "text", body: `<html>${words}</html>`, type: "text/html" },
    ];
    first.script(...steps);
    const result = await send(
      [at(first, kind), at(first, kind, "model-2")],
      { messages: [user(text("a private matter"))] },
      { maxAttemptsPerCandidate: 2 },
    );
    const told = JSON.stringify(result);
    expect(result).toMatchObject({ ok: false, error: { kind: "allFailed" } });
    expect(faultsOf(result)).toHaveLength(3);
    for (const secret of [key, words, "private matter", "Overloaded"]) expect(told).not.toContain(secret);
  });

  test("a candidate that fails for good is failed over, in the list's order and never outside it", async () => {
    first.script({ answer: "error", status: 500 }, { answer: "error", status: 500 }, { answer: "error", status: 500 });
    const result = await send(two());
    expect(result).toMatchObject({ ok: true, value: { candidate: { model: { id: "model-2" } } } });
    expect(faultsOf(result).map(([model]) => model)).toEqual(["model-1", "model-1", "model-1"]);
    expect(first.requests).toHaveLength(3);
    expect(second.requests).toHaveLength(1);
  });

  test("when every candidate failed, every attempt is told", async () => {
    for (const server of [first, second])
      server.script(...Array.from({ length: 3 }, (): ProviderStep => ({ answer: "error", status: 502 })));
    const result = await send(two());
    expect(result).toMatchObject({ ok: false, error: { kind: "allFailed" } });
    expect(faultsOf(result)).toHaveLength(6);
  });

  test.each(["silent", "silentBody"] as const)(
    "an upstream that says nothing (%s) is cut, and the next candidate is asked",
    async (how) => {
      first.script({ answer: how });
      const result = await send(two(), {}, { attemptTimeoutMs: 3_000 });
      expect(result).toMatchObject({ ok: true, value: { candidate: { model: { id: "model-2" } } } });
      expect(faultsOf(result)).toEqual([["model-1", "timeout", undefined]]);
      expect(first.requests).toHaveLength(1);
    },
  );

  test.each([true, false])("a body that is cut (chunked: %s) is a failure, never a clean success", async (chunked) => {
    first.script({ answer: "cut", chunked });
    const result = await send(one());
    expect(result.ok).toBe(false);
    expect(faultsOf(result)).toEqual([["model-1", "brokenAnswer", 200]]);
    expect(first.requests).toHaveLength(1);
  });

  test("a cut body is failed over and not asked for again: it may have been paid for", async () => {
    first.script({ answer: "cut", chunked: true });
    const result = await send(two());
    expect(result).toMatchObject({ ok: true, value: { candidate: { model: { id: "model-2" } } } });
    expect(first.requests).toHaveLength(1);
  });

  test("a connection that is closed without an answer is tried again", async () => {
    first.script({ answer: "reset" });
    const result = await send(one());
    expect(result.ok).toBe(true);
    expect(faultsOf(result)).toEqual([["model-1", "connection", undefined]]);
  });

  test("a server that is not there is a connection fault, tried again and then failed over", async () => {
    const gone = await startProviderServer();
    await gone.close();
    const result = await send([at(gone, kind), at(second, kind, "model-2")]);
    expect(result.ok).toBe(true);
    expect(faultsOf(result).map(([, fault]) => fault)).toEqual(["connection", "connection", "connection"]);
  });

  test("an error document with status 200 is failed over", async () => {
    first.script({ answer: "errorInSuccess" });
    const result = await send(two());
    expect(result).toMatchObject({ ok: true, value: { candidate: { model: { id: "model-2" } } } });
    expect(result.ok && result.value.attempts[0]?.fault).toEqual({
      kind: "brokenAnswer",
      status: 200,
      then: "next",
      detail: "errorInSuccess",
    });
  });

  test.each([
    ["an HTML page", "<!doctype html><title>Welcome</title>", "text/html"],
    ["invalid JSON", '{"choices": [', "application/json"],
    ["nothing at all", "", "application/json"],
    ["a JSON text", '"Hello"', "application/json"],
  ])("%s with status 200 is a broken answer", async (_name, body, type) => {
    first.script({ answer: "text", body, type });
    expect(faultsOf(await send(one()))).toEqual([["model-1", "brokenAnswer", 200]]);
  });

  test("a redirect is a fault and not followed: the credential goes nowhere else", async () => {
    first.script({ answer: "redirect", location: `${second.url}/v1/messages` });
    const result = await send(two());
    expect(result.ok).toBe(false);
    expect(result.ok || result.error.attempts[0]?.fault).toEqual({
      kind: "providerError",
      status: 307,
      then: "stop",
      detail: "redirected",
    });
    expect(second.requests).toHaveLength(0);
  });

  test("a caller who has gone cuts the attempt under way, and no other is made", async () => {
    first.script({ answer: "silent" });
    const gone = new AbortController();
    const sending = send(two(), {}, { signal: gone.signal });
    while (first.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    gone.abort();
    const result = await sending;
    expect(result.ok || result.error.attempts.map(({ fault }) => fault.detail)).toEqual(["cancelled"]);
    expect(second.requests).toHaveLength(0);
  });

  test("a caller who has gone before costs nothing", async () => {
    const result = await send(two(), {}, { signal: AbortSignal.abort() });
    expect(result.ok).toBe(false);
    expect(first.requests).toHaveLength(0);
  });

  test("the most tokens of a long answer do not make the SDK refuse a request without a stream", async () => {
    expect((await send(one(), { maxTokens: 128_000 })).ok).toBe(true);
  });

  test("a reply over the limit is never paid for twice", async () => {
    first.script({ answer: "reply", text: "much too long", usage: { input: 5, output: 500 } });
    const result = await send([at(first, kind, "model-1", { overLimit: "refuse" }), at(second, kind, "model-2")]);
    expect(result.ok || result.error.attempts[0]?.fault).toMatchObject({
      detail: "overLimit",
      usage: { inputTokens: 5, outputTokens: 500 },
    });
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(0);
  });

  test("a key that no header can hold is a fault that does not show it", async () => {
    const result = await newSender(0.5, { PROVIDER_KEY: "sk-7\n8" }).send(request(), one(), options);
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain("sk-7");
  });

  test("content that the model cannot take is not sent without it", async () => {
    const messages = [user({ type: "image" as const, data: png, mimeType: "image/png" })];
    const result = await send([at(first, kind, "model-1", { accepts: ["text"] }), at(second, kind, "model-2")], { messages });
    expect(result).toMatchObject({ ok: true, value: { candidate: { model: { id: "model-2" } } } });
    expect(first.requests).toHaveLength(0);
  });

  test("a provider without a credential is passed over without a request", async () => {
    const result = await newSender(0.5, {}).send(request(), one(), options);
    expect(result.ok || result.error.attempts[0]?.fault).toEqual({ kind: "noCredential", then: "next", detail: "notReady" });
    expect(first.requests).toHaveLength(0);
  });

  test("a changed credential is used at once, not the client of the old one", async () => {
    const environment = { PROVIDER_KEY: "one" };
    const sender = newSender(0.5, environment);
    await sender.send(request(), one(), options);
    environment.PROVIDER_KEY = "two";
    await sender.send(request(), one(), options);
    expect(first.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer one", "Bearer two"]);
  });
});

describe("waiting between attempts", () => {
  const error = (headers: Record<string, string>): ProviderStep => ({ answer: "error", status: 429, headers });

  test("is never a fixed second: anything up to a doubled bound", () => {
    expect([1, 2, 3, 4, 5, 6, 7].map((number) => waitMs(number, undefined, 0.999_999))).toEqual([499, 999, 1999, 3999, 7999, 7999, 7999]);
    expect([1, 2, 3].map((number) => waitMs(number, undefined, 0))).toEqual([0, 0, 0]);
  });

  test("is never shorter than the provider asked for", async () => {
    first.script(error({ "retry-after": "2" }), error({ "retry-after-ms": "1500", "retry-after": "9" }));
    expect((await send([at(first, "openai")], {}, {}, 0)).ok).toBe(true);
    expect(waits).toEqual([2000, 1500]);
  });

  test("understands a date", async () => {
    first.script(error({ "retry-after": new Date(1_000_000 + 4000).toUTCString() }));
    expect((await send([at(first, "anthropic")], {}, {}, 0)).ok).toBe(true);
    expect(waits).toEqual([4000]);
  });

  test("gives way to the next candidate where one provider asks for long", async () => {
    first.script(error({ "retry-after": "30" }));
    expect(await send([at(first, "openai"), at(second, "openai", "model-2")])).toMatchObject({
      ok: true,
      value: { candidate: { model: { id: "model-2" } } },
    });
    expect(waits).toEqual([]);
  });

  test("never goes past the budget of time", async () => {
    first.script(error({ "retry-after": "30" }));
    const result = await send([at(first, "openai")], {}, { totalTimeoutMs: 20_000 });
    expect(result.ok).toBe(false);
    expect(waits).toEqual([]);
    expect(first.requests).toHaveLength(1);
  });

  test("leaves no time for a candidate that the budget does not reach, and says that it was not asked", async () => {
    const result = await send([at(first, "openai")], {}, { totalTimeoutMs: 0 });
    expect(result.ok || result.error.attempts.map(({ fault }) => fault)).toEqual([{ kind: "timeout", then: "stop", detail: "outOfTime" }]);
    expect(first.requests).toHaveLength(0);
  });

  test("and attempting together stop at the end of the budget", async () => {
    first.script(...Array.from({ length: 50 }, () => error({ "retry-after": "9" })));
    const result = await send([at(first, "openai")], {}, { totalTimeoutMs: 30_000, maxAttemptsPerCandidate: 50 }, 0);
    expect(result.ok).toBe(false);
    expect(elapsed).toBeLessThan(30_000);
    expect(first.requests).toHaveLength(4);
  });
});

describe("the exact words of each API", () => {
  test("Anthropic: sampling parameters are sent as the API version that knows them, a request without any as the SDK's own", async () => {
    const sender = newSender();
    await sender.send(request(), [at(first, "anthropic")], options);
    await sender.send(request({ temperature: 0.5 }), [at(first, "anthropic")], options);
    await sender.send(request(), [at(first, "anthropic")], options);
    await sender.send(request({ topK: 5 }), [at(first, "anthropic")], options);
    await sender.send(request({ topP: 0.5 }), [at(first, "anthropic")], options);
    const versions = ["2026-10-21", "2023-06-01", "2026-10-21", "2023-06-01", "2023-06-01"];
    expect(first.requests.map(({ headers }) => headers["anthropic-version"])).toEqual(versions);
    expect(first.requests.map(({ path }) => path)).toEqual(versions.map(() => "/v1/messages"));
  });

  test("OpenAI: a server that wants no credential gets none", async () => {
    await newSender(0.5, {}).send(request(), [at(first, "openai", "m", {}, { secret: undefined, keyless: true })], options);
    expect(first.requests[0]?.headers.authorization).toBeUndefined();
  });

  test("OpenAI: the whole body of a request with everything in it", async () => {
    await send([at(first, "openai", "m", { metadataKeys: ["trace"] })], {
      systemPrompt: "Be brief.",
      temperature: 0.5,
      stopSequences: ["END"],
      metadata: { trace: "t-1" },
      tools: [weather],
      toolChoice: "auto",
      modelPreferences: { hints: [{ name: "sonnet" }] },
    });
    expect(first.requests[0]?.body).toEqual({
      model: "vendor/model-1",
      max_tokens: 100,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "How high is the tower?" },
      ],
      temperature: 0.5,
      stop: ["END"],
      metadata: { trace: "t-1" },
      tools: [{ type: "function", function: { name: "weather", description: weather.description, parameters: weather.inputSchema } }],
      tool_choice: "auto",
    });
  });

  test("what was changed on the way there is noted with what was found on the way back", async () => {
    first.script({ answer: "reply", text: "one FIVE two", usage: { input: 1, output: 200 } });
    const result = await send([at(first, "openai")], { temperature: 3, stopSequences: ["1", "2", "3", "4", "FIVE"] });
    expect(result).toMatchObject({
      ok: true,
      value: { modelReply: { notes: [{ kind: "clamped" }, { kind: "omitted", field: "stopSequences" }, { kind: "overLimit" }] } },
    });
  });
});

describe("on the requestor's terms", () => {
  test("one attempt is one attempt at the first candidate, whatever could be tried again", async () => {
    first.script({ answer: "error", status: 503 });
    const result = await send([at(first, "openai"), at(second, "openai", "model-2")], {}, { once: true });
    expect(result.ok || result.error.attempts.map(({ model, fault }) => [model, fault.kind])).toEqual([["model-1", "overloaded"]]);
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(0);
    expect(waits).toEqual([]);
  });

  test("a reply that is not the JSON that was asked for is failed over and paid for once", async () => {
    first.script({ answer: "reply", text: "Here you are." });
    second.script({ answer: "reply", text: '```json\n{"a":1}\n```' });
    const asked = { responseFormat: { type: "json" as const }, systemPrompt: "Answer in JSON." };
    const result = await send([at(first, "openai"), at(second, "anthropic", "model-2")], asked);
    expect(result).toMatchObject({
      ok: true,
      value: {
        modelReply: { reply: { content: [{ type: "text", text: '{"a":1}' }] } },
        attempts: [{ fault: { detail: "replyNotJson", usage: { outputTokens: 5 } } }],
      },
    });
    expect(first.requests).toHaveLength(1);
  });
});

describe("candidates that need no provider", () => {
  test("the demo answers without any environment", async () => {
    expect(await newSender(0.5, {}).send(request(), [candidate("demo")], options)).toMatchObject({
      ok: true,
      value: { modelReply: { reply: { model: "countersign-demo" } }, attempts: [] },
    });
  });

  test("no candidates at all is a failure without attempts", async () => {
    expect(await send([])).toEqual({ ok: false, error: { kind: "allFailed", attempts: [] } });
  });
});

describe("embeddings", () => {
  test("come in the order of the texts", async () => {
    const result = await newSender().embed({ texts: ["a", "bb"] }, [at(first, "openai")], options);
    expect(result).toMatchObject({
      ok: true,
      value: {
        embedding: {
          vectors: [
            [1, 0.5, -0.25],
            [2, 0.5, -0.25],
          ],
          usage: { inputTokens: 2 },
        },
      },
    });
    expect(first.requests[0]).toMatchObject({ path: "/v1/embeddings", body: { input: ["a", "bb"], encoding_format: "float" } });
  });

  test("of more texts than a call takes come from several calls, or from another model altogether", async () => {
    const texts = Array.from({ length: 150 }, (_, at) => "x".repeat(at + 1));
    const whole = await newSender().embed({ texts }, [at(first, "openai")], options);
    expect(whole.ok && whole.value.embedding.vectors.map(([size]) => size)).toEqual(texts.map(({ length }) => length));
    expect(whole.ok && whole.value.embedding.usage.inputTokens).toBe(150);
    expect(first.requests.map(({ body }) => (body as { input: string[] }).input.length)).toEqual([100, 50]);
    first.reset();
    first.script({ answer: "reply" }, { answer: "errorInSuccess" });
    const other = await newSender().embed({ texts }, [at(first, "openai"), at(second, "openai", "model-2")], options);
    expect(other).toMatchObject({
      ok: true,
      value: { candidate: { model: { id: "model-2" } }, attempts: [{ fault: { detail: "errorInSuccess", usage: { inputTokens: 100 } } }] },
    });
    expect(other.ok && other.value.embedding.vectors).toHaveLength(150);
  });

  test("fail over as replies do, and the demo makes its own", async () => {
    first.script({ answer: "errorInSuccess" });
    const result = await newSender().embed({ texts: ["a"] }, [at(first, "openai"), candidate("demo", { id: "demo" })], options);
    expect(result).toMatchObject({
      ok: true,
      value: { candidate: { model: { id: "demo" } }, attempts: [{ fault: { kind: "brokenAnswer" } }] },
    });
  });
});
