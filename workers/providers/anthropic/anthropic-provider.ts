// Anthropic's Messages API, over its SDK. It has no embeddings.

import { readAnthropic } from "../../../shared/provider/anthropic/anthropic-stream.ts";
import { fromAnthropic, toAnthropic } from "../../../shared/provider/anthropic/anthropic-translation.ts";
import { attemptOver } from "../http-attempt.ts";
import type { ProviderAdapter } from "../provider-adapter.ts";
import { idsIn, keptClients } from "../sdk-client.ts";
import { AnthropicClient } from "./anthropic-client.ts";

export const anthropicProvider: ProviderAdapter = (fetch) => {
  const clientFor = keptClients((ready) => new AnthropicClient(ready, fetch));
  return {
    reply: attemptOver((call, ready) => {
      const client = clientFor(ready);
      const { params, notes } = toAnthropic(call);
      return {
        notes,
        whole: (signal) => client.messages.create(params, { signal }).asResponse(),
        stream: (signal) => client.messages.create({ ...params, stream: true }, { signal }).asResponse(),
        reader: readAnthropic,
        from: fromAnthropic,
      };
    }),
    run: null,
    embed: null,
    modelList: {
      ask: (ready, signal) => clientFor(ready).models.list({ limit: 1_000 }, { signal }).asResponse(),
      namesIn: idsIn,
    },
  };
};
