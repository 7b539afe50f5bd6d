import { describe, expect, test } from "vitest";
import type { Attempt } from "../../../shared/model/call.ts";
import type { RecordFact } from "../../../shared/record/record.ts";
import { type Step, timelineOf } from "../../../shared/record/timeline.ts";

const received: RecordFact = {
  kind: "received",
  key: "key_dev",
  server: "notes",
  method: "tools/call",
  name: "summarize",
  provenance: "claimed",
  endpoint: "sampling",
  requestDigest: "d1",
  rule: "default",
  requestGate: "review",
  responseGate: "allow",
  judged: { keyName: "dev", maxTokens: 100, risk: "none", models: [] },
  models: ["first", "second"],
  risks: [],
  contextIgnored: null,
  takenOver: false,
};
const opened: RecordFact = {
  kind: "reviewOpened",
  gate: "request",
  version: 1,
  digest: "d1",
  reviewers: ["Ada", "Bo"],
  deadlineAt: new Date(90_000).toISOString(),
};
const noticed = (reviewer: string, channel: string, state = "sent", why = "asked"): RecordFact => ({
  kind: "noticed",
  gate: "request",
  channel,
  reviewer,
  why,
  state,
});
const attempt = (model: string, at: number, kind: Attempt["fault"]["kind"] = "overloaded"): Attempt => ({
  model,
  provider: "p",
  at,
  durationMs: 500,
  fault: { kind, then: "retry", status: 529 },
});
const called: RecordFact = { kind: "called", call: 1, models: ["first", "second"], digest: "d1", again: false };
const answered = (attempts: readonly Attempt[]): Extract<RecordFact, { kind: "answered" }> => ({
  kind: "answered",
  call: 1,
  model: "second",
  realModel: "second-2026",
  stopReason: "endTurn",
  usage: { inputTokens: 3, outputTokens: 4 },
  costUsd: 0.001,
  digest: "r1",
  notes: [],
  attempts,
  took: { at: 1_300, durationMs: 1_700 },
});
const approved: RecordFact = {
  kind: "approved",
  gate: "request",
  by: "Bo",
  channel: "email",
  version: 1,
  digest: "d1",
  reasonGiven: false,
};
const kinds = (steps: readonly Step[]): string[] => steps.map(({ what }) => what.kind);

