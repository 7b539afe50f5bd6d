// What an isolate holds of its keys' limits, without the objects.

import { describe, expect, test } from "vitest";
import { KeyShares } from "../../../workers/pipeline/admit/key-shares.ts";
import type { AdmitAnswer } from "../../../workers/stubs/key-calls.ts";

const now = 1_790_000_000_000;
const admitted: AdmitAnswer = { kind: "admitted", identical: null, passes: [], share: null, sessionPermitUntil: null, hasRoom: true };
const withShare: AdmitAnswer = { ...admitted, share: { share: { id: "share", requests: 3, slots: 2 }, indexed: ["known"] } };

function holding(): KeyShares {
  const shares = new KeyShares();
  shares.asking("key", now, true).answered(withShare);
  return shares;
}

describe("another object may be asked before a request is admitted", () => {
  test("once after each request that the KeyObject admitted, and for each of a share", () => {
    const shares = new KeyShares();
    expect(shares.mayLook("key")).toBe(false);
    shares.asking("key", now, true).answered(admitted);
    expect([1, 2].map(() => shares.mayLook("key"))).toEqual([true, false]);
    const held = holding();
    expect([1, 2, 3, 4].map(() => held.mayLook("key"))).toEqual([true, true, true, false]);
  });

  test("not after the last request that the key has room for", () => {
    const shares = new KeyShares();
    shares.asking("key", now, true).answered({ ...admitted, hasRoom: false });
    expect(shares.mayLook("key")).toBe(false);
  });

  test("never after a refusal", () => {
    const shares = holding();
    shares.asking("key", now, true).answered({ kind: "refused", limit: "concurrent", max: 1, retryAfterMs: 1, mayLook: true });
    expect(shares.mayLook("key")).toBe(false);
  });
});

test("a share is asked for by one call at a time, and only for a key that was asked for within a second", () => {
  const shares = new KeyShares();
  const asked = [0, 999, 999].map((later) => shares.asking("key", now + later, true));
  expect(asked.map(({ isWanted }) => isWanted)).toEqual([false, true, false]);
  asked[1]?.over();
  expect(shares.asking("key", now + 1_500, true).isWanted).toBe(true);
  expect(shares.asking("key", now + 1_500, false).isWanted).toBe(false);
});

test("a request that a run may answer is not admitted from a share", () => {
  const shares = holding();
  expect(shares.admit("key", "run", () => "known", now)).toBe(false);
  shares.index("key", "begun here");
  expect(shares.admit("key", "run", () => "begun here", now)).toBe(false);
  expect(shares.admit("key", "run", () => "new", now)).toBe(true);
});

test("a request that ends while the report of its share is on its way is released after it, and once", () => {
  const shares = holding();
  for (const run of ["ends", "goes on"]) shares.admit("key", run, () => run, now);
  expect(shares.end("key", now + 100, now - 1)).toEqual([]);
  const reports = shares.end("key", now + 2_000, now - 1);
  expect(reports).toEqual([{ id: "share", used: 2, running: ["ends", "goes on"] }]);
  expect(shares.admit("key", "late", () => "late", now)).toBe(false);
  expect(shares.release("key", "ends")).toBe(true);
  expect(shares.reported(reports)).toEqual(["ends"]);
  expect(shares.release("key", "goes on")).toBe(false);
});
