// One request to somebody who takes notices, and what came back: bounded in time and in size, and never led elsewhere by a redirect.
// Nothing of the request or of the answer is ever in an error or a log.

import { parseJson } from "../../shared/json/values.ts";
import { retryAfterMs } from "../../shared/provider/provider-error.ts";
import { readText } from "../http/body.ts";

export type Exchanged = {
  readonly status: number;
  /** How long to wait, as the other side said, one hour at the most. */
  readonly afterMs?: number;
  /** Parsed JSON where it was to be read and is some; otherwise undefined. */
  readonly body: unknown;
};

export type ExchangeOptions = {
  /** Otherwise the answer's body is let go of unread. */
  readonly readJson?: boolean;
  /** From the start to the last byte of the answer. */
  readonly timeoutMs?: number;
};

export const exchangeTimeoutMs = 10_000;
export const longestWaitMs = 3_600_000;
const mostBytes = 256 * 1024;

/** Sends `request` once. Undefined: nobody answered in time, or the connection failed; whether the request arrived is not known. */
export async function exchange(
  request: { readonly url: string; readonly method: "GET" | "POST"; readonly headers: Record<string, string>; readonly body?: string },
  { readJson = false, timeoutMs = exchangeTimeoutMs }: ExchangeOptions = {},
): Promise<Exchanged | undefined> {
  const { url, ...init } = request;
  const attempt = new AbortController();
  const timer = setTimeout(() => attempt.abort(), timeoutMs);
  try {
    // A redirect is an answer like any other: what is in the body and the headers is for this address only.
    const response = await fetch(url, { ...init, redirect: "manual", signal: attempt.signal });
    const { status, headers } = response;
    const told = retryAfterMs({ retryAfterMs: null, retryAfter: headers.get("Retry-After") }, Date.now());
    // What is longer than the short answer that was expected is none; the status still says what became of the request.
    const text = readJson ? await readText(response.body, mostBytes) : undefined;
    if (text === undefined) response.body?.cancel().catch(() => {});
    const body = text === undefined ? undefined : parseJson(text);
    return { status, body, ...(told === undefined ? {} : { afterMs: Math.min(told, longestWaitMs) }) };
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
