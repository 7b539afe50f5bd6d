// The chain of a month's acts: what is found where an act was changed or taken out, and that
// nothing is found otherwise.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChainEnd, chainActs, chainOfMonth, checkChain, monthAt, tokenOperator } from "../../../shared/record/operators.ts";
import type { OperatorFact, RecordEvent } from "../../../shared/record/record.ts";
import { signingKey } from "../../../shared/sealed-id.ts";

const by = { kind: "adminToken", fingerprint: "0123456789ab" } as const;
const fact = fc.constantFrom<OperatorFact>(
  { kind: "doctorAsked", by },
  { kind: "keyRevoked", by, key: "key_1", digestBefore: "x" },
  { kind: "channelTested", by, reviewer: "Ada", channel: "email", state: "sent" },
);
const november = Date.UTC(2026, 10, 22);
const december = Date.UTC(2026, 11, 3);

/** The acts of two months, the second continuing the first. */
const months = fc
  .record({ first: fc.array(fact, { minLength: 1, maxLength: 8 }), second: fc.array(fact, { minLength: 1, maxLength: 8 }) })
  .map(({ first, second }) => {
    const earlier = chainActs(null, november, first);
    return { earlier, later: chainActs(earlier.at(-1) ?? null, december, second) };
  });
const endOf = (events: readonly RecordEvent[]): ChainEnd | null => events.at(-1) ?? null;
const chain = chainOfMonth("2026-12");

describe("checkChain", () => {
  test("finds nothing in what was written", () => {
    expect(monthAt(december)).toBe("2026-12");
    fc.assert(
      fc.property(months, ({ earlier, later }) => {
        expect(checkChain(later, { chain, sent: endOf(later), lastBefore: endOf(earlier) })).toBeNull();
        // The month before is no longer stored; and an older month than the newest has no end to
        // compare.
        expect(checkChain(later, { chain, sent: null, lastBefore: null })).toBeNull();
      }),
    );
  });

  test("finds an act that was taken out or changed, wherever it stood", () => {
    fc.assert(
      fc.property(months, fc.nat(), ({ earlier, later }, at) => {
        const index = at % later.length;
        const known = { chain, sent: endOf(later), lastBefore: endOf(earlier) };
        const removed = checkChain(later.toSpliced(index, 1), known);
        expect(removed).toEqual(index === later.length - 1 ? { kind: "cutOff", at: later.length } : { kind: "changed", at: index + 1 });
        const event = later[index] as RecordEvent;
        const changed = later.with(index, { ...event, at: event.at + 1 });
        expect(checkChain(changed, known)).toEqual({ kind: "changed", at: index + 1 });
      }),
    );
  });

  test("finds that the month before lost its last acts", () => {
    fc.assert(
      fc.property(months, ({ earlier, later }) => {
        const lastBefore = { run: chainOfMonth("2026-11"), seq: earlier.length + 1, hash: "another" };
        expect(checkChain(later, { chain, sent: endOf(later), lastBefore })).toEqual({ kind: "monthBefore", at: 1 });
      }),
    );
  });

  test("finds that a whole month is gone", () => {
    const acts = chainActs(null, december, [{ kind: "doctorAsked", by }]);
    expect(checkChain([], { chain, sent: endOf(acts), lastBefore: null })).toEqual({ kind: "cutOff", at: 1 });
  });

  test("finds that a month was written anew, however long it is now", () => {
    fc.assert(
      fc.property(months, fc.array(fact, { maxLength: 4 }), ({ earlier, later }, more) => {
        const [, , ...acts] = later.map((event) => event.fact as OperatorFact);
        const forged: OperatorFact = { kind: "keyRevoked", by, key: "key_of_nobody", digestBefore: "x" };
        const anew = chainActs(endOf(earlier), december, [forged, ...acts, ...more]);
        expect(checkChain(anew, { chain, sent: endOf(later), lastBefore: endOf(earlier) })).toEqual({ kind: "cutOff", at: later.length });
      }),
    );
  });

  test("finds that the month before was written anew, with as many acts", () => {
    fc.assert(
      fc.property(months, ({ earlier, later }) => {
        const anew = { run: chainOfMonth("2026-11"), seq: earlier.length, hash: "another" };
        expect(checkChain(later, { chain, sent: endOf(later), lastBefore: anew })).toEqual({ kind: "monthBefore", at: 1 });
      }),
    );
  });
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
