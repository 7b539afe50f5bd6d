// The two requests of Anthropic's API that the gateway makes, with `fetch`; their types are the
// SDK's.

import { type AnthropicParams, anthropicVersion } from "../../../shared/provider/anthropic/anthropic-translation.ts";
import { askProvider } from "../provider-fetch.ts";
import type { Ready } from "../ready.ts";

/** Answers are returned unread; any status but 2xx is thrown as an `ErrorAnswer`. */
type AnthropicClient = {
  readonly createMessage: (
    params: AnthropicParams | (Omit<AnthropicParams, "stream"> & { readonly stream: true }),
    signal: AbortSignal,
  ) => Promise<Response>;
  readonly listModels: (signal: AbortSignal) => Promise<Response>;
};

export function anthropicClient(
  { apiKey, baseUrl = "https://api.anthropic.com", trace }: Ready,
  fetch: typeof globalThis.fetch,
): AnthropicClient {
  const provider = { baseUrl, apiKey, trace };
  const version = (params: object) => ({ "anthropic-version": anthropicVersion(params) });
  return {
    createMessage: (body, signal) => askProvider(fetch, { ...provider, path: "/v1/messages", headers: version(body), body, signal }),
    listModels: (signal) => askProvider(fetch, { ...provider, path: "/v1/models?limit=1000", headers: version({}), signal }),
  };
}
