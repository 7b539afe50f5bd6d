// What an attempt at a model costs: at most, before it is made; really, after it.

import type { ProviderError, Usage } from "../model/call.ts";
import { outputLimit, type SamplingRequest } from "../model/sampling.ts";
import type { Result } from "../result.ts";
import { type Priced, type RequestSize, costUsd, estimateInputTokens, worstCostUsd } from "../routing/price.ts";
import { nanosInUsd, type Unit } from "./budgets.ts";

const nanos = (usd: number): number => Math.ceil(usd * nanosInUsd);

/** The most that one attempt may cost, in a budget's unit. */
export function worstOf(unit: Unit, priced: Priced, size: RequestSize, request: SamplingRequest): number {
  const most = outputLimit(request);
  return unit === "usd" ? nanos(worstCostUsd(priced, size, most)) : estimateInputTokens(size, priced.model.imageTokens) + most;
}

/**
 * Spent, and what may have been: for an attempt of which nobody knows, `unaccounted` is the worst
 * case.
 */
type Spent = { readonly spent: number; readonly unaccounted: number };

/** What an attempt cost, in a budget's unit. `worst`: as `worstOf` said before it. */
export function spentOf(unit: Unit, priced: Priced, answer: Result<Usage, ProviderError>, worst: number): Spent {
  if (answer.ok) return known(unit, priced, answer.value);
  const { usage, kind, status } = answer.error;
  if (usage !== undefined) return known(unit, priced, usage);
  // A provider that answered with an error was not paid. One whose answer is missing or cannot be
  // read may have been.
  const isPaidMaybe = kind === "timeout" || kind === "connection" || kind === "brokenAnswer";
  return isPaidMaybe && (status === undefined || status === 200) ? { spent: 0, unaccounted: worst } : { spent: 0, unaccounted: 0 };
}

const known = (unit: Unit, priced: Priced, usage: Usage): Spent => ({
  spent: unit === "usd" ? nanos(costUsd(priced, usage)) : usage.inputTokens + usage.outputTokens,
  unaccounted: 0,
});
