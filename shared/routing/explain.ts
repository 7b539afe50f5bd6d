// What choosing would do with a request, step by step, for `POST /admin/routing/explain`. It calls
// no model and changes nothing.

import * as z from "zod";
import { count, list, phrase, text } from "../json/answer-fields.ts";
import type { NamedModel } from "../model/sampling.ts";
import { arithmeticOf, summaryOf, whyOf, whySentence } from "./choose.ts";
import { findEligible, hintsOf, type RoutingInput } from "./eligible.ts";
import { estimateInputTokens, leastInputTokens } from "./price.ts";
import { type ReasonPhrase, reasonText } from "../words/reasons.ts";
import { axes, rank, type Ranked } from "./rank.ts";

const namedModel = () => z.object({ name: text(), version: text().exactOptional(), provider: text().exactOptional() });

const tier = () =>
  z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("named"), named: namedModel() }),
    z.object({ kind: z.literal("nearlyNamed"), named: namedModel(), differs: list(z.enum(["version", "provider"])) }),
    z.object({ kind: z.literal("namedEquivalent"), named: namedModel(), entry: text() }),
    z.object({ kind: z.literal("hint"), hint: text() }),
    z.object({ kind: z.literal("equivalent"), hint: text(), entry: text() }),
    z.object({ kind: z.literal("rest") }),
  ]);

const explainedModel = () =>
  z.object({
    model: text(),
    provider: text(),
    /** The name the provider knows it by. */
    name: text(),
    /** From 1: the order in which it would be tried. */
    place: count(),
    tier: tier(),
    score: z.number(),
    /** One for each priority that was given: what the score is the sum of. */
    terms: list(z.object({ axis: z.enum(axes), priority: z.number(), score: z.number() })),
    /**
     * The sum as it was computed, such as "cost 0.8 x 0.4 + speed 0.2 x 0.6"; empty where no
     * priority was given.
     */
    arithmetic: text(),
    worstCostUsd: z.number(),
    why: text(),
  });
export type ExplainedModel = z.infer<ReturnType<typeof explainedModel>>;

export const explanationSchema = () =>
  z.object({
    tableVersion: count(),
    /** The model that was asked for by name, where one was: then hints count for nothing. */
    namedModel: namedModel().exactOptional(),
    /** The hints that counted, in order. */
    hints: list(text()),
    /** How many hints were empty, too long, beyond the sixteenth, or beside a named model. */
    hintsIgnored: count(),
    /** Input tokens as used for eligibility and, without a model's own `imageTokens`, for cost. */
    inputTokens: z.object({ atLeast: count(), atMost: count() }),
    ranked: list(explainedModel()),
    /** `reason`: `why` in English. */
    passedOver: list(z.object({ model: text(), why: phrase<ReasonPhrase>(), reason: text() })),
    why: text(),
  });
type Explanation = z.infer<ReturnType<typeof explanationSchema>>;

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
