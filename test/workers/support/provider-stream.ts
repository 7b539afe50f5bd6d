// A scripted reply as server-sent events, in the words of Chat Completions and of Anthropic's
// Messages. Written from their public references.

import { type TokenCounts, inputCounts } from "../../support/providers/anthropic-wire.ts";
import { chatUsage } from "../../support/providers/openai-wire.ts";

/** A piece of the text; or a promise, which is waited for before what follows is sent. */
export type Piece = string | Promise<unknown>;

export type StreamedReply = {
  readonly model: string;
  readonly pieces: readonly Piece[];
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly usage: TokenCounts;
  /**
   * The connection ends after the pieces, without the stream's own end. `error`: the provider says
   * so first.
   */
  readonly breaksOff?: "end" | "error";
};

/** The body ends with an error once the caller no longer wants it, as fetch's does. */
const events = (response: AsyncIterable<string>, signal: AbortSignal): Response => {
  const iterator = response[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => signal.addEventListener("abort", () => controller.error(signal.reason), { once: true }),
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (signal.aborted) return;
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
  });
  return new Response(body, { headers: { "Content-Type": "text/event-stream; charset=utf-8" } });
};

/** Chat Completions with `stream` and `stream_options.include_usage`. */
export const openaiEvents = (reply: StreamedReply, signal: AbortSignal): Response => events(openaiStream(reply), signal);

async function* openaiStream({ model, pieces, calls, usage, breaksOff }: StreamedReply): AsyncGenerator<string> {
  const chunk = (more: object): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-test", object: "chat.completion.chunk", created: 1_700_000_000, model, ...more })}\n\n`;
  const choice = (delta: object, finish: string | null = null): string => chunk({ choices: [{ index: 0, delta, finish_reason: finish }] });
  yield choice({ role: "assistant", content: "" });
  for (const piece of pieces) {
    if (typeof piece === "string") yield choice({ content: piece });
    else await piece;
  }
  if (breaksOff === "error") yield `data: ${JSON.stringify({ error: { message: "overloaded", type: "server_error", code: null } })}\n\n`;
  if (breaksOff !== undefined) return;
  for (const [index, { id, name, input }] of calls.entries())
    yield choice({ tool_calls: [{ index, id, type: "function", function: { name, arguments: JSON.stringify(input) } }] });
  yield choice({}, calls.length > 0 ? "tool_calls" : "stop");
  yield chunk({
    choices: [],
    usage: chatUsage(usage),
  });
  yield "data: [DONE]\n\n";
}

/** Anthropic's Messages with `stream`. */
export const anthropicEvents = (reply: StreamedReply, signal: AbortSignal): Response => events(anthropicStream(reply), signal);

async function* anthropicStream({ model, pieces, calls, usage, breaksOff }: StreamedReply): AsyncGenerator<string> {
  const event = (type: string, more: object = {}): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const message = { id: "msg_test", type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  yield event("message_start", { message: { ...message, usage: { ...inputCounts(usage), output_tokens: 1 } } });
  yield event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  yield event("ping");
  for (const piece of pieces) {
    if (typeof piece === "string") yield event("content_block_delta", { index: 0, delta: { type: "text_delta", text: piece } });
    else await piece;
  }
  if (breaksOff === "error") yield event("error", { error: { type: "overloaded_error", message: "Overloaded" } });
  if (breaksOff !== undefined) return;
  yield event("content_block_stop", { index: 0 });
  for (const [position, { id, name, input }] of calls.entries()) {
    const index = position + 1;
    yield event("content_block_start", { index, content_block: { type: "tool_use", id, name, input: {} } });
    yield event("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: JSON.stringify(input) } });
    yield event("content_block_stop", { index });
  }
  yield event("message_delta", {
    delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  yield event("message_stop");
}
