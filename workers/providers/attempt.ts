// One attempt at one candidate: send, read, translate, within a time. What goes wrong comes back as a fault without a provider's words.

import type { ModelCall } from "../../shared/provider/model-call.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import { fromAnthropic, toAnthropic } from "../../shared/provider/anthropic.ts";
import { readAnthropic } from "../../shared/provider/anthropic-stream.ts";
import type { ModelReply, Note, ProviderFault, Usage } from "../../shared/model/call.ts";
import { cannotCarry } from "../../shared/provider/carry.ts";
import { answerDemo, demoDeltas, demoModelName, embedDemo } from "../../shared/provider/demo.ts";
import {
  embeddingCalls,
  fromEmbeddings,
  joinEmbeddings,
  sumOf,
  toEmbeddings,
  type EmbeddingReply,
} from "../../shared/provider/embedding.ts";
import { badCallFault, brokenAnswer, notReadyFault } from "../../shared/provider/fault.ts";
import { textOfReply } from "../../shared/provider/json-reply.ts";
import { fromOpenAI, toOpenAI } from "../../shared/provider/openai.ts";
import { readOpenAI } from "../../shared/provider/openai-stream.ts";
import { TextDeltas, usageSoFar, type StreamReader } from "../../shared/provider/stream.ts";
import type { SamplingRequest } from "../../shared/model/sampling.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { createClients } from "./clients.ts";
import { exchange, isEventStream, readEvents, readJson, type Limits } from "./exchange.ts";
import { providerReady } from "./ready.ts";

export type { Limits } from "./exchange.ts";

/** Runs the function that the request's one tool use names, on the MCP server that the candidate stands for. */
export type RunFunction = (request: SamplingRequest, candidate: Candidate, limits: Limits) => Promise<Result<ModelReply, ProviderFault>>;

/** Gets the text of a reply in pieces while it comes. Together they are the text of the reply. */
export type OnDelta = (text: string) => void;

export type Surroundings = {
  readonly clients: ReturnType<typeof createClients>;
  readonly lookup: (name: string) => string | undefined;
  readonly now: () => number;
  readonly runFunction?: RunFunction;
};

/**
 * One attempt at a model's reply, or at a function's result. The notes of the translation there come before those of the way back.
 * With `onDelta` the model is asked for a stream; a fault after the first delta is final, since what was said cannot be said otherwise.
 */
export async function attemptReply(
  call: ModelCall,
  around: Surroundings,
  limits: Limits,
  onDelta?: OnDelta,
): Promise<Result<ModelReply, ProviderFault>> {
  const { provider, model } = call.candidate;
  if (provider.kind === "mcp") return around.runFunction?.(call.request, call.candidate, limits) ?? err(notReadyFault);
  if (provider.kind === "demo") return demoReply(call, onDelta);
  const ready = providerReady(provider, around.lookup);
  if (!ready.ok) return err(notReadyFault);
  // Routing has asked this already; an edit after that may have brought content that this model cannot take.
  if (cannotCarry(call.request, model, provider.kind) !== undefined) return err(badCallFault);
  const wire =
    provider.kind === "anthropic"
      ? anthropicWire(call, around.clients.anthropic(ready.value))
      : openaiWire(call, around.clients.openai(ready.value));
  const deltas = onDelta === undefined ? undefined : new TextDeltas(call.request, onDelta);
  const reply = await ask(call, wire, deltas, around, limits);
  if (!reply.ok) return deltas?.any ? err({ ...reply.error, then: "stop" }) : reply;
  const { usage, notes } = reply.value;
  if (deltas?.finish(reply.value.reply) === false) return err({ ...brokenAnswer(undefined, usage), then: "stop" });
  return wire.notes.length === 0 ? reply : ok({ ...reply.value, notes: [...wire.notes, ...notes] });
}

/** A provider's API: what is sent, how its stream is read, and how its answer is translated. */
type Wire = {
  readonly notes: readonly Note[];
  readonly whole: (signal: AbortSignal) => Promise<Response>;
  readonly stream: (signal: AbortSignal) => Promise<Response>;
  readonly reader: (deltas: TextDeltas) => StreamReader;
  readonly from: (response: unknown, call: ModelCall) => Result<ModelReply, ProviderFault>;
};

