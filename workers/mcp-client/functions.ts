// Functions that are tools of configured MCP servers: a tool's schema, and one call. The tools
// Worker is the client of their servers (workers/tools/); what may be asked, and with which
// credential, is decided here.

import { jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import { registeredFunction } from "../../shared/run/functions.ts";
import { type ToolCall, type ToolResult, toolName } from "../../shared/model/subject/tool-call.ts";
import type { FunctionError } from "../../shared/model/outcome.ts";
import type { Note, ProviderError } from "../../shared/model/call.ts";
import { outcomeUnknownError } from "../../shared/provider/provider-error.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { type TraceContext, traceMembers } from "../../shared/telemetry/trace-context.ts";
import type { Server } from "../../shared/relay/servers.ts";
import type { Env } from "../platform/env.ts";
import { byNamespace, isolateState } from "../platform/isolate.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { serversOf } from "../stores/documents.ts";
import type { AskedTool, FunctionSchema } from "../tools/tool-call.ts";
import { heldIn, isHeld, knownTool } from "../stores/tools.ts";
import { credentialOf } from "./ask-server.ts";

type ToolLimits = {
  /** For everything, from the first byte to the last. */
  readonly timeoutMs: number;
  /** Passed on in the call's `_meta`. */
  readonly trace?: TraceContext | undefined;
};

/** No longer registered, or its definition changed and waits for an operator. */
const notAsApproved: ProviderError = { kind: "badRequest", then: "stop", detail: "notReady" };
const noCredential: ProviderError = { kind: "noCredential", then: "stop", detail: "notReady" };

type ToolAnswer = { readonly result: ToolResult; readonly notes: readonly Note[] };

/**
 * Calls exactly that tool with exactly those arguments, once. Just before the call the servers
 * document must still register it, and the arguments must fit the tool's current schema. A result
 * with `isError` is a result. The errors, all of which are final once the call was sent:
 * - `badRequest`: nothing was run. `notReady`: not registered, no such tool, or an unusable schema;
 *   `toolArguments`: they do not fit it.
 * - `outcomeUnknown`: the call was sent and no answer came; the tool may have run, and is not run
 *   again.
 * - `providerError`: the server answered with an error; `asksForMore`: it wants more of its caller,
 *   or runs the tool as a task alone.
 * - `brokenAnswer`: the answer is no result, or too large.
 */
export async function callTool(env: Env, call: ToolCall, { timeoutMs, trace }: ToolLimits): Promise<Result<ToolAnswer, ProviderError>> {
  const servers = await serversOf(env, Date.now(), () => {});
  const found = registeredFunction(servers, toolName(call));
  const server = found === undefined ? undefined : servers.servers[found.server];
  if (found === undefined || server === undefined) return err(notAsApproved);
  const asked = askedTool(env, server, found.tool, timeoutMs);
  if (asked === undefined) return err(noCredential);
  const known = await knownTool(env, { name: found.server, server }, found.tool, noKey);
  if (isHeld(known, server)) return err(notAsApproved);
  const use = { input: jsonOf(call.arguments), ...(trace === undefined ? {} : { trace: traceMembers(trace) }) };
  const answer = await env.TOOLS.call(asked, use).catch((error: unknown) => {
    logEvent("tools.failed", { error: errorClass(error) });
    return null;
  });
  // The Worker may have called the tool before it failed.
  if (answer === null) return err(outcomeUnknownError);
  if (answer.error !== null) return err(answer.error);
  const result = readJsonOf(answer.result);
  return ok({ result, notes: answer.needsSampling ? [{ kind: "toolNeedsSampling" }] : [] });
}

/** A run calls for a key; that the key called the tool before is no matter here. */
const noKey = "";

/** Undefined where the secret that the server's entry names is not set. */
function askedTool(env: Env, server: Server, tool: string, timeoutMs: number): AskedTool | undefined {
  const credential = credentialOf(env, server, null);
  const { url, headers, allowPrivate } = server;
  return credential === undefined ? undefined : { server: { url, headers, allowPrivate }, credential, tool, timeoutMs };
}

const schemaServedMs = 60_000;
const schemaTimeoutMs = 15_000;
type CachedSchema = { readonly at: number; readonly entry: string; readonly schema: FunctionSchema };
const schemasOf = isolateState(() => new Map<string, CachedSchema>(), byNamespace);

/**
 * A registered function's schema from its server. Cached in this isolate for a minute, and read
 * again when the server's entry changes.
 */
export async function functionSchema(env: Env, serverName: string, tool: string): Promise<Result<FunctionSchema, FunctionError>> {
  const now = Date.now();
  const servers = await serversOf(env, now, () => {});
  const found = registeredFunction(servers, `${serverName}/${tool}`);
  const server = found === undefined ? undefined : servers.servers[found.server];
  if (server === undefined) return err("noSuchTool");
  const cache = schemasOf(env);
  const [key, entry] = [`${serverName}/${tool}`, JSON.stringify(server)];
  const cached = cache.get(key);
  if (cached !== undefined && cached.entry === entry && now - cached.at < schemaServedMs) return ok(cached.schema);
  const read = await readSchemaOf(env, server, tool);
  if (read.ok && (await heldIn(env, { name: serverName, server }, { tools: [read.value.listed], isLast: false })).has(0))
    return err("noSuchTool");
  if (read.ok) cache.set(key, { at: now, entry, schema: read.value });
  return read;
}

async function readSchemaOf(env: Env, server: Server, tool: string): Promise<Result<FunctionSchema, FunctionError>> {
  const asked = askedTool(env, server, tool, schemaTimeoutMs);
  if (asked === undefined) return err("noCredential");
  try {
    const { schema, error } = await env.TOOLS.definition(asked);
    return schema === null ? err(error) : ok(readJsonOf(schema));
  } catch (error) {
    logEvent("tools.failed", { error: errorClass(error) });
    return err("noToolsWorker");
  }
}
