// The answer of the chat completions endpoint: one completion, or its chunks. What OpenAI's shape
// has no place for is in the member `countersign`: the run, the model and why, what people changed,
// the cost, and what was not passed on.

import type { JsonObject } from "../../encoding.ts";
import type { Tokens } from "../../model/call.ts";
import type { Completed, Outcome, RunMeta } from "../../model/outcome.ts";
import type { SamplingReply } from "../../model/sampling.ts";
import { textOfReply } from "../../provider/json-reply.ts";
import { noteSentence } from "../note-sentence.ts";
import { outcomeError } from "./openai-error.ts";

/** What the answer has to know of its request. */
export type ChatAsked = {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** The model as it was asked for, which stands for the real one until that is known. */
  readonly model: string;
  readonly notes: readonly string[];
};

/**
 * A completion. An outcome without a reply is one too, where the status of the response was sent
 * already: its message has the reason as a refusal, and the member `error` has the error.
 */
export const completionOf = (outcome: Outcome, asked: ChatAsked): JsonObject =>
  outcome.kind === "completed" ? completion(outcome, asked) : lateError(asked, outcomeError(outcome).body);

const completion = ({ reply, meta }: Completed, asked: ChatAsked): JsonObject => ({
  ...heading(asked, "chat.completion", reply.model),
  choices: [
    {
      index: 0,
      message: { role: "assistant", ...contentOf(reply), refusal: null, ...withCalls(reply, false) },
      logprobs: null,
      finish_reason: finishReason(reply),
    },
  ],
  usage: usageOf(meta.usage),
  countersign: extensionOf(reply, meta, asked.notes),
});

function lateError(asked: ChatAsked, { error }: JsonObject): JsonObject {
  const message = (error as { readonly message: string }).message; // written by openai-error.ts
  return {
    ...heading(asked, "chat.completion", asked.model),
    choices: [
      { index: 0, message: { role: "assistant", content: null, refusal: message }, logprobs: null, finish_reason: "content_filter" },
    ],
    usage: usageOf({ inputTokens: 0, outputTokens: 0 }),
    error: error ?? null,
  };
}

const heading = ({ id, created }: ChatAsked, object: string, model: string): JsonObject => ({ id, object, created, model });

const contentOf = (reply: SamplingReply): JsonObject => {
  const text = textOfReply(reply);
  return { content: text === "" && reply.content.some(({ type }) => type === "tool_use") ? null : text };
};

/** The calls of a reply; in a chunk each has its index. */
function withCalls({ content }: SamplingReply, isChunk: boolean): JsonObject {
  const calls = content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  if (calls.length === 0) return {};
  return {
    tool_calls: calls.map(({ id, name, input }, index) => ({
      ...(isChunk ? { index } : {}),
      id,
      type: "function",
      function: { name, arguments: JSON.stringify(input) },
    })),
  };
}

export function finishReason({ content, stopReason }: SamplingReply): string {
  if (content.some(({ type }) => type === "tool_use")) return "tool_calls";
  if (stopReason === "maxTokens") return "length";
  return stopReason === "refusal" || stopReason === "content_filter" ? "content_filter" : "stop";
}

const usageOf = ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Tokens): JsonObject => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  ...(cachedInputTokens === undefined && cacheWriteTokens === undefined
    ? {}
    : { prompt_tokens_details: { cached_tokens: cachedInputTokens ?? 0, cache_write_tokens: cacheWriteTokens ?? 0 } }),
});

/** The member of answers that is ours. */
export function extensionOf({ content }: Pick<SamplingReply, "content">, meta: RunMeta, notes: readonly string[]): JsonObject {
  const left = content.filter(({ type }) => type !== "text" && type !== "tool_use" && type !== "embedding").length;
  const all = [
    ...(meta.notes ?? []).map(noteSentence),
    ...notes,
    ...(left === 0
      ? []
      : [
          `Left out: ${left} of the reply's parts, which ${left === 1 ? "is" : "are"} neither text nor ${left === 1 ? "a tool call" : "tool calls"}.`,
        ]),
  ];
  return {
    run: meta.id,
    model: { ...meta.model },
    edited: { ...meta.edited },
    cost_usd: meta.usage.costUsd,
    ...(meta.usage.estimated === true ? { estimated: true } : {}),
    ...(meta.cachedAt === undefined ? {} : { cached_at: new Date(meta.cachedAt).toISOString() }),
    ...(all.length === 0 ? {} : { notes: all }),
  };
}

/**
 * The server-sent events of an answer: those that open the stream, those of a piece of the text,
 * and those that end it.
 */
export type AnswerStream = {
  readonly open: () => string;
  readonly delta: (text: string) => string;
  readonly end: (outcome: Outcome) => string;
};

/** Server-sent events of a completion. Comments between them say what is waited for. */
export class ChunkWriter implements AnswerStream {
  readonly #asked: ChatAsked;
  readonly #includeUsage: boolean;
  #hasBegun = false;

  constructor(asked: ChatAsked, includeUsage: boolean) {
    this.#asked = asked;
    this.#includeUsage = includeUsage;
  }

  /** A completion begins with its first piece. */
  open(): string {
    return "";
  }

  /** The event of a piece of the text; the first one begins the message. */
  delta(text: string): string {
    return this.#begin() + this.#event({ content: text }, null, this.#asked.model);
  }

  /**
   * The events that end the stream. The reply's text was sent in pieces before; an error is the
   * last event.
   */
  end(outcome: Outcome): string {
    if (outcome.kind !== "completed") return dataEvent(outcomeError(outcome).body);
    const { reply, meta } = outcome;
    const calls = withCalls(reply, true);
    return [
      this.#begin(),
      ...(Object.keys(calls).length === 0 ? [] : [this.#event(calls, null, reply.model)]),
      this.#event({}, finishReason(reply), reply.model, { countersign: extensionOf(reply, meta, this.#asked.notes) }),
      ...(this.#includeUsage ? [dataEvent({ ...this.#chunk(reply.model), choices: [], usage: usageOf(meta.usage) })] : []),
      "data: [DONE]\n\n",
    ].join("");
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#event({ role: "assistant", content: "", refusal: null }, null, this.#asked.model);
  }

  #event(delta: JsonObject, finish: string | null, model: string, more: JsonObject = {}): string {
    return dataEvent({
      ...this.#chunk(model),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(this.#includeUsage ? { usage: null } : {}),
      ...more,
    });
  }

  #chunk(model: string): JsonObject {
    return heading(this.#asked, "chat.completion.chunk", model);
  }
}

const dataEvent = (value: JsonObject): string => `data: ${JSON.stringify(value)}\n\n`;
