// Reads one POST of revision 2026-07-28: there is no handshake, so every request says its revision
// and its client's capabilities in `_meta`, and repeats some of its members in headers. Sources:
// basic/index ("_meta"), basic/versioning, basic/transports/streamable-http.

import type { JsonObject } from "../../encoding.ts";
import { objectOf } from "../../json/values.ts";
import { type Result, err, ok } from "../../result.ts";
import { type RequestId, type RpcError, toRequestId } from "../json-rpc.ts";
import { decodeHeaderValue } from "./header-values.ts";
import { clientCapabilitiesKey, headerMismatchCode, protocolVersionKey, revision2026, unsupportedVersionCode } from "./meta-keys.ts";

export {
  clientCapabilitiesKey,
  clientInfoKey,
  headerMismatchCode,
  logLevelKey,
  missingCapabilityCode,
  protocolVersionKey,
  revision2026,
  serverInfoKey,
  subscriptionIdKey,
  unsupportedVersionCode,
} from "./meta-keys.ts";

export type StatelessRequest = {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly capabilities: JsonObject;
};

/** An error with the HTTP status that belongs to it. */
type HttpRpcError = RpcError & { readonly status: 400 | 404 };

/** Headers by name, in any case; null where there is none. */
type Headers = { readonly get: (name: string) => string | null };

/**
 * Whether a POST is one of this revision or a later one, by what its body says, or by its header
 * where the body says nothing. Older revisions are those that begin a session with `initialize`.
 */
export function isStateless(value: unknown, headers: Headers): boolean {
  const message = objectOf(value);
  if (message === null || typeof message["method"] !== "string") return false;
  const claimed = objectOf(objectOf(message["params"])?.["_meta"])?.[protocolVersionKey];
  if (claimed !== undefined) return message["method"] !== "initialize" || isLaterRevision(claimed);
  return message["method"] !== "initialize" && isLaterRevision(headers.get("MCP-Protocol-Version")?.trim());
}

/** Revisions are dates: whether this is the first without sessions, or one after it. */
export const isLaterRevision = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) && value >= revision2026;

/** The member of the params that `Mcp-Name` repeats. */
const namedBy: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** What `Mcp-Name` repeats of a request; null where it repeats nothing. */
export function mirroredName(method: string, params: JsonObject): string | null {
  const member = Object.hasOwn(namedBy, method) ? params[namedBy[method] ?? ""] : undefined;
  return typeof member === "string" ? member : null;
}

/**
 * The request of a parsed body, or the error that the revision has for it: a version that is not
 * spoken here, `_meta` without its required members, and headers that are missing or do not say
 * what the body says.
 */
export function readStateless(value: unknown, headers: Headers): Result<StatelessRequest, HttpRpcError> {
  const message = objectOf(value);
  const id = toRequestId(message?.["id"]);
  const method = message?.["method"];
  if (message === null || message["jsonrpc"] !== "2.0" || typeof method !== "string" || id === undefined)
    return refused(-32_600, "Invalid request: send one JSON-RPC request with an id and a method");
  const params = objectOf(message["params"] ?? {});
  const meta = objectOf(params?.["_meta"]);
  if (params === null || meta === null) return refused(-32_602, `Invalid params: _meta is missing; send ${required.join(" and ")} in it`);
  const version = meta[protocolVersionKey];
  const capabilities = objectOf(meta[clientCapabilitiesKey]);
  if (typeof version !== "string") return refused(-32_602, `Invalid params: _meta has no ${protocolVersionKey}`);
  const header = headers.get("MCP-Protocol-Version")?.trim();
  if (header !== undefined && header !== version)
    return refused(headerMismatchCode, `Header mismatch: MCP-Protocol-Version says ${quoted(header)} and the body ${quoted(version)}`);
  if (version !== revision2026)
    return refused(unsupportedVersionCode, "Unsupported protocol version", { supported: [revision2026], requested: version });
  if (capabilities === null) return refused(-32_602, `Invalid params: _meta has no ${clientCapabilitiesKey}, an object`);
  const mismatch = headerError(method, params, headers);
  return mismatch === null ? ok({ id, method, params, meta, capabilities }) : refused(headerMismatchCode, `Header mismatch: ${mismatch}`);
}

const required = [protocolVersionKey, clientCapabilitiesKey];

const refused = (code: number, message: string, data?: JsonObject) =>
  err({ status: 400, code, message, ...(data === undefined ? {} : { data }) } as const);

/** What is wrong with the headers that repeat the body, or null. */
function headerError(method: string, params: JsonObject, headers: Headers): string | null {
  if (headers.get("MCP-Protocol-Version") === null) return "MCP-Protocol-Version is missing";
  const saidMethod = headers.get("Mcp-Method")?.trim();
  if (saidMethod === undefined) return "Mcp-Method is missing";
  if (saidMethod !== method) return `Mcp-Method says ${quoted(saidMethod)} and the body ${quoted(method)}`;
  if (!Object.hasOwn(namedBy, method)) return null;
  const [name, given] = [mirroredName(method, params), headers.get("Mcp-Name")?.trim()];
  if (given === undefined) return name === null ? null : "Mcp-Name is missing";
  const said = decodeHeaderValue(given);
  if (said === undefined) return "Mcp-Name is no Base64 of UTF-8";
  if (name === null) return `Mcp-Name says ${quoted(said)} and the body has no ${namedBy[method]}`;
  return said === name ? null : `Mcp-Name says ${quoted(said)} and the body ${quoted(name)}`;
}

/** A text of the caller's in an error to the same caller: cut, because it may be of any length. */
const quoted = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100).toWellFormed()}…` : text);
