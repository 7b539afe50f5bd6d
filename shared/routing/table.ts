// The routing table: which models there are, what they can take, what they cost and how they
// compare. The document is parsed where it comes in; after that its types are trusted.

import * as z from "zod";
import type { JsonObject } from "../encoding.ts";
import { jsonSchemaOf } from "../json/json-schema-of.ts";
import { err, ok, type Result } from "../result.ts";
import { isPrivateHost, readBaseUrl } from "../address.ts";
import { environmentName } from "../environment-name.ts";
import { foldCase } from "./fold-case.ts";
import { pointerTo, issueAt, issuesOf, type Issue } from "./issues.ts";
import type { IssueKey, IssuePhrase } from "../words/issues.ts";
import { type ProviderKind, apiOf, isBuiltIn, providerKinds } from "./provider-kinds.ts";

/**
 * Six decimals at most, so that choosing can count in whole millionths and two scores are never
 * nearly equal.
 */
const score = z
  .number()
  .min(0)
  .max(1)
  .refine((value) => Math.abs(value * 1e6 - Math.round(value * 1e6)) < 1e-6, "sixDecimals");

/** Of a model or a provider. */
export const tableName = z.string().regex(/^[A-Za-z0-9@][A-Za-z0-9@._:/-]{0,127}$/, "modelName");

export const providerSchema = z
  .strictObject({
    kind: z.enum(providerKinds),
    /** The provider's address; the SDK's own where absent. */
    baseUrl: z.string().max(2048).optional(),
    /** The name of the environment secret with the credential. */
    secret: environmentName.optional(),
    /**
     * The server needs no credential. True unless said otherwise for the demo, and for an address
     * of your own without a `secret`.
     */
    keyless: z.boolean().optional(),
    /** Lets the base URL be a private or loopback address, and plain http. */
    allowPrivate: z.boolean().default(false),
    /**
     * An environment variable that holds the base URL; where it is unset the provider's models are
     * not eligible.
     */
    baseUrlFrom: environmentName.optional(),
  })
  .transform((value) => ({
    ...value,
    keyless:
      value.keyless ??
      (isBuiltIn(value.kind) || (value.secret === undefined && (value.baseUrl !== undefined || value.baseUrlFrom !== undefined))),
  }));

const usd = z.number().nonnegative().max(1_000_000);

/**
 * US dollars for a million tokens. Where the two of the provider's prompt cache are absent, the
 * kind of the provider has them (`cacheSharesOf`).
 */
const prices = {
  inputPerMTok: usd,
  outputPerMTok: usd,
  cachedInputPerMTok: usd.optional(),
  cacheWritePerMTok: usd.optional(),
};

export const modelSchema = z.strictObject({
  id: tableName,
  provider: tableName,
  /** The name the provider knows it by. */
  name: z.string().min(1).max(256),
  tasks: z
    .array(z.enum(["chat", "embedding"]))
    .min(1)
    .default(["chat"]),
  aliases: z.array(z.string().min(1).max(256)).max(64).default([]),
  accepts: z
    .array(z.enum(["text", "image", "audio", "pdf"]))
    .min(1)
    .default(["text"]),
  tools: z.boolean().default(false),
  /** Which tool choices the model's API takes; all of them where absent. */
  toolChoices: z.array(z.enum(["auto", "required", "none"])).optional(),
  contextTokens: z.int().positive(),
  maxOutputTokens: z.int().positive(),
  /** `above`: the prices of a call with more input tokens than that. */
  price: z.strictObject({ ...prices, above: z.strictObject({ inputTokens: z.int().positive(), ...prices }).optional() }),
  /** The most tokens that one image costs. */
  imageTokens: z.int().positive().optional(),
  /** 0 to 1; `cost` is cheapness: 1 is free. */
  scores: z.strictObject({ intelligence: score, speed: score, cost: score }),
  tokenField: z.enum(["max_tokens", "max_completion_tokens"]).default("max_tokens"),
  /**
   * Parameters that this model's API refuses. `stream`: replies in pieces; `streamUsage`: the count
   * of tokens at the end of such a reply.
   */
  omits: z.array(z.enum(["temperature", "topP", "topK", "stopSequences", "responseFormat", "stream", "streamUsage"])).default([]),
  /**
   * Parameters that not every compatible server has and this model's takes: `top_k`, which Chat
   * Completions does not have (vLLM, for one), and the size of vectors.
   */
  takes: z.array(z.enum(["topK", "dimensions"])).optional(),
  /** Sent as the API's own setting for how long to think; nothing is sent where absent. */
  reasoningEffort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
  /**
   * Sent as `thinking.type` to the Anthropic API; nothing is sent where absent. What a model thinks
   * counts against `maxTokens`.
   */
  thinking: z.enum(["adaptive", "disabled", "between_tools"]).optional(),
  /**
   * False: the Anthropic API is not asked to cache prompts. Other APIs decide by themselves what
   * they cache.
   */
  promptCache: z.boolean().default(true),
  /** What to do with a reply that is longer than `maxTokens` by the provider's own count. */
  overLimit: z.enum(["cut", "refuse"]).default("cut"),
  metadataKeys: z.array(z.string()).default([]),
  /** Ids or names of API keys; empty: every key. */
  onlyKeys: z.array(z.string()).default([]),
  /** Names of MCP servers; empty: every server. */
  onlyServers: z.array(z.string()).default([]),
  /**
   * How many calls of this model may be in progress at once, and how the others wait; no limit
   * where absent.
   */
  lane: z
    .strictObject({
      concurrency: z.int().min(1).max(10_000),
      /** How many may wait; further calls are refused. */
      queue: z.int().min(0).max(10_000).default(100),
      /** A call that has waited longer goes first, whatever its priority. */
      promoteAfterSeconds: z.number().min(0).max(3_600).default(10),
    })
    .optional(),
  enabled: z.boolean().default(true),
});

