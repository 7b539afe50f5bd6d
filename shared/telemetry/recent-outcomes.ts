// What model calls and requests of the last hour came to, minute by minute, by model and by MCP
// server, and how reviews ended: from what a shard of the record gets anyway. Bounded: whatever the
// rate, a minute has a few names, each with counts and a histogram. No clock.

import type { Attempt } from "../model/call.ts";
import { isHealthFailure } from "../record/health-failures.ts";
import type { RecordEvent } from "../record/record.ts";
import type { RunSummary } from "../record/run-summary.ts";
import { type WaitHistogram, type WaitScale, addedWaits, binOf, noWaits, waitQuantile } from "../record/wait-histogram.ts";

/** `model`: calls of one; `server`: requests of one; `review`: reviews by their end. */
type OutcomeOf = "model" | "server" | "review";

/** One call, request or review that has ended. */
export type RecentOutcome = {
  readonly of: OutcomeOf;
  readonly name: string;
  /** Of a call that failed: whose model it is. Of others the routing table knows it. */
  readonly provider?: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly isFailed: boolean;
  /** Null where it says nothing about speed: it failed. */
  readonly tookMs: number | null;
};

/** `took`: of what did not fail. `lastFailedAt`: Unix milliseconds. */
type Tally = {
  readonly count: number;
  readonly failed: number;
  readonly lastFailedAt: number | null;
  readonly took: WaitHistogram;
};

/** What one name came to in the last minutes and in the hour. */
export type NamedOutcomes = {
  readonly of: OutcomeOf;
  readonly name: string;
  readonly provider: string | null;
  readonly now: Tally;
  readonly hour: Tally;
};

export const minuteMs = 60_000;
/** "Now" is the current minute and those before it, five in all. */
export const nowMinutes = 5;
const keptMinutes = 60;
/** So many names are told apart in a minute. */
export const mostNames = 200;
/** Times of calls: to 10 milliseconds at best, else to a tenth. */
const callTime: WaitScale = { leastMs: 20, error: 0.1 };

const noOutcomes: Tally = { count: 0, failed: 0, lastFailedAt: null, took: noWaits };

const minuteOf = (at: number): number => Math.floor(at / minuteMs);

/**
 * Whether an attempt tells against its provider: not what the caller, a budget, an operator or the
 * queue ended, nor a request that the provider could not take as it was.
 */
function tellsAgainst({ fault: { kind, detail, status } }: Pick<Attempt, "fault">): boolean {
  if (kind === "queueFull" || kind === "queueTimeout" || kind === "overBudget" || kind === "stopped") return false;
  if (detail === "cancelled" || detail === "outOfTime") return false;
  return kind !== "badRequest" || status === 404;
}

/** The model calls in events of one run. */
export function outcomesOfEvents(events: readonly Pick<RecordEvent, "fact">[]): RecentOutcome[] {
  return events.flatMap(({ fact }): RecentOutcome[] => {
    if (fact.kind === "callFailed") return failedCalls(fact.attempts);
    if (fact.kind !== "answered") return [];
    const { at, durationMs } = fact.took;
    return [
      ...failedCalls(fact.attempts),
      { of: "model", name: fact.model, at: at + durationMs, isFailed: false, tookMs: Math.max(0, durationMs) },
    ];
  });
}

const failedCalls = (attempts: readonly Attempt[]): RecentOutcome[] =>
  attempts.filter(tellsAgainst).map(({ model, provider, at, durationMs }) => ({
    of: "model",
    name: model,
    provider,
    at: at + durationMs,
    isFailed: true,
    tookMs: null,
  }));

/** The request of a line that has ended, and its reviews. A refusal is no request of a server. */
export function outcomesOfLine(line: RunSummary): RecentOutcome[] {
  const { endedAt: at, server, state, createdAt } = line;
  if (at === null || state === "refused") return [];
  const reviews = line.reviews.map(({ how }): RecentOutcome => ({ of: "review", name: how, at, isFailed: false, tookMs: null }));
  if (server === null) return reviews;
  const isFailed = isHealthFailure(line);
  const ofPeople = line.reviews.reduce((sum, { ms }) => sum + ms, 0);
  const tookMs = state === "completed" ? Math.max(0, at - createdAt - ofPeople) : null;
  return [...reviews, { of: "server", name: server, at, isFailed, tookMs }];
}

/** Counted in place: it grows with each request. */
type Counted = { count: number; failed: number; lastFailedAt: number | null; provider: string | null; readonly took: Map<number, number> };
type Minute = { readonly names: Map<string, Counted>; isPartial: boolean };

/** The outcomes of the last hour that one shard of the record has. */
export class RecentOutcomes {
  readonly #minutes = new Map<number, Minute>();

  /** In any order. `now`: what is older than an hour by then is forgotten. */
  add(outcomes: readonly RecentOutcome[], now: number): void {
    if (outcomes.length === 0) return;
    const oldest = minuteOf(now) - keptMinutes;
    for (const minute of this.#minutes.keys()) if (minute <= oldest) this.#minutes.delete(minute);
    for (const outcome of outcomes) {
      // A clock that is ahead of this one counts as now.
      const minute = Math.min(minuteOf(outcome.at), minuteOf(now));
      if (minute > oldest) this.#count(minute, outcome);
    }
  }

  #count(at: number, { of, name, provider, at: endedAt, isFailed, tookMs }: RecentOutcome): void {
    const minute = this.#minutes.get(at) ?? { names: new Map<string, Counted>(), isPartial: false };
    this.#minutes.set(at, minute);
    const label = `${of} ${name}`;
    let counted = minute.names.get(label);
    if (counted === undefined) {
      if (minute.names.size >= mostNames) {
        minute.isPartial = true;
        return;
      }
      counted = { count: 0, failed: 0, lastFailedAt: null, provider: null, took: new Map() };
      minute.names.set(label, counted);
    }
    counted.count += 1;
    if (isFailed) {
      counted.failed += 1;
      counted.lastFailedAt = Math.max(counted.lastFailedAt ?? 0, endedAt);
    }
    counted.provider = provider ?? counted.provider;
    if (tookMs === null) return;
    const bin = binOf(tookMs, callTime);
    counted.took.set(bin, (counted.took.get(bin) ?? 0) + 1);
  }

