// The order of the models that can serve a request: tiers from hints, scores from priorities, and
// nothing else. It counts in whole numbers, so that an order never depends on how a machine rounds.

import { type ModelPreferences, type SamplingRequest, outputLimit } from "../model/sampling.ts";
import { hintsOf, type Eligible } from "./eligible.ts";
import { standInsFor } from "./equivalents.ts";
import { namedTiers, type NamedTier } from "./named.ts";
import { worstCostUsd, type RequestSize } from "./price.ts";
import { foldCase } from "./fold-case.ts";
import { foldedNamesOf, type RoutingTable } from "./table.ts";

export const axes = ["cost", "speed", "intelligence"] as const;
export type Axis = (typeof axes)[number];

/**
 * Why a model is where it is: its name contains a hint, a hint's equivalents name it, or no hint
 * leads to it; or, where a model was asked for by name, how near to it this one is.
 */
type Tier =
  | NamedTier
  | { readonly kind: "hint"; readonly hint: string }
  | { readonly kind: "equivalent"; readonly hint: string; readonly entry: string }
  | { readonly kind: "rest" };

type Term = { readonly axis: Axis; readonly priority: number; readonly score: number };

export type Ranked = Eligible & {
  readonly tier: Tier;
  /** One for each priority that was given. */
  readonly terms: readonly Term[];
  /** The sum of priority times score, in millionths of millionths. */
  readonly points: number;
  readonly worstCostUsd: number;
};

const million = 1_000_000;

/**
 * The best first: by tier, then by score, then the cheaper, then the table's order. The list is the
 * failover order.
 */
export function rank(table: RoutingTable, request: SamplingRequest, eligible: readonly Eligible[], size: RequestSize): Ranked[] {
  const preferences = request.modelPreferences ?? {};
  const noPriorities = axes.every((axis) => priorityOf(preferences, axis) === undefined);
  const ranked: Ranked[] = [];
  for (const { tier, members } of tiersOf(table, request, eligible)) {
    const scored = members.map((member, place) => ({
      place,
      entry: {
        ...member,
        tier,
        ...pointsOf(member, preferences),
        worstCostUsd: worstCostUsd(member, size, outputLimit(request)),
      },
    }));
    // Array.prototype.sort is stable, and `place` is unique: one input has one order.
    if (!noPriorities)
      scored.sort((a, b) => b.entry.points - a.entry.points || a.entry.worstCostUsd - b.entry.worstCostUsd || a.place - b.place);
    ranked.push(...scored.map(({ entry }) => entry));
  }
  return ranked;
}

export function priorityOf(preferences: ModelPreferences, axis: Axis): number | undefined {
  switch (axis) {
    case "cost":
      return preferences.costPriority;
    case "speed":
      return preferences.speedPriority;
    case "intelligence":
      return preferences.intelligencePriority;
  }
}

/**
 * A priority that is not 0 never becomes 0: the least preference still decides between what is
 * otherwise equal.
 */
const wholePriority = (priority: number): number => (priority > 0 ? Math.max(1, Math.round(priority * million)) : 0);

/**
 * Scores have six decimals at most (the table's schema); priorities are rounded to six. Every
 * product and sum is below 2^53, so it is exact.
 */
function pointsOf(member: Eligible, preferences: ModelPreferences): { terms: Term[]; points: number } {
  const terms: Term[] = [];
  let points = 0;
  for (const axis of axes) {
    const priority = priorityOf(preferences, axis);
    if (priority === undefined) continue;
    const score = member.model.scores[axis];
    terms.push({ axis, priority, score });
    points += wholePriority(priority) * Math.round(score * million);
  }
  return { terms, points };
}

/**
 * Each eligible model once, in its first tier; tiers without members are left out. Beside a named
 * model hints do not count.
 */
function tiersOf(table: RoutingTable, request: SamplingRequest, eligible: readonly Eligible[]): { tier: Tier; members: Eligible[] }[] {
  if (request.namedModel !== undefined) return namedTiers(table, request.namedModel, eligible);
  const candidates = eligible.map((member) => ({ member, names: foldedNamesOf(member.model) }));
  const assigned = new Set<number>();
  const tiers: { tier: Tier; members: Eligible[] }[] = [];
  const assign = (tier: Tier, members: readonly Eligible[]): void => {
    const fresh = members.filter((member) => !assigned.has(member.position));
    for (const member of fresh) assigned.add(member.position);
    if (fresh.length > 0) tiers.push({ tier, members: fresh });
  };
  for (const hint of hintsOf(request)) {
    const folded = foldCase(hint);
    const matches = candidates.filter(({ names }) => names.some((name) => name.includes(folded))).map(({ member }) => member);
    if (matches.length > 0) {
      assign({ kind: "hint", hint }, matches);
      continue;
    }
    // "claude-3-5-sonnet" finds the entry "sonnet".
    const standIns = standInsFor(table, (own) => folded.includes(own), candidates);
    if (standIns !== undefined) assign({ kind: "equivalent", hint, entry: standIns.entry }, standIns.members);
  }
  assign({ kind: "rest" }, eligible);
  return tiers;
}
