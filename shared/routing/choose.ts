// From a sampling request's preferences to a ranked list of models, deterministic and with its reasons. Preferences are
// advice: they order what can serve the request, and never decide whether it is served.

import type { NamedModel } from "../model/sampling.ts";
import { err, ok, type Result } from "../result.ts";
import { findEligible, type PassedOver, type RoutingInput } from "./eligible.ts";
import type { NamedTier } from "./named.ts";
import { axes, priorityOf, rank, type Ranked } from "./rank.ts";
import type { Model, Provider } from "./table.ts";

export type { PassedOver, RoutingInput } from "./eligible.ts";

/** A model that can serve this request. `why` is one plain sentence for people; the list order is the failover order. */
export type Candidate = {
  readonly model: Model;
  readonly provider: Provider;
  /** The provider's name in the routing table. */
  readonly providerName: string;
  readonly why: string;
  /** Worst case in US dollars: all input tokens as estimated, and `maxTokens` of output. */
  readonly worstCostUsd: number;
};

export type Choice = {
  /** Never empty; the first will answer, the others only if those before it fail. */
  readonly ranked: readonly Candidate[];
  readonly passedOver: readonly PassedOver[];
  /** Which model, which hint, which scores, and how many were passed over. */
  readonly why: string;
};

/** `named`: a model was asked for by name. */
export type NoModel = { readonly kind: "noModel"; readonly reasons: readonly PassedOver[]; readonly named?: true };

/**
 * Ranks the models that can serve a request (design: routing, steps 1 to 4). Every model of the table is either in `ranked`
 * or in `passedOver` with a reason. Refused: a request that no model can serve, with the reason for each.
 */
export function chooseCandidates(input: RoutingInput): Result<Choice, NoModel> {
  const { eligible, passedOver, size } = findEligible(input);
  const ranked = rank(input.table, input.request, eligible, size);
  const first = ranked[0];
  if (first === undefined) {
    return err({ kind: "noModel", reasons: passedOver, ...(input.request.namedModel === undefined ? {} : { named: true }) });
  }
  const candidates = ranked.map((entry) => ({
    model: entry.model,
    provider: entry.provider,
    providerName: entry.providerName,
    why: whyOf(entry),
    worstCostUsd: entry.worstCostUsd,
  }));
  return ok({ ranked: candidates, passedOver, why: summaryOf(input, first, ranked.length, passedOver) });
}

/** One sentence: the hint or the name and how it led here, then the arithmetic. */
export function whyOf({ tier, terms, points }: Ranked): string {
  const score =
    terms.length === 0
      ? "no priorities were given, so the table's own order counts"
      : `its score is ${arithmeticOf(terms)} = ${decimal(points / 1e12)}`;
  switch (tier.kind) {
    case "hint":
      return `It matches the hint ${quoted(tier.hint)}; ${score}.`;
    case "equivalent":
      return `It stands in for the hint ${quoted(tier.hint)}, by the equivalents of ${quoted(tier.entry)}; ${score}.`;
    case "rest":
      return `No hint led to it; ${score}.`;
    case "named":
      return `It is what the routing table calls ${describeNamed(tier.named)}; ${score}.`;
    case "nearlyNamed":
      return `It stands in for ${describeNamed(tier.named)}: the name is the same, ${differencesOf(tier)}; ${score}.`;
    case "namedEquivalent":
      return `It stands in for ${describeNamed(tier.named)}, by the equivalents of ${quoted(tier.entry)}; ${score}.`;
  }
}

const describeNamed = ({ name, version, provider }: NamedModel): string =>
  [
    quoted(name),
    ...(version === undefined ? [] : [`version ${quoted(version)}`]),
    ...(provider === undefined ? [] : [`of ${quoted(provider)}`]),
  ].join(" ");

const differencesOf = ({ differs }: Extract<NamedTier, { kind: "nearlyNamed" }>): string =>
  differs.length === 2 ? "the version and the provider are not" : `the ${differs.join()} is not`;

export const arithmeticOf = (terms: Ranked["terms"]): string =>
  terms.map(({ axis, priority, score }) => `${axis} ${decimal(priority)} x ${decimal(score)}`).join(" + ");

export function summaryOf(input: RoutingInput, first: Ranked, count: number, passedOver: readonly PassedOver[]): string {
  const preferences = input.request.modelPreferences ?? {};
  const given = axes.filter((axis) => priorityOf(preferences, axis) !== undefined);
  const weighed = given.length === 0 ? "no priorities" : `priorities for ${given.join(", ")}`;
  const others = count === 1 ? "no other model can serve the request" : `${count - 1} more may take over if it fails`;
  return `${first.model.id} comes first with ${weighed}. ${whyOf(first)} ${others[0]?.toUpperCase() ?? ""}${others.slice(1)}; ${passedOver.length} passed over.`;
}

/** At most six decimals, none of them spare. */
const decimal = (value: number): string => String(Math.round(value * 1e6) / 1e6);

/** A hint is text from outside: shortened, and in quotation marks as JSON writes them, with nothing unseen left bare. */
function quoted(hint: string): string {
  const short = [...hint];
  const shown = short.length > 40 ? `${short.slice(0, 40).join("")}…` : hint;
  return JSON.stringify(shown).replaceAll(
    /[^\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
