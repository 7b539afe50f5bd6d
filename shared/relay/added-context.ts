// What a server may have added to its sampling request with `includeContext`, and how. It stands in the system prompt, marked, so that
// whoever reviews, prices or edits the request sees it where the model does. Source: client/sampling of each revision ("Context inclusion").

import type { ChatRequest } from "../model/sampling.ts";

/** What is known of the server's own context. Nothing of other servers, and nothing of the client's conversation, is ever in it. */
export type ServerContext = {
  /** What the server told the client in its answer to `initialize`. */
  readonly instructions: string | null;
  /** The client request that is served: its method and name, and its arguments as JSON. */
  readonly request: { readonly method: string; readonly name: string; readonly arguments: string | null };
};

/** Of each part, in UTF-16 code units; what is longer is cut, and says so. */
export const longestPart = 8_000;

const opening = "[Context added by Countersign, because the MCP server asked for it]";
const closing = "[End of the added context]";

/** The request with the context behind its system prompt, and what was added; null where there is nothing to add. */
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
  const added = [opening, ...parts.flatMap(({ title, text }) => [title, cut(text)]), closing].join("\n");
  const prompt = request.systemPrompt === undefined || request.systemPrompt === "" ? added : `${request.systemPrompt}\n\n${added}`;
  return { request: { ...request, systemPrompt: prompt }, parts: parts.map(({ part }) => part), characters: added.length };
}

function cut(text: string): string {
  if (text.length <= longestPart) return text;
  const end = /[\uD800-\uDBFF]/.test(text[longestPart - 1] ?? "") ? longestPart - 1 : longestPart;
  return `${text.slice(0, end)} [${text.length - end} more characters]`;
}
