// A response and its events, as the official SDK reads them.

import * as fc from "fast-check";
import OpenAI, { APIError } from "openai";
import { describe, expect, test } from "vitest";
import type { Completed, Outcome } from "../../../../shared/model/outcome.ts";
import type { ReplyBlock } from "../../../../shared/model/sampling.ts";
import { ResponseEvents, responseOf } from "../../../../shared/wire/openai/responses-answer.ts";
import { sdkTypes } from "./sdk-types.ts";

const echo = {
  instructions: "s",
  max_output_tokens: 9,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_p: null,
};
const asked = { id: "resp_1", created: 1_700_000_000, model: "m", notes: ["Not passed on: /user."], echo };
const replied = (content: ReplyBlock[], stopReason?: string): Completed => ({
  kind: "completed",
  answered: { kind: "chat", offeredTools: true },
  reply: { content, model: "vendor/m", ...(stopReason === undefined ? {} : { stopReason }) },
  meta: {
    id: "run-1",
    model: { id: "m", why: "It was asked for." },
    edited: { request: false, response: true },
    usage: { inputTokens: 3, outputTokens: 4, cachedInputTokens: 2, costUsd: 0.5 },
  },
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
  }).responses;
/** As the SDK has a response, white space before it. */
const whole = (outcome: Outcome) =>
  reading(` \n ${JSON.stringify(responseOf(outcome, asked))}`, "application/json").create({ model: "m", input: "?" });
/** As the SDK's own accumulator has the events of a stream. */
const gathered = (events: string) => reading(`: open\n\n${events}`, "text/event-stream").stream({ model: "m", input: "?" });

type Event = { readonly type: string; readonly sequence_number: number; readonly [member: string]: unknown };
const eventsIn = (written: string): Event[] =>
  written
    .trimEnd()
    .split("\n\n")
    .map((event) => {
      const [, name = "", data = ""] = /^event: (.*)\ndata: ([^\n]*)$/.exec(event) ?? [];
      const read = JSON.parse(data) as Event;
      expect(read.type).toBe(name);
      return read;
    });

test("a response is whole, with what the gateway knows of it", () => {
  expect(responseOf(replied([text("a"), text("b"), call("c1", { x: 1 })], "toolUse"), asked)).toEqual({
    id: "resp_1",
    object: "response",
    created_at: 1_700_000_000,
    status: "completed",
    model: "vendor/m",
    ...echo,
    access_programs: null,
    background: false,
    error: null,
    incomplete_details: null,
    output: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "ab", annotations: [], logprobs: [] }],
      },
      { id: "fc_1_0", type: "function_call", call_id: "c1", name: "add", arguments: '{"x":1}', status: "completed" },
    ],
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    truncation: "disabled",
    usage: {
      input_tokens: 3,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
      output_tokens: 4,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 7,
    },
    countersign: {
      run: "run-1",
      model: { id: "m", why: "It was asked for." },
      edited: { request: false, response: true },
      cost_usd: 0.5,
      notes: ["Not passed on: /user."],
    },
  });
});

test("a response has every member that the SDK says it has", () => {
  const optional =
    /^(completed_at|conversation|image|input_transformations|max_tool_calls|moderation|prompt|prompt_cache_\w+|safety_identifier|service_tier|tool_usage|top_logprobs|user)$/;
  // The SDK itself gathers the text.
  const expected = sdkTypes("responses/responses")
    .members.get("Response")
    ?.filter((name) => name !== "output_text" && !optional.test(name));
  expect(expected?.length).toBeGreaterThan(15);
  expect(Object.keys(responseOf(replied([text("a")]), asked))).toEqual(expect.arrayContaining(expected ?? []));
});

test.each<[string | undefined, ReplyBlock[], string, string | null]>([
  ["endTurn", [text("a")], "completed", null],
  ["maxTokens", [text("a")], "incomplete", "max_output_tokens"],
  ["toolUse", [call("a")], "completed", null],
  ["refusal", [text("a")], "incomplete", "content_filter"],
  ["content_filter", [], "incomplete", "content_filter"],
  ["a provider's own word", [text("a")], "completed", null],
  [undefined, [text("a")], "completed", null],
])("a reply that ended with %s has a state of OpenAI's", async (stopReason, content, status, reason) => {
  const outcome = replied(content, stopReason);
  expect(await whole(outcome)).toMatchObject({ status, incomplete_details: reason === null ? null : { reason } });
  const events = new ResponseEvents(asked);
  expect(eventsIn(events.open() + events.end(outcome)).at(-1)).toMatchObject({ type: `response.${status}`, response: { status } });
});

test("calls have no message beside them where nothing was said, and nothing at all is an empty message", async () => {
  expect((await whole(replied([call("c1")]))).output.map(({ type }) => type)).toEqual(["function_call"]);
  const nothing = await whole(replied([]));
  expect([nothing.output.map(({ type }) => type), nothing.output_text]).toEqual([["message"], ""]);
});

