// Reads one HTTP answer of the gateway, event stream or JSON, to its end or to where the connection
// broke. Never retries.

import { isObject, parseJson } from "../shared/json/values.ts";
import { EventReader } from "../shared/relay/event-stream.ts";
import { asAnswer, asNotification, type JsonRpcAnswer, type JsonRpcId, RpcError } from "./rpc-messages.ts";
import type { Progress } from "./sampling-connection.ts";
import { type Timing, within } from "./timing.ts";

export type Listener = {
  readonly onProgress?: (progress: Progress) => void;
  /** Any bytes came: the gateway is still there. */
  readonly onHeartbeat?: () => void;
};

export type Attempt =
  /** The gateway's own answer, result or error. It is final. */
  | { readonly kind: "answered"; readonly answer: JsonRpcAnswer }
  /** No answer of the gateway, and a retry would not help. */
  | { readonly kind: "refused"; readonly error: RpcError }
  /** Worth a retry, after this time where one was named. */
  | { readonly kind: "busy"; readonly waitMilliseconds: number | undefined; readonly error: RpcError }
  /** The connection broke, fell silent, or was never made. */
  | { readonly kind: "dropped"; readonly why: string };

type AnswerReader = {
  /** The answer that a message is; undefined for any other message. */
  readonly answerIn: (message: unknown) => JsonRpcAnswer | undefined;
  readonly silenceMilliseconds: number;
  readonly timing: Timing;
  readonly listener: Listener;
  /** Aborted when the attempt is over. */
  readonly signal: AbortSignal;
};

/** Reads one HTTP response. Never rejects for a broken connection: that is "dropped". */
export async function readAttempt(response: Response, reading: AnswerReader): Promise<Attempt> {
  const type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (response.status === 200 && type === "text/event-stream") return readStream(response, reading);
  if (response.status === 200 || response.status >= 400) return readDocument(response, reading);
  await response.body?.cancel().catch(() => undefined);
  return { kind: "refused", error: addressError(response.status) };
}

/** In characters. A reply with its images is one event. */
const longestEvent = 64_000_000;

async function readStream(response: Response, reading: AnswerReader): Promise<Attempt> {
  const decoder = new TextDecoder();
  const events = new EventReader(longestEvent);
  let answer: JsonRpcAnswer | undefined;
  let isTooLong = false;
  const end = await readBody(response, reading, (bytes) => {
    const complete = events.push(decoder.decode(bytes, { stream: true }));
    isTooLong = complete === "tooLong";
    for (const { data } of complete === "tooLong" ? [] : complete) {
      const message = parseJson(data ?? "");
      const progress = progressOf(message);
      if (progress !== undefined) reading.listener.onProgress?.(progress);
      else answer ??= reading.answerIn(message);
    }
    return isTooLong || answer !== undefined;
  });
  if (answer !== undefined) return { kind: "answered", answer };
  if (isTooLong) return { kind: "refused", error: new RpcError(-32603, "The sampling gateway's answer is too long to be read.") };
  return { kind: "dropped", why: end ?? "the stream ended before the answer" };
}

async function readDocument(response: Response, reading: AnswerReader): Promise<Attempt> {
  const decoder = new TextDecoder();
  let text = "";
  const end = await readBody(response, reading, (bytes) => {
    text += decoder.decode(bytes, { stream: true });
    return false;
  });
  const body = end === undefined ? parseJson(text) : undefined;
  const answer = reading.answerIn(body);
  if (response.status === 200) {
    return answer === undefined ? { kind: "dropped", why: end ?? "the answer ended early" } : { kind: "answered", answer };
  }
  return refusal(response, answer !== undefined && "error" in answer ? answer.error : undefined, reading.timing);
}

/**
 * Reads until `take` returns true, which closes the connection, or the body ends. Returns why the
 * connection broke, if it did.
 */
async function readBody(response: Response, reading: AnswerReader, take: (bytes: Uint8Array) => boolean): Promise<string | undefined> {
  if (response.body === null) return undefined;
  const reader = response.body.getReader();
  try {
    for (;;) {
      const next = await within(reader.read(), reading.silenceMilliseconds, reading.timing, reading.signal);
      if (next === "late") return "the gateway fell silent";
      if (next.done) return undefined;
      reading.listener.onHeartbeat?.();
      if (take(next.value)) return undefined;
    }
  } catch {
    return "the connection broke";
  } finally {
    // Not awaited: a connection that is gone may never settle it.
    void reader.cancel().catch(() => undefined);
  }
}

