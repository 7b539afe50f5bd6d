import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { HeldCalls, endCalls, giveCalls } from "../../../shared/policy/call-share.ts";
import { type KeyState, costOfOne, countCalls, emptyKeyState } from "../../../shared/policy/limits.ts";
import { shareMs, shareMsLeft } from "../../../shared/policy/share.ts";

const now = 1_790_000_000_000;
const limits = { requestsPerMinute: 1, callsPerMinute: 100 };
const give = (state: KeyState, wanted: number, id = "share", at = now) => giveCalls(state, { id, wanted }, limits, at);

describe("a share that is given", () => {
  test("is what the holder wants, at most a quarter of what is left, and taken out of it", () => {
    const { state, share } = give(emptyKeyState, 10);
    expect(share).toEqual({ id: "share", calls: 10 });
    expect(state.calls?.credit).toBe(90 * costOfOne);
    expect(give(state, 1_000, "next").share).toEqual({ id: "next", calls: 22 });
  });

  test.each([0, -1, Number.NaN])("is none where the holder wants %d", (wanted) => {
    expect(give(emptyKeyState, wanted).share).toBeNull();
  });

  test("is none where less than four messages are left", () => {
    const few = { ...emptyKeyState, calls: { credit: 4 * costOfOne - 1, at: now } };
    expect(give(few, 10)).toMatchObject({ share: null, state: { calls: few.calls } });
  });

  test("can be used for two seconds, which is how long a revocation waits", () => {
    const { state } = give(emptyKeyState, 10);
    expect([0, 500, 2_000].map((later) => shareMsLeft(state, now + later))).toEqual([2_000, 1_500, 0]);
  });
});

describe("a share that is reported", () => {
  test("gives back what it did not count, once, and no more than it was", () => {
    const { state } = give(emptyKeyState, 10);
    const once = endCalls(state, { id: "share", used: 4 }, now);
    expect(once.calls?.credit).toBe(96 * costOfOne);
    expect(endCalls(once, { id: "share", used: 4 }, now)).toBe(once);
    expect(endCalls(state, { id: "share", used: -50 }, now).calls?.credit).toBe(100 * costOfOne);
    expect(endCalls(state, { id: "another", used: 0 }, now)).toBe(state);
  });

  test("after a minute gives back nothing: the bucket has filled without it", () => {
    const { state } = give(emptyKeyState, 10);
    expect(endCalls(state, { id: "share", used: 0 }, now + 60_000)).toBe(state);
  });
});

test("a holder counts for two seconds from before it asked, and no more than the share has", () => {
  const held = new HeldCalls({ id: "share", calls: 4 }, now);
  for (const at of [now - 1, now + shareMs]) expect(held.count(1, at)).toBe(false);
  expect(held.count(5, now)).toBe(false);
  expect(held.count(3, now + shareMs - 1)).toBe(true);
  expect(held.count(2, now)).toBe(false);
  expect(held.report()).toEqual({ id: "share", used: 3 });
});

// Many isolates, which crash, whose messages are lost, come twice or late, and whose clocks are
// wrong.
describe("with any holders, crashes, lost messages and clocks", () => {
  const step = fc.record({
    holder: fc.nat(3),
    pauseMs: fc.oneof({ weight: 6, arbitrary: fc.nat(20) }, { weight: 2, arbitrary: fc.nat(1_500) }, fc.nat(20_000)),
    what: fc.oneof(
      { weight: 12, arbitrary: fc.constant("message" as const) },
      fc.constantFrom("report twice" as const, "crash" as const, "lose the share" as const),
    ),
    calls: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 9 })),
    wanted: fc.nat(40),
  });
  const plays = fc.tuple(
    fc.integer({ min: 10, max: 400 }),
    fc.array(step, { maxLength: 300, size: "max" }),
    fc.array(fc.integer({ min: -3_600_000, max: 3_600_000 }), { minLength: 4, maxLength: 4 }),
  );

  function play([callsPerMinute, steps, skews]: typeof plays extends fc.Arbitrary<infer P> ? P : never) {
    const given = { requestsPerMinute: 1, callsPerMinute };
    let state: KeyState = emptyKeyState;
    let at = now;
    const counted: { readonly at: number; readonly calls: number }[] = [];
    const held = new Map<number, HeldCalls>();
    for (const [index, { holder, pauseMs, what, calls, wanted }] of steps.entries()) {
      at += pauseMs;
      const clock = at + (skews[holder] ?? 0);
      const share = held.get(holder);
      if (what === "message") {
        if (share?.count(calls, clock) === true) {
          counted.push({ at, calls });
          continue;
        }
        if (share !== undefined) state = endCalls(state, share.report(), at);
        held.delete(holder);
        const one = countCalls(state, calls, given, at);
        ({ state } = one);
        if (one.refusal !== null) continue;
        counted.push({ at, calls });
        const gives = giveCalls(state, { id: `share ${index}`, wanted }, given, at);
        ({ state } = gives);
        if (gives.share !== null) held.set(holder, new HeldCalls(gives.share, clock));
      } else if (what === "report twice" && share !== undefined) {
        held.delete(holder);
        state = endCalls(endCalls(state, share.report(), at), share.report(), at);
      } else if (what === "crash") held.delete(holder);
      else ({ state } = giveCalls(state, { id: `lost ${index}`, wanted }, given, at));
    }
    return { given, state, at, counted };
  }

  test("no more are counted than the limit allows", () => {
    fc.assert(
      fc.property(plays, (drawn) => {
        const { given, counted } = play(drawn);
        for (const [first, { at: from }] of counted.entries()) {
          let sum = 0;
          for (const { at, calls } of counted.slice(first)) {
            sum += calls;
            // A share's messages were taken out at most two seconds before they were counted.
            const most = given.callsPerMinute * (1 + (at - from + shareMs) / 60_000) + 1e-9;
            // `expect` for each of a million pairs would take most of the test's time.
            if (sum > most) expect(sum).toBeLessThanOrEqual(most);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test("the key is never locked out: two quiet minutes later it may send as many as its limit says", () => {
    fc.assert(
      fc.property(plays, (drawn) => {
        const { given, state, at } = play(drawn);
        const quiet = at + 120_000;
        expect(countCalls(state, given.callsPerMinute, given, quiet).refusal).toBeNull();
        expect(countCalls(countCalls(state, given.callsPerMinute, given, quiet).state, 1, given, quiet).refusal).not.toBeNull();
      }),
      { numRuns: 100 },
    );
  });
});
