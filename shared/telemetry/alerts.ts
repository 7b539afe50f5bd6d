// When operators are told that something began to be wrong, and when that it is over. Each is said
// once: it begins where it is surely so, and ends where it is surely not. No clock.

import type { Allowance, BudgetLimit } from "../budget/budgets.ts";
import type { AlertKind } from "../policy/alert-terms.ts";
import { type OutcomesNow, failsNow, minuteMs } from "./recent-outcomes.ts";

/** What is wrong: two that are equal are the same alert. */
type AlertTopic =
  | { readonly kind: "providerFailing"; readonly provider: string }
  | (BudgetLimit & { readonly kind: "budgetUsedUp" })
  | { readonly kind: Exclude<AlertKind, "providerFailing" | "budgetUsedUp"> };

/** `failed` of `count` calls or reviews in the last minutes; both 0 of a budget. */
type AlertCounts = { readonly failed: number; readonly count: number };

/** How it is with a topic now. `between`: what was said of it stays. */
export type Observation = { readonly topic: AlertTopic; readonly is: "on" | "between" | "off"; readonly counts: AlertCounts };

/** What is said. `id`: the same at its beginning and its end. Times are Unix milliseconds. */
export type Alert = {
  readonly id: string;
  readonly phase: "began" | "ended";
  readonly topic: AlertTopic;
  readonly since: number;
  readonly at: number;
  readonly counts: AlertCounts;
  /** How many alerts nobody heard of before this one. */
  readonly leftOut: number;
};

/** A provider that nobody calls is taken to be well so long after its last failure. */
const quietMs = 30 * minuteMs;
const noCounts: AlertCounts = { failed: 0, count: 0 };

/** What the outcomes of the last hour say. `now`: Unix milliseconds. */
export function observed({ providers, reviews }: Pick<OutcomesNow, "providers" | "reviews">, now: number): Observation[] {
  const ofReviews = ([kind, { now: last, hour }]: readonly [
    Exclude<AlertKind, "providerFailing" | "budgetUsedUp">,
    OutcomesNow["reviews"]["expired"],
  ]): Observation => ({
    topic: { kind },
    is: last > 0 ? "on" : hour > 0 ? "between" : "off",
    counts: { failed: last, count: last },
  });
  return [
    ...providers.map(({ name, now: last, lastFailedAt }): Observation => {
      const isWell = last.count > 0 && last.failed * 5 <= last.count;
      const isQuiet = lastFailedAt === null || lastFailedAt < now - quietMs;
      return {
        topic: { kind: "providerFailing", provider: name },
        is: failsNow(last) ? "on" : isWell || isQuiet ? "off" : "between",
        counts: last,
      };
    }),
    ofReviews(["nobodyReached", reviews.undeliverable]),
    ofReviews(["reviewsExpire", reviews.expired]),
  ];
}

/** A budget's topic, and whether all of it is used. */
export const budgetTopic = ({ budget, part, unit, limit, per }: Allowance): AlertTopic => ({
  kind: "budgetUsedUp",
  budget,
  part,
  unit,
  limit,
  per,
});

/** By which a topic is known. A budget's limit may change: it is the same budget. */
export const topicKey = (topic: AlertTopic): string =>
  JSON.stringify(
    topic.kind === "providerFailing"
      ? [topic.kind, topic.provider]
      : topic.kind === "budgetUsedUp"
        ? [topic.kind, topic.budget, topic.part, topic.unit]
        : [topic.kind],
  );

/** An alert that began and did not end. */
export type OpenAlert = Pick<Alert, "id" | "topic" | "since">;

type AlertStep = { readonly began: readonly Observation[]; readonly ended: readonly (OpenAlert & Pick<Alert, "counts">)[] };

/**
 * What began and what ended. A topic of which nothing is observed any more, as a provider without a
 * call within the hour, is over.
 */
export function alertStep(open: readonly OpenAlert[], observations: readonly Observation[], about: readonly AlertKind[]): AlertStep {
  const known = new Set(open.map(({ topic }) => topicKey(topic)));
  const byTopic = new Map(observations.map((each) => [topicKey(each.topic), each]));
  return {
    began: [...byTopic.values()].filter(({ topic, is }) => is === "on" && about.includes(topic.kind) && !known.has(topicKey(topic))),
    ended: open.flatMap((alert) => {
      const now = byTopic.get(topicKey(alert.topic));
      return now === undefined || now.is === "off" ? [{ ...alert, counts: now?.counts ?? noCounts }] : [];
    }),
  };
}
