// Judges what was seen around the kills: what was lost, what happened twice, and what was paid
// twice without a line in the record. No clock, no network.

import { mostCalls } from "../../../shared/run/lifecycle.ts";
import type { Asked, Event, History, Kind, Paid } from "./history.ts";

export type Judged = {
  readonly kills: number;
  readonly requests: number;
  /** Sentences, each about one request. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly paidTwiceUnrecorded: readonly string[];
  /**
   * Paid twice without a line, because the process died before the first reservation was confirmed
   * (docs/architecture.md).
   */
  readonly beforeConfirmation: number;
  /**
   * Answered at once, and the process died before its line was written
   * (docs/decisions/record.md).
   */
  readonly answeredUnrecorded: number;
  /** Calls of the model that were made again, with a line that says so. */
  readonly paidAgainRecorded: number;
  /**
   * Ended as failed, with a record of as many calls as there may be, each of which a kill cut off
   * (docs/architecture.md).
   */
  readonly gaveUp: number;
  /**
   * Requests at the relay that ended with "the outcome is unknown", as the server's own answer was
   * lost.
   */
  readonly unknownOutcomes: number;
};

/**
 * Requests without a review: their reservation is confirmed while the model is called, their lines
 * are written after the answer.
 */
const isAtOnce = (kind: Kind): boolean => kind === "fast" || kind === "control" || kind === "relay";

/**
 * The reservation of a request is confirmed within this time of the model's call: milliseconds, and
 * more where the disk is busy.
 */
export const confirmedMs = 400;
/**
 * The lines of a request that is answered at once are written within half a second of its answer; a
 * busy machine takes longer.
 */
export const writtenMs = 1_500;

const diedWithin = (kills: readonly number[], at: number, ms: number): boolean => kills.some((kill) => kill >= at - 50 && kill <= at + ms);

type About = {
  readonly asked: Asked;
  readonly paid: readonly Paid[];
  readonly runs: ReadonlySet<string>;
  readonly events: readonly Event[];
};

export function judge(history: History): Judged {
  const lost: string[] = history.brokenRuns.map((chain) => `the record's chain ${chain} is broken`);
  const doubled = [...history.continued].flatMap(([state, count]) =>
    count > 1 ? [`the server got ${count} continuations with ${state}`] : [],
  );
  const paidTwice: string[] = [];
  let [beforeConfirmation, answeredUnrecorded, paidAgainRecorded, unknownOutcomes, gaveUp] = [0, 0, 0, 0, 0];
  for (const asked of history.asked) {
    const about = gathered(history, asked);
    lost.push(...lostOf(history, about));
    doubled.push(...doubledOf(about));
    if (asked.end.how === "unknown") unknownOutcomes += 1;
    if (hasGivenUp(about)) gaveUp += 1;
    const called = about.events.filter(({ fact }) => fact.kind === "called");
    paidAgainRecorded += called.filter(({ fact }) => fact["again"] === true).length;
    const unrecorded = unrecordedOf(history, about, called.length);
    beforeConfirmation += unrecorded.beforeConfirmation;
    answeredUnrecorded += unrecorded.answered;
    paidTwice.push(...unrecorded.wrong);
  }
  return {
    kills: history.kills.length,
    requests: history.asked.length,
    lost,
    doubled,
    paidTwiceUnrecorded: paidTwice,
    beforeConfirmation,
    answeredUnrecorded,
    paidAgainRecorded,
    gaveUp,
    unknownOutcomes,
  };
}

function gathered({ paid, events, questionOf }: History, asked: Asked): About {
  const runs = new Set(asked.end.how === "completed" ? asked.end.runs : []);
  for (const [run, question] of questionOf) if (question === asked.question) runs.add(run);
  // The question is the request's id, or the name of its tool.
  for (const { run, fact } of events) if (fact.kind === "received" && JSON.stringify(fact).includes(asked.question)) runs.add(run);
  return {
    asked,
    paid: paid.filter(({ question }) => question === asked.question),
    runs,
    events: events.filter(({ run }) => runs.has(run)),
  };
}

/**
 * Whether the caller was told that the request failed, after the last call that a run may make was
 * cut off too.
 */
function hasGivenUp({ asked, events }: About): boolean {
  if (asked.end.how !== "failed" || isAtOnce(asked.kind)) return false;
  return events.filter(({ fact }) => fact.kind === "called").length === mostCalls;
}

