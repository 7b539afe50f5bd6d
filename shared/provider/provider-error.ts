// What a provider's failure means for what we do next. Reads status and headers only, never a
// provider's free text.

import { unreachable } from "../result.ts";
import type { AnswerFault, Attempt, ProviderError, StopScope, Usage } from "../model/call.ts";
import type { Refusal } from "../model/outcome.ts";

/**
 * How long a provider asks us to wait, in milliseconds; undefined where it gives no valid time.
 * `retryAfterMs` is the header `retry-after-ms` (providers' own), `retryAfter` is `Retry-After`:
 * seconds or an HTTP date (RFC 9110 section 10.2.3). A moment that has passed is 0.
 */
export function retryAfterMs(
  headers: { readonly retryAfterMs: string | null; readonly retryAfter: string | null },
  now: number,
): number | undefined {
  const milliseconds = decimal(headers.retryAfterMs);
  if (milliseconds !== undefined) return Math.ceil(milliseconds);
  const seconds = decimal(headers.retryAfter);
  if (seconds !== undefined) return Math.ceil(seconds * 1000);
  if (headers.retryAfter === null || !/[A-Za-z]/.test(headers.retryAfter)) return undefined;
  const date = Date.parse(headers.retryAfter);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function decimal(text: string | null): number | undefined {
  if (text === null || !/^\s*\d{1,12}(\.\d{1,6})?\s*$/.test(text)) return undefined;
  return Number(text);
}

/**
 * The error for an HTTP status outside 200-299. Only 408, 409, 429 and 5xx are retried (design:
 * Providers). Every other status stops: our request or our credential is wrong, which asking
 * another candidate would hide.
 */
export function errorOfStatus(status: number, wait?: number): ProviderError {
  const retryAfter = wait === undefined ? {} : { retryAfterMs: wait };
  if (status === 408) return { kind: "timeout", status, ...retryAfter, then: "retry" };
  if (status === 409) return { kind: "providerError", status, ...retryAfter, then: "retry" };
  if (status === 429) return { kind: "rateLimited", status, ...retryAfter, then: "retry" };
  if (status === 503 || status === 529) return { kind: "overloaded", status, ...retryAfter, then: "retry" };
  if (status >= 500) return { kind: "providerError", status, ...retryAfter, then: "retry" };
  if (status === 401 || status === 403) return { kind: "refusedCredential", status, then: "stop" };
  if (status >= 400) return { kind: "badRequest", status, then: "stop" };
  // A redirect is never followed: it could carry the credential to another host.
  return { kind: "providerError", status, then: "stop", ...(status >= 300 ? { detail: "redirected" as const } : {}) };
}

/**
 * A response with status 200 that is no usable answer. The same provider is not asked again,
 * because it may have been paid; the next candidate may be asked, and the attempt is in the record.
 */
export const brokenAnswer = (detail?: AnswerFault, usage?: Usage): ProviderError => ({
  kind: "brokenAnswer",
  status: 200,
  then: "next",
  ...(detail === undefined ? {} : { detail }),
  ...(usage === undefined ? {} : { usage }),
});

/** The connection failed before there was a response. */
export const connectionError: ProviderError = { kind: "connection", then: "retry" };

/**
 * The provider was silent for too long. A retry at the same server would only spend the caller's
 * time.
 */
export const timeoutError: ProviderError = { kind: "timeout", then: "next" };

/** The time for all attempts was over before this candidate was asked. */
export const outOfTimeError: ProviderError = { kind: "timeout", then: "stop", detail: "outOfTime" };

/** The caller no longer wants an answer. */
export const cancelledError: ProviderError = { kind: "connection", then: "stop", detail: "cancelled" };

/** The model's queue is full, or no slot became free in time. Another model may have one. */
export function queueError(refusal: "full" | "timeout" | "cancelled"): ProviderError {
  switch (refusal) {
    case "full":
      return { kind: "queueFull", then: "next" };
    case "timeout":
      return { kind: "queueTimeout", then: "next" };
    case "cancelled":
      return { kind: "queueTimeout", then: "stop", detail: "cancelled" };
    default:
      return unreachable(refusal);
  }
}

/**
 * What is left of this budget is less than the call may cost. `mayGoOn`: another candidate may fit.
 */
export const overBudgetError = (budget: NonNullable<ProviderError["budget"]>, mayGoOn: boolean): ProviderError => ({
  kind: "overBudget",
  then: mayGoOn ? "next" : "stop",
  budget,
});

/** An operator stopped this. */
export const stoppedError = (stoppedBy: StopScope): ProviderError => ({ kind: "stopped", then: "stop", stoppedBy });

/** It could not be found out whether this may be sent, so it is not. */
export const unverifiedError = (kind: "overBudget" | "stopped"): ProviderError => ({ kind, then: "stop", detail: "unverified" });

/**
 * Whether no model was called, and nothing was paid: none had a slot, in the time that there was or
 * before the caller left; or none may be sent to.
 */
export const isUnasked = (attempts: readonly Attempt[]): boolean =>
  attempts.some(isUnsent) && attempts.every((attempt) => isUnsent(attempt) || attempt.fault.detail === "outOfTime");

type Failed = { readonly fault: Pick<ProviderError, "kind" | "detail"> };

const isUnsent = ({ fault: { kind } }: Failed): boolean =>
  kind === "queueFull" || kind === "queueTimeout" || kind === "overBudget" || kind === "stopped";

/** Whether this attempt's model was asked, as far as is known. */
export const wasSent = (attempt: Failed): boolean =>
  !isUnsent(attempt) && attempt.fault.kind !== "noCredential" && attempt.fault.detail !== "outOfTime";

/**
 * Why nothing was sent, where a budget or an operator is the reason; null where something was, or
 * there is another reason.
 */
export function unsentBecause(attempts: readonly Attempt[]): Extract<Refusal, { kind: "budgetUsedUp" | "stopped" }> | null {
  if (!isUnasked(attempts)) return null;
  for (const { fault } of attempts) {
    if (fault.kind === "stopped" && fault.stoppedBy !== undefined) return { kind: "stopped", scope: fault.stoppedBy };
    if (fault.kind === "overBudget" && fault.budget !== undefined)
      return { kind: "budgetUsedUp", budget: fault.budget.name, resetsAt: fault.budget.resetsAt };
  }
  return null;
}

/** This provider cannot be called with this environment, which routing should have noticed. */
export const notReadyError: ProviderError = { kind: "noCredential", then: "next", detail: "notReady" };

/** The call was cut off after it may have taken effect: it is not made again. */
export const outcomeUnknownError: ProviderError = { kind: "connection", then: "stop", detail: "outcomeUnknown" };

/** This provider's API cannot express this call; another candidate's may. */
export const badCallError: ProviderError = { kind: "badRequest", then: "next" };
