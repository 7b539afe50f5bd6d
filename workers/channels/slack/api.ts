// One call of Slack's Web API, bounded in time. It never retries, and nothing of the call or its answer is in an error or a log.

import { retryAfterMs } from "../../../shared/provider/provider-error.ts";
import { exchangeTimeoutMs, longestWaitMs } from "../channel-exchange.ts";
import type { SlackApp } from "./slack-settings.ts";

export type SlackMethod = "auth.test" | "chat.postEphemeral" | "chat.postMessage" | "chat.update" | "views.open";

export type SlackAnswer =
  | { readonly kind: "ok"; readonly body: Readonly<Record<string, unknown>> }
  /** Slack's error code. */
  | { readonly kind: "error"; readonly error: string }
  | { readonly kind: "rateLimited"; readonly afterMs?: number }
  /** No answer in time, or one that is not Slack's: whether the call had an effect is not known. */
  | { readonly kind: "unavailable" };

/** Calls `method` once. The client's own retries would wait within a request; the outbox retries instead. */
export async function callSlack(
  app: Pick<SlackApp, "token" | "apiUrl">,
  method: SlackMethod,
  params: Readonly<Record<string, unknown>>,
  timeoutMs = exchangeTimeoutMs,
): Promise<SlackAnswer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<SlackAnswer>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "unavailable" }), timeoutMs);
  });
  try {
    // The client takes no signal: a call that is late goes on, and its result is dropped.
    return await Promise.race([answerOf(app, method, params), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function answerOf(
  { token, apiUrl }: Pick<SlackApp, "token" | "apiUrl">,
  method: SlackMethod,
  params: Readonly<Record<string, unknown>>,
): Promise<SlackAnswer> {
  // Loaded here, so that an isolate does not run it when it starts.
  const { SlackAPIClient, SlackAPIConnectionError } = await import("slack-web-api-client");
  const client = new SlackAPIClient(token, { baseUrl: apiUrl, retryHandlers: [], throwSlackAPIError: false, logLevel: "ERROR" });
  try {
    const { ok, error, ...body } = await client.call(method, { ...params });
    if (ok) return { kind: "ok", body };
    if (error === "ratelimited" || error === "rate_limited") return { kind: "rateLimited" };
    return typeof error === "string" ? { kind: "error", error } : { kind: "unavailable" };
  } catch (error) {
    if (!(error instanceof SlackAPIConnectionError) || error.status !== 429) return { kind: "unavailable" };
    const afterMs = retryAfterMs({ retryAfterMs: null, retryAfter: error.headers?.get("Retry-After") ?? null }, Date.now());
    return { kind: "rateLimited", ...(afterMs === undefined ? {} : { afterMs: Math.min(afterMs, longestWaitMs) }) };
  }
}
