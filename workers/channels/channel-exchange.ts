// One request to a service that takes notices, and its answer: bounded in time and size. It never
// follows a redirect, and nothing of the request or the answer is in an error or a log.

import { parseJson } from "../../shared/json/values.ts";
import { retryAfterMs } from "../../shared/provider/provider-error.ts";
import { readText } from "../http/body.ts";

export type Exchanged = {
  readonly status: number;
  /** How long the service asks us to wait: at most `longestWaitMs`. */
  readonly afterMs?: number;
  /** Parsed, where `readJson` was set and it is JSON; otherwise undefined. */
  readonly body: unknown;
};

type ExchangeOptions = {
  /** Otherwise the answer's body is cancelled unread. */
  readonly readJson?: boolean;
  /** From the start to the last byte of the answer. */
  readonly timeoutMs?: number;
};

export const exchangeTimeoutMs = 10_000;
export const longestWaitMs = 3_600_000;
const mostBytes = 256 * 1024;

/**
 * Sends `request` once. Undefined: no answer in time, or the connection failed; whether the request
 * arrived is not known.
 */
export async function exchange(
  request: {
    readonly url: string;
    readonly method: "GET" | "POST";
    readonly headers: Record<string, string>;
    readonly body?: string | Uint8Array<ArrayBuffer>;
  },
  { readJson = false, timeoutMs = exchangeTimeoutMs }: ExchangeOptions = {},
): Promise<Exchanged | undefined> {
  const { url, ...init } = request;
  const attempt = new AbortController();
  const timer = setTimeout(() => attempt.abort(), timeoutMs);
  try {
    // A redirect is an answer like any other: the body and the headers are for this address only.
    const response = await fetch(url, { ...init, redirect: "manual", signal: attempt.signal });
    const { status, headers } = response;
    const waitMs = retryAfterMs({ retryAfterMs: null, retryAfter: headers.get("Retry-After") }, Date.now());
    // A body over the limit counts as none; the status still says what became of the request.
    const text = readJson ? await readText(response.body, mostBytes) : undefined;
    if (text === undefined) response.body?.cancel().catch(() => {});
    const body = text === undefined ? undefined : parseJson(text);
    return { status, body, ...(waitMs === undefined ? {} : { afterMs: Math.min(waitMs, longestWaitMs) }) };
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
