// Every refusal and every ending in the shape of OpenAI's errors.

import { describe, expect, test } from "vitest";
import type { Completed, Outcome, Refusal } from "../../../../shared/model/outcome.ts";
import { outcomeError, refusalError } from "../../../../shared/wire/openai/openai-error.ts";

type Row = readonly [status: number, type: string, code: string, mayRetry: boolean];
const invalid = "invalid_request_error";
const denied = "permission_error";

const refusals: { readonly [kind in Refusal["kind"]]: readonly [Extract<Refusal, { kind: kind }>, Row] } = {
  notJson: [{ kind: "notJson" }, [400, invalid, "invalid_value", false]],
  notSingleRequest: [{ kind: "notSingleRequest", why: "w" }, [400, invalid, "idempotency_conflict", false]],
  unauthorized: [{ kind: "unauthorized", why: "unknown" }, [401, invalid, "invalid_api_key", false]],
  wrongScope: [{ kind: "wrongScope", scope: "v1" }, [403, denied, "wrong_scope", false]],
  issuerUnavailable: [{ kind: "issuerUnavailable" }, [503, "server_error", "unavailable", true]],
  configurationUnavailable: [{ kind: "configurationUnavailable" }, [503, "server_error", "unavailable", true]],
  tooLarge: [{ kind: "tooLarge", limitBytes: 9 }, [413, invalid, "invalid_value", false]],
  notJsonType: [{ kind: "notJsonType" }, [415, invalid, "invalid_value", false]],
  unknownMethod: [{ kind: "unknownMethod", method: "m" }, [400, invalid, "invalid_value", false]],
  invalidParams: [{ kind: "invalidParams", errors: [{ pointer: "/n", message: "must be 1" }] }, [400, invalid, "invalid_value", false]],
  toolResultMissing: [{ kind: "toolResultMissing", pointer: "/messages/0" }, [400, invalid, "invalid_value", false]],
  toolResultsMixed: [{ kind: "toolResultsMixed", pointer: "/messages/0" }, [400, invalid, "invalid_value", false]],
  notAssociated: [{ kind: "notAssociated", why: "originatingRequestEnded" }, [400, invalid, "invalid_value", false]],
  sameIdOtherParams: [{ kind: "sameIdOtherParams" }, [409, invalid, "idempotency_conflict", false]],
  rateLimited: [
    { kind: "rateLimited", limit: "requestsPerMinute", max: 1, retryAfterMs: 500 },
    [429, "rate_limit_error", "rate_limit_exceeded", true],
  ],
  // A later request of the same client request is refused too.
  tooManyRounds: [{ kind: "tooManyRounds", max: 1 }, [429, "rate_limit_error", "rate_limit_exceeded", false]],
  flooded: [{ kind: "flooded" }, [429, "rate_limit_error", "rate_limit_exceeded", true]],
  budgetUsedUp: [{ kind: "budgetUsedUp", budget: "b", resetsAt: 0 }, [402, "insufficient_quota", "insufficient_quota", false]],
  stopped: [{ kind: "stopped", scope: "everything" }, [403, denied, "policy_refused", false]],
  policyRefused: [{ kind: "policyRefused", rule: "r" }, [403, denied, "policy_refused", false]],
  ownerUnknown: [{ kind: "ownerUnknown", rule: "r" }, [403, denied, "policy_refused", false]],
  noModel: [{ kind: "noModel", reasons: [], named: true }, [404, invalid, "model_not_found", false]],
  functionUnavailable: [{ kind: "functionUnavailable", function: "f", why: "broken" }, [502, "server_error", "all_models_failed", false]],
  unknownTask: [{ kind: "unknownTask" }, [400, invalid, "invalid_value", false]],
  noLongerKept: [{ kind: "noLongerKept" }, [409, invalid, "idempotency_conflict", false]],
  taskEnded: [{ kind: "taskEnded", status: "failed" }, [400, invalid, "invalid_value", false]],
  broken: [{ kind: "broken", quote: "q" }, [500, "server_error", "internal_error", false]],
};

const attempt = (kind: "rateLimited" | "queueFull") => ({
  model: "m",
  provider: "p",
  at: 0,
  durationMs: 1,
  fault: { kind, then: "next" } as const,
});

