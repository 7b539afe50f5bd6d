import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KeyState, type Lease, dropLease, emptyKeyState, enter } from "../../../shared/policy/limits.ts";
import { HeldShare, type ShareReport, endShare, giveShare, shareMs, shareMsLeft } from "../../../shared/policy/share.ts";

const now = 1_790_000_000_000;
const limits = { requestsPerMinute: 60, concurrent: 20 };
const longestMs = 130_000;
const give = (state: KeyState, id = "share", at = now) => giveShare(state, { id, longestMs }, limits, at);
const lease = (id: string, at = now) => ({ id, expiresAt: at + longestMs });

describe("a share that is given", () => {
  test("is a quarter of what is left, and taken out of it", () => {
    const { state, share } = give(emptyKeyState);
    expect(share).toEqual({ id: "share", requests: 15, slots: 5 });
    expect(state.bucket?.credit).toBe(45 * 60_000);
    expect(give(state, "next").share).toEqual({ id: "next", requests: 11, slots: 3 });
  });

  test("is none where less than four requests or four slots are left", () => {
    const few = { ...emptyKeyState, bucket: { credit: 4 * 60_000 - 1, at: now } };
    expect(give(few)).toMatchObject({ share: null, state: { bucket: few.bucket } });
    const leases = Array.from({ length: 17 }, (_, i) => lease(`run ${i}`));
    expect(give({ ...emptyKeyState, leases }).share).toBeNull();
    expect(give({ ...emptyKeyState, leases: leases.slice(1) }).share).toMatchObject({ slots: 1 });
  });

  test("keeps its slots from requests that are admitted one by one", () => {
    let { state } = give(emptyKeyState);
    const admitted = Array.from({ length: 20 }, (_, i) => {
      const step = enter(state, lease(`run ${i}`), limits, now);
      ({ state } = step);
      return step.refusal === null;
    });
    expect(admitted.filter(Boolean)).toHaveLength(15);
  });

  test("lapses when a request that it admitted in its last moment has to have ended", () => {
    const { state } = give(emptyKeyState);
    const full = { ...state, leases: Array.from({ length: 15 }, (_, i) => lease(`run ${i}`, now + longestMs)) };
    const at = (later: number) => enter(full, lease("next", now + later), limits, now + later).refusal;
    expect(at(shareMs + longestMs - 1)).toMatchObject({ limit: "concurrent" });
    expect(at(shareMs + longestMs)).toBeNull();
  });

  test("can be used for two seconds, which is how long a revocation waits", () => {
    const { state } = give(emptyKeyState);
    expect(shareMsLeft(emptyKeyState, now)).toBe(0);
    expect([0, 500, 2_000, 9_000].map((later) => shareMsLeft(state, now + later))).toEqual([2_000, 1_500, 0, 0]);
    // A clock that went back makes nobody wait longer.
    expect(shareMsLeft(state, now - 60_000)).toBe(2_000);
  });
});

describe("a share that is reported", () => {
  test("gives back what it did not admit, and its running requests count one by one", () => {
    const { state } = give(emptyKeyState);
    const ended = endShare(state, { id: "share", used: 4, running: ["a", "b"] }, now);
    const until = now + shareMs + longestMs;
    expect(ended).toMatchObject({ bucket: { credit: 56 * 60_000 }, shares: [] });
    expect(ended.leases).toEqual([
      { id: "a", expiresAt: until },
      { id: "b", expiresAt: until },
    ]);
  });

  test("changes nothing the second time, after it has lapsed, or where it was never given", () => {
    const { state } = give(emptyKeyState);
    const report = { id: "share", used: 0, running: ["a"] };
    const once = endShare(state, report, now);
    expect(endShare(once, report, now)).toBe(once);
    expect(endShare(state, report, now + shareMs + longestMs)).toBe(state);
    expect(endShare(state, { ...report, id: "another" }, now)).toBe(state);
  });

  test("gives back no more than it was, and counts no more requests than it had slots", () => {
    const { state } = give(emptyKeyState);
    const many = Array.from({ length: 9 }, (_, i) => `run ${i}`);
    const ended = endShare(state, { id: "share", used: -100, running: many }, now);
    expect(ended.bucket?.credit).toBe(60 * 60_000);
    expect(ended.leases).toHaveLength(5);
  });
});

test("a holder admits for two seconds from before it asked, as many as the share has, as many at once as it has slots", () => {
  const held = new HeldShare({ id: "share", requests: 4, slots: 2 }, now);
  expect(held.admit("a", now)).toBe(true);
  expect(held.admit("b", now + 1_999)).toBe(true);
  expect(held.admit("c", now)).toBe(false);
  expect(held.release("a")).toBe(true);
  expect(held.release("a")).toBe(false);
  for (const at of [now + 2_000, now - 1]) expect(held.admit("c", at)).toBe(false);
  expect(held.admit("c", now)).toBe(true);
  held.release("c");
  expect(held.admit("d", now)).toBe(true);
  held.release("d");
  expect(held.admit("e", now)).toBe(false);
  expect(held.report()).toEqual({ id: "share", used: 4, running: ["b"] });
});

