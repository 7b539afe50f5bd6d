// The answer of the Responses API: one response, or the events that make it. As in chat
// completions, what OpenAI's shape has no place for is in the member `countersign`.

import type { JsonObject } from "../../encoding.ts";
import type { Tokens } from "../../model/call.ts";
import type { Completed, Outcome } from "../../model/outcome.ts";
import type { SamplingReply } from "../../model/sampling.ts";
import { textOfReply } from "../../provider/json-reply.ts";
import { type AnswerStream, type ChatAsked, extensionOf, finishReason } from "./chat-answer.ts";
import { outcomeError } from "./openai-error.ts";

/** `id` begins with `resp_`. `echo`: the members that repeat the request. */
type ResponseAsked = ChatAsked & { readonly echo: JsonObject };

/**
 * A response. An outcome without a reply is one that failed, where the status of the HTTP response
 * was sent already.
 */
export const responseOf = (outcome: Outcome, asked: ResponseAsked): JsonObject =>
  outcome.kind === "completed" ? answered(outcome, asked) : failed(asked, errorOf(outcome));

const errorOf = (outcome: Exclude<Outcome, Completed>): JsonObject => outcomeError(outcome).body["error"] as JsonObject; // as openai-error.ts writes it

const inState = (status: string, { id, created, model, echo }: ResponseAsked, more: JsonObject = {}): JsonObject => ({
  id,
  object: "response",
  created_at: created,
  status,
  model,
  ...echo,
  access_programs: null,
  background: false,
  error: null,
  incomplete_details: null,
  output: [],
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  truncation: "disabled",
  usage: null,
  ...more,
});

const failed = (asked: ResponseAsked, error: JsonObject): JsonObject => inState("failed", asked, { error });

function answered({ reply, meta }: Completed, asked: ResponseAsked): JsonObject {
  const reason = incompleteReason(reply);
  return inState(reason === null ? "completed" : "incomplete", asked, {
    model: reply.model,
    incomplete_details: reason === null ? null : { reason },
    output: itemsOf(reply, asked),
    usage: usageOf(meta.usage),
    countersign: extensionOf(reply, meta, asked.notes),
  });
}

/** Null where the reply is whole. */
function incompleteReason(reply: SamplingReply): string | null {
  const reason = finishReason(reply);
  return reason === "length" ? "max_output_tokens" : reason === "content_filter" ? reason : null;
}

/** The message, unless there are only calls, and then each call. */
function itemsOf(reply: SamplingReply, asked: ResponseAsked): JsonObject[] {
  const text = textOfReply(reply);
  const status = incompleteReason(reply) === null ? "completed" : "incomplete";
  const calls = reply.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
  return [
    ...(text === "" && calls.length > 0 ? [] : [{ ...messageItem(asked), status, content: [textPart(text)] }]),
    ...calls.map(({ id, name, input }, i) => ({
      type: "function_call",
      id: `${asked.id.replace("resp_", "fc_")}_${i}`,
      call_id: id,
      name,
      arguments: JSON.stringify(input),
      status: "completed",
    })),
  ];
}

const messageItem = ({ id }: ResponseAsked) => ({ type: "message", id: id.replace("resp_", "msg_"), role: "assistant" });
const textPart = (text: string): JsonObject => ({ type: "output_text", text, annotations: [], logprobs: [] });

const usageOf = ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Tokens): JsonObject => ({
  input_tokens: inputTokens,
  input_tokens_details: { cached_tokens: cachedInputTokens ?? 0, cache_write_tokens: cacheWriteTokens ?? 0 },
  output_tokens: outputTokens,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: inputTokens + outputTokens,
});

/** Server-sent events of a response. Comments between them say what is waited for. */
export class ResponseEvents implements AnswerStream {
  readonly #asked: ResponseAsked;
  #sequence = 0;
  #hasMessage = false;

  constructor(asked: ResponseAsked) {
    this.#asked = asked;
  }

  /** The response is under way before anybody has decided: no part of a reply is in it. */
  open(): string {
    const response = inState("in_progress", this.#asked);
    return this.#event("response.created", { response }) + this.#event("response.in_progress", { response });
  }

  /** The event of a piece of the text; the first one begins the message. */
  delta(text: string): string {
    if (text === "") return "";
    return this.#beginMessage() + this.#event("response.output_text.delta", { ...this.#part, delta: text, logprobs: [] });
  }

  /**
   * The events that end the stream. An error is an event of its own, which OpenAI's SDKs throw, and
   * then the state of the response.
   */
  end(outcome: Outcome): string {
    if (outcome.kind !== "completed") {
      const error = errorOf(outcome);
      const { code = null, message = "", param = null } = error;
      return (
        this.#event("error", { code, message, param, error }) + this.#event("response.failed", { response: failed(this.#asked, error) })
      );
    }
    const response = answered(outcome, this.#asked);
    const items = itemsOf(outcome.reply, this.#asked);
    return [
      ...items.map((item, index) => (item["type"] === "message" ? this.#endMessage(item, outcome.reply) : this.#call(item, index))),
      this.#event(`response.${String(response["status"])}`, { response }),
    ].join("");
  }

  get #part(): JsonObject {
    return { item_id: messageItem(this.#asked).id, output_index: 0, content_index: 0 };
  }

  #beginMessage(): string {
    if (this.#hasMessage) return "";
    this.#hasMessage = true;
    const item = { ...messageItem(this.#asked), status: "in_progress", content: [] };
    return (
      this.#event("response.output_item.added", { output_index: 0, item }) +
      this.#event("response.content_part.added", { ...this.#part, part: textPart("") })
    );
  }

  #endMessage(item: JsonObject, reply: SamplingReply): string {
    const text = textOfReply(reply);
    return [
      this.#beginMessage(),
      this.#event("response.output_text.done", { ...this.#part, text, logprobs: [] }),
      this.#event("response.content_part.done", { ...this.#part, part: textPart(text) }),
      this.#event("response.output_item.done", { output_index: 0, item }),
    ].join("");
  }

  #call(item: JsonObject, index: number): string {
    const { id = "", name = "", arguments: given = "" } = item;
    const at = { item_id: id, output_index: index };
    return [
      this.#event("response.output_item.added", { output_index: index, item: { ...item, arguments: "", status: "in_progress" } }),
      this.#event("response.function_call_arguments.delta", { ...at, delta: given }),
      this.#event("response.function_call_arguments.done", { ...at, name, arguments: given }),
      this.#event("response.output_item.done", { output_index: index, item }),
    ].join("");
  }

  #event(type: string, more: JsonObject): string {
    const event = { type, sequence_number: this.#sequence, ...more };
    this.#sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
}
