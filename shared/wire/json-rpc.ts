// JSON-RPC 2.0 as MCP uses it: one message in one body. Knows no method; never throws.

import { isObject, type Members, parseJson } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import { err, ok, type Result } from "../result.ts";
import { isDeeperThan } from "../json/json-rules.ts";

/** A string, or an integer that JSON carries exactly. 1 and "1" are two different ids. */
export type RequestId = string | number;

type RpcMessage =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown };

/**
 * `id` is the request's own where it could be told, for the error that answers it (JSON-RPC 2.0
 * section 5).
 */
type RpcFailure =
  | { readonly kind: "notJson" }
  | { readonly kind: "notSingleRequest"; readonly message: string; readonly id: RequestId | null };

export type RpcError = { readonly code: number; readonly message: string; readonly data?: JsonObject };

/** What a request is answered with. */
export type RpcAnswer = { readonly result: JsonObject } | { readonly error: RpcError };

/** An error without what belongs to HTTP. */
export const errorAnswer = ({ code, message, data }: RpcError): { readonly error: RpcError } => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

/**
 * In UTF-16 code units. Ids become keys of storage; the longest seen from real clients are UUIDs.
 */
const MAX_ID_LENGTH = 512;

/**
 * Above the limit of the params themselves, so that deeply nested params are refused by that limit,
 * with its pointer.
 */
const MAX_MESSAGE_DEPTH = 128;

/**
 * Whether a value can be an id: an integer within ±(2^53 - 1), or a well-formed string of at most
 * 512 UTF-16 code units. Refused: null and fractions (MCP's `RequestId`), and integers so large
 * that parsing changed them, because two ids would become one.
 */
export const isRequestId = (value: unknown): value is RequestId =>
  typeof value === "string" ? value.length <= MAX_ID_LENGTH && value.isWellFormed() : Number.isSafeInteger(value);

/** The id that a value is, or undefined. -0 and 0 are one number in JSON, and one id. */
export const toRequestId = (value: unknown): RequestId | undefined => (value === 0 ? 0 : isRequestId(value) ? value : undefined);

/**
 * The request or notification in one body's text. Refused: what is not JSON; batches (MCP dropped
 * them after `2025-03-26`, and one body is one request here), responses, and everything that
 * JSON-RPC 2.0 section 4 does not call a request. Members that JSON-RPC does not name are ignored.
 */
export function parseMessage(text: string): Result<RpcMessage, RpcFailure> {
  const body = parseJson(text);
  if (body === undefined) return err({ kind: "notJson" });
  if (Array.isArray(body)) return notSingleRequest("a batch is not supported", null);
  if (!isObject(body)) return notSingleRequest("a request is a JSON object", null);

  const id = toRequestId(body["id"]) ?? null;
  const reason = whyNotRequest(body);
  if (reason !== undefined) return notSingleRequest(reason, id);

  const method = String(body["method"]);
  const params = body["params"];
  return ok(id === null ? { kind: "notification", method, params } : { kind: "request", id, method, params });
}

function whyNotRequest(body: Members): string | undefined {
  if (body["jsonrpc"] !== "2.0") return 'jsonrpc must be "2.0"';
  if (Object.hasOwn(body, "result") || Object.hasOwn(body, "error")) return "a response is not expected here";
  if (typeof body["method"] !== "string" || !body["method"].isWellFormed()) return "method must be a string";
  if (Object.hasOwn(body, "id") && !isRequestId(body["id"])) return "id must be a string or an integer";
  if (Object.hasOwn(body, "params") && !isObject(body["params"])) return "params must be an object";
  if (isDeeperThan(MAX_MESSAGE_DEPTH, body)) return `nested more than ${MAX_MESSAGE_DEPTH} levels deep`;
  return undefined;
}

const notSingleRequest = (message: string, id: RequestId | null) => err({ kind: "notSingleRequest", message, id } as const);

/** The response that carries a result. */
export const success = (id: RequestId, result: JsonObject) => ({ jsonrpc: "2.0", id, result }) as const;

/**
 * The response that carries an error. Where the request's id is not known it has none: no revision
 * of MCP lets it be the null of JSON-RPC 2.0 section 5, and a transport may answer a refused POST
 * with "a JSON-RPC error response that has no id" (basic/transports).
 */
export const failure = (id: RequestId | null, error: RpcError) =>
  id === null ? ({ jsonrpc: "2.0", error } as const) : ({ jsonrpc: "2.0", id, error } as const);

/** The response that carries an answer. */
export const responseOf = (id: RequestId, answer: RpcAnswer) =>
  "result" in answer ? success(id, answer.result) : failure(id, answer.error);

/** The same as a JSON object, for what handles messages of any kind. */
export const responseMessage = (id: RequestId, answer: RpcAnswer): JsonObject => responseOf(id, answer) as unknown as JsonObject; // JSON; its optional `data` has no index signature

/** The requests that a refusal answers: one, each of a batch, or null where it is not known. */
export type RefusedIds = RequestId | readonly RequestId[] | null;

/**
 * The refusal of a message or a batch: of a batch an error for each of its requests (JSON-RPC 2.0
 * section 6).
 */
export const failures = (ids: RefusedIds, error: RpcError) =>
  typeof ids === "object" && ids !== null && ids.length > 0
    ? ids.map((id) => failure(id, error))
    : failure(typeof ids === "object" ? null : ids, error);

/**
 * The ids of the requests in a parsed body. Those of responses are ids of the other side's
 * requests, and are not answered.
 */
export function refusedIds(body: unknown): RefusedIds {
  const idIn = (value: unknown): RequestId | undefined =>
    isObject(value) && Object.hasOwn(value, "method") ? toRequestId(value["id"]) : undefined;
  if (!Array.isArray(body)) return idIn(body) ?? null;
  return body.flatMap((each) => idIn(each) ?? []);
}

/** One text for one id, its type kept: the id's JSON. */
export const idKey = (id: RequestId): string => JSON.stringify(id);

/**
 * The id in a URL's path segment, after URL-decoding: any JSON spelling of an id, or undefined
 * where it is none.
 */
export const parseIdJson = (text: string): RequestId | undefined => toRequestId(parseJson(text));
