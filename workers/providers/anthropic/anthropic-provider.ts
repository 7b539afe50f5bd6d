// Anthropic's Messages API. It has no embeddings.

import { readAnthropic } from "../../../shared/provider/anthropic/anthropic-stream.ts";
import { fromAnthropic, toAnthropic } from "../../../shared/provider/anthropic/anthropic-translation.ts";
import { attemptOver } from "../http-attempt.ts";
import type { ProviderAdapter } from "../provider-adapter.ts";
import { idsIn } from "../provider-fetch.ts";
import { anthropicClient } from "./anthropic-client.ts";

export const anthropicProvider: ProviderAdapter<null> = (fetch) => ({
  reply: attemptOver((call, ready) => {
    const client = anthropicClient(ready, fetch);
    const { params, notes } = toAnthropic(call);
    return {
      notes,
      whole: (signal) => client.createMessage(params, signal),
      stream: (signal) => client.createMessage({ ...params, stream: true }, signal),
      reader: readAnthropic,
      from: fromAnthropic,
    };
  }),
  embed: null,
  modelList: { ask: (ready, signal) => anthropicClient(ready, fetch).listModels(signal), namesIn: idsIn },
});
