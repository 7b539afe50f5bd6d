// Functions that are tools of configured MCP servers: reads a tool's schema, and runs it once.

import { isObject } from "../../shared/json/values.ts";
import { ProtocolError, SdkError, SdkErrorCode, type Tool } from "@modelcontextprotocol/client";
import * as z from "zod";
import type { JsonObject } from "../../shared/encoding.ts";
import { checkArguments } from "../../shared/wire/control/function-arguments.ts";
import { schemaErrors } from "../../shared/wire/control/function-schema.ts";
import { registeredFunction, toToolResultReply } from "../../shared/run/functions.ts";
import { tool as toolField } from "../../shared/wire/mcp-2025/content.ts";
import { checkJson } from "../../shared/json/json-rules.ts";
import { IssueCollector } from "../../shared/json/issue-collector.ts";
import type { SamplingRequest, ToolDefinition, ToolResultBlock, ToolUseBlock } from "../../shared/model/sampling.ts";
import type { ModelReply, Note, ProviderError } from "../../shared/model/call.ts";
import { cancelledError, connectionError, errorOfStatus, outcomeUnknownError, timeoutError } from "../../shared/provider/provider-error.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { type Server, functionNames } from "../../shared/relay/servers.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Env } from "../platform/env.ts";
import { serversOf } from "../stores/documents.ts";
import { ToolSession, noAnswer } from "./tool-session.ts";

export type FunctionLimits = {
  /** For everything, from the first byte to the last. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
};

/** Pages of a server's list of tools; a server with more is not searched to its end. */
const mostPages = 50;

/** The tools themselves are checked where one is read (`readFound`). */
const listed = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** The server's own refusal: it does not run the function, or wants more of its caller. */
const stopped = (more: Omit<ProviderError, "then" | "kind"> = {}): ProviderError => ({ kind: "providerError", then: "stop", ...more });
const broken = (detail?: "tooLarge"): ProviderError => ({
  kind: "brokenAnswer",
  then: "stop",
  ...(detail === undefined ? {} : { detail }),
});

/** No longer registered, or without the tool that was approved. */
const notAsApproved: ProviderError = { kind: "badRequest", then: "stop", detail: "notReady" };
/** The error where, just before the call, the tool cannot be run. */
const noToolErrors: { readonly [reason in NoTool]: ProviderError } = {
  noSuchTool: notAsApproved,
  uncheckableSchema: notAsApproved,
  taskOnly: stopped({ detail: "asksForMore" }),
  broken: broken(),
};
const badArguments: ProviderError = { kind: "badRequest", then: "stop", detail: "toolArguments" };

/**
 * Runs the function of `request` (a `function` task: one tool use) at `candidate`'s server: exactly that tool with exactly those arguments,
 * once. Just before the call the servers document must still register it, and the arguments must fit the tool's current schema. A result
 * with `isError` is a reply. The errors, all of which are final once the call was sent:
 * - `badRequest`: nothing was run. `notReady`: not registered, no such tool, or an unusable schema; `toolArguments`: they do not fit it.
 * - `outcomeUnknown`: the call was sent and no answer came; the function may have run, and is not run again.
 * - `providerError`: the server answered with an error; `asksForMore`: it wants more of its caller, or runs the tool as a task alone.
 * - `brokenAnswer`: the answer is no result, or too large.
 */
export async function runFunction(
  env: Env,
  request: SamplingRequest,
  candidate: Candidate,
  limits: FunctionLimits,
): Promise<Result<ModelReply, ProviderError>> {
  const use = toolUseOf(request);
  const servers = await serversOf(env, Date.now(), () => {});
  const found = registeredFunction(servers, candidate.model.id);
  const server = found === undefined ? undefined : servers.servers[found.server];
  if (found === undefined || server === undefined || use === undefined || !functionNames(found.server, found.tool).includes(use.name))
    return err(notAsApproved);
  return inSession(env, server, limits, async (session, signal) => {
    const tool = await findTool(session, found.tool, signal);
    if (!tool.ok) return err(noToolErrors[tool.error]);
    const { inputSchema } = tool.value;
    if (!checkArguments(inputSchema, use.input, "").ok) return err(badArguments);
    const options = { signal, timeout: limits.timeoutMs + spareMs, toolDefinition: { name: found.tool, inputSchema } as Tool };
    const result = await session.client.callTool({ name: found.tool, arguments: use.input }, options);
    const block = toToolResultReply(use.id, result);
    if (!block.ok) return err(broken());
    const usage = { inputTokens: 0, outputTokens: 0 };
    const notes: Note[] = session.askedForSampling || saysThatItSamples(block.value) ? [{ kind: "toolNeedsSampling" }] : [];
    return ok({ reply: { content: [block.value], model: candidate.model.id }, usage, notes });
  });
}

/**
 * Whether a failed tool says that it wanted a model's reply. Servers of the official SDKs do not request sampling that their client did
 * not declare, and say "Client does not support sampling (required for sampling/createMessage)".
 */
const saysThatItSamples = ({ isError, content }: ToolResultBlock): boolean =>
  isError === true &&
  content.some((part) => part.type === "text" && /\bnot support sampling\b|sampling\/createMessage/i.test(part.text.slice(0, 2_000)));

function toolUseOf({ messages }: SamplingRequest): ToolUseBlock | undefined {
  const [only, ...others] = messages.flatMap(({ content }) => content);
  return only?.type === "tool_use" && others.length === 0 ? only : undefined;
}

export type FunctionSchema = { readonly description?: string; readonly inputSchema: JsonObject };
/**
 * `broken`: the server's answer is no readable list of tools. `taskOnly`: the tool runs as a task alone. `uncheckableSchema`: arguments
 * cannot be checked by its schema, and unchecked ones are not sent.
 */
export type NoSchema = "noSuchTool" | "taskOnly" | "unreachable" | "noCredential" | "broken" | "uncheckableSchema";

const schemaServedMs = 60_000;
const schemaTimeoutMs = 15_000;
type CachedSchema = { readonly at: number; readonly entry: string; readonly schema: FunctionSchema };
const caches = new WeakMap<object, Map<string, CachedSchema>>();

/** A registered function's schema from its server. Cached in this isolate for a minute, and read again when the server's entry changes. */
export async function functionSchema(
  env: Env,
  serverName: string,
  tool: string,
  limits: FunctionLimits = { timeoutMs: schemaTimeoutMs },
): Promise<Result<FunctionSchema, NoSchema>> {
  const now = Date.now();
  const servers = await serversOf(env, now, () => {});
  const found = registeredFunction(servers, `${serverName}/${tool}`);
  const server = found === undefined ? undefined : servers.servers[found.server];
  if (server === undefined) return err("noSuchTool");
  const cache = caches.get(env.CONFIG) ?? new Map<string, CachedSchema>();
  caches.set(env.CONFIG, cache);
  const [key, entry] = [`${serverName}/${tool}`, JSON.stringify(server)];
  const cached = cache.get(key);
  if (cached !== undefined && cached.entry === entry && now - cached.at < schemaServedMs) return ok(cached.schema);
  const asked = await inSession<Result<ToolDefinition, NoTool>>(env, server, limits, async (session, signal) =>
    ok(await findTool(session, tool, signal)),
  );
  if (!asked.ok) return err(noSchemaOf(asked.error));
  if (!asked.value.ok) return err(asked.value.error);
  const { description, inputSchema } = asked.value.value;
  const schema = { inputSchema, ...(description === undefined ? {} : { description }) };
  cache.set(key, { at: now, entry, schema });
  return ok(schema);
}

function noSchemaOf({ kind, detail }: ProviderError): NoSchema {
  if (kind === "noCredential" || kind === "refusedCredential") return "noCredential";
  return kind === "brokenAnswer" || (kind === "providerError" && detail === undefined) ? "broken" : "unreachable";
}

type NoTool = "noSuchTool" | "taskOnly" | "broken" | "uncheckableSchema";

async function findTool({ client }: ToolSession, name: string, signal: AbortSignal): Promise<Result<ToolDefinition, NoTool>> {
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const { tools, nextCursor } = await client.request({ method: "tools/list", ...params }, listed, { signal });
    const tool = tools.find((each) => isObject(each) && each["name"] === name);
    if (tool !== undefined) return readFound(tool);
    if (nextCursor === undefined || nextCursor === cursor) return err("noSuchTool");
    cursor = nextCursor;
  }
  return err("noSuchTool");
}

