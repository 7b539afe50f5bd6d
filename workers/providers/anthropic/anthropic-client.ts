// The two requests of Anthropic's API that the gateway makes, with `fetch`; their types are the SDK's.

import { type AnthropicParams, anthropicVersion } from "../../../shared/provider/anthropic/anthropic-translation.ts";
import { ErrorAnswer, providerFetch } from "../provider-fetch.ts";
import type { Ready } from "../ready.ts";

export type AnthropicClient = {
  readonly createMessage: (
    params: AnthropicParams | (Omit<AnthropicParams, "stream"> & { readonly stream: true }),
    signal: AbortSignal,
  ) => Promise<Response>;
  readonly listModels: (signal: AbortSignal) => Promise<Response>;
};

/** Answers are returned unread; any status but 2xx is thrown as an `ErrorAnswer`. */
export function anthropicClient({ apiKey, baseUrl = "https://api.anthropic.com" }: Ready, fetch: typeof globalThis.fetch): AnthropicClient {
  const send = providerFetch(fetch);
  const ask = async (path: string, version: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers({
      Accept: "application/json",
      Authorization: `Bearer ${apiKey ?? "none"}`,
      "Content-Type": "application/json",
      "User-Agent": "countersign",
      "anthropic-version": version,
    });
    const response = await send(`${baseUrl.replace(/\/$/, "")}${path}`, { ...init, headers });
    if (!response.ok) throw new ErrorAnswer(response);
    return response;
  };
  return {
    createMessage: (params, signal) =>
      ask("/v1/messages", anthropicVersion(params), { method: "POST", body: JSON.stringify(params), signal }),
    listModels: (signal) => ask("/v1/models?limit=1000", anthropicVersion({}), { signal }),
  };
}
