// What an attempt at a model costs: at most, before it is made; really, after it.

import type { ProviderError, Usage } from "../model/call.ts";
import { outputLimit, type SamplingRequest } from "../model/sampling.ts";
import type { Result } from "../result.ts";
import { costUsd, estimateInputTokens, type RequestSize, worstCostUsd } from "../routing/price.ts";
import type { Model } from "../routing/table.ts";
import { nanosInUsd, type Unit } from "./budgets.ts";

const nanos = (usd: number): number => Math.ceil(usd * nanosInUsd);

/** The most that one attempt may cost, in a budget's unit. */
export function worstOf(unit: Unit, model: Model, size: RequestSize, request: SamplingRequest): number {
  const most = outputLimit(request);
  return unit === "usd" ? nanos(worstCostUsd(model, size, most)) : estimateInputTokens(size, model.imageTokens) + most;
}

/** Spent, and what may have been: for an attempt of which nobody knows, `unaccounted` is the worst case. */
export type Spent = { readonly spent: number; readonly unaccounted: number };

/** What an attempt cost, in a budget's unit. `worst`: as `worstOf` said before it. */
export function spentOf(unit: Unit, model: Model, answer: Result<Usage, ProviderError>, worst: number): Spent {
  if (answer.ok) return known(unit, model, answer.value);
  const { usage, kind, status } = answer.error;
  if (usage !== undefined) return known(unit, model, usage);
  // A provider that answered with an error was not paid. One whose answer is missing or cannot be read may have been.
  const isPaidMaybe = kind === "timeout" || kind === "connection" || kind === "brokenAnswer";
  return isPaidMaybe && (status === undefined || status === 200) ? { spent: 0, unaccounted: worst } : { spent: 0, unaccounted: 0 };
}

const known = (unit: Unit, model: Model, usage: Usage): Spent => ({
  spent: unit === "usd" ? nanos(costUsd(model, usage)) : usage.inputTokens + usage.outputTokens,
  unaccounted: 0,
});
