// One call of Slack's Web API, bounded in time. It never retries, which the outbox does, and
// nothing of the call or its answer is in an error or a log.

import { isObject } from "../../../shared/json/values.ts";
import { exchange, exchangeTimeoutMs } from "../channel-exchange.ts";
import type { SlackApp } from "./slack-settings.ts";

export type SlackMethod = "auth.test" | "chat.postEphemeral" | "chat.postMessage" | "chat.update" | "views.open";

export type SlackAnswer =
  | { readonly kind: "ok"; readonly body: Readonly<Record<string, unknown>> }
  /** Slack's error code. */
  | { readonly kind: "error"; readonly error: string }
  | { readonly kind: "rateLimited"; readonly afterMs?: number }
  /** No answer in time, or one that is not Slack's: whether the call had an effect is not known. */
  | { readonly kind: "unavailable" };

/**
 * Calls `method` once. Source: https://docs.slack.dev/apis/web-api (form parameters, of which
 * objects are JSON).
 */
export async function callSlack(
  { token, apiUrl }: Pick<SlackApp, "token" | "apiUrl">,
  method: SlackMethod,
  params: Readonly<Record<string, unknown>>,
  timeoutMs = exchangeTimeoutMs,
): Promise<SlackAnswer> {
  const answer = await exchange(
    {
      url: `${apiUrl}${method}`,
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/x-www-form-urlencoded" },
      body: formOf(params).toString(),
    },
    { readJson: true, timeoutMs },
  );
  if (answer?.status === 429) return { kind: "rateLimited", ...(answer.afterMs === undefined ? {} : { afterMs: answer.afterMs }) };
  if (answer?.status !== 200 || !isObject(answer.body)) return { kind: "unavailable" };
  const { ok, error, ...body } = answer.body;
  if (ok === true) return { kind: "ok", body };
  if (error === "ratelimited" || error === "rate_limited") return { kind: "rateLimited" };
  return typeof error === "string" ? { kind: "error", error } : { kind: "unavailable" };
}

function formOf(params: Readonly<Record<string, unknown>>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined && value !== null) form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  return form;
}
