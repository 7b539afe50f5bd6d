// One attempt at a model over HTTP: send, read, translate, within a timeout. An error never has the
// provider's words.

import type { ModelCall } from "../../shared/provider/model-call.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import type { ModelReply, Note, ProviderError } from "../../shared/model/call.ts";
import { cannotCarry } from "../../shared/provider/carry.ts";
import { badCallError, brokenAnswer, notReadyError } from "../../shared/provider/provider-error.ts";
import { TextDeltas, usageSoFar, type StreamReader } from "../../shared/provider/text-deltas.ts";
import { exchange, isEventStream, readEvents, readJson, type Limits } from "./provider-exchange.ts";
import type { OpenProvider, Surroundings } from "./provider-adapter.ts";
import { type Ready, providerReady } from "./ready.ts";

/**
 * A provider's API for one call: its requests, the reader of its stream, and the translation of its
 * answer.
 */
type HttpApi = {
  readonly notes: readonly Note[];
  readonly whole: (signal: AbortSignal) => Promise<Response>;
  readonly stream: (signal: AbortSignal) => Promise<Response>;
  readonly reader: (deltas: TextDeltas) => StreamReader;
  readonly from: (response: unknown, call: ModelCall) => Result<ModelReply, ProviderError>;
};

/**
 * Makes `reply` over an API. The notes of the request's translation come before those of the
 * answer's.
 */
export const attemptOver =
  (apiFor: (call: ModelCall, ready: Ready) => HttpApi): OpenProvider["reply"] =>
  async (call, around, limits, onDelta) => {
    const { provider, model } = call.candidate;
    const ready = providerReady(provider, around.lookup);
    if (!ready.ok) return err(notReadyError);
    // Routing checked this; a reviewer's edit may since have added content that this model cannot
    // take.
    if (cannotCarry(call.request, model, provider.kind) !== undefined) return err(badCallError);
    const api = apiFor(call, limits.trace === undefined ? ready.value : { ...ready.value, trace: limits.trace });
    const deltas = onDelta === undefined ? undefined : new TextDeltas(call.request, onDelta);
    const reply = await ask(call, api, deltas, around, limits);
    if (!reply.ok) return deltas?.any ? err({ ...reply.error, then: "stop" }) : reply;
    const { usage, notes } = reply.value;
    if (deltas?.finish(reply.value.reply) === false) return err({ ...brokenAnswer(undefined, usage), then: "stop" });
    return api.notes.length === 0 ? reply : ok({ ...reply.value, notes: [...api.notes, ...notes] });
  };

async function ask(
  call: ModelCall,
  api: HttpApi,
  deltas: TextDeltas | undefined,
  around: Surroundings,
  limits: Limits,
): Promise<Result<ModelReply, ProviderError>> {
  const streams = deltas !== undefined && !call.candidate.model.omits.includes("stream");
  let stream: StreamReader | undefined;
  const answer = await exchange<unknown>(limits, around.now, {
    ask: streams ? api.stream : api.whole,
    read: (response, stay) => {
      if (!streams || !isEventStream(response)) return readJson(response);
      const reader = api.reader(deltas);
      stream = {
        ...reader,
        take: (data) => {
          const result = reader.take(data);
          // After the first delta no other candidate is called, so this one gets their time.
          if (deltas.any) stay();
          return result;
        },
      };
      return readEvents(response, stream);
    },
  });
  const reply = answer.ok ? api.from(answer.value, stream === undefined ? call : { ...call, streamed: true }) : answer;
  if (reply.ok || stream === undefined) return reply;
  const usage = reply.error.usage ?? usageSoFar(call.request, stream);
  return usage === undefined ? reply : err({ ...reply.error, usage });
}
