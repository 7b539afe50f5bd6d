// The kinds of providers, each with its own folder and one line here. A kind that is missing does
// not compile.

import type { ProviderKind } from "../../shared/routing/provider-kinds.ts";
import { anthropicProvider } from "./anthropic/anthropic-provider.ts";
import { demoProvider } from "./demo/demo-provider.ts";
import { openaiProvider } from "./openai/openai-provider.ts";
import type { OpenProvider, ProviderAdapter } from "./provider-adapter.ts";

const adapters: Readonly<Record<ProviderKind, ProviderAdapter>> = {
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
