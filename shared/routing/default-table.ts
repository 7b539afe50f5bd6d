// The routing table of a fresh checkout: current models of three makers, a local server, Workers
// AI, and the demo.
//
// Where the numbers come from (read from stored copies of public pages on 21 November 2026;
// `docs/routing.md` lists them line by line, with what could not be verified):
//   Anthropic   platform.claude.com, the overview, "what's new" and migration pages of each model
//               (October 2026)
//   OpenAI      developers.openai.com, the page of gpt-6.2-sol; for Terra and Luna announcements of
//               26 October and 22 September 2026
//   Google      ai.google.dev through announcements of 2 September and 21 July 2026; list prices,
//               not the offer that ends with 2026
//   Caches      Anthropic's price page as quoted in October 2026; the pages of the OpenAI models as
//               above. Google's are not known here
//   Cloudflare  developers.cloudflare.com/workers-ai/platform/pricing through a transcription of 20
//               September 2026
//
// `cost` is computed: 1 - ln(1 + b) / ln(11), b = (3 x input + output) / 4 dollars for a million
// tokens, never below 0, two decimals. `intelligence` and `speed` were set by hand from how each
// maker ranks its own models and from the thinking setting used here. They order models; they are
// no measurement. Put your own beside them. `aliases` hold names of earlier models of the same
// kind, so that a hint for one of them finds its successor.

import { parseRoutingTable, type RoutingTable } from "./table.ts";

const claude = {
  provider: "anthropic",
  accepts: ["text", "image", "pdf"],
  tools: true,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  imageTokens: 4_800,
  // API version 2026-10-21 has none of these, and with the earlier one any value but the default is
  // an error for these models.
  omits: ["temperature", "topP", "topK"],
  metadataKeys: ["user_id"],
};

const gpt = {
  provider: "openai",
  accepts: ["text", "image", "pdf"],
  contextTokens: 1_050_000,
  maxOutputTokens: 128_000,
  imageTokens: 15_000,
  tokenField: "max_completion_tokens",
};

const gemini = {
  provider: "google",
  accepts: ["text", "image", "audio"],
  tools: true,
  contextTokens: 1_048_576,
  maxOutputTokens: 65_536,
  imageTokens: 1_120,
  // Sampling parameters are deprecated since July 2026.
  omits: ["temperature", "topP"],
};

/**
 * Families of open weights, and of makers whose models are not in this table: the nearest that are,
 * the small and open ones first.
 */
const openFamilies = [
  "llama",
  "qwen",
  "qwq",
  "gemma",
  "phi",
  "mistral",
  "mixtral",
  "ministral",
  "magistral",
  "codestral",
  "devstral",
  "pixtral",
  "baichuan",
  "internlm",
  "internvl",
  "falcon",
  "granite",
  "olmo",
  "vicuna",
  "yi-",
];
const largeFamilies = [
  "deepseek",
  "glm",
  "kimi",
  "moonshot",
  "grok",
  "minimax",
  "ernie",
  "hunyuan",
  "doubao",
  "command-r",
  "nemotron",
  "jamba",
  "nova-",
];

/** Behind the models that are nearest to any of the hints come those that need no maker's key. */
const standIns = (hints: readonly string[], nearest: readonly string[], last = ["workers-ai-gpt-oss", "local", "demo"]) =>
  hints.map((hint) => ({ hint, models: [...nearest, ...last] }));

