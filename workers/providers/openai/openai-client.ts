// The three requests of OpenAI's API that the gateway makes, with `fetch`; their types are the
// SDK's.

import type OpenAI from "openai";
import { askProvider } from "../provider-fetch.ts";
import type { Ready } from "../ready.ts";

/** Answers are returned unread; any status but 2xx is thrown as an `ErrorAnswer`. */
export type OpenAIClient = {
  readonly createCompletion: (params: OpenAI.ChatCompletionCreateParams, signal: AbortSignal) => Promise<Response>;
  readonly createEmbeddings: (params: OpenAI.EmbeddingCreateParams, signal: AbortSignal) => Promise<Response>;
  readonly listModels: (signal: AbortSignal) => Promise<Response>;
};

export function openaiClient(
  { apiKey, baseUrl = "https://api.openai.com/v1", trace }: Ready,
  fetch: typeof globalThis.fetch,
): OpenAIClient {
  const provider = { baseUrl, apiKey, trace };
  return {
    createCompletion: (body, signal) => askProvider(fetch, { ...provider, path: "/chat/completions", body, signal }),
    createEmbeddings: (body, signal) => askProvider(fetch, { ...provider, path: "/embeddings", body, signal }),
    listModels: (signal) => askProvider(fetch, { ...provider, path: "/models", signal }),
  };
}
