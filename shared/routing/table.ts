// The routing table: which models there are, what they can take, what they cost and how they compare.

import { z } from "zod";

const score = z.number().min(0).max(1);

const provider = z.strictObject({
  kind: z.enum(["anthropic", "openai", "demo"]),
  /** Where the provider listens; the SDK's own address where absent. */
  baseUrl: z.url().optional(),
  /** The name of the environment secret with the credential. A provider with neither `secret` nor `keyless` is never eligible. */
  secret: z.string().optional(),
  /** A server that wants no credential (a local one). */
  keyless: z.boolean().default(false),
  /** Lets `baseUrl` be a private or loopback address. */
  allowPrivate: z.boolean().default(false),
  /** An environment variable that holds the base URL; where it is unset the provider's models are not eligible. */
  baseUrlFrom: z.string().optional(),
});

const model = z.strictObject({
  id: z.string().min(1),
  provider: z.string().min(1),
  /** The name the provider knows it by. */
  name: z.string().min(1),
  tasks: z.array(z.enum(["chat", "embedding"])).min(1).default(["chat"]),
  aliases: z.array(z.string()).default([]),
  accepts: z.array(z.enum(["text", "image", "audio"])).default(["text"]),
  tools: z.boolean().default(false),
  contextTokens: z.int().positive(),
  maxOutputTokens: z.int().positive(),
  /** US dollars for a million tokens. */
  price: z.strictObject({ inputPerMTok: z.number().nonnegative(), outputPerMTok: z.number().nonnegative() }),
  /** 0 to 1; `cost` is cheapness: 1 is free. */
  scores: z.strictObject({ intelligence: score, speed: score, cost: score }),
  tokenField: z.enum(["max_tokens", "max_completion_tokens"]).default("max_tokens"),
  /** Parameters that this model's API refuses. */
  omits: z.array(z.enum(["temperature", "stopSequences"])).default([]),
  /** What to do with a reply that is longer than `maxTokens` by the provider's own count. */
  overLimit: z.enum(["cut", "refuse"]).default("cut"),
  metadataKeys: z.array(z.string()).default([]),
  onlyKeys: z.array(z.string()).default([]),
  onlyServers: z.array(z.string()).default([]),
  enabled: z.boolean().default(true),
});

export const routingTableSchema = z.strictObject({
  version: z.int().nonnegative().default(0),
  providers: z.record(z.string(), provider),
  models: z.array(model),
  equivalents: z.array(z.strictObject({ hint: z.string(), models: z.array(z.string()) })).default([]),
});

export type Provider = z.infer<typeof provider>;
export type Model = z.infer<typeof model>;
export type RoutingTable = z.infer<typeof routingTableSchema>;
