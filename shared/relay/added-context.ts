// Adds the context that a server asked for with `includeContext` to its sampling request. It is
// marked in the system prompt, so that reviews, prices and edits cover it as the model gets it.
// Source: client/sampling of each revision ("Context inclusion").

import type { ChatRequest } from "../model/sampling.ts";

/**
 * The server's own context. It never has anything of other servers or of the client's conversation.
 */
export type ServerContext = {
  /** What the server told the client in its answer to `initialize`. */
  readonly instructions: string | null;
  /** The client request that is served: its method and name, and its arguments as JSON. */
  readonly request: { readonly method: string; readonly name: string; readonly arguments: string | null };
};

/** Of each part, in UTF-16 code units; a longer one is cut, with a note. */
export const longestPart = 8_000;

const firstLine = "[Context added by Countersign, because the MCP server asked for it]";
const lastLine = "[End of the added context]";

/**
 * The request with the context behind its system prompt, and what was added; null where there is
 * nothing to add.
 */
export function withContext(
  request: ChatRequest,
  { instructions, request: served }: ServerContext,
): { readonly request: ChatRequest; readonly parts: readonly ("instructions" | "arguments")[]; readonly characters: number } | null {
  const parts = [
    ...(instructions === null || instructions.trim() === ""
      ? []
      : [{ part: "instructions" as const, title: "The server's instructions:", text: instructions }]),
    ...(served.arguments === null
      ? []
      : [{ part: "arguments" as const, title: `Arguments of ${served.method} ${served.name}:`, text: served.arguments }]),
  ];
  if (parts.length === 0) return null;
  const added = [firstLine, ...parts.flatMap(({ title, text }) => [title, cut(text)]), lastLine].join("\n");
  const prompt = request.systemPrompt === undefined || request.systemPrompt === "" ? added : `${request.systemPrompt}\n\n${added}`;
  return { request: { ...request, systemPrompt: prompt }, parts: parts.map(({ part }) => part), characters: added.length };
}

function cut(text: string): string {
  if (text.length <= longestPart) return text;
  const end = /[\uD800-\uDBFF]/.test(text[longestPart - 1] ?? "") ? longestPart - 1 : longestPart;
  return `${text.slice(0, end)} [${text.length - end} more characters]`;
}
