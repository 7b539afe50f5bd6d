// One request as the steps that a person reads, from its events in the record: who was asked where
// and when they opened it, which model failed before which answered. Names, ids, digests and
// numbers; the words are the console's. Pure.

import type { Gate } from "../model/gate.ts";
import type { Attempt } from "../model/call.ts";
import { wasSent } from "../provider/provider-error.ts";
import { unreachable } from "../result.ts";
import type { StandIn } from "../policy/evaluate.ts";
import type { Operator, RecordFact } from "./record.ts";

type Fact<Kind extends RecordFact["kind"]> = Extract<RecordFact, { readonly kind: Kind }>;
/** An event's time, in Unix milliseconds, and what happened. */
type TimedFact = { readonly at: number; readonly fact: RecordFact };

/** One channel by which a reviewer was told of a review. `state`: `sent`, or the kind of error. */
type Telling = { readonly at: number; readonly channel: string; readonly why: string; readonly state: string };
export type AskedReviewer = {
  readonly name: string;
  readonly told: readonly Telling[];
  readonly opened: readonly { readonly at: number; readonly channel: string }[];
};

/** What follows from one fact alone keeps its members. */
type Kept =
  | Fact<"redacted">
  | Fact<"grantUsed">
  | Fact<"jurorDecided">
  | Fact<"handedOver">
  | Fact<"declined">
  | Fact<"linkRenewed">
  | Fact<"sentAgain">
  | Fact<"edited">
  | Fact<"redactionLifted">
  | Fact<"replyWritten">
  | Fact<"granted">
  | Fact<"grantUndone">
  | Fact<"toolStopped">
  | Fact<"toolResumed">
  | Fact<"fromCache">
  | Fact<"handedBack">
  | Fact<"adopted">
  | Fact<"cancelled">
  | Fact<"contentUnreadable">
  | Fact<"outcomeUnknown">
  | Fact<"tokenMade">
  | Fact<"refused">
  | Fact<"refusedMany">;

export type StepWhat =
  | Kept
  | { readonly kind: "received"; readonly of: Fact<"received"> }
  | { readonly kind: "associated"; readonly of: Fact<"received"> }
  /** In failover order. */
  | { readonly kind: "routed"; readonly models: readonly string[] }
  | { readonly kind: "ruled"; readonly of: Fact<"received"> }
  /**
   * `deadlineAt`: of the review that opened; null where more people were asked. `why`: `escalated`
   * or `handedOver`; null for the first.
   */
  | {
      readonly kind: "asked";
      readonly gate: Gate;
      readonly reviewers: readonly AskedReviewer[];
      readonly deadlineAt: number | null;
      readonly why: string | null;
      /** The operator who asked more people; null where nobody did. */
      readonly by: Operator | null;
      readonly standIns: readonly StandIn[];
    }
  /** `waitedMs`: since the review opened. */
  | { readonly kind: "decided"; readonly of: Fact<"voted" | "approved" | "denied" | "dismissed">; readonly waitedMs: number | null }
  | { readonly kind: "undecided"; readonly how: "expired" | "undeliverable"; readonly gate: Gate }
  /** `model`: the first that was asked. */
  | { readonly kind: "called"; readonly model: string; readonly isAgain: boolean }
  /** Attempts at one model that follow each other. `until`: when the last of them ended. */
  | { readonly kind: "modelFailed"; readonly attempts: readonly [Attempt, ...Attempt[]]; readonly until: number }
  | { readonly kind: "answered"; readonly of: Fact<"answered"> }
  | { readonly kind: "left" | "back" }
  /** So often one after the other, until then, as a client that asks again and again. */
  | { readonly kind: "cameAndWent"; readonly times: number; readonly until: number }
  | { readonly kind: "finished"; readonly outcome: string }
  /** Of a later version, or of no request. */
  | { readonly kind: "other"; readonly name: string };

/**
 * `ok`: it went on. `bad`: it ended, or something failed. `wait`: somebody is asked. `plain`: to
 * know.
 */
export type Tone = "ok" | "bad" | "wait" | "plain";
export type Step = { readonly at: number; readonly tone: Tone; readonly what: StepWhat };

