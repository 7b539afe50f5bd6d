// What passes between a client and a server, as far as the relay looks at it: which message is which, and which it takes out.
// It judges no params and changes nothing.

import type { JsonObject } from "../encoding.ts";
import { type RequestId, toRequestId } from "../protocol/json-rpc.ts";

export type Passing =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: JsonObject | null }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject | null }
  | { readonly kind: "response"; readonly id: RequestId; readonly failed: boolean }
  | { readonly kind: "other" };

const objectOf = (value: unknown): JsonObject | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null; // parsed from JSON

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
  return { kind: "response", id, failed: Object.hasOwn(message, "error") };
}

export type Taken = { readonly id: RequestId; readonly method: string; readonly params: JsonObject | null };

/** What a server sent in one event, or one part of a batch of `2025-03-26`. */
export type FromServer = {
  /** Requests that are ours to answer, in order. */
  readonly taken: readonly Taken[];
  /** Notifications that are about those: they go no further either. */
  readonly notifications: readonly { readonly method: string; readonly params: JsonObject | null }[];
  /** What the client is to get in place of the data: null for nothing, undefined where it stays as it came. */
  readonly rest: string | null | undefined;
  /** Ids of the requests that this answers. */
  readonly answered: readonly RequestId[];
  /** The highest progress that the server has told, by its token. */
  readonly progress: readonly { readonly token: RequestId; readonly progress: number }[];
};

const nothing: FromServer = { taken: [], notifications: [], rest: undefined, answered: [], progress: [] };

/**
 * Looks at the data of one event. What is not JSON passes: the client will say so.
 * @param takes whether a request, or a cancellation of one, is the relay's.
 */
export function fromServer(data: string, takes: (passing: Passing) => boolean): FromServer {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return nothing;
  }
  const isBatch = Array.isArray(value);
  const values: readonly unknown[] = isBatch ? (value as unknown[]) : [value]; // just asked
  const taken: Taken[] = [];
  const notifications: { method: string; params: JsonObject | null }[] = [];
  const answered: RequestId[] = [];
  const progress: { token: RequestId; progress: number }[] = [];
  const kept = values.filter((each) => {
    const passing = passingOf(each);
    if (passing.kind === "response") answered.push(passing.id);
    if (passing.kind === "notification" && passing.method === "notifications/progress") {
      const token = toRequestId(passing.params?.["progressToken"]);
      const told = passing.params?.["progress"];
      if (token !== undefined && typeof told === "number") progress.push({ token, progress: told });
    }
    if (!takes(passing)) return true;
    if (passing.kind === "request") taken.push({ id: passing.id, method: passing.method, params: passing.params });
    if (passing.kind === "notification") notifications.push({ method: passing.method, params: passing.params });
    return false;
  });
  const rest = kept.length === values.length ? undefined : kept.length === 0 ? null : JSON.stringify(isBatch ? kept : kept[0]);
  return { taken, notifications, rest, answered, progress };
}