type Ended = Exclude<Outcome, Completed>;
const endings: { readonly [what: string]: readonly [Ended, Row] } = {
  refused: [{ kind: "refused", refusal: { kind: "policyRefused", rule: "r" } }, [403, denied, "policy_refused", false]],
  rejected: [{ kind: "rejected", gate: "request", reason: "Too long." }, [403, denied, "review_denied", false]],
  undeliverable: [{ kind: "undeliverable", gate: "request" }, [403, denied, "no_reviewer_reached", false]],
  expired: [{ kind: "expired", gate: "response" }, [403, denied, "review_expired", false]],
  cancelled: [{ kind: "cancelled" }, [409, invalid, "cancelled", false]],
  failed: [{ kind: "failed", attempts: [attempt("rateLimited")] }, [502, "server_error", "all_models_failed", false]],
  "failed before it was asked": [
    { kind: "failed", attempts: [attempt("queueFull")] },
    [429, "rate_limit_error", "rate_limit_exceeded", true],
  ],
  broken: [{ kind: "broken", quote: "q" }, [500, "server_error", "internal_error", false]],
};

/** The members that OpenAI's SDKs make their errors of. */
const shape = { error: { message: expect.any(String) as string, type: expect.any(String) as string, code: expect.any(String) as string } };

test.each(Object.entries(refusals))("refusal: %s", (_kind, [refusal, [status, type, code, mayRetry]]) => {
  const error = refusalError(refusal);
  expect(error).toMatchObject({ status, mayRetry, body: shape });
  expect(error.body).toMatchObject({ error: { type, code } });
  expect(error.body["error"]).toHaveProperty("param");
});

test.each(Object.entries(endings))("ending: %s", (_kind, [outcome, [status, type, code, mayRetry]]) => {
  const error = outcomeError(outcome);
  expect(error).toMatchObject({ status, mayRetry, body: shape });
  expect(error.body).toMatchObject({ error: { type, code, param: null } });
});

test("what may be sent again says when", () => {
  for (const [refusal] of Object.values(refusals)) {
    const { mayRetry, retryAfterMs } = refusalError(refusal);
    expect([refusal.kind, mayRetry]).toEqual([refusal.kind, retryAfterMs !== undefined]);
  }
});

test("a reviewer's reason is told, and nothing of a reply", () => {
  expect(outcomeError({ kind: "rejected", gate: "response", reason: "Too long." }).body).toMatchObject({
    error: { message: "User rejected sampling request", details: { outcome: "rejected", reason: "Too long." } },
  });
});

describe("param", () => {
  const paramOf = (pointer: string): unknown =>
    refusalError({ kind: "invalidParams", errors: [{ pointer, message: "is wrong" }] }).body["error"];

  test.each([
    ["/n", "n"],
    ["/messages/0/content", "messages[0].content"],
    ["/messages/12/tool_calls/3/function/arguments", "messages[12].tool_calls[3].function.arguments"],
    ["/metadata/mcp.hints", "metadata.mcp.hints"],
    ["/metadata/a~1b~0c", "metadata.a/b~c"],
    ["/stop/1", "stop[1]"],
  ])("%s is %s, in the message too", (pointer, param) => {
    expect(paramOf(pointer)).toMatchObject({ param, message: `Invalid params: ${param} is wrong` });
  });

  test("is null for the whole body", () => {
    expect(paramOf("")).toMatchObject({ param: null, message: "Invalid params: the body is wrong" });
  });

  test("is the first place of several; all are in the details, as JSON pointers", () => {
    const errors = ["/a/0", "/b"].map((pointer) => ({ pointer, message: "is wrong" }));
    expect(refusalError({ kind: "invalidParams", errors }).body).toMatchObject({ error: { param: "a[0]", details: { errors } } });
  });

  test("is the place of a call without a result", () => {
    expect(refusalError({ kind: "toolResultMissing", pointer: "/messages/1/tool_calls/0" }).body).toMatchObject({
      error: { param: "messages[1].tool_calls[0]", message: "Tool result missing in request: messages[1].tool_calls[0]" },
    });
  });
});

test("a message names no member that its own form of the error does not have", () => {
  const errors = [
    ...Object.values(refusals).map(([refusal]) => refusalError(refusal)),
    ...Object.values(endings).map(([ending]) => outcomeError(ending)),
  ];
  const named = errors.flatMap(({ body }) => {
    const { message, details = {} } = body["error"] as { readonly message: string; readonly details?: object };
    const members = [...message.matchAll(/\b(\w+) (?:lists|says|names) /g)].map(([, member]) => member);
    return members.filter((member) => member !== "table").map((member) => [member, Object.keys(details)] as const);
  });
  expect(named.map(([member]) => member)).toContain("attempts");
  for (const [member, has] of named) expect(has).toContain(member);
});
