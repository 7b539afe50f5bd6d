// The kinds of providers, and what the routing table knows of each. How one is called is in
// shared/provider/ and workers/providers/.

import type { IssueKey } from "../words/issues.ts";

type KindFacts = {
  /**
   * A part of the gateway: it needs no address and no credential, and its models stand in only
   * while no other provider is ready.
   */
  readonly isBuiltIn: boolean;
  /**
   * What its API does not support, whatever the table says; the text follows the pointer of the
   * member that says otherwise.
   */
  readonly lacks: { readonly embedding?: IssueKey; readonly audio?: IssueKey };
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
    lacks: {
      embedding: "anthropicEmbedding",
      audio: "anthropicAudio",
    },
    // platform.claude.com, "Prompt caching", pricing: cache of five minutes. No model's reads cost
    // more; some cost less.
    cacheShares: { read: 0.1, written: 1.25 },
  },
  openai: { isBuiltIn: false, lacks: {}, cacheShares: noDiscount },
  demo: { isBuiltIn: true, lacks: {}, cacheShares: noDiscount },
} satisfies Readonly<Record<string, KindFacts>>;

export type ProviderKind = keyof typeof factsByKind;

export const providerKinds = Object.keys(factsByKind) as ProviderKind[]; // its own names

export const isBuiltIn = (kind: ProviderKind): boolean => factsByKind[kind].isBuiltIn;

export const lackingOf = (kind: ProviderKind): KindFacts["lacks"] => factsByKind[kind].lacks;

export const cacheSharesOf = (kind: ProviderKind): CacheShares => factsByKind[kind].cacheShares;
