// A month's acts: what is found where an act was changed or taken out, and that nothing is found
// otherwise.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LoggedActs, actsOfMonth, findActsIssue, monthAt, nextActs, tokenOperator } from "../../../shared/record/operators.ts";
import type { ActsEnd, OperatorFact, RecordEvent } from "../../../shared/record/record.ts";
import { signingKey } from "../../../shared/sealed-id.ts";

const by = { kind: "adminToken", fingerprint: "0123456789ab" } as const;
const fact = fc.constantFrom<OperatorFact>(
  { kind: "doctorAsked", by },
  { kind: "keyRevoked", by, key: "key_1", digestBefore: "x" },
  { kind: "channelTested", by, reviewer: "Ada", channel: "email", state: "sent" },
);
const november = Date.UTC(2026, 10, 22);
const december = Date.UTC(2026, 11, 3);
const tree = { size: 9, root: "root" };

const endOf = (events: readonly RecordEvent[]): ActsEnd | null => {
  const last = events.at(-1);
  return last === undefined ? null : { run: last.run, seq: last.seq, tree };
};
const loggedOf = (events: readonly RecordEvent[], changedAt: number | null = null): LoggedActs => ({
  lastSeq: events.at(-1)?.seq ?? 0,
  changedAt,
});

/** The acts of two months, the second continuing the first. */
const months = fc
  .record({ first: fc.array(fact, { minLength: 1, maxLength: 8 }), second: fc.array(fact, { minLength: 1, maxLength: 8 }) })
  .map(({ first, second }) => {
    const earlier = nextActs(null, november, first);
    return { earlier, later: nextActs(endOf(earlier), december, second) };
  });
const run = actsOfMonth("2026-12");

describe("findActsIssue", () => {
  test("finds nothing in what was written", () => {
    expect(monthAt(december)).toBe("2026-12");
    fc.assert(
      fc.property(months, ({ earlier, later }) => {
        const logged = loggedOf(later);
        expect(findActsIssue(later, { run, sent: endOf(later), logged, before: loggedOf(earlier) })).toBeNull();
        // The month before is no longer stored; and an older month than the newest has no end to
        // compare.
        expect(findActsIssue(later, { run, sent: null, logged, before: null })).toBeNull();
      }),
    );
  });

  test("finds an act that was taken out, or changed as the log says, wherever it stood", () => {
    fc.assert(
      fc.property(months, fc.nat(), ({ earlier, later }, at) => {
        const index = at % later.length;
        const known = { run, sent: endOf(later), logged: loggedOf(later), before: loggedOf(earlier) };
        const removed = findActsIssue(later.toSpliced(index, 1), known);
        expect(removed).toEqual(index === later.length - 1 ? { kind: "cutOff", at: later.length } : { kind: "changed", at: index + 1 });
        expect(findActsIssue(later, { ...known, logged: loggedOf(later, index + 1) })).toEqual({ kind: "changed", at: index + 1 });
      }),
    );
  });

  test("finds that the month before lost its last acts, or was changed", () => {
    fc.assert(
      fc.property(months, ({ earlier, later }) => {
        const known = { run, sent: endOf(later), logged: loggedOf(later) };
        for (const before of [loggedOf(earlier.slice(0, -1)), { lastSeq: earlier.length + 1, changedAt: null }, loggedOf(earlier, 1)])
          expect(findActsIssue(later, { ...known, before })).toEqual({ kind: "monthBefore", at: 1 });
      }),
    );
  });

  test("finds that a whole month is gone", () => {
    const acts = nextActs(null, december, [{ kind: "doctorAsked", by }]);
    expect(findActsIssue([], { run, sent: endOf(acts), logged: loggedOf([]), before: null })).toEqual({ kind: "cutOff", at: 1 });
  });
});

test("the first act of a month names the end of the month before, and the tree of its log", () => {
  const last = { run: actsOfMonth("2026-11"), seq: 2, tree };
  expect(nextActs(last, december, [{ kind: "doctorAsked", by }]).map(({ seq, fact: made }) => [seq, made])).toEqual([
    [1, { kind: "continued", ...last }],
    [2, { kind: "doctorAsked", by }],
  ]);
  // A clock that goes back begins no earlier month again.
  expect(nextActs({ ...last, run }, november, [{ kind: "doctorAsked", by }]).map((event) => [event.run, event.seq])).toEqual([[run, 3]]);
});

test("an admin token's fingerprint is of the gateway's key too: a reader of the record cannot test guesses", () => {
  const fingerprintOf = (key: string, token: string): unknown => tokenOperator([signingKey(key)], token);
  const [key, token] = ["a link key of thirty-two letters", "admin-token-0123456789"];
  const known = fingerprintOf(key, token);
  expect(fingerprintOf(key, token)).toEqual(known);
  expect(fingerprintOf(key, `${token}0`)).not.toEqual(known);
  expect(fingerprintOf("another key of thirty-two letters", token)).not.toEqual(known);
  expect(JSON.stringify(known)).not.toContain(token);
});
