// Why a model is in a list, for tests that are about something else.

import type { ModelWhy } from "../../shared/routing/choose.ts";

/** Of a model that no hint led to. */
export const defaultModel: ModelWhy = { tier: { kind: "rest" }, terms: [], points: 0 };
/** Of one that an alias of this name led to. */
export const throughAlias = (name: string): ModelWhy => ({
  tier: { kind: "namedEquivalent", named: { name }, entry: name },
  terms: [],
  points: 0,
});
