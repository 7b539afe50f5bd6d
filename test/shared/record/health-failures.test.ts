// Which ends are failures of a gateway's health, and how they are counted together.

import { describe, expect, test } from "vitest";
import type { Cause, FailedAttempt } from "../../../shared/record/cause.ts";
import { byWhatFailed, isHealthFailure } from "../../../shared/record/health-failures.ts";

const failed = (last: Partial<FailedAttempt> = {}): Cause => ({
  kind: "failed",
  tried: 1,
  last: { provider: "acme", model: "first", kind: "connection", ...last },
});

describe("a failure of health", () => {
  test.each<[string, boolean, Cause]>([
    ["a provider that is down", true, failed()],
    ["a budget that could not be read", true, failed({ kind: "overBudget", detail: "unverified" })],
    ["a caller who stopped waiting", false, failed({ detail: "cancelled" })],
    ["a budget that is used up", false, failed({ kind: "overBudget" })],
    ["an operator's stop", false, failed({ kind: "stopped" })],
    ["no attempt at all", true, { kind: "failed", tried: 0, last: null }],
  ])("%s: %s", (_, is, cause) => expect(isHealthFailure({ state: "failed", cause })).toBe(is));

  test("is none where people, time, the caller or the policy ended it", () => {
    for (const state of ["completed", "rejected", "expired", "cancelled", "refused"] as const)
      expect([state, isHealthFailure({ state, cause: null })]).toEqual([state, false]);
    expect(isHealthFailure({ state: "undeliverable", cause: { kind: "undeliverable", gate: "request" } })).toBe(true);
  });
});

test("failures are counted by model, with the last cause and the servers with the most", () => {
  const late = failed({ kind: "timeout" });
  expect(
    byWhatFailed([
      { server: "calendar", cause: failed(), requests: 1, lastAt: 10 },
      { server: "notes", cause: late, requests: 4, lastAt: 30 },
      { server: null, cause: failed({ model: "second" }), requests: 9, lastAt: 20 },
    ]),
  ).toEqual([
    { provider: "acme", model: "second", requests: 9, servers: [], cause: failed({ model: "second" }), lastAt: 20 },
    { provider: "acme", model: "first", requests: 5, servers: ["notes", "calendar"], cause: late, lastAt: 30 },
  ]);
});
