// One tool of an MCP server: reads its schema, and calls it once.

import { isObject, objectOf } from "../../shared/json/values.ts";
import { ProtocolError, SdkError, SdkErrorCode, type Tool } from "@modelcontextprotocol/client";
import * as z from "zod";
import type { JsonObject } from "../../shared/encoding.ts";
import { checkArguments } from "../../shared/wire/control/function-arguments.ts";
import { schemaErrors } from "../../shared/wire/control/function-schema.ts";
import { toolResultOf } from "../../shared/run/functions.ts";
import { content2025 } from "../../shared/wire/mcp-2025/content.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import { checkJson } from "../../shared/json/json-rules.ts";
import { IssueCollector } from "../../shared/json/issue-collector.ts";
import { type ListedTool, listedTool } from "../../shared/relay/tool-definition.ts";
import type { FunctionError } from "../../shared/model/outcome.ts";
import { type CalledTool, type ToolResult, definitionOf } from "../../shared/model/subject/tool-call.ts";
import type { ProviderError } from "../../shared/model/call.ts";
import { connectionError, errorOfStatus, outcomeUnknownError, timeoutError } from "../../shared/provider/provider-error.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { TraceMembers } from "../../shared/telemetry/trace-context.ts";
import type { Reached } from "../mcp-client/ask-server.ts";
import { ToolSession, noAnswer } from "./tool-session.ts";

/** A tool of a server, and what the gateway knows of both. */
export type AskedTool = Reached & {
  readonly tool: string;
  /** For everything, from the first byte to the last. */
  readonly timeoutMs: number;
};

/** `input`: the arguments. `trace`: for the call's `_meta`. */
export type ToolUse = { readonly input: JsonOf<JsonObject>; readonly trace?: TraceMembers };

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

/** The server no longer has the tool that was approved. */
const notAsApproved: ProviderError = { kind: "badRequest", then: "stop", detail: "notReady" };
/** The error where, just before the call, the tool cannot be run. */
const noToolErrors: { readonly [reason in NoTool]: ProviderError } = {
  noSuchTool: notAsApproved,
  uncheckableSchema: notAsApproved,
  taskOnly: stopped({ detail: "asksForMore" }),
  broken: broken(),
};
const badArguments: ProviderError = { kind: "badRequest", then: "stop", detail: "toolArguments" };

export type CallAnswer =
  | { readonly result: JsonOf<ToolResult>; readonly needsSampling: boolean; readonly error: null }
  | { readonly result: null; readonly error: ProviderError };

/**
 * Calls the tool with these arguments, once, where they fit its current schema. The errors are
 * those of the gateway's own `callTool`.
 */
export async function callTool(asked: AskedTool, use: ToolUse): Promise<CallAnswer> {
  const input = readJsonOf(use.input);
  const called = await inSession<CallAnswer>(asked, async (session, signal) => {
    const tool = await findTool(session, asked.tool, signal);
    if (!tool.ok) return err(noToolErrors[tool.error]);
    const { inputSchema } = tool.value;
    if (!checkArguments(inputSchema, input, "").ok) return err(badArguments);
    const options = { signal, timeout: asked.timeoutMs + spareMs, toolDefinition: { name: asked.tool, inputSchema } as Tool };
    const meta = use.trace === undefined ? {} : { _meta: { ...use.trace } };
    const result = toolResultOf(await session.client.callTool({ name: asked.tool, arguments: input, ...meta }, options));
    if (!result.ok) return err(broken());
    const needsSampling = session.askedForSampling || saysThatItSamples(result.value);
    return ok({ result: jsonOf(result.value), needsSampling, error: null });
  });
  return called.ok ? called.value : { result: null, error: called.error };
}

/**
 * Whether a failed tool says that it wanted a model's reply. Servers of the official SDKs do not
 * request sampling that their client did not declare, and say "Client does not support sampling
 * (required for sampling/createMessage)".
 */
const saysThatItSamples = ({ isError, content }: ToolResult): boolean =>
  isError === true &&
  content.some((part) => part.type === "text" && /\bnot support sampling\b|sampling\/createMessage/i.test(part.text.slice(0, 2_000)));