type Making = { readonly name: string; readonly told: Telling[]; readonly opened: { readonly at: number; readonly channel: string }[] };
type Asking = { readonly gate: Gate; readonly reviewers: Map<string, Making> };

/** What earlier events tell of later ones. */
type TimelineState = {
  readonly openedAt: Partial<Record<Gate, number>>;
  readonly asking: Asking[];
  readonly createdAt: number;
  /** What became of each call, by its number. */
  readonly ends: ReadonlyMap<number, Fact<"answered" | "callFailed">>;
};

/**
 * The steps of one request, in their own time: attempts are written when the call is over, and have
 * the times at which they were made.
 * @param createdAt when it came; events that were written together after an answer have one time.
 */
export function timelineOf(events: readonly TimedFact[], createdAt: number): Step[] {
  // The clock of whoever wrote the first event may be another than that of whoever received the
  // request.
  const came = Math.min(createdAt, ...events.slice(0, 1).map(({ at }) => at));
  const ends = new Map(
    events.flatMap(({ fact }) => (fact.kind === "answered" || fact.kind === "callFailed" ? [[fact.call, fact] as const] : [])),
  );
  const known: TimelineState = { openedAt: {}, asking: [], createdAt: came, ends };
  const steps = events.flatMap(({ at, fact }) => stepsOf(fact, at, known)).toSorted((a, b) => a.at - b.at);
  return withoutComings(steps);
}

const comings: ReadonlySet<StepWhat["kind"]> = new Set(["back", "adopted"]);
/** So many steps of a requestor who goes and comes back are shown, one by one. */
const mostComings = 6;

/** A client that waits in rounds comes back each minute, for hours: that is one step. */
function withoutComings(steps: readonly Step[]): Step[] {
  const shown: Step[] = [];
  let series: Step[] = [];
  const close = (): void => {
    const [first] = series;
    const last = series.findLast(({ what }) => comings.has(what.kind));
    const times = series.filter(({ what }) => comings.has(what.kind)).length;
    if (first === undefined || last === undefined || series.length <= mostComings) shown.push(...series);
    else {
      shown.push({ at: first.at, tone: "plain", what: { kind: "cameAndWent", times, until: last.at } });
      // Who has gone since then.
      shown.push(...series.slice(series.indexOf(last) + 1));
    }
    series = [];
  };
  for (const step of steps) {
    const isComing = step.what.kind === "left" || comings.has(step.what.kind);
    if (!isComing) close();
    (isComing ? series : shown).push(step);
  }
  close();
  return shown;
}

