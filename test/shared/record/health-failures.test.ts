// Which ends are failures of a gateway's health, and how they are counted together.

import { describe, expect, test } from "vitest";
import type { Cause } from "../../../shared/record/cause.ts";
import { type ModelFailure, causeOf } from "../../../shared/record/failed-models.ts";
import { byWhatFailed, isHealthFailure } from "../../../shared/record/health-failures.ts";

const failed = (...all: readonly Partial<ModelFailure>[]): Cause => {
  const failures = all.map((each): ModelFailure => ({ provider: "acme", model: "first", kind: "connection", times: 1, ...each }));
  return { kind: "failed", tried: failures.length, reason: causeOf(failures), failures };
};

describe("a failure of health", () => {
  test.each<[string, boolean, Cause]>([
    ["a provider that is down", true, failed({})],
    ["a provider that is down, and a budget for no other", true, failed({}, { model: "second", kind: "overBudget" })],
    ["a budget that could not be read", true, failed({ kind: "overBudget", detail: "unverified" })],
    ["a caller who stopped waiting", false, failed({ detail: "cancelled" })],
    ["a budget that is used up", false, failed({ kind: "overBudget" })],
    ["an operator's stop", false, failed({ kind: "stopped" })],
    ["no attempt at all", true, failed()],
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
      { server: "calendar", cause: failed({}), requests: 1, lastAt: 10 },
      { server: "notes", cause: late, requests: 4, lastAt: 30 },
      { server: null, cause: failed({ model: "second" }), requests: 9, lastAt: 20 },
    ]),
  ).toEqual([
    { provider: "acme", model: "second", requests: 9, servers: [], cause: failed({ model: "second" }), lastAt: 20 },
    { provider: "acme", model: "first", requests: 5, servers: ["notes", "calendar"], cause: late, lastAt: 30 },
  ]);
});
