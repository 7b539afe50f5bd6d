// A completion and its chunks, as the official SDK reads them.

import * as fc from "fast-check";
import OpenAI, { APIError } from "openai";
import { describe, expect, test } from "vitest";
import type { Completed, Outcome, RunMeta } from "../../../../shared/model/outcome.ts";
import type { ReplyBlock } from "../../../../shared/model/sampling.ts";
import { type ChatAsked, ChunkWriter, completionOf } from "../../../../shared/wire/openai/chat-answer.ts";

const asked: ChatAsked = { id: "chatcmpl-1", created: 1_700_000_000, model: "m", notes: [] };
const meta: RunMeta = {
  id: "run-1",
  model: { id: "m", why: "It was asked for." },
  edited: { request: false, response: true },
  usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 },
};
const replied = (content: ReplyBlock[], stopReason?: string, more: Partial<RunMeta> = {}): Completed => ({
  kind: "completed",
  answered: { kind: "chat", offeredTools: true },
  reply: { content, model: "vendor/m", ...(stopReason === undefined ? {} : { stopReason }) },
  meta: { ...meta, ...more },
});
const text = (words: string): ReplyBlock => ({ type: "text", text: words });
const call = (id: string, input = {}): ReplyBlock => ({ type: "tool_use", id, name: "add", input });

/** The SDK at an endpoint that answers with this body. */
const reading = (body: string, type: string) =>
  new OpenAI({
    apiKey: "k",
    baseURL: "http://localhost/v1",
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(body, { headers: { "Content-Type": type } })),
  }).chat.completions;
const question = { model: "m", messages: [{ role: "user" as const, content: "?" }] };
/** As the SDK has a completion, white space before it. */
const whole = (outcome: Outcome, of = asked) =>
  reading(` \n ${JSON.stringify(completionOf(outcome, of))}`, "application/json").create(question);
/** As the SDK's own accumulator has the chunks of a stream. */
const gathered = (events: string) =>
  reading(`: open\n\n${events}`, "text/event-stream").stream({ ...question, stream_options: { include_usage: true } });

test("a completion is whole, with what the gateway knows of it", () => {
  expect(completionOf(replied([text("a"), text("b")], "endTurn"), { ...asked, notes: ["Not passed on: /seed."] })).toEqual({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: "vendor/m",
    choices: [{ index: 0, message: { role: "assistant", content: "ab", refusal: null }, logprobs: null, finish_reason: "stop" }],
    usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
    countersign: {
      run: "run-1",
      model: { id: "m", why: "It was asked for." },
      edited: { request: false, response: true },
      cost_usd: 0.5,
      notes: ["Not passed on: /seed."],
    },
  });
});

test.each<[string | undefined, ReplyBlock[], string]>([
  ["endTurn", [text("a")], "stop"],
  ["stopSequence", [text("a")], "stop"],
  ["maxTokens", [text("a")], "length"],
  ["toolUse", [call("a")], "tool_calls"],
  // A reviewer, or a provider, left the calls and said something else.
  ["endTurn", [call("a")], "tool_calls"],
  ["refusal", [text("a")], "content_filter"],
  ["content_filter", [], "content_filter"],
  ["a provider's own word", [text("a")], "stop"],
  [undefined, [text("a")], "stop"],
])("a reply that ended with %s has a finish reason of OpenAI's", async (stopReason, content, reason) => {
  const outcome = replied(content, stopReason);
  expect((await whole(outcome)).choices[0]?.finish_reason).toBe(reason);
  const written = new ChunkWriter(asked, false).end(outcome);
  expect(written).toContain(`"finish_reason":"${reason}"`);
});

test("calls are with the text, or without any", async () => {
  const both = await whole(replied([text("a"), call("c1", { x: 1 }), call("c2")]));
  expect(both.choices[0]?.message).toEqual({
    role: "assistant",
    content: "a",
    refusal: null,
    tool_calls: [
      { id: "c1", type: "function", function: { name: "add", arguments: '{"x":1}' } },
      { id: "c2", type: "function", function: { name: "add", arguments: "{}" } },
    ],
  });
  expect((await whole(replied([call("c1")]))).choices[0]?.message.content).toBeNull();
  expect((await whole(replied([]))).choices[0]?.message.content).toBe("");
});