function readFound(value: unknown): Result<ToolDefinition, NoTool> {
  const issues = new IssueCollector();
  checkJson(value, issues);
  const tool = issues.found.length === 0 ? toolField.read(value, "", issues) : undefined;
  if (tool === undefined || issues.found.length > 0) return err("broken");
  const execution = isObject(value) ? value["execution"] : undefined;
  if (isObject(execution) && execution["taskSupport"] === "required") return err("taskOnly");
  return schemaErrors(tool.inputSchema, "").length > 0 ? err("uncheckableSchema") : ok(tool);
}

/** The client's timeout is this much longer, so that ours comes first and is recognized. */
const spareMs = 1_000;

/** Opens a session for `work` within the limits, and ends it. Exceptions become a `ProviderError`. */
async function inSession<T>(
  env: Env,
  server: Server,
  { timeoutMs, signal }: FunctionLimits,
  work: (session: ToolSession, signal: AbortSignal) => Promise<Result<T, ProviderError>>,
): Promise<Result<T, ProviderError>> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  const ours = signal === undefined ? over.signal : AbortSignal.any([over.signal, signal]);
  const session = new ToolSession(env, server, ours);
  try {
    if (ours.aborted) return err(cancelledError);
    await session.connect(timeoutMs + spareMs);
    return await work(session, ours);
  } catch (error) {
    return err(errorOf(error, session, { isOver: over.signal.aborted, isCancelled: signal?.aborted === true }));
  } finally {
    clearTimeout(timer);
    await session.end();
  }
}

type Ended = { readonly isOver: boolean; readonly isCancelled: boolean };

/** What an exception of the client means. Its message is not read: it may have the server's words. */
function errorOf(error: unknown, { seen, callSent }: ToolSession, { isOver, isCancelled }: Ended): ProviderError {
  if (isCancelled) return callSent ? outcomeUnknownError : cancelledError;
  if (isOver) return callSent ? { ...outcomeUnknownError, kind: "timeout" } : { ...timeoutError, then: "stop" };
  if (seen.error === "noCredential") return { kind: "noCredential", then: "stop", detail: "notReady" };
  if (seen.error === "redirected") return stopped({ detail: "redirected" });
  if (seen.error === "tooLarge") return broken("tooLarge");
  if (seen.error !== undefined || (error instanceof ProtocolError && error.data === noAnswer))
    return callSent ? outcomeUnknownError : connectionError;
  if (seen.status !== undefined) return errorOfRefusal(seen.status, callSent);
  if (error instanceof ProtocolError) return stopped();
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) return stopped({ detail: "asksForMore" });
  return broken();
}

/** A server that refuses the call has not run it; 5xx and 408 may come from a proxy that lost the answer. */
function errorOfRefusal(status: number, callSent: boolean): ProviderError {
  if (!callSent) return errorOfStatus(status);
  return status >= 500 || status === 408 ? { ...outcomeUnknownError, status } : { ...errorOfStatus(status), then: "stop" };
}