// Many isolates, which crash, whose messages are lost, come twice or late, and whose clocks are
// wrong, against the truth of what ran when.
describe("with any holders, crashes, lost messages and clocks", () => {
  const arbitraryStep = fc.record({
    holder: fc.nat(3),
    pauseMs: fc.oneof({ weight: 6, arbitrary: fc.nat(20) }, { weight: 2, arbitrary: fc.nat(1_500) }, fc.nat(20_000)),
    what: fc.oneof(
      { weight: 12, arbitrary: fc.constant("request" as const) },
      { weight: 2, arbitrary: fc.constant("end" as const) },
      fc.constantFrom("report" as const, "report twice" as const, "lose the report" as const, "crash" as const, "lose the share" as const),
    ),
    runsMs: fc.oneof(fc.nat(3_000), fc.nat(longestMs - 1)),
  });
  const arbitraryLimits = fc.record({ requestsPerMinute: fc.integer({ min: 1, max: 400 }), concurrent: fc.integer({ min: 1, max: 24 }) });

  const released = (state: KeyState, ended: readonly string[], at: number): KeyState => ({
    ...state,
    leases: ended.reduce<readonly Lease[]>((left, id) => dropLease(left, id, at), state.leases),
  });

  type Ran = { readonly id: string; readonly from: number; to: number };

  function play(
    given: typeof limits,
    steps: readonly (typeof arbitraryStep extends fc.Arbitrary<infer S> ? S : never)[],
    skews: readonly number[],
  ) {
    let state: KeyState = emptyKeyState;
    let at = now;
    let count = 0;
    const ran: Ran[] = [];
    const held = new Map<number, HeldShare>();
    const late: ShareReport[] = [];
    const clock = (holder: number): number => at + (skews[holder] ?? 0);
    for (const { holder, pauseMs, what, runsMs } of steps) {
      at += pauseMs;
      // A request that ended is released, by its share or by the KeyObject.
      const ended = ran.filter(({ to }) => to <= at).map(({ id }) => id);
      for (const share of held.values()) for (const id of ended) share.release(id);
      state = released(state, ended, at);
      const share = held.get(holder);
      switch (what) {
        case "request": {
          count += 1;
          const id = `run ${count}`;
          if (share?.admit(id, clock(holder)) === true) {
            ran.push({ id, from: at, to: at + runsMs });
            break;
          }
          const step = enter(state, { id, expiresAt: at + longestMs }, given, at);
          ({ state } = step);
          if (step.refusal !== null) break;
          ran.push({ id, from: at, to: at + runsMs });
          if (share !== undefined) break;
          const gives = giveShare(state, { id: `share ${count}`, longestMs }, given, at);
          ({ state } = gives);
          if (gives.share !== null) held.set(holder, new HeldShare(gives.share, clock(holder)));
          break;
        }
        case "end":
          for (const each of ran.filter(({ to }) => to > at).slice(0, 1)) each.to = at;
          break;
        case "report":
        case "report twice": {
          if (share === undefined) break;
          held.delete(holder);
          const report = share.report();
          state = endShare(state, report, at);
          if (what === "report twice") late.push(report);
          break;
        }
        case "lose the report":
        case "crash":
          held.delete(holder);
          for (const report of late.splice(0)) state = endShare(state, report, at);
          break;
        case "lose the share":
          ({ state } = giveShare(state, { id: `lost ${count}`, longestMs }, given, at));
          break;
        default:
          what satisfies never;
      }
    }
    return { state, ran, at };
  }

  const arbitraryPlay = fc.tuple(
    arbitraryLimits,
    fc.array(arbitraryStep, { maxLength: 300, size: "max" }),
    fc.array(fc.integer({ min: -3_600_000, max: 3_600_000 }), { minLength: 4, maxLength: 4 }),
  );

  test("no more run at once, and no more begin, than the limits allow", () => {
    fc.assert(
      fc.property(arbitraryPlay, ([given, steps, skews]) => {
        const { ran } = play(given, steps, skews);
        const mostAtOnce = Math.max(0, ...ran.map(({ from }) => ran.filter((each) => each.from <= from && each.to > from).length));
        expect(mostAtOnce).toBeLessThanOrEqual(given.concurrent);
        // A share's requests were taken out at most two seconds before they began.
        const allowed = (ms: number): number => given.requestsPerMinute * (1 + (ms + shareMs) / 60_000) + 1e-9;
        const isOver = ran.some(({ from }, first) => ran.slice(first).some((each, behind) => behind + 1 > allowed(each.from - from)));
        expect(isOver).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test("a key is never locked out: when everything has lapsed, as many are admitted as at first", () => {
    fc.assert(
      fc.property(arbitraryPlay, ([given, steps, skews]) => {
        const { state, at } = play(given, steps, skews);
        const later = at + shareMs + longestMs + 3_600_000;
        let left = state;
        const most = Math.min(given.requestsPerMinute, given.concurrent);
        for (let i = 0; i < most; i += 1) {
          const step = enter(left, { id: `after ${i}`, expiresAt: later + longestMs }, given, later);
          expect(step.refusal).toBeNull();
          left = step.state;
        }
      }),
      { numRuns: 200 },
    );
  });
});
