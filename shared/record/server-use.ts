// What an MCP server's sampling came to, over all its requests: counts alone, of which months and
// shards are added up.

import { endStates } from "./record.ts";
import type { RunSummary } from "./run-summary.ts";
import { type Feature, features } from "./request-use.ts";

/** Counts by name. As a list, because names come from outside and from documents. */
export type Counts = readonly (readonly [name: string, count: number])[];

export type ServerUse = {
  /**
   * When its first and last requests came, in Unix milliseconds. Here and below, but for `v1`:
   * requests for sampling.
   */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly requests: number;
  /** By how they ended. */
  readonly outcomes: Counts;
  /**
   * By the endpoint and the revision that brought them; those whose revision is not known are left
   * out.
   */
  readonly broughtBy: Counts;
  /** By the model that answered. */
  readonly models: Counts;
  readonly features: Counts;
  /** The most that a request asked for. */
  readonly maxTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
  /** Its requests at /v1, with a token of its own; absent where there are none. */
  readonly v1?: { readonly requests: number; readonly lastAt: number };
};

/**
 * One request for sampling that has ended, as use of its server; null where it is open, is of
 * another kind, or its server is not known.
 */
export function useOfLine({ use, server, ...line }: RunSummary): { readonly server: string; readonly use: ServerUse } | null {
  if (server === null || line.endedAt === null || use === undefined) return null;
  if (use.endpoint === "v1") return { server, use: { ...nothing, v1: { requests: 1, lastAt: line.createdAt } } };
  return {
    server,
    use: {
      firstAt: line.createdAt,
      lastAt: line.createdAt,
      requests: 1,
      outcomes: [[line.state, 1]],
      broughtBy: use.revision === null ? [] : [[`${use.endpoint} ${use.revision}`, 1]],
      models: line.model === null || line.state === "failed" ? [] : [[line.model, 1]],
      features: use.features.map((feature) => [feature, 1]),
      maxTokens: use.maxTokens,
      inputTokens: line.inputTokens,
      outputTokens: line.outputTokens,
      costUsd: line.costUsd,
    },
  };
}

/** The times are those that change no sum, as JSON has them. */
const nothing: ServerUse = {
  firstAt: Number.MAX_SAFE_INTEGER,
  lastAt: 0,
  requests: 0,
  outcomes: [],
  broughtBy: [],
  models: [],
  features: [],
  maxTokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

export const addedUse = (one: ServerUse, other: ServerUse): ServerUse => ({
  firstAt: Math.min(one.firstAt, other.firstAt),
  lastAt: Math.max(one.lastAt, other.lastAt),
  requests: one.requests + other.requests,
  outcomes: addedCounts(one.outcomes, other.outcomes),
  broughtBy: addedCounts(one.broughtBy, other.broughtBy),
  models: addedCounts(one.models, other.models),
  features: addedCounts(one.features, other.features),
  maxTokens: Math.max(one.maxTokens, other.maxTokens),
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  costUsd: one.costUsd + other.costUsd,
  ...addedV1(one.v1, other.v1),
});

function addedV1(one: ServerUse["v1"], other: ServerUse["v1"]): Pick<ServerUse, "v1"> {
  if (one === undefined || other === undefined) {
    const only = one ?? other;
    return only === undefined ? {} : { v1: only };
  }
  return { v1: { requests: one.requests + other.requests, lastAt: Math.max(one.lastAt, other.lastAt) } };
}

/** In the order of names, so that the sum is the same in whatever order it is made. */
function addedCounts(one: Counts, other: Counts): Counts {
  const sum = new Map(one);
  for (const [name, count] of other) sum.set(name, (sum.get(name) ?? 0) + count);
  return [...sum].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/**
 * A server's use as a shard has it: all of it, and how many requests came in each month (`2026-11`,
 * UTC).
 */
export type ServerMonths = { readonly server: string; readonly use: ServerUse; readonly months: Counts };

/**
 * The first `most` servers by name, each with what all shards have of it. Each shard gives so many
 * of its own first ones at least.
 */
export function addedShards(shards: readonly (readonly ServerMonths[])[], most: number): ServerMonths[] {
  const sums = new Map<string, ServerMonths>();
  for (const { server, use, months } of shards.flat()) {
    const before = sums.get(server);
    sums.set(
      server,
      before === undefined
        ? { server, use, months }
        : { server, use: addedUse(before.use, use), months: addedCounts(before.months, months) },
    );
  }
  return [...sums.values()].sort((a, b) => byCodePoints(a.server, b.server)).slice(0, most);
}

/** The order of UTF-8 bytes, in which SQLite sorts; that of UTF-16 units is another. */
function byCodePoints(a: string, b: string): number {
  const [ofA, ofB] = [[...a], [...b]];
  const differs = ofA.findIndex((character, i) => character !== ofB[i]);
  return differs === -1 ? ofA.length - ofB.length : (ofA[differs]?.codePointAt(0) ?? 0) - (ofB[differs]?.codePointAt(0) ?? -1);
}

const countOf = (counts: Counts, name: string): number => counts.find(([each]) => each === name)?.[1] ?? 0;

/** The features that any request used. */
export const featuresUsed = ({ features: used }: Pick<ServerUse, "features">): readonly Feature[] =>
  features.filter((feature) => countOf(used, feature) > 0);

/** By how requests ended, in the order of `endStates`. */
export const outcomesOf = ({ outcomes }: Pick<ServerUse, "outcomes">): Counts =>
  endStates.flatMap((state) => {
    const count = countOf(outcomes, state);
    return count === 0 ? [] : [[state, count] as const];
  });