/** Its definition, with the schema however large it is; `listed`: as the server listed it. */
export type FunctionSchema = CalledTool & { readonly inputSchema: JsonObject; readonly listed: ListedTool };
/**
 * `broken`: the server's answer is no readable list of tools. `taskOnly`: the tool runs as a task
 * alone. `uncheckableSchema`: arguments cannot be checked by its schema, and unchecked ones are not
 * sent.
 */
type NoSchema = Exclude<FunctionError, "noToolsWorker">;

export type DefinitionAnswer =
  | { readonly schema: JsonOf<FunctionSchema>; readonly error: null }
  | { readonly schema: null; readonly error: NoSchema };

export async function readTool(asked: AskedTool): Promise<DefinitionAnswer> {
  const found = await inSession(asked, async (session, signal) => ok(await findTool(session, asked.tool, signal)));
  if (!found.ok) return { schema: null, error: noSchemaOf(found.error) };
  if (!found.value.ok) return { schema: null, error: found.value.error };
  return { schema: jsonOf(found.value.value), error: null };
}

function noSchemaOf({ kind, detail }: ProviderError): NoSchema {
  if (kind === "refusedCredential") return "noCredential";
  return kind === "brokenAnswer" || (kind === "providerError" && detail === undefined) ? "broken" : "unreachable";
}

type NoTool = "noSuchTool" | "taskOnly" | "broken" | "uncheckableSchema";

async function findTool({ client }: ToolSession, name: string, signal: AbortSignal): Promise<Result<FunctionSchema, NoTool>> {
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

function readFound(value: unknown): Result<FunctionSchema, NoTool> {
  const issues = new IssueCollector();
  checkJson(value, issues);
  const tool = issues.found.length === 0 ? content2025.tool.read(value, "", issues) : undefined;
  const object = objectOf(value);
  const listed = object === null ? null : listedTool(object);
  if (tool === undefined || listed === null || issues.found.length > 0) return err("broken");
  const execution = object?.["execution"];
  if (isObject(execution) && execution["taskSupport"] === "required") return err("taskOnly");
  return schemaErrors(tool.inputSchema, "").length > 0
    ? err("uncheckableSchema")
    : ok({ ...definitionOf(value), inputSchema: tool.inputSchema, listed });
}

/** The client's timeout is this much longer, so that ours comes first and is recognized. */
const spareMs = 1_000;

/**
 * Opens a session for `work` within the timeout, and ends it. Exceptions become a `ProviderError`.
 */
async function inSession<T>(
  { timeoutMs, ...reached }: AskedTool,
  work: (session: ToolSession, signal: AbortSignal) => Promise<Result<T, ProviderError>>,
): Promise<Result<T, ProviderError>> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeoutMs);
  const session = new ToolSession(reached, over.signal);
  try {
    await session.connect(timeoutMs + spareMs);
    return await work(session, over.signal);
  } catch (error) {
    return err(errorOf(error, session, over.signal.aborted));
  } finally {
    clearTimeout(timer);
    await session.end();
  }
}

/**
 * What an exception of the client means. Its message is not read: it may have the server's words.
 */
function errorOf(error: unknown, { seen, callSent }: ToolSession, isOver: boolean): ProviderError {
  if (isOver) return callSent ? { ...outcomeUnknownError, kind: "timeout" } : { ...timeoutError, then: "stop" };
  if (seen.error === "redirected") return stopped({ detail: "redirected" });
  if (seen.error === "tooLarge") return broken("tooLarge");
  if (seen.error !== undefined || (error instanceof ProtocolError && error.data === noAnswer))
    return callSent ? outcomeUnknownError : connectionError;
  if (seen.status !== undefined) return errorOfRefusal(seen.status, callSent);
  if (error instanceof ProtocolError) return stopped();
  if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) return stopped({ detail: "asksForMore" });
  return broken();
}

/**
 * A server that refuses the call has not run it; 5xx and 408 may come from a proxy that lost the
 * answer.
 */
function errorOfRefusal(status: number, callSent: boolean): ProviderError {
  if (!callSent) return errorOfStatus(status);
  return status >= 500 || status === 408 ? { ...outcomeUnknownError, status } : { ...errorOfStatus(status), then: "stop" };
}
