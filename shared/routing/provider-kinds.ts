// The kinds of providers, and what the routing table knows of each. How one is called is in
// shared/provider/ and workers/providers/.

type KindFacts = {
  /**
   * A part of the gateway: it needs no address and no credential, and its models stand in only
   * while no other provider is ready.
   */
  readonly isBuiltIn: boolean;
  /** The name of its API, the same in every language. */
  readonly api: string;
  /** What its API does not support, whatever the table says. */
  readonly lacks: { readonly embedding?: true; readonly audio?: true };
  /**
   * What a token costs that is read from or written to the provider's prompt cache, as a share of
   * an input token, where the table has no price.
   */
  readonly cacheShares: CacheShares;
};

type CacheShares = { readonly read: number; readonly written: number };

/** No discount is known, so none is counted. */
const noDiscount: CacheShares = { read: 1, written: 1 };

/** The kinds that a routing table may name. */
const factsByKind = {
  anthropic: {
    isBuiltIn: false,
    api: "Anthropic",
    lacks: { embedding: true, audio: true },
    // platform.claude.com, "Prompt caching", pricing: cache of five minutes. No model's reads cost
    // more; some cost less.
    cacheShares: { read: 0.1, written: 1.25 },
  },
  openai: { isBuiltIn: false, api: "OpenAI (Chat Completions)", lacks: {}, cacheShares: noDiscount },
  demo: { isBuiltIn: true, api: "demo", lacks: {}, cacheShares: noDiscount },
} satisfies Readonly<Record<string, KindFacts>>;

export type ProviderKind = keyof typeof factsByKind;

/** The kinds whose APIs have embeddings. */
export type EmbeddingKind = {
  [Kind in ProviderKind]: (typeof factsByKind)[Kind]["lacks"] extends { readonly embedding: true } ? never : Kind;
}[ProviderKind];

export const providerKinds = Object.keys(factsByKind) as ProviderKind[]; // its own names

export const isBuiltIn = (kind: ProviderKind): boolean => factsByKind[kind].isBuiltIn;

export const apiOf = (kind: ProviderKind): Pick<KindFacts, "api" | "lacks"> => factsByKind[kind];

export const cacheSharesOf = (kind: ProviderKind): CacheShares => factsByKind[kind].cacheShares;
