// What passes between a client and a server, as far as the relay looks at it: which message is which, and which it takes out.
// It judges no params and changes nothing.

import { objectOf, parseJson } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import { type RequestId, toRequestId } from "../wire/json-rpc.ts";

export type Passing =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: JsonObject | null }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject | null }
  | { readonly kind: "response"; readonly id: RequestId; /** The error's code; null for a result. */ readonly failed: number | null }
  | { readonly kind: "other" };

/** Which message a parsed JSON value is; `other` where it is none. */
export function passingOf(value: unknown): Passing {
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

export type Taken = { readonly id: RequestId; readonly method: string; readonly params: JsonObject | null };

/** What a server sent in one event, or one part of a batch of `2025-03-26`. */
export type FromServer = {
  /** Requests that are ours to answer, in order. */
  readonly taken: readonly Taken[];
  /** Requests for sampling that are the client's to answer. */
  readonly forwarded: readonly Taken[];
  /** The server's own requests that it gives up. */
  readonly cancelled: readonly { readonly id: RequestId; readonly reason: string | null }[];
  /** What the client is to get in place of the data: null for nothing, undefined where it stays as it came. */
  readonly rest: string | null | undefined;
  /** Ids of the requests that this answers. */
  readonly answered: readonly RequestId[];
  /** The highest progress that the server has told, by its token. */
  readonly progress: readonly { readonly token: RequestId; readonly progress: number }[];
};

const nothing: FromServer = { taken: [], forwarded: [], cancelled: [], rest: undefined, answered: [], progress: [] };

const asking: Passing = { kind: "request", id: 0, method: samplingMethod, params: null };

/**
 * Looks at the data of one event. What is not JSON passes: the client will say so. But not where it may ask for sampling that is the
 * relay's: some clients read more than JSON (`NaN`), and it would reach them unseen. So does nothing that asks for it in a way in which
 * it cannot be answered, such as with an id that is none.
 * @param takes whether a request, or a cancellation of one, is the relay's.
 */
export function fromServer(data: string, takes: (passing: Passing) => boolean): FromServer {
  const value = parseJson(data);
  if (value === undefined) return /createMessage|\\u/.test(data) && takes(asking) ? { ...nothing, rest: null } : nothing;
  const isBatch = Array.isArray(value);
  const values: readonly unknown[] = isBatch ? (value as unknown[]) : [value]; // just asked
  const taken: Taken[] = [];
  const forwarded: Taken[] = [];
  const cancelled: { id: RequestId; reason: string | null }[] = [];
  const answered: RequestId[] = [];
  const progress: { token: RequestId; progress: number }[] = [];
  const kept = values.filter((each) => {
    const passing = passingOf(each);
    if (asksForSampling(each) && !(passing.kind === "request" && passing.method === samplingMethod)) return !takes(asking);
    if (passing.kind === "response") answered.push(passing.id);
    if (passing.kind === "notification" && passing.method === "notifications/progress") {
      const token = toRequestId(passing.params?.["progressToken"]);
      const told = passing.params?.["progress"];
      if (token !== undefined && typeof told === "number") progress.push({ token, progress: told });
    }
    if (passing.kind === "notification" && passing.method === "notifications/cancelled") {
      const id = toRequestId(passing.params?.["requestId"]);
      const reason = passing.params?.["reason"];
      if (id !== undefined) cancelled.push({ id, reason: typeof reason === "string" ? reason : null });
    }
    const isTaken = takes(passing);
    if (passing.kind === "request" && (isTaken || passing.method === samplingMethod)) {
      const { id, method, params } = passing;
      (isTaken ? taken : forwarded).push({ id, method, params });
    }
    return !isTaken;
  });
  const rest = kept.length === values.length ? undefined : kept.length === 0 ? null : JSON.stringify(isBatch ? kept : kept[0]);
  return { taken, forwarded, cancelled, rest, answered, progress };
}