test("what cannot be carried is counted, and what comes from the cache or was guessed says so", () => {
  const outcome = replied([text("a"), { type: "image", data: "aGk=", mimeType: "image/png" }], "endTurn", {
    cachedAt: Date.UTC(2026, 0, 2),
    usage: { ...meta.usage, estimated: true },
    notes: [{ kind: "notPassedOn", members: ["seed"] }],
  });
  expect(completionOf(outcome, asked)["countersign"]).toMatchObject({
    cached_at: "2026-01-02T00:00:00.000Z",
    estimated: true,
    notes: ["Not passed on: seed.", "Left out: 1 of the reply's parts, which is neither text nor a tool call."],
  });
});

const endings: Exclude<Outcome, Completed>[] = [
  { kind: "rejected", gate: "response", reason: "Too long." },
  { kind: "expired", gate: "request" },
  { kind: "cancelled" },
  { kind: "failed", attempts: [] },
  { kind: "refused", refusal: { kind: "policyRefused", rule: "r" } },
  { kind: "broken", quote: "q" },
];

describe.each(endings)("an outcome without a reply, when the status was sent already: $kind", (outcome) => {
  test("is a completion with a refusal, which the SDK reads, and the error", async () => {
    const completion = await whole(outcome);
    const [choice] = completion.choices;
    expect(choice?.finish_reason).toBe("content_filter");
    expect(choice?.message).toEqual({ role: "assistant", content: null, refusal: expect.any(String) as string });
    expect(completion).toMatchObject({ usage: { total_tokens: 0 }, error: { message: choice?.message.refusal } });
  });

  test("in a stream is an error, which the SDK throws", async () => {
    const error: unknown = await gathered(new ChunkWriter(asked, true).end(outcome))
      .finalChatCompletion()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: expect.any(String) as string, type: expect.any(String) as string });
  });
});

describe("chunks", () => {
  test("begin with the role, once, and end with the reason, the usage and [DONE]", () => {
    const chunks = new ChunkWriter(asked, true);
    const written = chunks.delta("a") + chunks.delta("b") + chunks.end(replied([text("ab")], "endTurn"));
    const events = written.trimEnd().split("\n\n");
    expect(events.at(-1)).toBe("data: [DONE]");
    const read = events.slice(0, -1).map((event) => JSON.parse(event.slice("data: ".length)) as { choices: object[]; usage: unknown });
    expect(read.flatMap(({ choices }) => choices)).toMatchObject([
      { delta: { role: "assistant", content: "" } },
      { delta: { content: "a" } },
      { delta: { content: "b" } },
      { delta: {}, finish_reason: "stop" },
    ]);
    expect(read.map(({ usage }) => usage)).toEqual([null, null, null, null, { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }]);
  });

  test("have no usage where it was not asked for", () => {
    expect(new ChunkWriter(asked, false).end(replied([]))).not.toContain('"usage"');
  });

  const blocks = fc.tuple(
    fc.array(fc.string({ unit: "binary" }).map((words) => words.toWellFormed())),
    fc.array(
      fc.dictionary(
        fc.string({ unit: "binary" }).map((name) => name.toWellFormed()),
        fc.jsonValue(),
      ),
      { maxLength: 3 },
    ),
  );

  test("make, gathered by the SDK, the completion that they would be at once", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, async ([pieces, inputs]) => {
        const content = [text(pieces.join("")), ...inputs.map((input, i) => call(`c${i}`, input))];
        const outcome = replied(content, inputs.length === 0 ? "endTurn" : "toolUse");
        const chunks = new ChunkWriter(asked, true);
        const streamed = await gathered(pieces.map((piece) => chunks.delta(piece)).join("") + chunks.end(outcome)).finalChatCompletion();
        const atOnce = await whole(outcome);
        const [choice] = streamed.choices;
        expect(choice?.message.content ?? "").toBe(atOnce.choices[0]?.message.content ?? "");
        expect(choice?.finish_reason).toBe(atOnce.choices[0]?.finish_reason);
        const calls = (choice?.message.tool_calls ?? []).flatMap((one) =>
          one.type === "function"
            ? [{ id: one.id, type: one.type, function: { name: one.function.name, arguments: one.function.arguments } }]
            : [],
        );
        expect(calls).toEqual(atOnce.choices[0]?.message.tool_calls ?? []);
        expect(streamed.usage).toEqual(atOnce.usage);
        expect(streamed.id).toBe(atOnce.id);
      }),
      { numRuns: 200 },
    );
  });
});
