// What a client of a 2025 revision and a server of 2026-07-28 say to each other, in the words of
// the other. Pure: it sends nothing. Sources: the schemas of both revisions, and the changelog of
// 2026-07-28.

import type { JsonObject } from "../encoding.ts";
import { isObject, objectOf, without } from "../json/values.ts";
import type { RpcAnswer } from "../wire/json-rpc.ts";
import { sessionRevisions } from "../wire/mcp-2025/features.ts";
import {
  clientCapabilitiesKey,
  clientInfoKey,
  logLevelKey,
  protocolVersionKey,
  revision2026,
  serverInfoKey,
} from "../wire/mcp-2026/meta-keys.ts";
import { clientInfoOf } from "../wire/mcp-2026/client-info.ts";

/** What a session of such a client is, for the requests to come. */
export type TranslatedSession = {
  /** The client's own capabilities, as far as the server can use them. */
  readonly capabilities: JsonObject;
  readonly clientInfo: JsonObject | null;
  /** Whether the server logs, at a level that the client sets. */
  readonly logs: boolean;
  /** The lists whose changes the server tells: the members of a `SubscriptionFilter`. */
  readonly listens: readonly string[];
};

/**
 * In characters of JSON, of a client's experimental capabilities and extensions: longer ones are
 * left out, because a session's id carries them.
 */
const longestExtensions = 1_000;

/**
 * The revision in which the session goes on: the one that the client asked for, or the newest that
 * has sessions.
 */
export const agreedRevision = (params: JsonObject | null): string => {
  const asked = params?.["protocolVersion"];
  return typeof asked === "string" && sessionRevisions.includes(asked) ? asked : (sessionRevisions.at(-1) ?? "");
};

/** The member of a `SubscriptionFilter` for a server's capability. */
export const listFilters = { tools: "toolsListChanged", prompts: "promptsListChanged", resources: "resourcesListChanged" } as const;

/**
 * What a client declared in `initialize`, for the requests to come. Sampling is said beside it;
 * tasks are an extension of their own now.
 */
export function translatedSession(params: JsonObject | null, discovered: JsonObject): TranslatedSession {
  const declared = objectOf(params?.["capabilities"]) ?? {};
  const { roots, elicitation, sampling, experimental, extensions } = declared;
  const more = { ...(isObject(experimental) ? { experimental } : {}), ...(isObject(extensions) ? { extensions } : {}) };
  const server = objectOf(discovered["capabilities"]) ?? {};
  return {
    capabilities: {
      ...(isObject(roots) ? { roots: {} } : {}),
      ...(isObject(elicitation) ? { elicitation } : {}),
      ...(isObject(sampling) ? { sampling } : {}),
      ...(JSON.stringify(more).length > longestExtensions ? {} : more),
    },
    clientInfo: clientInfoOf(params?.["clientInfo"]) ?? null,
    logs: isObject(server["logging"]),
    listens: Object.entries(listFilters).flatMap(([capability, filter]) =>
      objectOf(server[capability])?.["listChanged"] === true ? [filter] : [],
    ),
  };
}

/**
 * The result of `initialize`, from what the server says of itself. A subscription to single
 * resources has no translation.
 */
export function initializeResult(discovered: JsonObject, revision: string, server: string): JsonObject {
  const { tools, prompts, resources, completions, logging, experimental } = objectOf(discovered["capabilities"]) ?? {};
  const info = objectOf(objectOf(discovered["_meta"])?.[serverInfoKey]) ?? objectOf(discovered["serverInfo"]);
  const known = { tools, prompts, completions, logging, experimental };
  const instructions = discovered["instructions"];
  return {
    protocolVersion: revision,
    capabilities: {
      ...(Object.fromEntries(Object.entries(known).filter(([, value]) => isObject(value))) as JsonObject),
      ...(isObject(resources) ? { resources: without(resources, ["subscribe"]) } : {}),
    },
    serverInfo: info ?? { name: server, version: "unknown" },
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
}

/**
 * The `_meta` of a request, from the client's own and from what it said at the beginning. `added`:
 * what the gateway declares.
 */
export function requestMeta(
  own: JsonObject | null,
  { capabilities, clientInfo }: Pick<TranslatedSession, "capabilities" | "clientInfo">,
  { added, logLevel }: { readonly added: JsonObject | null; readonly logLevel: string | null },
): JsonObject {
  return {
    ...own,
    [protocolVersionKey]: revision2026,
    [clientCapabilitiesKey]: { ...capabilities, ...added },
    ...(clientInfo === null ? {} : { [clientInfoKey]: clientInfo }),
    ...(logLevel === null ? {} : { [logLevelKey]: logLevel }),
  };
}

/**
 * What the gateway itself answers of a session, with the level of log messages that its client
 * sets; null: the server answers.
 */
export function answeredInSession(
  method: string,
  params: JsonObject | null,
  { logs }: Pick<TranslatedSession, "logs">,
): { readonly answer: RpcAnswer; readonly logLevel?: string } | null {
  const level = params?.["level"];
  if (method === "ping") return { answer: { result: {} } };
  if (method === "logging/setLevel" && logs && typeof level === "string") return { answer: { result: {} }, logLevel: level.slice(0, 20) };
  if (method !== "resources/subscribe" && method !== "resources/unsubscribe") return null;
  return { answer: { error: { code: -32_601, message: `Method not found: ${method} has no translation for this MCP server` } } };
}

/** What a session listens to, as the params of `subscriptions/listen`; null: nothing. */
export const listenedTo = ({ listens }: Pick<TranslatedSession, "listens">): JsonObject | null =>
  listens.length === 0 ? null : { notifications: Object.fromEntries(listens.map((each) => [each, true])) };

/** The answer to a request of this method as a client of a 2025 revision reads it. */
export function answerFor(method: string, answer: RpcAnswer): RpcAnswer {
  if (!("result" in answer)) return answer;
  const result = without(answer.result, newMembers);
  if (method === "tools/call") return { result: withObjectContent(result) };
  return { result: method === "tools/list" ? withObjectSchemas(result) : result };
}

/** What results have since 2026-07-28. */
const newMembers = ["resultType", "ttlMs", "cacheScope"];

/**
 * Structured content was an object until 2025-11-25. The text beside it says the same
 * (server/tools, "Structured Content").
 */
const withObjectContent = (result: JsonObject): JsonObject =>
  isObject(result["structuredContent"]) ? result : without(result, ["structuredContent"]);

/** So was what a tool declared of it. */
const withObjectSchemas = (result: JsonObject): JsonObject =>
  withTools(result, (tool) => (objectOf(tool["outputSchema"])?.["type"] === "object" ? tool : without(tool, ["outputSchema"])));

/** A list of tools, with what each becomes. */
export function withTools(result: JsonObject, change: (tool: JsonObject) => JsonObject): JsonObject {
  const { tools } = result;
  return Array.isArray(tools) ? { ...result, tools: tools.map((tool) => (isObject(tool) ? change(tool) : tool)) } : result;
}

/**
 * A change of a list as an older client is told of it; null for what only the newer revision has.
 */
export const listChangeFor = (method: unknown): string | null =>
  Object.keys(listFilters).some((each) => method === `notifications/${each}/list_changed`)
    ? JSON.stringify({ jsonrpc: "2.0", method })
    : null;

/**
 * The params of what a round asks, for a client of a 2025 revision: an address to open has an id
 * there (client/elicitation, "URL Mode").
 */
export const inputParams2025 = (method: string, params: JsonObject, elicitationId: string): JsonObject =>
  method === "elicitation/create" && params["mode"] === "url" ? { elicitationId, ...params } : params;
