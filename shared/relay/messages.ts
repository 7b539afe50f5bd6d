// What passes between a client and a server, as far as the relay looks at it: which message is which, and which it takes out.
// It judges no params and changes nothing.

import { objectOf, parseJson } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import { type RequestId, toRequestId } from "../wire/json-rpc.ts";

export type JsonRpcMessage =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: JsonObject | null }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject | null }
  | { readonly kind: "response"; readonly id: RequestId; /** The error's code; null for a result. */ readonly failed: number | null }
  | { readonly kind: "other" };

/** Which message a parsed JSON value is; `other` where it is none. */
export function messageOf(value: unknown): JsonRpcMessage {
  const message = objectOf(value);
  if (message === null || message["jsonrpc"] !== "2.0") return { kind: "other" };
  const id = toRequestId(message["id"]);
  if (typeof message["method"] === "string") {
    const { method } = message;
    const params = objectOf(message["params"]);
    if (id !== undefined) return { kind: "request", id, method, params };
    return message["id"] === undefined ? { kind: "notification", method, params } : { kind: "other" };
  }
  if (id === undefined || !(Object.hasOwn(message, "result") || Object.hasOwn(message, "error"))) return { kind: "other" };
  if (!Object.hasOwn(message, "error")) return { kind: "response", id, failed: null };
  const code = objectOf(message["error"])?.["code"];
  return { kind: "response", id, failed: typeof code === "number" ? code : 0 };
}

export const samplingMethod = "sampling/createMessage";

/**
 * Whether an object asks for sampling in any way in which some client may read it: JSON libraries differ in whether the case of a
 * member's name matters, and clients in which ids they take.
 */
const asksForSampling = (value: unknown): boolean =>
  Object.entries(objectOf(value) ?? {}).some(([name, method]) => method === samplingMethod && name.toLowerCase() === "method");

export type ServerRequest = { readonly id: RequestId; readonly method: string; readonly params: JsonObject | null };

/** What a server sent in one event, or one part of a batch of `2025-03-26`. */
export type FromServer = {
  /** Requests that are ours to answer, in order. */
  readonly intercepted: readonly ServerRequest[];
  /** Requests for sampling that are the client's to answer. */
  readonly passedThrough: readonly ServerRequest[];
  /** The server's own requests that it gives up. */
  readonly cancelled: readonly { readonly id: RequestId; readonly reason: string | null }[];
  /** What the client is to get in place of the data: null for nothing, undefined where it stays as it came. */
  readonly rest: string | null | undefined;
  /** Ids of the requests that this answers. */
  readonly answered: readonly RequestId[];
  /** The highest progress that the server has told, by its token. */
  readonly progress: readonly { readonly token: RequestId; readonly progress: number }[];
};

const nothing: FromServer = { intercepted: [], passedThrough: [], cancelled: [], rest: undefined, answered: [], progress: [] };

const asking: JsonRpcMessage = { kind: "request", id: 0, method: samplingMethod, params: null };

/**
 * Looks at the data of one event. What is not JSON passes: the client will say so. But not where it may ask for sampling that is the
 * relay's: some clients read more than JSON (`NaN`), and it would reach them unseen. So does nothing that asks for it in a way in which
 * it cannot be answered, such as with an id that is none.
 * @param takes whether a request, or a cancellation of one, is the relay's.
 */
export function fromServer(data: string, takes: (message: JsonRpcMessage) => boolean): FromServer {
  const value = parseJson(data);
  if (value === undefined) return /createMessage|\\u/.test(data) && takes(asking) ? { ...nothing, rest: null } : nothing;
  const isBatch = Array.isArray(value);
  const values: readonly unknown[] = isBatch ? (value as unknown[]) : [value]; // just asked
  const intercepted: ServerRequest[] = [];
  const passedThrough: ServerRequest[] = [];
  const cancelled: { id: RequestId; reason: string | null }[] = [];
  const answered: RequestId[] = [];
  const progress: { token: RequestId; progress: number }[] = [];
  const kept = values.filter((each) => {
    const message = messageOf(each);
    if (asksForSampling(each) && !(message.kind === "request" && message.method === samplingMethod)) return !takes(asking);
    if (message.kind === "response") answered.push(message.id);
    if (message.kind === "notification" && message.method === "notifications/progress") {
      const token = toRequestId(message.params?.["progressToken"]);
      const told = message.params?.["progress"];
      if (token !== undefined && typeof told === "number") progress.push({ token, progress: told });
    }
    if (message.kind === "notification" && message.method === "notifications/cancelled") {
      const id = toRequestId(message.params?.["requestId"]);
      const reason = message.params?.["reason"];
      if (id !== undefined) cancelled.push({ id, reason: typeof reason === "string" ? reason : null });
    }
    const isOurs = takes(message);
    if (message.kind === "request" && (isOurs || message.method === samplingMethod)) {
      const { id, method, params } = message;
      (isOurs ? intercepted : passedThrough).push({ id, method, params });
    }
    return !isOurs;
  });
  const rest = kept.length === values.length ? undefined : kept.length === 0 ? null : JSON.stringify(isBatch ? kept : kept[0]);
  return { intercepted, passedThrough, cancelled, rest, answered, progress };
}
