// The rules of every kind of provider. A kind that is missing here does not compile.

import type { ProviderKind } from "../routing/provider-kinds.ts";
import { anthropicRules } from "./anthropic/anthropic-rules.ts";
import { openaiRules } from "./openai/openai-rules.ts";
import { type ProviderRules, takesAnything } from "./provider-rules.ts";

const rulesByKind: Readonly<Record<ProviderKind, ProviderRules>> = {
  anthropic: anthropicRules,
  openai: openaiRules,
  // The demo only counts what it gets.
  demo: takesAnything,
};

export const rulesOf = (kind: ProviderKind): ProviderRules => rulesByKind[kind];
