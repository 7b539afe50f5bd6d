// The kinds of providers, each with its own folder and one line here. A kind that is missing does
// not compile.

import type { EmbeddingKind, ProviderKind } from "../../shared/routing/provider-kinds.ts";
import { anthropicProvider } from "./anthropic/anthropic-provider.ts";
import { demoProvider } from "./demo/demo-provider.ts";
import { openaiProvider } from "./openai/openai-provider.ts";
import type { EmbeddingAttempt, OpenProvider, ProviderAdapter } from "./provider-adapter.ts";

type Embed<Kind extends ProviderKind> = Kind extends EmbeddingKind ? EmbeddingAttempt : null;

/** A kind has embeddings exactly where provider-kinds.ts does not say that its API lacks them. */
const adapters: { readonly [Kind in ProviderKind]: ProviderAdapter<Embed<Kind>> } = {
  anthropic: anthropicProvider,
  openai: openaiProvider,
  demo: demoProvider,
};

/**
 * The providers by kind, each opened at its first use and kept as long as the returned function.
 */
export function openProviders(fetch: typeof globalThis.fetch): (kind: ProviderKind) => OpenProvider {
  const opened = new Map<ProviderKind, OpenProvider>();
  return (kind) => {
    const provider = opened.get(kind) ?? adapters[kind](fetch);
    opened.set(kind, provider);
    return provider;
  };
}