const document = {
  version: 1,
  providers: {
    anthropic: { kind: "anthropic", secret: "ANTHROPIC_API_KEY" },
    openai: { kind: "openai", secret: "OPENAI_API_KEY" },
    google: { kind: "openai", secret: "GEMINI_API_KEY", baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai/" },
    "workers-ai": { kind: "openai", secret: "WORKERS_AI_TOKEN", baseUrlFrom: "WORKERS_AI_BASE_URL" },
    local: { kind: "openai", baseUrlFrom: "LOCAL_OPENAI_BASE_URL", keyless: true, allowPrivate: true },
    demo: { kind: "demo" },
  },
  models: [
    {
      ...claude,
      id: "claude-sonnet-5-5",
      name: "claude-sonnet-5-5",
      aliases: [
        "claude-sonnet",
        "claude-3-sonnet-20240229",
        "claude-3-5-sonnet-20241022",
        "claude-3-5-sonnet-latest",
        "claude-3-7-sonnet-20250219",
        "claude-sonnet-4-20250514",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-6",
        "claude-sonnet-5",
      ],
      price: { inputPerMTok: 2, outputPerMTok: 10, cachedInputPerMTok: 0.1, cacheWritePerMTok: 2.5 },
      scores: { intelligence: 0.9, speed: 0.7, cost: 0.33 },
      toolChoices: ["auto", "none"],
      // Without this a short maxTokens would be spent on thinking.
      thinking: "between_tools",
    },
    {
      ...gpt,
      id: "gpt-6.2-sol",
      name: "gpt-6.2-sol",
      aliases: ["gpt-sol", "gpt-5", "gpt-5.5", "gpt-6-sol", "gpt-6.1-sol", "o1", "o3"],
      price: {
        inputPerMTok: 2,
        outputPerMTok: 10,
        cachedInputPerMTok: 0.1,
        cacheWritePerMTok: 2.5,
        above: { inputTokens: 272_000, inputPerMTok: 4, outputPerMTok: 15, cachedInputPerMTok: 0.2, cacheWritePerMTok: 5 },
      },
      scores: { intelligence: 0.92, speed: 0.5, cost: 0.33 },
      // Chat Completions takes function tools only with reasoning effort "none", which this model
      // refuses.
      tools: false,
      // Sampling parameters only go with that effort too.
      omits: ["temperature", "topP", "stopSequences"],
      reasoningEffort: "low",
    },
    {
      ...gemini,
      id: "gemini-3.8-flash",
      name: "gemini-3.8-flash",
      aliases: ["gemini-flash", "gemini-1.5-flash", "gemini-2.0-flash", "gemini-2.5-flash", "gemini-3-flash"],
      price: { inputPerMTok: 1.5, outputPerMTok: 7.5 },
      scores: { intelligence: 0.85, speed: 0.75, cost: 0.42 },
      reasoningEffort: "low",
    },
    {
      ...claude,
      id: "claude-opus-5-5",
      name: "claude-opus-5-5",
      aliases: [
        "claude-opus",
        "claude-3-opus-20240229",
        "claude-opus-4-1-20250805",
        "claude-opus-4-5-20251101",
        "claude-opus-4-8",
        "claude-opus-5",
      ],
      price: { inputPerMTok: 4, outputPerMTok: 20, cachedInputPerMTok: 0.2, cacheWritePerMTok: 5 },
      scores: { intelligence: 0.97, speed: 0.45, cost: 0.08 },
      toolChoices: ["auto", "none"],
      // Thinking is always on.
      reasoningEffort: "low",
    },
    {
      ...gpt,
      id: "gpt-6.1-terra",
      name: "gpt-6.1-terra",
      aliases: ["gpt-terra", "gpt-4o", "gpt-4.1", "gpt-5.6-terra"],
      price: {
        inputPerMTok: 1,
        outputPerMTok: 5,
        cachedInputPerMTok: 0.05,
        cacheWritePerMTok: 1.25,
        above: { inputTokens: 272_000, inputPerMTok: 2, outputPerMTok: 7.5, cachedInputPerMTok: 0.1, cacheWritePerMTok: 2.5 },
      },
      scores: { intelligence: 0.72, speed: 0.8, cost: 0.54 },
      tools: true,
      omits: ["stopSequences"],
      reasoningEffort: "none",
    },
    {
      ...gemini,
      id: "gemini-3.1-pro",
      name: "gemini-3.1-pro-preview",
      aliases: ["gemini-pro", "gemini-1.5-pro", "gemini-2.5-pro", "gemini-3-pro"],
      price: { inputPerMTok: 2, outputPerMTok: 12, above: { inputTokens: 200_000, inputPerMTok: 4, outputPerMTok: 18 } },
      scores: { intelligence: 0.84, speed: 0.4, cost: 0.29 },
      reasoningEffort: "low",
    },
    {
      ...claude,
      id: "claude-haiku-5-5",
      name: "claude-haiku-5-5",
      aliases: ["claude-haiku", "claude-3-haiku-20240307", "claude-3-5-haiku-20241022", "claude-haiku-4-5-20251001"],
      price: {
        inputPerMTok: 0.1,
        outputPerMTok: 0.5,
        cachedInputPerMTok: 0.01,
        cacheWritePerMTok: 0.125,
        above: { inputTokens: 100_000, inputPerMTok: 0.5, outputPerMTok: 2.5, cachedInputPerMTok: 0.05, cacheWritePerMTok: 0.625 },
      },
      scores: { intelligence: 0.65, speed: 0.95, cost: 0.92 },
      thinking: "disabled",
    },
    {
      ...gpt,
      id: "gpt-6-luna",
      name: "gpt-6-luna",
      aliases: [
        "gpt-luna",
        "gpt-4o-mini",
        "gpt-4.1-mini",
        "gpt-4.1-nano",
        "gpt-5-mini",
        "gpt-5-nano",
        "gpt-5.6-luna",
        "o3-mini",
        "o4-mini",
      ],
      price: {
        inputPerMTok: 0.1,
        outputPerMTok: 0.5,
        cachedInputPerMTok: 0.01,
        cacheWritePerMTok: 0.125,
        above: { inputTokens: 272_000, inputPerMTok: 0.2, outputPerMTok: 0.75, cachedInputPerMTok: 0.02, cacheWritePerMTok: 0.25 },
      },
      scores: { intelligence: 0.55, speed: 0.9, cost: 0.92 },
      tools: true,
      omits: ["stopSequences"],
      reasoningEffort: "none",
    },
    {
      ...gemini,
      id: "gemini-3.5-flash-lite",
      name: "gemini-3.5-flash-lite",
      aliases: ["gemini-flash-lite", "gemini-2.0-flash-lite", "gemini-2.5-flash-lite"],
      price: { inputPerMTok: 0.3, outputPerMTok: 2.5 },
      scores: { intelligence: 0.6, speed: 0.9, cost: 0.74 },
      reasoningEffort: "minimal",
    },
    {
      id: "workers-ai-gpt-oss",
      provider: "workers-ai",
      name: "@cf/openai/gpt-oss-120b",
      aliases: ["gpt-oss-120b"],
      tools: true,
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
      price: { inputPerMTok: 0.35, outputPerMTok: 0.75 },
      scores: { intelligence: 0.55, speed: 0.8, cost: 0.85 },
    },
    {
      id: "local",
      provider: "local",
      name: "llama3.2",
      aliases: ["llama", "ollama"],
      tools: true,
      contextTokens: 131_072,
      maxOutputTokens: 32_768,
      price: { inputPerMTok: 0, outputPerMTok: 0 },
      scores: { intelligence: 0.25, speed: 0.4, cost: 1 },
    },
    {
      id: "text-embedding-3-small",
      provider: "openai",
      name: "text-embedding-3-small",
      tasks: ["embedding"],
      takes: ["dimensions"],
      contextTokens: 8_191,
      maxOutputTokens: 1,
      price: { inputPerMTok: 0.02, outputPerMTok: 0 },
      scores: { intelligence: 0.6, speed: 0.8, cost: 0.99 },
    },
    {
      id: "gemini-embedding-001",
      provider: "google",
      name: "gemini-embedding-001",
      tasks: ["embedding"],
      contextTokens: 2_048,
      maxOutputTokens: 1,
      price: { inputPerMTok: 0.15, outputPerMTok: 0 },
      scores: { intelligence: 0.8, speed: 0.7, cost: 0.96 },
    },
    {
      id: "workers-ai-bge-m3",
      provider: "workers-ai",
      name: "@cf/baai/bge-m3",
      aliases: ["bge-m3"],
      tasks: ["embedding"],
      contextTokens: 8_192,
      maxOutputTokens: 1,
      price: { inputPerMTok: 0.012, outputPerMTok: 0 },
      scores: { intelligence: 0.6, speed: 0.9, cost: 1 },
    },
    {
      id: "demo",
      provider: "demo",
      name: "demo",
      tasks: ["chat", "embedding"],
      accepts: ["text", "image", "audio", "pdf"],
      tools: true,
      contextTokens: 10_000_000,
      maxOutputTokens: 1_000_000,
      price: { inputPerMTok: 0, outputPerMTok: 0 },
      imageTokens: 1,
      scores: { intelligence: 0, speed: 1, cost: 1 },
    },
  ],
  equivalents: [
    // The first that applies and leads to a model that can do the task counts: what makes vectors
    // before the maker that made it ("mistral-embed"), families that are not in this table before
    // words for a size ("minimax" contains "mini", "grok-3-mini" is a Grok), a model's own name
    // before its maker's ("gemini-1.5-flash" contains "flash", "gemini" and "mini"). All end in the
    // demo, so that a fresh checkout answers every hint.
    ...standIns(
      ["embed", "bge-", "e5-", "gte-", "minilm"],
      ["text-embedding-3-small", "gemini-embedding-001", "workers-ai-bge-m3"],
      ["demo"],
    ),
    ...standIns(openFamilies, ["local", "workers-ai-gpt-oss", "gemini-3.5-flash-lite", "gpt-6-luna", "claude-haiku-5-5"], ["demo"]),
    ...standIns(largeFamilies, ["gpt-6.1-terra", "claude-sonnet-5-5", "gemini-3.8-flash"]),
    ...standIns(["gpt-oss"], ["workers-ai-gpt-oss", "local", "gpt-6-luna", "gemini-3.5-flash-lite", "claude-haiku-5-5"], ["demo"]),
    ...standIns(["sonnet"], ["claude-sonnet-5-5", "gpt-6.2-sol", "gemini-3.8-flash", "gpt-6.1-terra"]),
    ...standIns(["opus"], ["claude-opus-5-5", "gpt-6.2-sol", "gemini-3.1-pro", "gemini-3.8-flash"]),
    ...standIns(["fable"], ["claude-opus-5-5", "gpt-6.2-sol", "gemini-3.1-pro"]),
    ...standIns(["haiku"], ["claude-haiku-5-5", "gpt-6-luna", "gemini-3.5-flash-lite"]),
    ...standIns(["flash-lite"], ["gemini-3.5-flash-lite", "claude-haiku-5-5", "gpt-6-luna"]),
    ...standIns(["flash"], ["gemini-3.8-flash", "claude-haiku-5-5", "gpt-6-luna"]),
    ...standIns(["pro"], ["gemini-3.1-pro", "gpt-6.2-sol", "claude-opus-5-5"]),
    ...standIns(["gemini"], ["gemini-3.8-flash", "gemini-3.1-pro", "claude-sonnet-5-5", "gpt-6.1-terra"]),
    ...standIns(["gpt-4o-mini", "mini", "nano"], ["gpt-6-luna", "claude-haiku-5-5", "gemini-3.5-flash-lite"]),
    ...standIns(["gpt-4o", "chatgpt"], ["gpt-6.1-terra", "claude-sonnet-5-5", "gemini-3.8-flash"]),
    ...standIns(["gpt"], ["gpt-6.2-sol", "gpt-6.1-terra", "claude-sonnet-5-5", "gemini-3.8-flash"]),
    ...standIns(["claude"], ["claude-sonnet-5-5", "gpt-6.2-sol", "gemini-3.8-flash", "gpt-6.1-terra"]),
  ],
};

/** The default table, parsed as any other would be; an error in it is a bug. */
export function defaultRoutingTable(): RoutingTable {
  const parsed = parseRoutingTable(document);
  if (!parsed.ok)
    throw new Error(`the default routing table: ${parsed.error.map(({ pointer, message }) => `${pointer} ${message}`).join("; ")}`);
  return parsed.value;
}
