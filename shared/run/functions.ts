// Functions that the gateway runs: tools of MCP servers that the servers document registers. Which
// one a name means, and its server's result.

import { isObject, type Members } from "../json/values.ts";
import { functionNames, showsTool, type Servers } from "../relay/servers.ts";
import { content2025 } from "../wire/mcp-2025/content.ts";
import { anyObject } from "../json/fields.ts";
import { checkJson } from "../json/json-rules.ts";
import { type ParamsError, IssueCollector } from "../json/issue-collector.ts";
import type { ToolResult } from "../model/subject/tool-call.ts";
import { err, ok, type Result } from "../result.ts";

type RegisteredFunction = {
  /** The server's name in the servers document. */
  readonly server: string;
  /** The tool's own name there. */
  readonly tool: string;
};

/**
 * The function that a name means: a tool's own name, or `server/tool`. No name in the document
 * means two. Undefined: the function is not registered, or not among the tools that the entry
 * shows, and the client runs it itself.
 */
export function registeredFunction({ servers }: Servers, name: string): RegisteredFunction | undefined {
  for (const [server, entry] of Object.entries(servers)) {
    const tool = entry.functions.find((each) => functionNames(server, each).includes(name) && showsTool(entry, each));
    if (tool !== undefined) return { server, tool };
  }
  return undefined;
}

/**
 * The result of `tools/call` (`CallToolResult` of the 2025 and 2026 revisions) as it is reviewed.
 * Refused, with pointers into the result: what content from outside may not have (base64, media
 * types, depth, characters), and blocks of an unknown kind. A missing `content`, as some servers
 * send beside structured content, is empty. Structured content that is no object, which revision
 * 2026-07-28 allows, becomes the member `result` of one (SEP-2106, as servers do for older
 * clients).
 */
export function toolResultOf(result: unknown): Result<ToolResult, readonly ParamsError[]> {
  const issues = new IssueCollector();
  checkJson(result, issues);
  if (issues.found.length > 0) return err(issues.found);
  const { content = [], structuredContent: given, isError }: Members = anyObject.read(result, "", issues);
  const structuredContent = given === undefined || isObject(given) ? given : { result: given };
  const block = content2025.toolResult.read({ type: "tool_result", toolUseId: "", content, structuredContent, isError }, "", issues);
  if (issues.found.length > 0) return err(issues.found);
  const { type: _type, toolUseId: _id, ...returned } = block;
  return ok({ kind: "toolResult", ...returned });
}