  /** `isPartial`: there were more names than are told apart. */
  read(now: number): { readonly isPartial: boolean; readonly outcomes: readonly NamedOutcomes[] } {
    const current = minuteOf(now);
    const kept = [...this.#minutes].filter(([minute]) => minute > current - keptMinutes);
    const parts = kept.flatMap(([minute, { names }]) =>
      [...names].map(([label, counted]): NamedOutcomes => {
        const [of, name] = [label.slice(0, label.indexOf(" ")) as OutcomeOf, label.slice(label.indexOf(" ") + 1)]; // by `#count`
        const { count, failed, lastFailedAt, provider, took } = counted;
        const tally: Tally = { count, failed, lastFailedAt, took: [...took] };
        return { of, name, provider, now: minute > current - nowMinutes ? tally : noOutcomes, hour: tally };
      }),
    );
    return { isPartial: kept.some(([, { isPartial }]) => isPartial), outcomes: addedOutcomes(parts) };
  }
}

const addedTallies = (all: readonly Tally[]): Tally => ({
  count: all.reduce((sum, { count }) => sum + count, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0),
  lastFailedAt: all.reduce<number | null>((last, { lastFailedAt: at }) => (at === null ? last : Math.max(last ?? at, at)), null),
  took: addedWaits(all.map(({ took }) => took)),
});

/** Each name once: of several minutes or shards together. */
const addedOutcomes = (all: readonly NamedOutcomes[]): NamedOutcomes[] =>
  [...Map.groupBy(all, ({ of, name }) => `${of} ${name}`).values()].map((some) => ({
    of: some[0]?.of ?? "model",
    name: some[0]?.name ?? "",
    provider: some.findLast(({ provider }) => provider !== null)?.provider ?? null,
    now: addedTallies(some.map(({ now }) => now)),
    hour: addedTallies(some.map(({ hour }) => hour)),
  }));

/** A name with what it came to, of which a person reads. */
export type ShownOutcomes = {
  readonly name: string;
  /**
   * Of a model; null where the routing table no longer has it and no call of it failed, and of what
   * is no model.
   */
  readonly provider: string | null;
  readonly isFailing: boolean;
  readonly now: { readonly count: number; readonly failed: number };
  readonly hour: { readonly count: number; readonly failed: number };
  /** Of the hour, in whole milliseconds, of what did not fail; null where nothing is. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly lastFailedAt: number | null;
};

/** Whether something fails now: at least three failures in the last minutes, and half of all. */
export const failsNow = ({ count, failed }: Pick<Tally, "count" | "failed">): boolean => failed >= 3 && failed * 2 >= count;

const shown = ({ name, provider, now, hour }: NamedOutcomes): ShownOutcomes => ({
  name,
  provider,
  isFailing: failsNow(now),
  now: { count: now.count, failed: now.failed },
  hour: { count: hour.count, failed: hour.failed },
  p50Ms: waitQuantile(hour.took, 0.5, callTime),
  p95Ms: waitQuantile(hour.took, 0.95, callTime),
  lastFailedAt: hour.lastFailedAt,
});

/** What fails first, then what failed most lately, then what is used most. */
const byUrgency = (a: ShownOutcomes, b: ShownOutcomes): number =>
  Number(b.isFailing) - Number(a.isFailing) ||
  b.now.failed - a.now.failed ||
  b.hour.failed - a.hour.failed ||
  b.hour.count - a.hour.count ||
  (a.name < b.name ? -1 : 1);

export type OutcomesNow = {
  readonly providers: readonly ShownOutcomes[];
  readonly models: readonly ShownOutcomes[];
  readonly servers: readonly ShownOutcomes[];
  /** How many reviews expired, and how many reached nobody, in the last minutes and in the hour. */
  readonly reviews: { readonly expired: ReviewCount; readonly undeliverable: ReviewCount };
};
type ReviewCount = { readonly now: number; readonly hour: number };

/**
 * What all shards have, as it is shown.
 * @param providerOf Whose a model is, by the routing table.
 */
export function outcomesNow(all: readonly NamedOutcomes[], providerOf: (model: string) => string | undefined): OutcomesNow {
  const added = addedOutcomes(all);
  const models = added
    .filter(({ of }) => of === "model")
    .map((each): NamedOutcomes => ({ ...each, provider: providerOf(each.name) ?? each.provider }));
  const providers = addedOutcomes(
    models.flatMap((each) => (each.provider === null ? [] : [{ ...each, name: each.provider, provider: null }])),
  );
  const listed = (some: readonly NamedOutcomes[]): ShownOutcomes[] => some.map(shown).toSorted(byUrgency);
  const reviewsThat = (how: string): ReviewCount => {
    const found = added.find(({ of, name }) => of === "review" && name === how);
    return { now: found?.now.count ?? 0, hour: found?.hour.count ?? 0 };
  };
  return {
    providers: listed(providers),
    models: listed(models),
    servers: listed(added.filter(({ of }) => of === "server")),
    reviews: { expired: reviewsThat("expired"), undeliverable: reviewsThat("undeliverable") },
  };
}
