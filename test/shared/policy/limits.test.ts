import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  admit,
  defaultLimits,
  dropLease,
  emptyKeyState,
  enter,
  hasRoom,
  limitsSchema,
  liveLeases,
  takeLease,
  type Bucket,
  type Lease,
} from "../../../shared/policy/limits.ts";

test("what a key's limits leave out is the default", () => {
  expect(limitsSchema.parse({})).toEqual(defaultLimits);
  expect(limitsSchema.parse({ concurrent: 2 })).toEqual({ ...defaultLimits, concurrent: 2 });
  expect(limitsSchema.safeParse({ requestsPerMinute: 0 }).success).toBe(false);
  expect(limitsSchema.safeParse({ requestPerMinute: 5 }).success).toBe(false);
});

describe("requests per minute", () => {
  const admittedAt = (times: readonly number[], requestsPerMinute: number): number[] => {
    let bucket: Bucket | null = null;
    return times.filter((now) => {
      const step = admit(bucket, { requestsPerMinute }, now);
      bucket = step.bucket;
      return step.admitted;
    });
  };

  test("as many as the limit at once, then one for each part of the minute", () => {
    expect(admittedAt([0, 0, 0, 19_999, 20_000, 20_000, 40_000, 60_000], 3)).toEqual([0, 0, 0, 20_000, 40_000, 60_000]);
  });

  test("what is away in shares does not fill up meanwhile: the rest of the limit is all there is", () => {
    const away = 3;
    const first = admit(null, { requestsPerMinute: 4 }, 0, away);
    const second = admit(first.bucket, { requestsPerMinute: 4 }, 0, away);
    const third = admit(second.bucket, { requestsPerMinute: 4 }, 60_000, away);
    const fourth = admit(third.bucket, { requestsPerMinute: 4 }, 60_000, away);
    expect([first, second, third, fourth].map(({ admitted }) => admitted)).toEqual([true, false, true, false]);
  });

  test("a refusal names the exact time: a millisecond sooner is refused again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.array(fc.nat(5000), { minLength: 1, maxLength: 60 }), (requestsPerMinute, gaps) => {
        let bucket: Bucket | null = null;
        let now = 1_790_000_000_000;
        for (const gap of gaps) {
          now += gap;
          const step = admit(bucket, { requestsPerMinute }, now);
          bucket = step.bucket;
          if (step.admitted) continue;
          expect(step.retryAfterMs).toBeGreaterThanOrEqual(1);
          expect(admit(bucket, { requestsPerMinute }, now + step.retryAfterMs - 1).admitted).toBe(false);
          expect(admit(bucket, { requestsPerMinute }, now + step.retryAfterMs).admitted).toBe(true);
        }
      }),
    );
  });

  test("in no 60 seconds more than twice the limit, and over n minutes no more than n + 1 times", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.array(fc.oneof(fc.nat(3), fc.nat(4000)), { maxLength: 400 }),
        (requestsPerMinute, gaps) => {
          let now = 0;
          const admitted = admittedAt(
            gaps.map((gap) => (now += gap)),
            requestsPerMinute,
          );
          for (const [first, start] of admitted.entries()) {
            const window = admitted.filter((time) => time >= start && time < start + 60_000);
            expect(window.length).toBeLessThanOrEqual(2 * requestsPerMinute);
            const last = admitted.at(-1) ?? start;
            expect(admitted.length - first).toBeLessThanOrEqual(
              requestsPerMinute + Math.floor(((last - start) * requestsPerMinute) / 60_000),
            );
          }
        },
      ),
    );
  });

  test("asking while refused never delays the next admission", () => {
    const once = admittedAt([0, 60_000], 1);
    const nagging = admittedAt([0, ...Array.from({ length: 600 }, (_, index) => index * 100 + 1), 60_000], 1);
    expect(nagging).toEqual(once);
  });

  test("a clock that goes back earns nothing, and one that jumped ahead does not lock the key out", () => {
    const year = 31_536_000_000;
    const ahead = admit(null, { requestsPerMinute: 1 }, year);
    const back = admit(ahead.bucket, { requestsPerMinute: 1 }, 0);
    expect(back).toMatchObject({ admitted: false, retryAfterMs: 60_000 });
    expect(admit(back.bucket, { requestsPerMinute: 1 }, 60_000).admitted).toBe(true);
  });

  test("a lower limit takes effect at once, a higher one with what has been earned", () => {
    expect(admit({ credit: 60 * 60_000, at: 0 }, { requestsPerMinute: 1 }, 0).bucket.credit).toBe(0);
    expect(admit({ credit: 0, at: 0 }, { requestsPerMinute: 60 }, 1000).admitted).toBe(true);
  });
});