function stepsOf(fact: RecordFact, at: number, known: TimelineState): Step[] {
  const step = (what: StepWhat, tone: Tone = "plain", when = at): Step[] => [{ at: when, tone, what }];
  switch (fact.kind) {
    case "received":
      return [
        ...step({ kind: "received", of: fact }, "ok", known.createdAt),
        ...step({ kind: "associated", of: fact }, "ok", known.createdAt),
        ...step({ kind: "routed", models: fact.models }, "ok", known.createdAt),
        ...step({ kind: "ruled", of: fact }, "ok", known.createdAt),
      ];
    case "reviewOpened":
      known.openedAt[fact.gate] ??= at;
      return step(asked(known, fact, { deadlineAt: Date.parse(fact.deadlineAt), why: null, by: null }), "wait");
    case "askedAlso":
      return step(asked(known, fact, { deadlineAt: null, why: fact.why, by: fact.by ?? null }), "wait");
    case "noticed":
      reviewer(known, fact.gate, fact.reviewer)?.told.push({ at, channel: fact.channel, why: fact.why, state: fact.state });
      return [];
    case "opened":
      reviewer(known, fact.gate, fact.reviewer)?.opened.push({ at, channel: fact.channel });
      return [];
    case "voted":
    case "approved":
    case "denied":
    case "dismissed": {
      const since = known.openedAt[fact.gate];
      const isNo = fact.kind === "denied" || fact.kind === "dismissed";
      return step({ kind: "decided", of: fact, waitedMs: since === undefined ? null : at - since }, isNo ? "bad" : "ok");
    }
    case "expired":
    case "undeliverable":
      return step({ kind: "undecided", how: fact.kind, gate: fact.gate }, "bad");
    case "called":
      return callStep(fact, at, known);
    case "answered":
      return [...failures(fact.attempts), ...step({ kind: "answered", of: fact }, "ok")];
    case "callFailed":
      return failures(fact.attempts);
    case "requestorLeft":
      return step({ kind: "left" });
    case "requestorBack":
      return step({ kind: "back" });
    case "finished":
      return step({ kind: "finished", outcome: fact.outcome }, fact.outcome === "completed" ? "ok" : "bad");
    case "cancelled":
    case "contentUnreadable":
    case "outcomeUnknown":
    case "refused":
    case "refusedMany":
      return step(fact, "bad");
    case "jurorDecided":
      return step(fact, fact.verdict === "passed" ? "ok" : "plain");
    case "redacted":
    case "grantUsed":
    case "granted":
    case "fromCache":
    case "handedBack":
    case "replyWritten":
    case "tokenMade":
      return step(fact, "ok");
    case "handedOver":
    case "declined":
    case "linkRenewed":
    case "sentAgain":
    case "edited":
    case "redactionLifted":
    case "grantUndone":
    case "toolStopped":
    case "toolResumed":
    case "adopted":
      return step(fact);
    case "documentWritten":
    case "keyMade":
    case "keyChanged":
    case "keyRevoked":
    case "bypassGiven":
    case "grantRevoked":
    case "inboxSessionsEnded":
    case "passkeyAdded":
    case "passkeyRemoved":
    case "recordExported":
    case "doctorAsked":
    case "channelTested":
    case "linkGiven":
    case "signedIn":
    case "signedOut":
    case "stopped":
    case "resumed":
    case "toolAccepted":
    case "toolHidden":
    case "receiptKeyMade":
    case "receiptKeyRevoked":
    case "toolsChanged":
    case "budgetReached":
    case "continued":
      return step({ kind: "other", name: fact.kind });
    default:
      return step({ kind: "other", name: otherName(fact) });
  }
}

/** The record may be of a later version than this one. */
function otherName(fact: never): string {
  const { kind } = fact as { readonly kind?: unknown };
  return typeof kind === "string" ? kind : unreachable(fact);
}

function asked(
  known: TimelineState,
  { gate, reviewers: names, standIns = [] }: Fact<"reviewOpened" | "askedAlso">,
  more: Pick<Extract<StepWhat, { readonly kind: "asked" }>, "deadlineAt" | "why" | "by">,
): StepWhat {
  const reviewers = new Map(names.map((name): [string, Making] => [name, { name, told: [], opened: [] }]));
  known.asking.push({ gate, reviewers });
  return { kind: "asked", gate, reviewers: [...reviewers.values()], standIns, ...more };
}

/** The step that asked this person last. */
const reviewer = ({ asking }: TimelineState, gate: Gate, name: string): Making | undefined =>
  asking.findLast((each) => each.gate === gate && each.reviewers.has(name))?.reviewers.get(name);

const endOf = ({ at, durationMs }: Attempt): number => at + durationMs;

/** Nothing where every model was passed over. */
function callStep({ call, models, again }: Fact<"called">, at: number, { ends }: TimelineState): Step[] {
  const end = ends.get(call);
  const answer = end?.kind === "answered" ? { model: end.model, at: end.took.at } : undefined;
  const first = end?.attempts.find(wasSent) ?? answer;
  const model = first?.model ?? (end === undefined || end.attempts.length === 0 ? models[0] : undefined);
  if (model === undefined) return [];
  return [{ at: first?.at ?? at, tone: again ? "bad" : "plain", what: { kind: "called", model, isAgain: again } }];
}

function failures(attempts: readonly Attempt[]): Step[] {
  const groups: [Attempt, ...Attempt[]][] = [];
  for (const attempt of attempts) {
    const last = groups.at(-1);
    if (last?.[0].model === attempt.model) last.push(attempt);
    else groups.push([attempt]);
  }
  return groups.map((group): Step => {
    const [first] = group;
    const until = Math.max(...group.map(endOf));
    return { at: first.at, tone: "bad", what: { kind: "modelFailed", attempts: group, until } };
  });
}