describe("the steps of a request", () => {
  test("say who was asked where, and when they opened it, and how long they took", () => {
    const steps = timelineOf(
      [
        { at: 1_010, fact: received },
        { at: 1_010, fact: opened },
        { at: 1_100, fact: noticed("Ada", "slack") },
        { at: 1_200, fact: noticed("Bo", "email", "unavailable") },
        { at: 1_300, fact: noticed("Bo", "outbox") },
        { at: 5_000, fact: { kind: "opened", gate: "request", reviewer: "Bo", channel: "outbox", version: 1 } },
        { at: 7_010, fact: approved },
      ],
      1_000,
    );
    expect(kinds(steps)).toEqual(["received", "associated", "routed", "ruled", "asked", "decided"]);
    expect(steps[0]?.at).toBe(1_000);
    expect(steps[4]).toMatchObject({
      tone: "wait",
      what: {
        gate: "request",
        deadlineAt: 90_000,
        reviewers: [
          { name: "Ada", told: [{ channel: "slack", state: "sent" }], opened: [] },
          {
            name: "Bo",
            told: [{ channel: "email", state: "unavailable" }, { channel: "outbox" }],
            opened: [{ at: 5_000, channel: "outbox" }],
          },
        ],
      },
    });
    expect(steps[5]).toMatchObject({ tone: "ok", what: { waitedMs: 6_000 } });
  });

  test("put what a reviewer was told to the step that asked them last, at its own gate", () => {
    const steps = timelineOf(
      [
        { at: 1, fact: opened },
        { at: 2, fact: { kind: "handedOver", gate: "request", by: "Ada", channel: "web", to: "Cy" } },
        { at: 2, fact: { kind: "askedAlso", gate: "request", reviewers: ["Cy"], why: "handedOver" } },
        { at: 3, fact: noticed("Cy", "email", "sent", "handedOver") },
        { at: 4, fact: noticed("Ada", "email", "sent", "reminder") },
        { at: 5, fact: { ...opened, gate: "response", reviewers: ["Ada"] } },
        { at: 6, fact: { kind: "opened", gate: "request", reviewer: "Ada", channel: "email", version: 1 } },
        { at: 7, fact: noticed("Nobody", "email") },
      ],
      0,
    );
    const asked = steps.flatMap(({ what }) => (what.kind === "asked" ? [what] : []));
    expect(asked.map(({ reviewers }) => reviewers.map(({ name, told, opened: at }) => [name, told.length, at.length]))).toEqual([
      [
        ["Ada", 1, 1],
        ["Bo", 0, 0],
      ],
      [["Cy", 1, 0]],
      [["Ada", 0, 0]],
    ]);
    expect(asked[1]).toMatchObject({ why: "handedOver", deadlineAt: null });
  });

  test("have each model that failed, at its own time, before the one that answered", () => {
    const attempts = [attempt("first", 10_000), attempt("first", 11_000), attempt("second", 12_000, "timeout")];
    const steps = timelineOf(
      [
        { at: 10_000, fact: called },
        { at: 14_500, fact: answered(attempts) },
        { at: 14_600, fact: { kind: "finished", outcome: "completed" } },
      ],
      9_000,
    );
    expect(kinds(steps)).toEqual(["called", "modelFailed", "modelFailed", "answered", "finished"]);
    expect(steps[0]).toMatchObject({ what: { model: "first" } });
    expect(steps[1]).toMatchObject({
      at: 10_000,
      tone: "bad",
      what: { attempts: [{ model: "first" }, { model: "first" }], until: 11_500 },
    });
    expect(kinds(timelineOf([{ at: 2, fact: { kind: "callFailed", call: 1, attempts } }], 0))).toEqual(["modelFailed", "modelFailed"]);
  });

  test("have a model's call at the time at which it was asked, although all events were written after the answer", () => {
    const steps = timelineOf(
      [received, called, answered([])].map((fact) => ({ at: 3_000, fact })),
      1_200,
    );
    expect(steps.slice(-2)).toMatchObject([
      { at: 1_300, what: { kind: "called" } },
      { at: 3_000, what: { kind: "answered" } },
    ]);
  });

  test("has one step for a requestor who goes and comes back again and again, and one where they are gone", () => {
    const minute = 60_000;
    const events = (rounds: number): { at: number; fact: RecordFact }[] =>
      Array.from({ length: rounds }, (_, i) => [
        { at: 12_000 + i * minute, fact: { kind: "requestorLeft" as const } },
        { at: 12_500 + i * minute, fact: { kind: "requestorBack" as const } },
      ]).flat();
    const shown = (rounds: number, more: { at: number; fact: RecordFact }[] = []) =>
      timelineOf([{ at: 11_000, fact: opened }, ...events(rounds), ...more], 11_000).map(({ what }) => what.kind);
    expect(shown(3)).toEqual(["asked", "left", "back", "left", "back", "left", "back"]);
    expect(shown(60)).toEqual(["asked", "cameAndWent"]);
    const gone = { at: 100 * minute, fact: { kind: "requestorLeft" } } as const;
    const decided = { at: 101 * minute, fact: { kind: "expired", gate: "request" } } as const;
    expect(shown(60, [gone, decided])).toEqual(["asked", "cameAndWent", "left", "undecided"]);
    expect(timelineOf(events(60), 0)[0]).toMatchObject({ at: 12_000, what: { times: 60, until: 12_500 + 59 * minute } });
  });

  test("follow each other in time: a model is asked before it fails, and what comes meanwhile stands between", () => {
    const attempts = [attempt("first", 10_000), attempt("first", 11_000), attempt("second", 12_000)];
    const together: RecordFact[] = [received, called, { kind: "callFailed", call: 1, attempts }, { kind: "finished", outcome: "failed" }];
    // A request without a review is written after its end, with one time for all.
    const atOnce = timelineOf(
      together.map((fact) => ({ at: 14_500, fact })),
      9_000,
    );
    expect(atOnce.slice(4).map(({ at, what }) => [at, what.kind])).toEqual([
      [10_000, "called"],
      [10_000, "modelFailed"],
      [12_000, "modelFailed"],
      [14_500, "finished"],
    ]);
    const left = timelineOf(
      [
        { at: 9_900, fact: called },
        { at: 11_800, fact: { kind: "requestorLeft" } },
        { at: 14_500, fact: { kind: "callFailed", call: 1, attempts } },
      ],
      9_000,
    );
    expect(left.map(({ at, what }) => [at, what.kind])).toEqual([
      [10_000, "called"],
      [10_000, "modelFailed"],
      [11_800, "left"],
      [12_000, "modelFailed"],
    ]);
  });

  test("say that a model was asked only where something was sent, and to which first", () => {
    const facts = (attempts: readonly Attempt[]): RecordFact[] => [called, { kind: "callFailed", call: 1, attempts }];
    const stepsOf = (attempts: readonly Attempt[]): [string, unknown][] =>
      timelineOf(
        facts(attempts).map((fact) => ({ at: 14_500, fact })),
        9_000,
      ).map(({ what }) => [what.kind, what.kind === "called" ? what.model : null]);
    const tooDear = attempt("first", 10_000, "overBudget");
    expect(stepsOf([tooDear])).toEqual([["modelFailed", null]]);
    expect(stepsOf([tooDear, attempt("second", 10_500)])).toEqual([
      ["modelFailed", null],
      ["called", "second"],
      ["modelFailed", null],
    ]);
    // The instance that made the call is gone, and may have sent it.
    expect(stepsOf([])).toEqual([["called", "first"]]);
  });

  test("show a refusal, a flood, and a kind that this version does not know", () => {
    const refused: RecordFact = {
      kind: "refused",
      key: "key_dev",
      endpoint: "sampling",
      server: null,
      method: null,
      name: null,
      reason: { kind: "notJson" },
    };
    expect(timelineOf([{ at: 5, fact: refused }], 5)).toEqual([{ at: 5, tone: "bad", what: refused }]);
    const later = { kind: "ofALaterVersion" } as unknown as RecordFact;
    expect(timelineOf([{ at: 5, fact: later }], 5)).toEqual([{ at: 5, tone: "plain", what: { kind: "other", name: "ofALaterVersion" } }]);
  });
});
