// A call of a tool, and what it returned.

import { anyObject, list, object, oneOf, tagged, text, type ReadOf } from "../../json/fields.ts";
import { blockMembers, resultContents } from "../sampling.ts";
import type { Walk } from "./walk.ts";

/** An MCP server runs one of its tools with these arguments. */
export const toolCall = object({ kind: oneOf(["toolCall"]), server: text(), tool: text(), arguments: anyObject });

const { structuredContent, isError } = blockMembers.tool_result;
/** What a tool returned: `CallToolResult`, without what no client is shown. */
export const toolResult = object({
  kind: oneOf(["toolResult"]),
  content: list(tagged("type", resultContents)),
  structuredContent,
  isError,
});

export type ToolCall = ReadOf<typeof toolCall>;
export type ToolResult = ReadOf<typeof toolResult>;

/** A tool as people read it: its server and its name there. */
export const toolName = ({ server, tool }: Pick<ToolCall, "server" | "tool">): string => `${server}/${tool}`;

/** The names of server and tool are the operator's, and no places of the walk. */
export const walkToolCall = (call: ToolCall, walk: Walk): ToolCall => ({ ...call, arguments: walk.object("/arguments", call.arguments) });

export function walkToolResult({ structuredContent: structured, ...result }: ToolResult, walk: Walk): ToolResult {
  const content = result.content.map((piece, i) => walkResultContent(piece, `/content/${i}`, walk));
  if (structured === undefined) return { ...result, content };
  return { ...result, content, structuredContent: walk.object("/structuredContent", structured) };
}

type ResultContent = ToolResult["content"][number];

/** Also of a tool's result within a message. */
export function walkResultContent(content: ResultContent, path: string, walk: Walk): ResultContent {
  const fixed = (at: string, name: string, value: string | undefined): Readonly<Record<string, string>> =>
    value === undefined ? {} : { [name]: walk.fixedText(`${at}/${name}`, value) };
  switch (content.type) {
    case "text":
      return { ...content, text: walk.text(`${path}/text`, content.text) };
    case "image":
    case "audio":
      walk.media(path, content.type);
      return content;
    case "resource_link": {
      const { uri, name, description, mimeType } = content;
      const about = { ...fixed(path, "name", name), ...fixed(path, "description", description), ...fixed(path, "mimeType", mimeType) };
      return { ...content, ...fixed(path, "uri", uri), ...about };
    }
    case "resource": {
      const { resource } = content;
      const at = `${path}/resource`;
      const about = { ...fixed(at, "uri", resource.uri), ...fixed(at, "mimeType", resource.mimeType) };
      if ("text" in resource) return { ...content, resource: { ...resource, ...about, text: walk.text(`${at}/text`, resource.text) } };
      walk.media(path, "binaryResource");
      return { ...content, resource: { ...resource, ...about } };
    }
    default:
      return content satisfies never;
  }
}
