// Requests that failed through the gateway, a provider or a channel, counted by what failed: the
// part of a gateway's health that no check of its configuration sees. What people, policy, budgets
// or the caller ended is no failure of health. No clock.

import type { Cause } from "./cause.ts";
import { causingFailure } from "./failed-models.ts";
import type { RunSummary } from "./run-summary.ts";

/**
 * Requests of one server that failed for one reason. `lastAt`: when the last of them ended, in Unix
 * milliseconds.
 */
export type ServerFailures = {
  readonly server: string | null;
  readonly cause: Cause;
  readonly requests: number;
  readonly lastAt: number;
};

/**
 * Failures of one model, the first that failed as the cause says, or without one. `cause`: the last
 * one's. `servers`: those with the most first.
 */
export type HealthFailures = Omit<ServerFailures, "server"> & {
  readonly provider: string | null;
  readonly model: string | null;
  readonly servers: readonly string[];
};

const mostServers = 5;

/** Whether a request ended for a reason that an operator has to look at, and not the caller. */
export function isHealthFailure({ state, cause }: Pick<RunSummary, "state" | "cause">): boolean {
  if (state === "undeliverable") return true;
  if (state !== "failed" || cause === null) return state === "failed";
  if (cause.kind !== "failed") return true;
  return cause.reason !== "abandoned" && cause.reason !== "overBudget" && cause.reason !== "stopped";
}

const firstOf = (cause: Cause) => (cause.kind === "failed" ? causingFailure(cause) : undefined);

/** Counted by provider and model; where none was asked, by the kind of cause. The most first. */
export function byWhatFailed(all: readonly ServerFailures[]): HealthFailures[] {
  const grouped = Map.groupBy(all, ({ cause }) => JSON.stringify([firstOf(cause)?.provider ?? cause.kind, firstOf(cause)?.model]));
  return [...grouped.values()]
    .map((failures): HealthFailures => {
      const newest = failures.reduce((last, each) => (each.lastAt > last.lastAt ? each : last));
      const failure = firstOf(newest.cause);
      return {
        provider: failure?.provider ?? null,
        model: failure?.model ?? null,
        requests: requestsIn(failures),
        servers: serversOf(failures),
        cause: newest.cause,
        lastAt: newest.lastAt,
      };
    })
    .toSorted((a, b) => b.requests - a.requests || b.lastAt - a.lastAt);
}

export const requestsIn = (all: readonly { readonly requests: number }[]): number => all.reduce((sum, { requests }) => sum + requests, 0);

const serversOf = (all: readonly ServerFailures[]): string[] =>
  [...Map.groupBy(all, ({ server }) => server)]
    .flatMap(([server, failures]) => (server === null ? [] : [{ server, requests: requestsIn(failures) }]))
    .toSorted((a, b) => b.requests - a.requests)
    .slice(0, mostServers)
    .map(({ server }) => server);
