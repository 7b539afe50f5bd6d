// What choosing would do with a request, step by step, for `POST /admin/routing/explain`. It calls
// no model and changes nothing.

import type { NamedModel } from "../model/sampling.ts";
import { arithmeticOf, summaryOf, whyOf, whySentence } from "./choose.ts";
import { findEligible, hintsOf, type PassedOver, type RoutingInput } from "./eligible.ts";
import { estimateInputTokens, leastInputTokens } from "./price.ts";
import { reasonText } from "../words/reasons.ts";
import { rank, type Ranked, type Term, type Tier } from "./rank.ts";

export type ExplainedModel = {
  readonly model: string;
  readonly provider: string;
  /** The name the provider knows it by. */
  readonly name: string;
  /** From 1: the order in which it would be tried. */
  readonly place: number;
  readonly tier: Tier;
  readonly score: number;
  /** One for each priority that was given: what the score is the sum of. */
  readonly terms: readonly Term[];
  /**
   * The sum as it was computed, such as "cost 0.8 x 0.4 + speed 0.2 x 0.6"; empty where no priority
   * was given.
   */
  readonly arithmetic: string;
  readonly worstCostUsd: number;
  readonly why: string;
};

/** `reason`: `why` in English. */
export type ExplainedReason = PassedOver & { readonly reason: string };

export type Explanation = {
  readonly tableVersion: number;
  /** The model that was asked for by name, where one was: then hints count for nothing. */
  readonly namedModel?: NamedModel;
  /** The hints that counted, in order. */
  readonly hints: readonly string[];
  /** How many hints were empty, too long, beyond the sixteenth, or beside a named model. */
  readonly hintsIgnored: number;
  /** Input tokens as used for eligibility and, without a model's own `imageTokens`, for cost. */
  readonly inputTokens: { readonly atLeast: number; readonly atMost: number };
  readonly ranked: readonly ExplainedModel[];
  readonly passedOver: readonly ExplainedReason[];
  readonly why: string;
};

/**
 * The same steps as `chooseCandidates`, with everything they looked at. A request that no model can
 * serve has an empty `ranked`.
 */
export function explainRouting(input: RoutingInput): Explanation {
  const { eligible, passedOver, size } = findEligible(input);
  const ranked = rank(input.table, input.request, eligible, size);
  const { namedModel } = input.request;
  const hints = namedModel === undefined ? hintsOf(input.request) : [];
  const first = ranked[0];
  return {
    tableVersion: input.table.version,
    ...(namedModel === undefined ? {} : { namedModel }),
    hints,
    hintsIgnored: (input.request.modelPreferences?.hints?.length ?? 0) - hints.length,
    inputTokens: { atLeast: leastInputTokens(size), atMost: estimateInputTokens(size) },
    ranked: ranked.map(explained),
    passedOver: passedOver.map((each) => ({ ...each, reason: reasonText(each.why) })),
    why: first === undefined ? noModelWhy(namedModel) : summaryOf(input, first, ranked.length, passedOver),
  };
}

const noModelWhy = (named: NamedModel | undefined): string =>
  named === undefined
    ? "No model in the routing table can serve this request."
    : "No model in the routing table with this name, and none of its equivalents, can serve this request.";

const explained = (entry: Ranked, index: number): ExplainedModel => ({
  model: entry.model.id,
  provider: entry.providerName,
  name: entry.model.name,
  place: index + 1,
  tier: entry.tier,
  score: entry.points / 1e12,
  terms: entry.terms,
  arithmetic: arithmeticOf(entry.terms),
  worstCostUsd: entry.worstCostUsd,
  why: whySentence(whyOf(entry)),
});