/** The answer to a JSON-RPC request. */
export const answerTo =
  (id: JsonRpcId) =>
  (message: unknown): JsonRpcAnswer | undefined => {
    const answer = asAnswer(message);
    return answer !== undefined && (answer.id === id || (answer.id === null && "error" in answer)) ? answer : undefined;
  };

/** The answer of POST /approvals: a decision, or a JSON-RPC error. */
export const decisionIn = (message: unknown): JsonRpcAnswer | undefined =>
  isObject(message) && typeof message["decision"] === "string" ? { id: null, result: message } : asAnswer(message);

function progressOf(message: unknown): Progress | undefined {
  const notification = asNotification(message);
  if (notification?.method !== "notifications/progress" || typeof notification.params["progress"] !== "number") return undefined;
  const { progress, total, message: text } = notification.params;
  return {
    progress,
    ...(typeof total === "number" ? { total } : {}),
    ...(typeof text === "string" ? { message: text } : {}),
  };
}

/**
 * The error for the MCP server and, through `onError`, for the host. It names the setting to
 * correct, never its value.
 */
function refusal(response: Response, error: RpcError | undefined, timing: Timing): Attempt {
  const { status } = response;
  const described = (code: number, message: string): RpcError => new RpcError(error?.code ?? code, message, error?.data);
  switch (status) {
    case 401:
    case 403:
      // An operator's stop.
      if (error !== undefined && error.code !== -32014) return { kind: "refused", error };
      return {
        kind: "refused",
        error: described(-32014, `The sampling gateway does not accept this host's API key (HTTP ${status}): set a valid apiKey.`),
      };
    case 413:
      return { kind: "refused", error: described(-32015, "The sampling request is larger than the sampling gateway takes (HTTP 413).") };
    case 415:
      return {
        kind: "refused",
        error: described(
          -32016,
          "The sampling gateway did not get the request as application/json (HTTP 415): look for a proxy that changes it.",
        ),
      };
    case 408:
    case 425:
      return {
        kind: "busy",
        waitMilliseconds: retryAfter(response, undefined, timing.now()),
        error: described(-32603, `The sampling gateway answered HTTP ${status}.`),
      };
    case 429: {
      const waitMilliseconds = retryAfter(response, error?.data, timing.now());
      // The gateway names a time where waiting helps. It does not for a tool loop over its limit,
      // which stays over it.
      if (error !== undefined && waitMilliseconds === undefined) return { kind: "refused", error };
      return {
        kind: "busy",
        waitMilliseconds,
        error: error ?? new RpcError(-32013, "The sampling gateway's rate limit is reached (HTTP 429)."),
      };
    }
    default:
      // A JSON-RPC error is the gateway's own. Any other body is of a proxy in front of it.
      if (error !== undefined) return { kind: "refused", error };
      if (status < 500) return { kind: "refused", error: addressError(status) };
      return {
        kind: "busy",
        waitMilliseconds: retryAfter(response, undefined, timing.now()),
        error: new RpcError(-32603, `The sampling gateway answered HTTP ${status}.`),
      };
  }
}

const addressError = (status: number): RpcError =>
  new RpcError(-32603, `No sampling gateway answers at the address it was given (HTTP ${status}): set url to the gateway's base address.`);

/**
 * Milliseconds to wait: `Retry-After` as seconds or as a date (RFC 9110, 10.2.3), else the error's
 * `retryAfterMs`.
 */
function retryAfter(response: Response, data: unknown, now: number): number | undefined {
  const header = response.headers.get("retry-after");
  if (header !== null && /^\d+$/.test(header.trim())) return Number(header) * 1_000;
  const date = header === null ? Number.NaN : Date.parse(header);
  if (!Number.isNaN(date)) return Math.max(0, date - now);
  const stated = isObject(data) ? data["retryAfterMs"] : undefined;
  return typeof stated === "number" && stated >= 0 ? stated : undefined;
}
