// The spans of a run's reviews: each lasts as long as people took. They count reviewers and name
// none.

import type { Gate } from "../model/gate.ts";
import type { RecordEvent, RecordFact } from "../record/record.ts";
import type { SpanPosition } from "./request-trace.ts";
import type { Span, SpanEvent } from "./span.ts";

/** How a review ended. */
type ReviewOutcome = "approved" | "denied" | "expired" | "undeliverable" | "cancelled";

/** A review of a gate, from the events of a run. `endedAt`: null while it is open. */
type TracedReview = {
  readonly gate: Gate;
  readonly openedAt: number;
  readonly endedAt: number | null;
  readonly outcome: ReviewOutcome | null;
  readonly reviewers: number;
  readonly events: readonly SpanEvent[];
};

/** Of what happened in a review, what a span shows of it: so many, the rest is in the record. */
const mostEvents = 64;

/** The reviews of a run, by its events in order. */
export function reviewsIn(events: readonly RecordEvent[]): TracedReview[] {
  const reviews = new Map<Gate, TracedReview>();
  const change = (gate: Gate, next: (review: TracedReview) => TracedReview): void => {
    const review = reviews.get(gate);
    if (review !== undefined && review.endedAt === null) reviews.set(gate, next(review));
  };
  for (const { at, fact } of events) {
    if (fact.kind === "reviewOpened")
      reviews.set(fact.gate, {
        gate: fact.gate,
        openedAt: at,
        endedAt: null,
        outcome: null,
        reviewers: fact.reviewers.length,
        events: [],
      });
    else if (endsRun(fact)) for (const gate of reviews.keys()) change(gate, (review) => ended(review, at));
    else if ("gate" in fact) change(fact.gate, (review) => after(review, at, fact));
  }
  return [...reviews.values()];
}

/** A review that nobody decided ends with its run. */
const endsRun = ({ kind }: RecordFact): boolean => kind === "finished" || kind === "cancelled" || kind === "contentUnreadable";

const ended = (review: TracedReview, at: number): TracedReview => ({ ...review, endedAt: at, outcome: review.outcome ?? "cancelled" });

type GateFact = Extract<RecordFact, { readonly gate: Gate }>;

function after(review: TracedReview, at: number, fact: GateFact): TracedReview {
  switch (fact.kind) {
    case "approved":
    case "denied":
      return { ...withEvent(review, at, fact), endedAt: at, outcome: fact.kind };
    case "expired":
    case "undeliverable":
      return { ...review, outcome: fact.kind };
    case "askedAlso":
      return { ...withEvent(review, at, fact), reviewers: review.reviewers + fact.reviewers.length };
    default:
      return withEvent(review, at, fact);
  }
}

const withEvent = (review: TracedReview, at: number, fact: GateFact): TracedReview =>
  review.events.length >= mostEvents
    ? review
    : {
        ...review,
        events: [
          ...review.events,
          {
            name: fact.kind,
            at,
            attributes: {
              ...("channel" in fact ? { "countersign.channel": fact.channel } : {}),
              ...(fact.kind === "noticed" ? { "countersign.notice.state": fact.state, "countersign.notice.why": fact.why } : {}),
            },
          },
        ],
      };

export const gateSpans = (positionOf: (label: string) => SpanPosition, events: readonly RecordEvent[], now: number): Span[] =>
  reviewsIn(events).map(({ gate, openedAt, endedAt, outcome, reviewers, events: happened }): Span => ({
    ...positionOf(`review ${gate}`),
    name: `review ${gate}`,
    kind: "internal",
    startedAt: openedAt,
    endedAt: endedAt ?? now,
    attributes: {
      "countersign.gate": gate,
      "countersign.review.outcome": outcome ?? "open",
      "countersign.review.reviewers": reviewers,
    },
    events: happened,
    links: [],
    isError: outcome === "expired" || outcome === "undeliverable",
  }));
