// The attack suite judged: each thing that kills must not do is found in a history of it, and the
// report counts what was withstood.

import { describe, expect, test } from "vitest";
import type { Asked, Event, History, Kind } from "./history.ts";
import { type Judged, judge } from "./judge.ts";
import { randomOf } from "./random.ts";
import { reportOf, summaryOf, tableOf } from "../report.ts";

const question = "Q-1-request-gate";
const run = "run_1";
const event = (kind: string, more: object = {}, of = run): Event => ({ run: of, fact: { kind, ...more } });
const asked = (kind: Kind, end: Asked["end"]): Asked => ({ question, kind, end, tries: 1 });
const completed = (texts = ["reply 1 to it."], runs = [run]): Asked["end"] => ({ how: "completed", texts, runs, at: 10_000 });
const paid = (at: number, reply = "reply 1 to it.") => ({ question, at, reply });

const reviewed: readonly Event[] = [
  event("received", { name: question }),
  event("reviewOpened", { gate: "request" }),
  event("approved", { gate: "request" }),
  event("called", { call: 1, again: false }),
  event("answered"),
  event("finished", { outcome: "completed" }),
];

/** A request with a review at which everything went well, around a kill. */
const good: History = {
  asked: [asked("request-gate", completed())],
  paid: [paid(9_000)],
  decided: [{ question, run, gate: "request", act: "approve" }],
  events: reviewed,
  brokenRuns: [],
  continued: new Map(),
  called: new Map(),
  questionOf: new Map([[run, question]]),
  kills: [5_000],
};

const wrongIn = ({ lost, doubled, paidTwiceUnrecorded }: Judged): string => {
  const found = { lost, doubled, paidTwiceUnrecorded };
  return Object.entries(found)
    .filter(([, sentences]) => sentences.length > 0)
    .map(([name]) => name)
    .join(", ");
};

