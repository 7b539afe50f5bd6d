// What a provider's failure means for what we do next. Reads status and headers only, never a provider's free text.

import { unreachable } from "../result.ts";
import type { Attempt, ProviderError, Usage } from "../model/call.ts";

/**
 * How long a provider asks us to wait, in milliseconds, or undefined where it does not say it understandably.
 * `retryAfterMs` is the header `retry-after-ms` (providers' own), `retryAfter` is `Retry-After`: seconds or an HTTP date
 * (RFC 9110 section 10.2.3). A moment that has passed is 0.
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
 * The fault behind an HTTP status outside 200-299. Only 408, 409, 429 and 5xx may be asked again (design: Providers).
 * Every other status stops: it says that our request or our credential is wrong, which asking somebody else would hide.
 */
export function errorOfStatus(status: number, wait?: number): ProviderError {
  const told = wait === undefined ? {} : { retryAfterMs: wait };
  if (status === 408) return { kind: "timeout", status, ...told, then: "retry" };
  if (status === 409) return { kind: "providerError", status, ...told, then: "retry" };
  if (status === 429) return { kind: "rateLimited", status, ...told, then: "retry" };
  if (status === 503 || status === 529) return { kind: "overloaded", status, ...told, then: "retry" };
  if (status >= 500) return { kind: "providerError", status, ...told, then: "retry" };
  if (status === 401 || status === 403) return { kind: "refusedCredential", status, then: "stop" };
  if (status >= 400) return { kind: "badRequest", status, then: "stop" };
  // A redirect is never followed: it could carry the credential to another host.
  return { kind: "providerError", status, then: "stop", ...(status >= 300 ? { detail: "redirected" as const } : {}) };
}

/**
 * An answer with status 200 that is no answer. It is not asked for again from the same provider, which may have been paid;
 * the next candidate may be asked, and the attempt is in the record.
 */
export const brokenAnswer = (detail?: NonNullable<ProviderError["detail"]>, usage?: Usage): ProviderError => ({
  kind: "brokenAnswer",
  status: 200,
  then: "next",
  ...(detail === undefined ? {} : { detail }),
  ...(usage === undefined ? {} : { usage }),
});

/** Nobody answered: the connection failed before there was a response. */
export const connectionError: ProviderError = { kind: "connection", then: "retry" };

/** The provider said nothing for too long. Asking the same silent server again would only spend the caller's time. */
export const timeoutError: ProviderError = { kind: "timeout", then: "next" };

/** The time for all attempts was over before this candidate was asked. */
export const outOfTimeError: ProviderError = { kind: "timeout", then: "stop", detail: "outOfTime" };

/** The caller no longer wants an answer. */
export const cancelledError: ProviderError = { kind: "connection", then: "stop", detail: "cancelled" };

/** No place in the model's lane: its queue is full, or no turn came in time. Another model may have room. */
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

/** Nobody was asked and nothing was paid: no model had a place, in the time that there was or before the caller left. */
export const isUnasked = (attempts: readonly Attempt[]): boolean =>
  attempts.some(isLane) && attempts.every((attempt) => isLane(attempt) || attempt.fault.detail === "outOfTime");

const isLane = ({ fault: { kind } }: Attempt): boolean => kind === "queueFull" || kind === "queueTimeout";

/** This provider cannot be called with this environment, which routing should have found out. */
export const notReadyError: ProviderError = { kind: "noCredential", then: "next", detail: "notReady" };

/** The call was cut off after it may have taken effect: it is not made again. */
export const outcomeUnknownError: ProviderError = { kind: "connection", then: "stop", detail: "outcomeUnknown" };

/** This call cannot be put in this provider's words; another candidate's API may be able to take it. */
export const badCallError: ProviderError = { kind: "badRequest", then: "next" };