describe.each<Exclude<Outcome, Completed>>([
  { kind: "rejected", gate: "response", reason: "Too long." },
  { kind: "expired", gate: "request" },
  { kind: "cancelled" },
  { kind: "failed", attempts: [] },
  { kind: "refused", refusal: { kind: "policyRefused", rule: "r" } },
  { kind: "broken", quote: "q" },
])("an outcome without a reply, when the status was sent already: $kind", (outcome) => {
  const failed = { status: "failed", output: [], error: { code: expect.any(String) as string, message: expect.any(String) as string } };

  test("is a response that failed", async () => {
    expect(await whole(outcome)).toMatchObject({ ...failed, usage: null });
  });

  test("in a stream is an error, which the SDK throws, and the state of the response after it", async () => {
    const events = new ResponseEvents(asked);
    const written = events.open() + events.delta("a") + events.end(outcome);
    const error: unknown = await gathered(written)
      .finalResponse()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(error).toMatchObject({ code: expect.any(String) as string, type: expect.any(String) as string });
    const [last, before] = eventsIn(written).toReversed();
    expect(before).toMatchObject({ type: "error", code: (error as APIError).code, message: expect.any(String) as string, param: null });
    expect(last).toMatchObject({ type: "response.failed", response: failed });
  });
});

describe("events", () => {
  test("come in the documented order, numbered from 0", () => {
    const events = new ResponseEvents(asked);
    const written =
      events.open() + events.delta("a") + events.delta("") + events.delta("b") + events.end(replied([text("ab"), call("c1", { x: 1 })]));
    const read = eventsIn(written);
    expect(read.map(({ sequence_number }) => sequence_number)).toEqual(read.map((_, i) => i));
    const message = { item_id: "msg_1", output_index: 0, content_index: 0 };
    const called = { item_id: "fc_1_0", output_index: 1 };
    expect(read).toMatchObject([
      { type: "response.created", response: { id: "resp_1", status: "in_progress", model: "m", output: [], usage: null } },
      { type: "response.in_progress", response: { id: "resp_1", status: "in_progress" } },
      { type: "response.output_item.added", output_index: 0, item: { id: "msg_1", status: "in_progress", content: [] } },
      { type: "response.content_part.added", ...message, part: { type: "output_text", text: "" } },
      { type: "response.output_text.delta", ...message, delta: "a" },
      { type: "response.output_text.delta", ...message, delta: "b" },
      { type: "response.output_text.done", ...message, text: "ab" },
      { type: "response.content_part.done", ...message, part: { text: "ab" } },
      { type: "response.output_item.done", output_index: 0, item: { id: "msg_1", status: "completed", content: [{ text: "ab" }] } },
      {
        type: "response.output_item.added",
        output_index: 1,
        item: { id: "fc_1_0", call_id: "c1", name: "add", arguments: "", status: "in_progress" },
      },
      { type: "response.function_call_arguments.delta", ...called, delta: '{"x":1}' },
      { type: "response.function_call_arguments.done", ...called, arguments: '{"x":1}' },
      { type: "response.output_item.done", output_index: 1, item: { arguments: '{"x":1}', status: "completed" } },
      { type: "response.completed", response: { status: "completed", output: [{ type: "message" }, { type: "function_call" }] } },
    ]);
  });

  test("have the members that the SDK says they have", () => {
    const { members } = sdkTypes("responses/responses");
    const events = new ResponseEvents(asked);
    const written =
      events.open() +
      events.delta("a") +
      events.end(replied([text("a"), call("c1")])) +
      new ResponseEvents(asked).end({ kind: "cancelled" });
    const names: { readonly [type: string]: string } = {
      error: "ResponseErrorEvent",
      "response.output_text.delta": "ResponseTextDeltaEvent",
      "response.output_text.done": "ResponseTextDoneEvent",
    };
    for (const event of eventsIn(written)) {
      const name =
        names[event.type] ??
        `Response${event.type
          .slice("response.".length)
          .split(/[._]/)
          .map((word) => word[0]?.toUpperCase() + word.slice(1))
          .join("")}Event`;
      expect(Object.keys(event)).toEqual(expect.arrayContaining([...(members.get(name) ?? [name])]));
    }
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

  test("make, gathered by the SDK, the response that they would be at once", async () => {
    await fc.assert(
      fc.asyncProperty(blocks, async ([pieces, inputs]) => {
        const content = [text(pieces.join("")), ...inputs.map((input, i) => call(`c${i}`, input))];
        const outcome = replied(content, inputs.length === 0 ? "endTurn" : "toolUse");
        const events = new ResponseEvents(asked);
        const written = events.open() + pieces.map((piece) => events.delta(piece)).join("") + events.end(outcome);
        const atOnce = await whole(outcome);
        const streamed = await gathered(written).finalResponse();
        expect(streamed.output_text).toBe(atOnce.output_text);
        expect(streamed).toMatchObject({ id: atOnce.id, status: atOnce.status, usage: atOnce.usage ?? null, output: atOnce.output });
        // What the events of the items make, without the last one.
        const items = eventsIn(written).flatMap((event) => (event.type === "response.output_item.done" ? [event["item"]] : []));
        expect(items).toEqual(responseOf(outcome, asked)["output"]);
      }),
      { numRuns: 200 },
    );
  });
});