function lostOf({ decided, called }: History, about: About): string[] {
  const { asked, paid, events } = about;
  const { question, kind, end } = asked;
  const lost: string[] = [];
  if (end.how === "none") lost.push(`${question} (${kind}) was never answered`);
  if (end.how === "failed" && !hasGivenUp(about)) lost.push(`${question} (${kind}) ended with ${end.text}`);
  if (end.how === "unknown" && (kind !== "relay" || !called.has(question)))
    lost.push(`${question} (${kind}) ended as unknown, and no server was asked`);
  if (end.how === "completed") {
    const [text = ""] = end.texts;
    if (!paid.some(({ reply }) => text.includes(reply)))
      lost.push(`${question} (${kind}) was answered with no reply of the model: ${text}`);
  }
  for (const decision of decided.filter((each) => each.question === question)) {
    const kindOf = decision.act === "approve" ? "approved" : "denied";
    const isThere = events.some(({ run, fact }) => run === decision.run && fact.kind === kindOf && fact["gate"] === decision.gate);
    if (!isThere) lost.push(`${question} (${kind}): the record lacks what was decided at the ${decision.gate} gate (${decision.act})`);
    if (decision.act === "deny" && end.how !== "denied")
      lost.push(`${question} (${kind}) was denied at the ${decision.gate} gate, and ended as ${end.how}`);
  }
  return lost;
}

const countOf = (events: readonly Event[], run: string, kind: string, gate?: string): number =>
  events.filter((each) => each.run === run && each.fact.kind === kind && (gate === undefined || each.fact["gate"] === gate)).length;

function doubledOf({ asked, paid, runs, events }: About): string[] {
  const { question, kind, end } = asked;
  const doubled: string[] = [];
  const reviewed = [...runs].filter((run) => countOf(events, run, "reviewOpened") > 0);
  if (reviewed.length > 1) doubled.push(`${question} (${kind}) was asked about in ${reviewed.length} runs`);
  for (const run of runs) {
    for (const gate of ["request", "response"]) {
      if (countOf(events, run, "reviewOpened", gate) > 1)
        doubled.push(`${question} (${kind}): people were asked twice at the ${gate} gate`);
      const decisions = countOf(events, run, "approved", gate) + countOf(events, run, "denied", gate);
      if (decisions > 1) doubled.push(`${question} (${kind}) was decided ${decisions} times at the ${gate} gate`);
    }
    if (countOf(events, run, "finished") > 1) doubled.push(`${question} (${kind}) ended twice`);
  }
  if (end.how === "completed" && new Set(end.texts).size > 1)
    doubled.push(`${question} (${kind}) was answered with two texts: ${end.texts.join(" | ")}`);
  if (end.how === "completed" && kind !== "relay" && new Set(end.runs).size > 1)
    doubled.push(`${question} (${kind}) was answered from two runs`);
  if (end.how === "denied" && paid.some(({ reply }) => end.text.includes(reply)))
    doubled.push(`${question} (${kind}) was denied, and its reply was delivered`);
  return doubled;
}

/** Calls of the model that no line of the record tells of, by why. */
function unrecordedOf(
  { kills }: History,
  { asked, paid, events }: About,
  recorded: number,
): { readonly beforeConfirmation: number; readonly answered: number; readonly wrong: readonly string[] } {
  const { question, kind, end } = asked;
  const missing = paid.length - recorded;
  const none = { beforeConfirmation: 0, answered: 0, wrong: [] };
  if (missing <= 0) return none;
  // Its only line is written after the answer: that says that earlier attempts may have been paid,
  // however many there were.
  const isSaid = events.some(
    ({ fact }) => (fact.kind === "called" && fact["again"] === true) || (fact.kind === "received" && fact["takenOver"] === true),
  );
  if (isAtOnce(kind) && isSaid) return none;
  const last = paid.at(-1);
  // The answer is there, and the process died before its own line was written: that line tells of
  // the last call.
  const answeredAt = end.how === "completed" ? end.at : (last?.at ?? 0);
  const isUnwritten = isAtOnce(kind) && recorded === 0 && diedWithin(kills, answeredAt, writtenMs);
  const answered = isUnwritten ? 1 : 0;
  const earlier = isUnwritten ? paid.slice(0, -1) : paid;
  const unconfirmed = isAtOnce(kind) ? earlier.filter(({ at }) => diedWithin(kills, at, confirmedMs)).length : 0;
  const beforeConfirmation = Math.min(missing - answered, unconfirmed);
  const unexplained = missing - answered - beforeConfirmation;
  if (unexplained <= 0) return { beforeConfirmation, answered, wrong: [] };
  const wrong = [`${question} (${kind}) was paid ${paid.length} times, and the record has ${recorded} calls`];
  return { beforeConfirmation, answered, wrong };
}
