// Reads the messages between a client and a server: what kind each is, and which the relay
// intercepts. It judges no params and changes nothing.

import { elementsOf, membersOf, whole } from "../json/spans.ts";
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

/** The request that a message cancels. */
export const cancelledBy = (message: JsonRpcMessage): RequestId | undefined =>
  message.kind === "notification" && message.method === "notifications/cancelled" ? toRequestId(message.params?.["requestId"]) : undefined;

/** The params of a parsed message, and their `_meta`; null where it has none. */
export const paramsOf = (value: unknown): JsonObject | null => objectOf(objectOf(value)?.["params"]);
export const metaOf = (value: unknown): JsonObject | null => objectOf(paramsOf(value)?.["_meta"]);

export const samplingMethod = "sampling/createMessage";

/**
 * Whether an object asks for sampling in any way in which some client may read it: JSON libraries
 * differ in whether the case of a member's name matters, and clients in which ids they take.
 */
export const asksForSampling = (value: unknown): boolean =>
  Object.entries(objectOf(value) ?? {}).some(([name, method]) => method === samplingMethod && name.toLowerCase() === "method");

/**
 * Whether some server may read a request in a message that `messageOf` reads as none: with an id
 * that JSON-RPC or this gateway does not take, or without `jsonrpc`. Sampling for it would be taken
 * for another request's.
 */
export const mayBeHiddenRequest = (value: unknown): boolean =>
  messageOf(value).kind === "other" && (Array.isArray(value) || Object.hasOwn(objectOf(value) ?? {}, "method"));

/**
 * Whether some server may read a client's own reply to a sampling request in a body that the client
 * posts: `CreateMessageResult` has `content`, as of a client's other results only an elicitation's
 * has, beside its `action`. JSON libraries differ in whether the case of a name matters, and
 * servers in whether a message with a method is a response too.
 */
export function maySampleByItself(body: Uint8Array, value: unknown): boolean {
  return resultsIn(body, value).some((names) => names.has("content") && (names.has("role") || names.has("model") || !names.has("action")));
}

/**
 * The same for a client's own answer to a form (`ElicitResult`), which has `action` as no other
 * result of a client does.
 */
export function mayElicitByItself(body: Uint8Array, value: unknown): boolean {
  return resultsIn(body, value).some((names) => names.has("action"));
}

/** The names of the members of each result in a body, in lower case. */
function resultsIn(body: Uint8Array, value: unknown): readonly ReadonlySet<string>[] {
  return (Array.isArray(value) ? elementsOf(body, whole(body)) : [whole(body)]).flatMap((message) =>
    membersOf(body, message)
      .filter(({ name }) => name.toLowerCase() === "result")
      .map((result) => new Set(membersOf(body, result).map(({ name }) => name.toLowerCase()))),
  );
}

export type ServerRequest = { readonly id: RequestId; readonly method: string; readonly params: JsonObject | null };

/** What a server sent in one event, or one part of a batch of `2025-03-26`. */
export type FromServer = {
  /** Requests that the gateway answers, in order. */
  readonly intercepted: readonly ServerRequest[];
  /** Requests for sampling that the client answers. */
  readonly passedThrough: readonly ServerRequest[];
  /** The server's own requests that it cancels. */
  readonly cancelled: readonly { readonly id: RequestId; readonly reason: string | null }[];
  /** The data that the client gets instead: null for none, undefined where it stays as it came. */
  readonly rest: string | null | undefined;
  /** Ids of the client's requests that this answers. */
  readonly answered: readonly RequestId[];
  /** The progress that the server reported, by its token. */
  readonly progress: readonly { readonly token: RequestId; readonly progress: number }[];
};

const nothing: FromServer = { intercepted: [], passedThrough: [], cancelled: [], rest: undefined, answered: [], progress: [] };

const asking: JsonRpcMessage = { kind: "request", id: 0, method: samplingMethod, params: null };

/**
 * Sorts the messages in the data of one event. Text that is not JSON passes, unless it may ask for
 * sampling that the gateway answers: some clients read more than JSON (`NaN`), and the request
 * would reach them without a review. A message that asks for such sampling in a form that cannot be
 * answered, such as with an invalid id, is dropped too.
 * @param isForGateway whether the gateway answers a request, or handles the cancellation of one.
 * @param replaced what the client gets in place of a message that passes; undefined: the message.
 */
export function fromServer(
  data: string,
  isForGateway: (message: JsonRpcMessage) => boolean,
  replaced: (value: unknown) => JsonObject | undefined = () => undefined,
): FromServer {
  const value = parseJson(data);
  if (value === undefined) return /createMessage|\\u/.test(data) && isForGateway(asking) ? { ...nothing, rest: null } : nothing;
  const isBatch = Array.isArray(value);
  const values: readonly unknown[] = isBatch ? (value as unknown[]) : [value]; // isArray
  const intercepted: ServerRequest[] = [];
  const passedThrough: ServerRequest[] = [];
  const cancelled: { id: RequestId; reason: string | null }[] = [];
  const answered: RequestId[] = [];
  const progress: { token: RequestId; progress: number }[] = [];
  const left = values.flatMap((each) => {
    const message = messageOf(each);
    if (asksForSampling(each) && !(message.kind === "request" && message.method === samplingMethod))
      return isForGateway(asking) ? [] : [each];
    if (message.kind === "response") answered.push(message.id);
    if (message.kind === "notification" && message.method === "notifications/progress") {
      const token = toRequestId(message.params?.["progressToken"]);
      const reported = message.params?.["progress"];
      if (token !== undefined && typeof reported === "number") progress.push({ token, progress: reported });
    }
    const withdrawn = cancelledBy(message);
    if (withdrawn !== undefined) {
      const reason = paramsOf(each)?.["reason"];
      cancelled.push({ id: withdrawn, reason: typeof reason === "string" ? reason : null });
    }
    const isIntercepted = isForGateway(message);
    if (message.kind === "request" && (isIntercepted || message.method === samplingMethod)) {
      const { id, method, params } = message;
      (isIntercepted ? intercepted : passedThrough).push({ id, method, params });
    }
    return isIntercepted ? [] : [replaced(each) ?? each];
  });
  const isUnchanged = left.length === values.length && left.every((each, i) => each === values[i]);
  const rest = isUnchanged ? undefined : left.length === 0 ? null : JSON.stringify(isBatch ? left : left[0]);
  return { intercepted, passedThrough, cancelled, rest, answered, progress };
}
