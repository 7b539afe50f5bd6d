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
  const content = result.content.map((piece, i) => walkPiece(piece, `/content/${i}`, walk));
  if (structured === undefined) return { ...result, content };
  return { ...result, content, structuredContent: walk.object("/structuredContent", structured) };
}

type Piece = ToolResult["content"][number];

function walkPiece(piece: Piece, path: string, walk: Walk): Piece {
  switch (piece.type) {
    case "text":
      return { ...piece, text: walk.text(`${path}/text`, piece.text) };
    case "image":
    case "audio":
      walk.media(path, piece.type);
      return piece;
    case "resource_link": {
      const { uri, name, description } = piece;
      return {
        ...piece,
        uri: walk.fixedText(`${path}/uri`, uri),
        name: walk.fixedText(`${path}/name`, name),
        ...(description === undefined ? {} : { description: walk.fixedText(`${path}/description`, description) }),
      };
    }
    case "resource": {
      const { resource } = piece;
      const uri = walk.fixedText(`${path}/resource/uri`, resource.uri);
      if ("text" in resource) return { ...piece, resource: { ...resource, uri, text: walk.text(`${path}/resource/text`, resource.text) } };
      walk.media(path, "binaryResource");
      return { ...piece, resource: { ...resource, uri } };
    }
    default:
      return piece satisfies never;
  }
}
