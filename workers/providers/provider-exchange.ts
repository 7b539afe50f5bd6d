// One exchange with a provider, bounded in time and size: the request, and the answer whole or
// event by event.

import { parseJson } from "../../shared/json/values.ts";
import { EventReader } from "../../shared/relay/event-stream.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import type { ProviderError } from "../../shared/model/call.ts";
import type { TraceContext } from "../../shared/telemetry/trace-context.ts";
import {
  badCallError,
  brokenAnswer,
  cancelledError,
  connectionError,
  errorOfStatus,
  retryAfterMs,
  timeoutError,
} from "../../shared/provider/provider-error.ts";
import type { StreamReader } from "../../shared/provider/text-deltas.ts";
import { isWithin, readText } from "../http/body.ts";
import { type SlowTimer, later } from "../platform/slow-timer.ts";

export type Limits = {
  readonly timeoutMs: number;
  /**
   * After `stay`, when no other provider can take over: at least `timeoutMs`, which is the default.
   */
  readonly longestMs?: number;
  /** The caller no longer wants an answer. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Of the work that this is the beginning of: then the timeout takes no timer until it has passed.
   */
  readonly slow?: SlowTimer | undefined;
  /** Passed on with the request. */
  readonly trace?: TraceContext | undefined;
};

type Exchange<T> = {
  readonly ask: (signal: AbortSignal) => Promise<Response>;
  /** `stay` extends the exchange to `longestMs`, from its start. */
  readonly read: (response: Response, stay: () => void) => Promise<Result<T, ProviderError>>;
};

/**
 * Sends and reads within the timeout. An exchange that takes longer, or that the caller gave up, is
 * aborted, so that no connection stays open. The body is read here: JSON or events alone are an
 * answer.
 */
export async function exchange<T>(limits: Limits, now: () => number, { ask, read }: Exchange<T>): Promise<Result<T, ProviderError>> {
  const attempt = new AbortController();
  let cancelled = false;
  const startedAt = now();
  let stop = later(limits.timeoutMs, limits.slow, () => attempt.abort());
  let longest = limits.longestMs ?? limits.timeoutMs;
  const stay = (): void => {
    if (longest <= limits.timeoutMs) return;
    stop();
    stop = later(Math.max(0, longest - (now() - startedAt)), undefined, () => attempt.abort());
    longest = 0;
  };
  const cancel = (): void => {
    cancelled = true;
    attempt.abort();
  };
  limits.signal?.addEventListener("abort", cancel, { once: true });
  const abortError = (): ProviderError | undefined => (attempt.signal.aborted ? (cancelled ? cancelledError : timeoutError) : undefined);
  let answered = false;
  try {
    const response = await ask(attempt.signal);
    answered = true;
    const result = await read(response, stay);
    return result.ok ? result : err(abortError() ?? result.error);
  } catch (error) {
    return err(abortError() ?? (answered ? brokenAnswer() : errorOfException(error, now())));
  } finally {
    stop();
    limits.signal?.removeEventListener("abort", cancel);
  }
}

/**
 * In bytes or characters: many times the longest reply of a model. A reply is in memory several
 * times, of 128 MB in all.
 */
const mostBytes = 16 * 1024 * 1024;

/**
 * A stream takes some hundred bytes for a token, and none are kept: this allows 1,000 for each of
 * the longest replies' 128,000.
 */
const mostStreamBytes = 128 * 1024 * 1024;

/** The whole body as JSON. */
export async function readJson(response: Response): Promise<Result<unknown, ProviderError>> {
  const text = await boundedText(response);
  if (text === undefined) return err(brokenAnswer("tooLarge"));
  const body = parseJson(text);
  return body === undefined ? err(brokenAnswer("notJson")) : ok(body);
}

/** The body's text, or undefined where it is longer than `mostBytes`: the rest is not read. */
async function boundedText(response: Response): Promise<string | undefined> {
  const { body } = response;
  if (body === null) return "";
  return isWithin(response, mostBytes) ? response.text() : readText(body, mostBytes);
}

/**
 * Whether the answer is a stream. A server that cannot stream sends the whole answer although a
 * stream was requested.
 */
export const isEventStream = (response: Response): boolean => /^\s*text\/event-stream\b/i.test(response.headers.get("Content-Type") ?? "");

/**
 * Reads events until the stream says that it is done, and returns the answer that they make up. An
 * end before the reply is whole is an error; what the provider sends after the reply is ignored.
 */
export async function readEvents(response: Response, stream: StreamReader): Promise<Result<unknown, ProviderError>> {
  const ended = (): Result<unknown, ProviderError> => (stream.isWhole() ? ok(stream.response()) : err(brokenAnswer("cutOff")));
  if (response.body === null) return ended();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const events = new EventReader(mostBytes);
  try {
    for (let bytes = 0; ;) {
      const piece = await reader.read().catch(() => undefined);
      if (piece === undefined || piece.done) return ended();
      bytes += piece.value.length;
      const complete = bytes > mostStreamBytes ? "tooLong" : events.push(decoder.decode(piece.value, { stream: true }));
      if (complete === "tooLong") return err(brokenAnswer("tooLarge"));
      for (const { data } of complete) {
        const result = data === null || data === "" ? "more" : stream.take(data);
        if (result === "end") return ended();
        if (result !== "more") return err(result);
        if (stream.characters() > mostBytes) return err(brokenAnswer("tooLarge"));
      }
    }
  } finally {
    // Not awaited: a provider that does not stop may not answer the cancellation either.
    reader.cancel().catch(() => {});
  }
}

/**
 * What was thrown before there was an answer: an error with the response's status, or one about the
 * connection. Any other is a request that could not be made, such as a credential that is not valid
 * in a header. Messages are not read: they may have the key.
 */
function errorOfException(error: unknown, now: number): ProviderError {
  if (!(error instanceof Error)) return connectionError;
  if ("status" in error && typeof error.status === "number") {
    const headers = "headers" in error && error.headers instanceof Headers ? error.headers : new Headers();
    const wait = retryAfterMs({ retryAfterMs: headers.get("retry-after-ms"), retryAfter: headers.get("retry-after") }, now);
    return errorOfStatus(error.status, wait);
  }
  return error.name === "TypeError" && !("cause" in error) ? badCallError : connectionError;
}