function anthropicWire(call: ModelCall, client: ReturnType<Surroundings["clients"]["anthropic"]>): Wire {
  const { params, notes } = toAnthropic(call);
  return {
    notes,
    whole: (signal) => client.messages.create(params, { signal }).asResponse(),
    stream: (signal) => client.messages.create({ ...params, stream: true }, { signal }).asResponse(),
    reader: readAnthropic,
    from: fromAnthropic,
  };
}

function openaiWire(call: ModelCall, client: ReturnType<Surroundings["clients"]["openai"]>): Wire {
  const { params, notes } = toOpenAI(call);
  const uncounted = call.candidate.model.omits.includes("streamUsage");
  const streamed = { ...params, stream: true as const, ...(uncounted ? {} : { stream_options: { include_usage: true } }) };
  return {
    notes,
    whole: (signal) => client.chat.completions.create(params, { signal }).asResponse(),
    stream: (signal) => client.chat.completions.create(streamed, { signal }).asResponse(),
    reader: readOpenAI,
    from: fromOpenAI,
  };
}

async function ask(
  call: ModelCall,
  wire: Wire,
  deltas: TextDeltas | undefined,
  around: Surroundings,
  limits: Limits,
): Promise<Result<ModelReply, ProviderFault>> {
  const streams = deltas !== undefined && !call.candidate.model.omits.includes("stream");
  let stream: StreamReader | undefined;
  const answer = await exchange<unknown>(limits, around.now, {
    ask: streams ? wire.stream : wire.whole,
    read: (response, stay) => {
      if (!streams || !isEventStream(response)) return readJson(response);
      const reader = wire.reader(deltas);
      stream = {
        ...reader,
        take: (data) => {
          const taken = reader.take(data);
          // Time that was kept for others is no use to them once something was said.
          if (deltas.any) stay();
          return taken;
        },
      };
      return readEvents(response, stream);
    },
  });
  const reply = answer.ok ? wire.from(answer.value, stream === undefined ? call : { ...call, streamed: true }) : answer;
  if (reply.ok || stream === undefined) return reply;
  const usage = reply.error.usage ?? usageSoFar(call.request, stream);
  return usage === undefined ? reply : err({ ...reply.error, usage });
}

function demoReply(call: ModelCall, onDelta: OnDelta | undefined): Result<ModelReply, ProviderFault> {
  const reply = answerDemo(call);
  if (reply.ok && onDelta !== undefined) for (const token of demoDeltas(textOfReply(reply.value.reply))) onDelta(token);
  return reply;
}

/** One attempt at vectors for one or more texts, in as many calls as that takes. Anthropic's API has no embeddings: such a candidate is answered with a fault. */
export async function attemptEmbedding(
  call: { readonly texts: readonly string[]; readonly candidate: Candidate },
  around: Surroundings,
  limits: Limits,
): Promise<Result<EmbeddingReply, ProviderFault>> {
  const { texts, candidate } = call;
  if (candidate.provider.kind === "demo") return ok({ ...embedDemo(texts), model: demoModelName });
  if (candidate.provider.kind !== "openai") return err(badCallFault);
  const ready = providerReady(candidate.provider, around.lookup);
  if (!ready.ok) return err(notReadyFault);
  const client = around.clients.openai(ready.value);
  const end = around.now() + limits.timeoutMs;
  const parts: EmbeddingReply[] = [];
  for (const some of embeddingCalls(texts)) {
    const params = toEmbeddings(some, candidate.model);
    const answer = await exchange<unknown>({ ...limits, timeoutMs: Math.max(0, end - around.now()) }, around.now, {
      ask: (signal) => client.embeddings.create(params, { signal }).asResponse(),
      read: readJson,
    });
    const part = answer.ok ? fromEmbeddings(answer.value, some, candidate.model) : answer;
    if (!part.ok) return parts.length === 0 ? part : err({ ...part.error, usage: spentOn(parts, part.error) });
    parts.push(part.value);
  }
  return joinEmbeddings(parts);
}

const spentOn = (parts: readonly EmbeddingReply[], { usage }: ProviderFault): Usage =>
  sumOf([...parts.map((part) => part.usage), ...(usage === undefined ? [] : [usage])]);