describe("requests at once", () => {
  const lease = (id: string, expiresAt = 10_000): Lease => ({ id, expiresAt });

  test("a full house refuses, and says when to ask again", () => {
    const limits = { concurrent: 2 };
    expect(takeLease([lease("a"), lease("b")], lease("c"), limits, 0)).toEqual({
      ok: false,
      error: { limit: "concurrent", retryAfterMs: 1000 },
    });
    expect(takeLease([lease("a", 300), lease("b")], lease("c"), limits, 0)).toEqual({
      ok: false,
      error: { limit: "concurrent", retryAfterMs: 300 },
    });
  });

  test("a lease counts until its time, and not at it", () => {
    expect(liveLeases([lease("a", 100)], 99)).toHaveLength(1);
    expect(liveLeases([lease("a", 100)], 100)).toHaveLength(0);
    expect(takeLease([lease("a", 100)], lease("b"), { concurrent: 1 }, 100).ok).toBe(true);
  });

  test("taking a lease twice renews it, and dropping it twice is fine", () => {
    const full = [lease("a"), lease("b")];
    expect(takeLease(full, lease("a", 20_000), { concurrent: 2 }, 0)).toEqual({ ok: true, value: [lease("b"), lease("a", 20_000)] });
    expect(dropLease(dropLease(full, "a", 0), "a", 0)).toEqual([lease("b")]);
  });

  test("whatever is taken and dropped, no more than the limit are held", () => {
    const step = fc.record({
      take: fc.boolean(),
      id: fc.constantFrom("a", "b", "c", "d", "e"),
      life: fc.integer({ min: 1, max: 50 }),
      gap: fc.nat(20),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (concurrent, steps) => {
        let leases: readonly Lease[] = [];
        let now = 0;
        for (const { take, id, life, gap } of steps) {
          now += gap;
          if (take) {
            const taken = takeLease(leases, { id, expiresAt: now + life }, { concurrent }, now);
            if (taken.ok) leases = taken.value;
            else expect(liveLeases(leases, now)).toHaveLength(concurrent);
          } else leases = dropLease(leases, id, now);
          const live = liveLeases(leases, now);
          expect(live.length).toBeLessThanOrEqual(concurrent);
          expect(new Set(live.map((each) => each.id)).size).toBe(live.length);
        }
      }),
    );
  });
});

describe("entering", () => {
  const limits = { requestsPerMinute: 2, concurrent: 1 };
  const enterAs = (id: string, state = emptyKeyState, now = 0): ReturnType<typeof enter> =>
    enter(state, { id, expiresAt: now + 1000 }, limits, now);

  test("a full house costs no credit, and an empty bucket takes no lease", () => {
    const first = enterAs("a");
    const second = enterAs("b", first.state);
    expect(second.refusal).toEqual({ limit: "concurrent", retryAfterMs: 1000 });
    expect(second.state.bucket).toEqual(first.state.bucket);
    const third = enterAs("c", { ...first.state, leases: [] });
    const fourth = enterAs("d", { ...third.state, leases: [] });
    expect(fourth.refusal).toEqual({ limit: "requestsPerMinute", retryAfterMs: 30_000 });
    expect(fourth.state.leases).toEqual([]);
  });

  test("entering again with a lease that is held costs nothing", () => {
    const first = enterAs("a");
    const again = enterAs("a", first.state, 500);
    expect(again.refusal).toBeNull();
    expect(again.state).toEqual({ ...first.state, leases: [{ id: "a", expiresAt: 1500 }] });
  });

  test("there is room for exactly what would be admitted next", () => {
    const step = fc.record({ later: fc.nat(40_000), lasting: fc.nat(60_000) });
    const bounds = fc.record({ requestsPerMinute: fc.integer({ min: 1, max: 5 }), concurrent: fc.integer({ min: 1, max: 4 }) });
    const share = fc.record({ requests: fc.nat(3), slots: fc.nat(3), until: fc.nat(100_000) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), bounds, fc.array(share, { maxLength: 2 }), (steps, limits, given) => {
        const shares = given.map((each, at) => ({ ...each, id: `share-${at}`, rate: limits.requestsPerMinute, endsAt: each.until }));
        let [state, now] = [{ ...emptyKeyState, shares }, 0];
        for (const [at, { later, lasting }] of steps.entries()) {
          now += later;
          const expected = hasRoom(state, limits, now);
          const { state: next, refusal } = enter(state, { id: `run-${at}`, expiresAt: now + lasting }, limits, now);
          expect(expected).toBe(refusal === null);
          state = { ...next, shares };
        }
      }),
    );
  });
});
