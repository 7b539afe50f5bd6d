// What a client of 2026-07-28 and a server with sessions (the 2025 family) say to each other, in
// the words of the other. Pure: it sends nothing. Sources: the schemas of both revisions, and the
// changelog of 2026-07-28.

import { tasksExtension } from "../wire/mcp-2026/meta-keys.ts";
import type { JsonObject } from "../encoding.ts";
import { isObject, objectOf, without } from "../json/values.ts";
import type { RpcAnswer } from "../wire/json-rpc.ts";
import { sessionRevisions } from "../wire/mcp-2025/features.ts";
import { clientInfoOf } from "../wire/mcp-2026/client-info.ts";
import {
  clientCapabilitiesKey,
  clientInfoKey,
  logLevelKey,
  protocolVersionKey,
  revision2026,
  serverInfoKey,
  subscriptionIdKey,
} from "../wire/mcp-2026/stateless-request.ts";
import { withTools } from "./translation.ts";

/**
 * What a client says of itself with each request. Clients of one API key that say the same share a
 * session at the server.
 */
export type BridgedClient = { readonly capabilities: JsonObject; readonly clientInfo: JsonObject | null };

/** The part of a client's declarations that has a meaning in the 2025 family. */
export function bridgedClient(capabilities: JsonObject, clientInfo: unknown): BridgedClient {
  const names = ["roots", "elicitation", "sampling", "experimental"];
  // Tasks of the 2025 family are others.
  const extensions = without(objectOf(capabilities["extensions"]) ?? {}, [tasksExtension]);
  return {
    capabilities: {
      ...Object.fromEntries(names.flatMap((name) => (isObject(capabilities[name]) ? [[name, capabilities[name]]] : []))),
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    },
    clientInfo: clientInfoOf(clientInfo) ?? null,
  };
}

/** The params of `initialize` for such a client, in the newest revision that has sessions. */
export const initializeParams = ({ capabilities, clientInfo }: BridgedClient): JsonObject => ({
  protocolVersion: sessionRevisions.at(-1) ?? "",
  capabilities,
  clientInfo: clientInfo ?? { name: "countersign", version: "1" },
});

/**
 * Methods that a server with sessions may know and that have no place in 2026-07-28: one client's
 * would change the session of others.
 */
const removedMethods: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);

export const isRemoved = (method: string): boolean => removedMethods.has(method) || method.startsWith("tasks/");

/** The result of `server/discover`, from the server's answer to `initialize`. */
export function discoverResult(initialized: JsonObject): JsonObject {
  const { tools, prompts, resources, completions, logging, experimental, extensions } = objectOf(initialized["capabilities"]) ?? {};
  const known = { tools, prompts, resources, completions, logging, experimental, extensions };
  const { serverInfo, instructions } = initialized;
  return {
    resultType: "complete",
    supportedVersions: [revision2026],
    capabilities: Object.fromEntries(Object.entries(known).filter(([, value]) => isObject(value))) as JsonObject, // from JSON
    ...(typeof instructions === "string" ? { instructions } : {}),
    ...cachingHints,
    ...(isObject(serverInfo) ? { _meta: { [serverInfoKey]: serverInfo } } : {}),
  };
}

/** An older server may change what it has without saying so: it is to be asked each time. */
const cachingHints = { ttlMs: 0, cacheScope: "private" } as const;

const cached: ReadonlySet<string> = new Set(["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"]);

/** "Resource not found", which is -32602 since 2026-07-28 (server/resources, "Error Handling"). */
const notFound2025 = -32_002;

/** A server's answer to a request of this method, as a client of 2026-07-28 reads it. */
export function bridgedAnswer(method: string, answer: RpcAnswer): RpcAnswer {
  if (!("result" in answer)) {
    const { error } = answer;
    return method === "resources/read" && error.code === notFound2025 ? { error: { ...error, code: -32_602 } } : answer;
  }
  const result = method === "tools/list" ? withoutExecution(answer.result) : answer.result;
  return { result: { ...result, resultType: "complete", ...(cached.has(method) ? cachingHints : {}) } };
}

/** How a tool runs as a task is said otherwise since 2026-07-28. */
const withoutExecution = (result: JsonObject): JsonObject => withTools(result, (tool) => without(tool, ["execution"]));

const newMeta: ReadonlySet<string> = new Set([
  protocolVersionKey,
  clientCapabilitiesKey,
  clientInfoKey,
  logLevelKey,
  subscriptionIdKey,
  "progressToken",
]);

/**
 * A request's `_meta` for the server: without what `initialize` said, and with the gateway's own
 * progress token.
 */
export const bridgedMeta = (meta: JsonObject, progressToken: string | null): JsonObject => ({
  ...Object.fromEntries(Object.entries(meta).filter(([name]) => !newMeta.has(name))),
  ...(progressToken === null ? {} : { progressToken }),
});

/**
 * The params of what the server asks its client, as an input request. An address to open has no id
 * in 2026-07-28.
 */
export const inputParams = (method: string, params: JsonObject | null): JsonObject | null =>
  params !== null && method === "elicitation/create" ? without(params, ["elicitationId", "task"]) : params;

const logLevels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

export const isLogLevel = (value: unknown): value is string => typeof value === "string" && logLevels.includes(value);

/** Whether a message of this level is one that the client wants. */
export const isLogged = (level: unknown, wanted: string | null): boolean =>
  wanted !== null && logLevels.indexOf(String(level)) >= logLevels.indexOf(wanted);
