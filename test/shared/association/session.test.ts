import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ReservationRequest,
  type SessionFacts,
  type Reservation,
  associate,
  isLive,
  originatingLapsesMs,
} from "../../../shared/association/session.ts";

const now = 1_700_000_000_000;
const asked: ReservationRequest = { digest: "digest", run: "run-new", leaseMs: 30_000, durable: false, alone: false, roundsLimit: 3 };
const nothing: SessionFacts = { sessionEnded: false, originating: null, reservation: null };
const open = { state: "open", lastAt: now - 1000, rounds: 1 } as const;
const reservation: Reservation = { digest: "digest", run: "run-old", state: "fast", leaseUntil: now + 1, ended: false };

describe("which requests are live", () => {
  test("the first request that names an originating request opens it", () => {
    expect(associate(nothing, asked, now)).toEqual({
      kind: "fresh",
      rounds: 1,
      reservation: { digest: "digest", run: "run-new", state: "fast", leaseUntil: now + 30_000, ended: false },
    });
  });

  test("a request that becomes a run is reserved for its object", () => {
    expect(associate(nothing, { ...asked, durable: true }, now)).toMatchObject({ reservation: { state: "durable" } });
  });

  test("an originating request that ended is never opened again, whatever is asked for it", () => {
    for (const reserved of [null, reservation, { ...reservation, state: "settled" as const }])
      expect(associate({ ...nothing, originating: { ...open, state: "ended" }, reservation: reserved }, asked, now)).toEqual({
        kind: "ended",
        what: "originatingRequest",
      });
  });

  test("a session that ended stays ended, for every originating request", () => {
    for (const known of [nothing, { ...nothing, originating: open, reservation }])
      expect(associate({ ...known, sessionEnded: true }, asked, now)).toEqual({ kind: "ended", what: "session" });
  });

  test.each([
    [originatingLapsesMs - 1, true],
    [originatingLapsesMs, false],
  ])("an originating request that was idle for %i ms is live: %s", (idle, live) => {
    const originating = { ...open, lastAt: now - idle };
    expect(isLive(originating, now)).toBe(live);
    expect(associate({ ...nothing, originating }, asked, now).kind).toBe(live ? "fresh" : "ended");
  });
});

describe("rounds", () => {
  test("as many as the limit are served, the next one is not", () => {
    expect(associate({ ...nothing, originating: { ...open, rounds: 2 } }, asked, now)).toMatchObject({ kind: "fresh", rounds: 3 });
    expect(associate({ ...nothing, originating: { ...open, rounds: 3 } }, asked, now)).toEqual({ kind: "tooManyRounds", limit: 3 });
  });

  test("a repeat is no round and is served at the limit", () => {
    expect(associate({ ...nothing, originating: { ...open, rounds: 3 }, reservation }, asked, now).kind).toBe("repeat");
  });
});

describe("repeats", () => {
  const known = (over: Partial<Reservation>): SessionFacts => ({ ...nothing, originating: open, reservation: { ...reservation, ...over } });

  test("the same id with other params is a conflict, however the first one ended", () => {
    for (const state of ["fast", "durable", "settled"] as const)
      for (const leaseUntil of [now - 1, now + 1])
        expect(associate(known({ state, leaseUntil }), { ...asked, digest: "other" }, now)).toEqual({ kind: "conflict" });
  });

  test("the same request is the first one's repeat, and names the first one's run", () => {
    for (const state of ["fast", "durable", "settled"] as const)
      expect(associate(known({ state }), asked, now)).toMatchObject({ kind: "repeat", reservation: { run: "run-old", state } });
  });

  test.each([
    [now + 1, "repeat"],
    [now, "takenOver"],
    [now - 1, "takenOver"],
  ])("a fast-path holder whose lease ends at %i is, at 1700000000000: %s", (leaseUntil, kind) => {
    expect(associate(known({ leaseUntil }), asked, now)).toMatchObject({ kind });
  });

  test("whoever takes over has a run and a lease of their own, and it is no further round", () => {
    expect(associate(known({ leaseUntil: now }), asked, now)).toEqual({
      kind: "takenOver",
      rounds: 1,
      reservation: { digest: "digest", run: "run-new", state: "fast", leaseUntil: now + 30_000, ended: false },
    });
  });

  test("a run and a settled answer are never taken over, however long ago", () => {
    for (const state of ["durable", "settled"] as const) expect(associate(known({ state, leaseUntil: 0 }), asked, now).kind).toBe("repeat");
  });
});

test("of any number of the same requests at any times, one is fresh, and a holder is replaced only after its lease", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 30 }), (waits) => {
      let known = nothing;
      let at = now;
      let fresh = 0;
      for (const [index, wait] of waits.entries()) {
        at += wait;
        const verdict = associate(known, { ...asked, run: `run-${index}` }, at);
        if (verdict.kind === "fresh") fresh += 1;
        if (verdict.kind === "takenOver") expect(at).toBeGreaterThanOrEqual(known.reservation?.leaseUntil ?? Number.POSITIVE_INFINITY);
        if (verdict.kind === "fresh" || verdict.kind === "takenOver")
          known = {
            sessionEnded: false,
            originating: { state: "open", lastAt: at, rounds: verdict.rounds },
            reservation: verdict.reservation,
          };
      }
      expect(fresh).toBe(1);
      expect(known.originating?.rounds).toBe(1);
    }),
  );
});
