// The counters and histograms of a part of the record, and how they grow by its events. Only
// additions, so that they never decrease.

import type { Gate } from "../model/gate.ts";
import type { Attempt } from "../model/call.ts";
import type { RecordEvent, RecordFact } from "../record/record.ts";
import { reviewsIn } from "./gate-spans.ts";
import { type CountedName, type Family, countedFamilies } from "./metric-families.ts";

/**
 * By family and label values (as a JSON list): a counter's value, or a histogram's sum and then the
 * observations in each bucket.
 */
export type MetricSums = { [name in CountedName]?: Record<string, readonly number[]> };

/**
 * Label values that documents and channels gave over time are bounded: what comes later is counted
 * as `other`.
 */
export const mostSeries = 300;
const other = "other";

function add(sums: MetricSums, name: CountedName, labels: readonly string[], amounts: readonly number[]): void {
  const series = (sums[name] ??= {});
  const wanted = JSON.stringify(labels);
  const isRoom = series[wanted] !== undefined || Object.keys(series).length < mostSeries;
  addTo(series, isRoom ? wanted : JSON.stringify(labels.map(() => other)), amounts);
}

function addTo(series: Record<string, readonly number[]>, key: string, amounts: readonly number[]): void {
  const before = series[key];
  series[key] = before === undefined ? amounts : amounts.map((amount, index) => amount + (before[index] ?? 0));
}

const count = (sums: MetricSums, name: CountedName, labels: readonly string[], amount = 1): void => add(sums, name, labels, [amount]);

function observe(
  sums: MetricSums,
  name: "countersign_model_seconds" | "countersign_review_seconds",
  labels: readonly string[],
  ms: number,
): void {
  const { bounds } = countedFamilies[name];
  const seconds = Math.max(0, ms) / 1000;
  const bucket = bounds.findIndex((bound) => seconds <= bound);
  add(sums, name, labels, [seconds, ...bounds.map((_, index) => (index === bucket ? 1 : 0)), bucket === -1 ? 1 : 0]);
}

/**
 * The sums of several parts together. No series is left out here: which one that were could change
 * with the parts, and one would decrease.
 */
export function addedSums(parts: readonly MetricSums[]): MetricSums {
  const sum: MetricSums = {};
  for (const part of parts)
    for (const [name, series] of Object.entries(part) as [CountedName, Record<string, readonly number[]>][])
      for (const [labels, amounts] of Object.entries(series)) addTo((sum[name] ??= {}), labels, amounts);
  return sum;
}

/**
 * Counts events of one run that were not counted before.
 * @param before All earlier events of the run. Asked only where something ends that began in them.
 */
export function countEvents(sums: MetricSums, events: readonly RecordEvent[], before: () => readonly RecordEvent[]): void {
  let known: readonly RecordEvent[] | undefined;
  const whole = (): readonly RecordEvent[] => (known ??= [...before(), ...events]);
  for (const event of events) {
    countFact(sums, event.fact);
    if (event.fact.kind === "finished") count(sums, "countersign_requests_total", [endpointOf(events, whole), event.fact.outcome]);
    if (endsReview(event.fact)) countReviews(sums, whole(), event);
  }
}

function endpointOf(events: readonly RecordEvent[], whole: () => readonly RecordEvent[]): string {
  const isReceived = ({ fact }: RecordEvent): boolean => fact.kind === "received";
  const fact = (events.find(isReceived) ?? whole().find(isReceived))?.fact;
  return fact?.kind === "received" ? fact.endpoint : other;
}

/** Whether counting these events asks for the earlier ones of their run. */
export const needEarlier = (events: readonly RecordEvent[]): boolean =>
  events[0]?.seq !== 1 && events.some(({ fact }) => fact.kind === "finished" || endsReview(fact));

const endsReview = ({ kind }: RecordFact): boolean =>
  kind === "approved" || kind === "denied" || kind === "finished" || kind === "cancelled" || kind === "contentUnreadable";

/** Of all reviews those that ended with this very event. */
function countReviews(sums: MetricSums, whole: readonly RecordEvent[], event: RecordEvent): void {
  const upTo = (seq: number): Map<Gate, ReturnType<typeof reviewsIn>[number]> =>
    new Map(reviewsIn(whole.filter((each) => each.seq <= seq)).map((review) => [review.gate, review]));
  const earlier = upTo(event.seq - 1);
  for (const [gate, { openedAt, endedAt, outcome }] of upTo(event.seq)) {
    if (endedAt === null || outcome === null || earlier.get(gate)?.endedAt !== null) continue;
    observe(sums, "countersign_review_seconds", [gate, outcome], endedAt - openedAt);
  }
}

function countFact(sums: MetricSums, fact: RecordFact): void {
  switch (fact.kind) {
    case "refused":
      count(sums, "countersign_requests_total", [fact.endpoint, "refused"]);
      return count(sums, "countersign_refusals_total", [fact.endpoint, fact.reason.kind]);
    case "refusedMany":
      count(sums, "countersign_requests_total", [fact.endpoint, "refused"], fact.count);
      return count(sums, "countersign_refusals_total", [fact.endpoint, fact.reason], fact.count);
    case "outcomeUnknown":
      return count(sums, "countersign_requests_total", [fact.endpoint, "outcomeUnknown"]);
    case "handedBack":
      return count(sums, "countersign_requests_total", ["control", "handedBack"]);
    case "answered":
      countFailed(sums, fact.attempts);
      return countAnswered(sums, fact);
    case "callFailed":
      return countFailed(sums, fact.attempts);
    case "fromCache":
      return count(sums, "countersign_model_attempts_total", [fact.model, "cached"]);
    case "reviewOpened":
      return count(sums, "countersign_reviews_opened_total", [fact.gate]);
    case "grantUsed":
      return count(sums, "countersign_grants_used_total", [fact.gate]);
    case "edited":
      return count(sums, "countersign_edits_total", [fact.gate]);
    case "noticed":
      return count(sums, "countersign_notices_total", [fact.channel, fact.state]);
    default:
      return undefined;
  }
}

function countFailed(sums: MetricSums, attempts: readonly Attempt[]): void {
  for (const { model, fault } of attempts) count(sums, "countersign_model_attempts_total", [model, fault.kind]);
}

function countAnswered(sums: MetricSums, { model, usage, costUsd, took }: Extract<RecordFact, { kind: "answered" }>): void {
  count(sums, "countersign_model_attempts_total", [model, "answered"]);
  observe(sums, "countersign_model_seconds", [model], took.durationMs);
  const { inputTokens, outputTokens, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage;
  const directions = { input: inputTokens, output: outputTokens, cache_read: cachedInputTokens, cache_write: cacheWriteTokens };
  for (const [direction, tokens] of Object.entries(directions))
    if (tokens > 0) count(sums, "countersign_tokens_total", [model, direction], tokens);
  if (costUsd > 0) count(sums, "countersign_cost_usd_total", [model], costUsd);
}

/** The buckets of a histogram, each with those below it, and the number of all observations. */
export function histogramOf({ bounds }: Extract<Family, { type: "histogram" }>, [sum = 0, ...counts]: readonly number[]) {
  let below = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => ({ bound, count: (below += counts[index] ?? 0) }));
  return { sum, buckets, count: below };
}