const equivalent = z.strictObject({
  hint: z
    .string()
    .max(256)
    .refine((value) => value.trim() !== "", "isEmpty"),
  /** Ids, names or aliases of models in this table. */
  models: z.array(z.string()).min(1),
});

export const routingTableSchema = z.strictObject({
  version: z.int().nonnegative().default(0),
  providers: z.record(tableName, providerSchema),
  models: z.array(modelSchema).max(500),
  equivalents: z.array(equivalent).max(500).default([]),
});

/** Who runs models: one of the table, or the MCP server of a function, which is in none. */
export type Provider = Omit<z.infer<typeof providerSchema>, "kind"> & { readonly kind: ProviderKind };
export type Model = z.infer<typeof modelSchema>;
export type RoutingTable = z.infer<typeof routingTableSchema>;

/** What an operator may write, for editors and for `docs/routing.md`. */
export const routingJsonSchema = (): JsonObject => jsonSchemaOf(routingTableSchema);

/**
 * Reads a routing table from parsed JSON. Refused, each with a pointer and no value from the
 * document: what the schema refuses, names that refer to nothing, ids given twice, a base URL that
 * is private without `allowPrivate`, plain http to a public host, a provider that could never be
 * used.
 */
export function parseRoutingTable(value: unknown): Result<RoutingTable, Issue[]> {
  const parsed = routingTableSchema.safeParse(value);
  if (!parsed.success) return err(issuesOf(parsed.error.issues));
  const issues = [...providerIssues(parsed.data), ...modelIssues(parsed.data)];
  return issues.length === 0 ? ok(parsed.data) : err(issues);
}

function providerIssues(table: RoutingTable): Issue[] {
  const issues: Issue[] = [];
  for (const [id, entry] of Object.entries(table.providers)) {
    const at = (member: string, said: IssueKey): number => issues.push(issueAt(pointerTo(["providers", id, member]), said));
    if (entry.baseUrl !== undefined && entry.baseUrlFrom !== undefined) at("baseUrlFrom", "besideBaseUrl");
    if (!isBuiltIn(entry.kind) && entry.secret === undefined && !entry.keyless) at("secret", "secretMissing");
    if (entry.baseUrl !== undefined) {
      const url = readBaseUrl(entry.baseUrl);
      if (url === undefined) at("baseUrl", "notUrl");
      else if (url.extras) at("baseUrl", "urlExtras");
      else if (!entry.allowPrivate && isPrivateHost(url.host)) at("baseUrl", "urlPrivate");
      else if (!entry.allowPrivate && url.scheme === "http") at("baseUrl", "urlPlain");
    }
  }
  return issues;
}

function modelIssues(table: RoutingTable): Issue[] {
  const issues: Issue[] = [];
  const ids = new Set<string>();
  for (const [index, entry] of table.models.entries()) {
    const at = (member: string, said: IssueKey | IssuePhrase): number => issues.push(issueAt(pointerTo(["models", index, member]), said));
    const folded = foldCase(entry.id);
    if (ids.has(folded)) at("id", "modelTwice");
    ids.add(folded);
    const servedBy = providerOf(table, entry.provider);
    if (servedBy === undefined) at("provider", "notProvider");
    if (servedBy === undefined) continue;
    const { api, lacks } = apiOf(servedBy.kind);
    if (lacks.embedding && entry.tasks.includes("embedding")) at("tasks", { key: "apiLacksEmbedding", values: { api } });
    if (lacks.audio && entry.accepts.includes("audio")) at("accepts", { key: "apiLacksAudio", values: { api } });
  }
  return issues;
}

/** Everything that a hint or an equivalent may call a model. */
const namesOf = (entry: Model): string[] => [entry.id, entry.name, ...entry.aliases];

const folded = new WeakMap<Model, readonly string[]>();

/**
 * The same as `foldCase` writes them, folded once for each model: every request compares its hints
 * with every name.
 */
export function foldedNamesOf(entry: Model): readonly string[] {
  let names = folded.get(entry);
  if (names === undefined) {
    names = namesOf(entry).map(foldCase);
    folded.set(entry, names);
  }
  return names;
}

/** The provider of that name; a name such as `constructor` finds nothing. */
export const providerOf = (table: RoutingTable, id: string): Provider | undefined =>
  Object.hasOwn(table.providers, id) ? table.providers[id] : undefined;
