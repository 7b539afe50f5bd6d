// OpenAI's API and compatible ones: Chat Completions and embeddings.

import type { ProviderError, Usage } from "../../../shared/model/call.ts";
import { type EmbeddingReply, joinEmbeddings, sumOf } from "../../../shared/provider/embedding.ts";
import { notReadyError } from "../../../shared/provider/provider-error.ts";
import { embeddingCalls, fromEmbeddings, toEmbeddings } from "../../../shared/provider/openai/openai-embeddings.ts";
import { readOpenAI } from "../../../shared/provider/openai/openai-stream.ts";
import { fromOpenAI, toOpenAI } from "../../../shared/provider/openai/openai-translation.ts";
import { type Result, err } from "../../../shared/result.ts";
import { type Limits, exchange, readJson } from "../provider-exchange.ts";
import { attemptOver } from "../http-attempt.ts";
import type { EmbeddingAttempt, EmbeddingCall, ProviderAdapter, Surroundings } from "../provider-adapter.ts";
import { providerReady } from "../ready.ts";
import { idsIn } from "../provider-fetch.ts";
import { type OpenAIClient, openaiClient } from "./openai-client.ts";

export const openaiProvider: ProviderAdapter<EmbeddingAttempt> = (fetch) => ({
  reply: attemptOver((call, ready) => {
    const client = openaiClient(ready, fetch);
    const { params, notes } = toOpenAI(call);
    const uncounted = call.candidate.model.omits.includes("streamUsage");
    const streamed = { ...params, stream: true as const, ...(uncounted ? {} : { stream_options: { include_usage: true } }) };
    return {
      notes,
      whole: (signal) => client.createCompletion(params, signal),
      stream: (signal) => client.createCompletion(streamed, signal),
      reader: readOpenAI,
      from: fromOpenAI,
    };
  }),
  embed: async (call, around, limits) => {
    const ready = providerReady(call.candidate.provider, around.lookup);
    if (!ready.ok) return err(notReadyError);
    const { trace } = limits;
    return embed(call, openaiClient(trace === undefined ? ready.value : { ...ready.value, trace }, fetch), around, limits);
  },
  modelList: { ask: (ready, signal) => openaiClient(ready, fetch).listModels(signal), namesIn: idsIn },
});

/** Makes as many calls as the texts need, within one timeout. */
async function embed(
  { texts, dimensions, candidate }: EmbeddingCall,
  client: OpenAIClient,
  around: Surroundings,
  limits: Limits,
): Promise<Result<EmbeddingReply, ProviderError>> {
  const end = around.now() + limits.timeoutMs;
  const parts: EmbeddingReply[] = [];
  for (const some of embeddingCalls(texts)) {
    const params = toEmbeddings(some, candidate.model, dimensions);
    const answer = await exchange<unknown>({ ...limits, timeoutMs: Math.max(0, end - around.now()) }, around.now, {
      ask: (signal) => client.createEmbeddings(params, signal),
      read: readJson,
    });
    const part = answer.ok ? fromEmbeddings(answer.value, some, candidate.model) : answer;
    if (!part.ok) return parts.length === 0 ? part : err({ ...part.error, usage: spentOn(parts, part.error) });
    parts.push(part.value);
  }
  return joinEmbeddings(parts, dimensions);
}

const spentOn = (parts: readonly EmbeddingReply[], { usage }: ProviderError): Usage =>
  sumOf([...parts.map((part) => part.usage), ...(usage === undefined ? [] : [usage])]);