describe("of what happened around kills", () => {
  test("what went well is nothing wrong", () => {
    expect(wrongIn(judge(good))).toBe("");
    expect(judge(good)).toMatchObject({ kills: 1, requests: 1, beforeConfirmation: 0, answeredUnrecorded: 0, paidAgainRecorded: 0 });
  });

  const denied: History = {
    ...good,
    asked: [asked("request-gate", { how: "denied", text: "no" })],
    paid: [],
    decided: [{ question, run, gate: "request", act: "deny" }],
    events: [event("received", { name: question }), event("reviewOpened", { gate: "request" }), event("denied", { gate: "request" })],
  };
  const fast: History = { ...good, asked: [asked("fast", completed())], decided: [], events: [], questionOf: new Map() };

  test.each<[string, History, string]>([
    ["a request that was never answered", { ...good, asked: [asked("request-gate", { how: "none" })] }, "lost"],
    ["a request that ended with another error", { ...good, asked: [asked("request-gate", { how: "failed", text: "x" })] }, "lost"],
    ["an answer that no model gave", { ...good, asked: [asked("request-gate", completed(["made up"]))] }, "lost"],
    ["an approval that the record lacks", { ...good, events: reviewed.filter(({ fact }) => fact.kind !== "approved") }, "lost"],
    [
      "a denial whose request was answered",
      { ...denied, asked: [asked("request-gate", completed())], paid: [paid(9_000)], events: [...denied.events, event("called")] },
      "lost",
    ],
    ["an unknown outcome where no server was asked", { ...good, asked: [asked("relay", { how: "unknown" })] }, "lost"],
    ["a run of the record with a gap", { ...good, brokenRuns: [run] }, "lost"],
    ["people who were asked twice", { ...good, events: [...reviewed, event("reviewOpened", { gate: "request" })] }, "doubled"],
    [
      "a review in two runs",
      {
        ...good,
        events: [...reviewed, ...["received", "reviewOpened"].map((kind) => event(kind, { name: question, gate: "request" }, "run_2"))],
      },
      "doubled",
    ],
    ["two decisions", { ...good, events: [...reviewed, event("denied", { gate: "request" })] }, "doubled"],
    ["two ends", { ...good, events: [...reviewed, event("finished")] }, "doubled"],
    ["two answers", { ...good, asked: [asked("request-gate", completed(["reply 1 to it.", "reply 2 to it."]))] }, "doubled"],
    ["answers from two runs", { ...good, asked: [asked("request-gate", completed(undefined, [run, "run_2"]))] }, "doubled"],
    ["two continuations", { ...good, continued: new Map([[question, 2]]) }, "doubled"],
    [
      "a denied reply that was delivered",
      {
        ...denied,
        asked: [asked("response-gate", { how: "denied", text: "reply 1 to it." })],
        paid: [paid(9_000)],
        events: [...denied.events, event("called")],
      },
      "doubled",
    ],
    ["a second payment of a reviewed request without a line", { ...good, paid: [paid(4_900), paid(9_000)] }, "paidTwiceUnrecorded"],
    ["a payment of a fast request without a line, far from every kill", { ...fast, paid: [paid(9_000)] }, "paidTwiceUnrecorded"],
    [
      "a second payment of a fast request, whose first call was confirmed long before the kill",
      { ...fast, paid: [paid(2_000), paid(9_000)], events: [event("received", { name: question }), event("called")] },
      "paidTwiceUnrecorded",
    ],
  ])("%s is found", (_what, history, wrong) => {
    expect(wrongIn(judge(history))).toBe(wrong);
  });

  test("what the documents say of a crash is counted on its own", () => {
    const lines = [event("received", { name: question }), event("called", { again: false })];
    expect(judge({ ...fast, paid: [paid(4_990), paid(9_000)], events: lines })).toMatchObject({
      paidTwiceUnrecorded: [],
      beforeConfirmation: 1,
    });
    expect(judge({ ...fast, kills: [10_100] })).toMatchObject({ paidTwiceUnrecorded: [], answeredUnrecorded: 1 });
    const failed = asked("request-gate", { how: "failed", text: "x" });
    const calls = (count: number): Event[] =>
      Array.from({ length: count }, (_, index) => event("called", { call: index + 1, again: index > 0 }));
    const begun = reviewed.filter(({ fact }) => fact.kind !== "called");
    expect(judge({ ...good, asked: [failed], events: [...begun, ...calls(3)] })).toMatchObject({ lost: [], gaveUp: 1 });
    expect(wrongIn(judge({ ...good, asked: [failed], events: [...begun, ...calls(2)] }))).toBe("lost");
    const again = [...reviewed, event("called", { call: 2, again: true })];
    expect(judge({ ...good, paid: [paid(4_900), paid(9_000)], events: again })).toMatchObject({
      paidTwiceUnrecorded: [],
      paidAgainRecorded: 1,
    });
  });
});

test("a seed repeats its numbers, and another seed has others", () => {
  const numbers = (seed: number): number[] => {
    const random = randomOf(seed);
    return Array.from({ length: 20 }, () => random.below(1_000));
  };
  expect(numbers(14)).toEqual(numbers(14));
  expect(numbers(14)).not.toEqual(numbers(15));
  expect(new Set(numbers(14)).size).toBeGreaterThan(15);
});

test("the report counts attacks and faults, and those that were withstood", () => {
  const tried = [false, false, true].map((isFault, index) => ({ area: "keys", about: "about keys", isFault, isHeld: index > 0 }));
  const given = { commit: "abc", date: "2026-11-23", failures: ["keys > an attack: AssertionError: the status"] };
  const report = reportOf(given, tried, { ...judge(good), seed: 14 });
  expect(report).toMatchObject({ ...given, seed: 14, attacks: 2, refused: 1, faults: 1, withstood: 1, kills: 1, lost: 0 });
  expect(tableOf(report)).toContain("| keys | about keys | 3 | 2 |");
  expect(summaryOf(report)).toContain("2 attacks, 1 refused; 1 faults and resets, 1 withstood.");
  expect(summaryOf(report)).toContain("Under 1 kills of the whole process tree (seed 14)");
  expect(summaryOf(reportOf(given, tried))).not.toContain("kills");
});
