// The JSON-RPC messages that pass the client. Read more leniently than the gateway reads its own
// (shared/wire/json-rpc.ts): every message that either side's SDK may accept as a request has to be
// seen, even with a fraction as its id. Never validates a method's params.

import { type Members, isObject } from "../shared/json/values.ts";

export type JsonRpcId = string | number;
export type JsonRpcRequest = { readonly jsonrpc: "2.0"; readonly id: JsonRpcId; readonly method: string; readonly params?: Members };

/**
 * An error for the MCP server. Both SDK generations send `code`, `message` and `data` of any error
 * that a request handler throws.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data?: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = "RpcError";
    this.code = code;
    if (data !== undefined) this.data = data;
  }
}

export const isId = (value: unknown): value is JsonRpcId => typeof value === "string" || typeof value === "number";

/** A request: it has a method and an id. */
export function asRequest(message: unknown): { id: JsonRpcId; method: string; params: Members } | undefined {
  if (!isObject(message) || typeof message["method"] !== "string" || !isId(message["id"])) return undefined;
  return { id: message["id"], method: message["method"], params: objectIn(message, "params") };
}

/** A notification: it has a method and no id. */
export function asNotification(message: unknown): { method: string; params: Members } | undefined {
  if (!isObject(message) || typeof message["method"] !== "string" || message["id"] !== undefined) return undefined;
  return { method: message["method"], params: objectIn(message, "params") };
}

/** The request that a message cancels. */
export function cancelledBy(message: unknown): JsonRpcId | undefined {
  const notification = asNotification(message);
  const id = notification?.method === "notifications/cancelled" ? notification.params["requestId"] : undefined;
  return isId(id) ? id : undefined;
}

export type JsonRpcAnswer = { readonly id: JsonRpcId | null } & ({ readonly result: Members } | { readonly error: RpcError });

/** A response. The id of an error may be null. */
export function asAnswer(message: unknown): JsonRpcAnswer | undefined {
  if (!isObject(message) || "method" in message) return undefined;
  const id = message["id"];
  if (isObject(message["result"]) && isId(id)) return { id, result: message["result"] };
  const error = message["error"];
  if (!isObject(error) || typeof error["code"] !== "number" || typeof error["message"] !== "string") return undefined;
  return { id: isId(id) ? id : null, error: new RpcError(error["code"], error["message"], error["data"]) };
}

/** The object under a name, or an empty one. */
export function objectIn(from: Members, name: string): Members {
  const value = from[name];
  return isObject(value) ? value : {};
}
