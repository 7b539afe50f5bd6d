// Small tables and requests for the tests of routing and policy.

import type { ReasonPhrase } from "../../../shared/words/reasons.ts";
import type { ChatRequest, EmbeddingRequest } from "../../../shared/model/sampling.ts";
import type { RoutingInput } from "../../../shared/routing/choose.ts";
import { parseRoutingTable, type RoutingTable } from "../../../shared/routing/table.ts";

export type ModelOverrides = { readonly id: string } & { readonly [member: string]: unknown };

export const tableOf = (
  models: readonly ModelOverrides[],
  equivalents: readonly { hint: string; models: string[] }[] = [],
): RoutingTable => {
  const parsed = parseRoutingTable({
    version: 3,
    providers: {
      alpha: { kind: "openai", secret: "ALPHA_KEY" },
      beta: { kind: "anthropic", secret: "BETA_KEY" },
      demo: { kind: "demo" },
    },
    models: models.map((model) => ({
      provider: "alpha",
      name: model.id,
      accepts: ["text", "image", "audio"],
      tools: true,
      contextTokens: 100_000,
      maxOutputTokens: 10_000,
      price: { inputPerMTok: 1, outputPerMTok: 1 },
      scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
      ...model,
    })),
    equivalents,
  });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
};

export const demo: ModelOverrides = {
  id: "demo",
  provider: "demo",
  tasks: ["chat", "embedding"],
  scores: { intelligence: 0, speed: 1, cost: 1 },
  price: { inputPerMTok: 0, outputPerMTok: 0 },
};

export const requestOf = (members: Partial<ChatRequest> = {}): ChatRequest => ({
  kind: "chat",
  messages: [{ role: "user", content: [{ type: "text", text: "What is the capital of France?" }] }],
  maxTokens: 100,
  ...members,
});

export const embedding: EmbeddingRequest = { kind: "embedding", messages: requestOf().messages };

export const inputOf = (table: RoutingTable, members: Partial<RoutingInput> = {}): RoutingInput => ({
  table,
  request: requestOf(),
  key: { id: "key-1", name: "ci" },
  server: "notes",
  ready: () => undefined,
  cannotCarry: () => undefined,
  ...members,
});

/** Of a provider that is not ready. */
export const noCredential = (): ReasonPhrase => ({ key: "noCredential" });
