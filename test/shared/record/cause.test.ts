import { describe, expect, test } from "vitest";
import { type Cause, causeSentence, explainCause } from "../../../shared/record/cause.ts";
import { causesEn } from "../../../shared/record/causes-en.ts";
import { causesZh } from "../../../shared/record/causes-zh.ts";
import { failedCause } from "../../../shared/record/failed-models.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { refusalFact } from "../../../shared/record/refusal-fact.ts";
import type { Attempt, ProviderError } from "../../../shared/model/call.ts";

const secret = "what was asked";

/** One refusal of each kind; whatever a requestor may have put there is `secret`. */
const refusals: { readonly [K in Refusal["kind"]]: Extract<Refusal, { kind: K }> } = {
  notJson: { kind: "notJson" },
  notSingleRequest: { kind: "notSingleRequest", why: secret },
  unauthorized: { kind: "unauthorized", why: "revoked" },
  wrongScope: { kind: "wrongScope", scope: "sampling" },
  issuerUnavailable: { kind: "issuerUnavailable" },
  configurationUnavailable: { kind: "configurationUnavailable" },
  tooLarge: { kind: "tooLarge", limitBytes: 1024 },
  notJsonType: { kind: "notJsonType" },
  unknownMethod: { kind: "unknownMethod", method: secret },
  invalidParams: { kind: "invalidParams", errors: [{ pointer: `/${secret}`, message: secret }] },
  toolResultMissing: { kind: "toolResultMissing", pointer: `/${secret}` },
  toolResultsMixed: { kind: "toolResultsMixed", pointer: `/${secret}` },
  notAssociated: { kind: "notAssociated", why: "originatingRequestEnded" },
  sameIdOtherParams: { kind: "sameIdOtherParams" },
  rateLimited: { kind: "rateLimited", limit: "concurrent", max: 20, retryAfterMs: 1 },
  tooManyRounds: { kind: "tooManyRounds", max: 25 },
  flooded: { kind: "flooded" },
  budgetUsedUp: { kind: "budgetUsedUp", budget: "all", resetsAt: 1_790_000_000_000 },
  stopped: { kind: "stopped", scope: "server" },
  policyRefused: { kind: "policyRefused", rule: "no media" },
  ownerUnknown: { kind: "ownerUnknown", rule: "default" },
  noModel: { kind: "noModel", reasons: Array.from({ length: 30 }, (_, n) => ({ model: `m${n}`, why: { key: "disabled" } as const })) },
  functionUnavailable: { kind: "functionUnavailable", function: "notes/add", why: "noSuchTool" },
  unknownTask: { kind: "unknownTask" },
  noLongerKept: { kind: "noLongerKept" },
  taskEnded: { kind: "taskEnded", status: "completed" },
  broken: { kind: "broken", quote: "q-1" },
};

const fault = (kind: ProviderError["kind"], more: Partial<ProviderError> = {}): Attempt => ({
  model: "first",
  provider: "scripted",
  at: 0,
  durationMs: 1,
  fault: { kind, then: "stop", ...more },
});

const failures = (
  [
    "connection",
    "timeout",
    "rateLimited",
    "overloaded",
    "refusedCredential",
    "badRequest",
    "providerError",
    "brokenAnswer",
    "noCredential",
    "queueFull",
    "queueTimeout",
  ] as const
).flatMap((kind) => [failedCause([fault(kind)]), failedCause([fault(kind, { status: 500 }), fault(kind, { status: 503 })])]);

