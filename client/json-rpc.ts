// The few JSON-RPC shapes that pass by here. Narrows what others sent; never validates a method's params.

export type JsonRpcId = string | number;
export type JsonObject = { readonly [name: string]: unknown };
export type JsonRpcRequest = { readonly jsonrpc: "2.0"; readonly id: JsonRpcId; readonly method: string; readonly params?: JsonObject };

/**
 * An error that is answered to the MCP server. Both SDK generations take `code`, `message` and `data` of whatever a
 * request handler throws, so this needs neither SDK's own class.
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

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

export const isId = (value: unknown): value is JsonRpcId => typeof value === "string" || typeof value === "number";

/** A text that is equal for equal ids only: 7 and "7" are different ids. */
export const idKey = (id: JsonRpcId): string => JSON.stringify(id);

/** A request: it has a method and an id. */
export function asRequest(message: unknown): { id: JsonRpcId; method: string; params: JsonObject } | undefined {
  if (!isObject(message) || typeof message["method"] !== "string" || !isId(message["id"])) return undefined;
  return { id: message["id"], method: message["method"], params: objectIn(message, "params") };
}

/** A notification: it has a method and no id. */
export function asNotification(message: unknown): { method: string; params: JsonObject } | undefined {
  if (!isObject(message) || typeof message["method"] !== "string" || message["id"] !== undefined) return undefined;
  return { method: message["method"], params: objectIn(message, "params") };
}

export type JsonRpcAnswer = { readonly id: JsonRpcId | null } & ({ readonly result: JsonObject } | { readonly error: RpcError });

/** A response, its error as something that can be thrown. An error may have the id null. */
export function asAnswer(message: unknown): JsonRpcAnswer | undefined {
  if (!isObject(message) || "method" in message) return undefined;
  const id = message["id"];
  if (isObject(message["result"]) && isId(id)) return { id, result: message["result"] };
  const error = message["error"];
  if (!isObject(error) || typeof error["code"] !== "number" || typeof error["message"] !== "string") return undefined;
  return { id: isId(id) ? id : null, error: new RpcError(error["code"], error["message"], error["data"]) };
}

/** The object under a name, or an empty one. */
export function objectIn(from: JsonObject, name: string): JsonObject {
  const value = from[name];
  return isObject(value) ? value : {};
}

/** The JSON value of a text, or undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
