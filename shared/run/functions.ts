// Functions that the gateway runs: tools of MCP servers that the servers document registers. Which
// one a name means, its candidate in the pipeline, and its server's result as a reply.

import { isObject, type Members } from "../json/values.ts";
import { functionNames, type Servers } from "../relay/servers.ts";
import { content2025 } from "../wire/mcp-2025/content.ts";
import { anyObject } from "../json/fields.ts";
import { checkJson } from "../json/json-rules.ts";
import { type ParamsError, IssueCollector } from "../json/issue-collector.ts";
import type { ToolResultBlock } from "../model/sampling.ts";
import { err, ok, type Result } from "../result.ts";
import type { Candidate } from "../routing/choose.ts";

export type RegisteredFunction = {
  /** The server's name in the servers document. */
  readonly server: string;
  /** The tool's own name there. */
  readonly tool: string;
};

/**
 * The function that a name means: a tool's own name, or `server/tool`. No name in the document
 * means two. Undefined: the function is not registered, and the client runs it itself.
 */
export function registeredFunction({ servers }: Servers, name: string): RegisteredFunction | undefined {
  for (const [server, { functions }] of Object.entries(servers)) {
    const tool = functions.find((each) => functionNames(server, each).includes(name));
    if (tool !== undefined) return { server, tool };
  }
  return undefined;
}

/** Only the body's size bounds the arguments; no tokens are counted. */
const roomForAnything = 1_000_000_000;

/**
 * A function as the pipeline's only candidate. It is in no routing table, costs nothing, and has no
 * failover.
 */
export const functionCandidate = (server: string, tool: string): Candidate => ({
  model: {
    id: `${server}/${tool}`,
    provider: server,
    name: tool,
    tasks: ["chat"],
    aliases: [],
    accepts: ["text", "image", "audio"],
    tools: true,
    contextTokens: roomForAnything,
    maxOutputTokens: roomForAnything,
    price: { inputPerMTok: 0, outputPerMTok: 0 },
    scores: { intelligence: 0, speed: 0, cost: 1 },
    tokenField: "max_tokens",
    omits: [],
    promptCache: false,
    overLimit: "cut",
    metadataKeys: [],
    onlyKeys: [],
    onlyServers: [],
    enabled: true,
  },
  provider: { kind: "mcp", keyless: true, allowPrivate: false },
  providerName: server,
  why: { kind: "function", server, tool },
  worstCostUsd: 0,
});

/**
 * The result of `tools/call` (`CallToolResult` of the 2025 and 2026 revisions) as the reply's one
 * block. Refused, with pointers into the result: what content from outside may not have (base64,
 * media types, depth, characters), and blocks of an unknown kind. A missing `content`, as some
 * servers send beside structured content, is empty. Structured content that is no object, which
 * revision 2026-07-28 allows, becomes the member `result` of one (SEP-2106, as servers do for older
 * clients).
 */
export function toToolResultReply(toolUseId: string, result: unknown): Result<ToolResultBlock, readonly ParamsError[]> {
  const issues = new IssueCollector();
  checkJson(result, issues);
  if (issues.found.length > 0) return err(issues.found);
  const { content = [], structuredContent: given, isError }: Members = anyObject.read(result, "", issues);
  const structuredContent = given === undefined || isObject(given) ? given : { result: given };
  const block = content2025.toolResult.read({ type: "tool_result", toolUseId, content, structuredContent, isError }, "", issues);
  return issues.found.length === 0 ? ok(block) : err(issues.found);
}
