// Reviews whose whole content fits a Slack message.

import type { MessageView } from "../../../shared/review/view.ts";
import type { ChatRequest } from "../../../shared/model/sampling.ts";
import { defaultModel } from "../model-why.ts";

const now = Date.UTC(2026, 10, 17, 14, 42, 40);
const model = (id: string, worstCostUsd: number) => ({
  id,
  provider: "vendor",
  name: `${id}-1`,
  why: defaultModel,
  worstCostUsd,
});

export const plainRequest: MessageView & { readonly request: ChatRequest } = {
  subject: "message",
  gate: "request",
  state: { kind: "open" },
  progress: "waiting",
  now,
  run: "run_7Hq2mWcE0xkV",
  reviewer: "Ada Lovelace",
  version: 1,
  digest: "q9nMWfyL5Ekq8tHc1sGgE7uX0dJ3bRzVYpTnKoAiCw4",
  versions: [{ version: 1, by: null, at: now - 20_000 }],
  requestor: {
    server: "notes",
    method: "tools/call",
    name: "summarize_meeting",
    provenance: "claimed",
    client: "desk-assistant",
    owner: null,
    gone: false,
  },
  createdAt: now - 20_000,
  deadlineAt: now + 570_000,
  quorum: 1,
  rule: "default",
  request: {
    kind: "chat",
    systemPrompt: "Keep it short.",
    messages: [{ role: "user", content: [{ type: "text", text: "Summarise." }] }],
    maxTokens: 800,
    temperature: 0.3,
    stopSequences: ["STOP-HERE"],
  },
  requestAsAsked: null,
  models: [model("first-model", 0.0138), model("second-model", 0.009)],
  risks: [],
  notes: [],
  worstCostUsd: 0.0138,
  reply: null,
  replyAsGenerated: null,
  answeredBy: null,
  usage: null,
  costUsd: null,
};

export const plainReply: MessageView = {
  ...plainRequest,
  gate: "response",
  progress: "responseReview",
  reply: { content: [{ type: "text", text: "A summary." }], model: "real-model", stopReason: "endTurn" },
  answeredBy: model("first-model", 0.0138),
  usage: { inputTokens: 612, outputTokens: 88 },
  costUsd: 0.003156,
};
