// The demo model, which is part of the gateway: it makes no request, and cannot fail.

import { answerDemo, demoDeltas, demoModelName, embedDemo } from "../../../shared/provider/demo/demo-reply.ts";
import { textOfReply } from "../../../shared/provider/json-reply.ts";
import { ok } from "../../../shared/result.ts";
import type { EmbeddingAttempt, ProviderAdapter } from "../provider-adapter.ts";

export const demoProvider: ProviderAdapter<EmbeddingAttempt> = () => ({
  reply: async (call, _around, _limits, onDelta) => {
    const reply = answerDemo(call);
    if (reply.ok && onDelta !== undefined) for (const token of demoDeltas(textOfReply(reply.value.reply))) onDelta(token);
    return reply;
  },
  embed: async ({ texts }) => ok({ ...embedDemo(texts), model: demoModelName }),
  modelList: null,
});