const causes: readonly Cause[] = [
  ...Object.values(refusals).map((refusal): Cause => ({ kind: "refused", reason: refusalFact(refusal) })),
  ...failures,
  failedCause([]),
  failedCause([fault("timeout", { detail: "outOfTime" })]),
  { kind: "refusedMany", reason: "rateLimited", count: 4812 },
  { kind: "rejected", gate: "request", by: "Ada" },
  { kind: "rejected", gate: "response", by: "Ada" },
  { kind: "expired", gate: "response" },
  { kind: "undeliverable", gate: "request" },
  ...(["caller", "originatingRequest", "session", "admin", "stopped", "keyRevoked", "keyExpired"] as const).map((cause): Cause => ({
    kind: "cancelled",
    cause,
  })),
  ...(["noSession", "noOriginatingRequest", "sessionEnded", "unknownTask", "nothingShown", "noneInFlight", "severalInFlight"] as const).map(
    (why): Cause => ({ kind: "refused", reason: { kind: "notAssociated", why } }),
  ),
  ...(["requestsPerMinute", "heldStreams", "sessions", "callsPerMinute"] as const).map((limit): Cause => ({
    kind: "refused",
    reason: { kind: "rateLimited", limit, max: 7, retryAfterMs: 1 },
  })),
  ...(["taskOnly", "unreachable", "noCredential", "broken", "uncheckableSchema", "noToolsWorker"] as const).map((why): Cause => ({
    kind: "refused",
    reason: { kind: "functionUnavailable", function: "notes/add", why },
  })),
  ...(["missing", "expired", "tokenInvalid", "tokenTooEarly", "tokenIssuer", "tokenSubject", "scopedTokenExpired"] as const).map(
    (why): Cause => ({ kind: "refused", reason: { kind: "unauthorized", why } }),
  ),
  failedCause([fault("connection", { detail: "outcomeUnknown" })]),
  failedCause([fault("stopped", { detail: "unverified" }), fault("overBudget", { detail: "unverified" })]),
  { kind: "contentUnreadable" },
  { kind: "outcomeUnknown" },
  { kind: "broken", quote: "q-1" },
];

describe("why there is no reply", () => {
  test.each(causes.map((cause) => [JSON.stringify(cause), cause] as const))("is one sentence: %s", (_, cause) => {
    // A file name or a number may have a full stop in it; a second sentence would have a space
    // after it.
    expect(causeSentence(cause)).toMatch(/^[A-Z"](?:(?!\. ).)*\.$/s);
    expect(causeSentence(cause)).not.toMatch(/undefined|null|\[object/);
  });

  test("has what happened and what to do, in both languages, for every cause", () => {
    for (const words of [causesEn, causesZh])
      for (const cause of causes) {
        const explained = explainCause(cause, words);
        expect(explained.length).toBeGreaterThanOrEqual(2);
        for (const part of explained) {
          expect(part).toMatch(/^[^.。]/);
          expect(part).not.toMatch(/[.。;；]$|undefined|null|\[object/);
        }
        expect(new Set(explained).size).toBe(explained.length);
      }
    const chinese = causes.map((cause) => explainCause(cause, causesZh).join());
    for (const text of chinese) expect(text).toMatch(/\p{Script=Han}/u);
  });

  test("names the same paths, variables and settings in both languages", () => {
    const named = (text: string): string[] => (text.match(/\/[a-z]+\/[a-z]+|[A-Z]+_[A-Z_]+|limits\.\w+/g) ?? []).toSorted();
    for (const cause of causes) expect(named(explainCause(cause, causesZh).join())).toEqual(named(explainCause(cause, causesEn).join()));
  });

  test("names the model, its provider, what happened and what to do", () => {
    expect(causeSentence(failedCause([fault("refusedCredential", { status: 401 })]))).toBe(
      'Model "first" of provider "scripted" refused the credential (status 401); set the provider\'s secret again, and check that it may use this model.',
    );
    expect(causeSentence({ kind: "refused", reason: refusalFact(refusals.noModel) })).toContain('"m0": it is disabled, and 29 more');
  });
});

describe("what is kept of a refusal", () => {
  test("is nothing that the requestor wrote, and never long", () => {
    const kept = JSON.stringify(Object.values(refusals).map(refusalFact));
    expect(kept).not.toContain(secret);
    for (const refusal of Object.values(refusals)) expect(JSON.stringify(refusalFact(refusal)).length).toBeLessThan(500);
  });

  test("has its kind, and our own evidence", () => {
    for (const [kind, refusal] of Object.entries(refusals)) expect(refusalFact(refusal).kind).toBe(kind);
    expect(refusalFact(refusals.policyRefused)).toEqual(refusals.policyRefused);
    expect(refusalFact(refusals.invalidParams)).toEqual({ kind: "invalidParams", errors: 1 });
    expect(refusalFact({ kind: "unknownMethod", method: "tools/call" })).toEqual({ kind: "unknownMethod", method: "tools/call" });
  });
});
