// The beginning of the content under review, for notices whose policy allows it: texts in order,
// cut by length. Images, settings and tools are never in it; they are on the page alone. A text
// that holds what a warning calls a secret is left out whole: the checks know how a secret begins,
// and not surely where it ends.

import { holdsSecret } from "../policy/risk.ts";
import { isSecret } from "../policy/scan-text.ts";
import { unreachable } from "../result.ts";
import type { Block, SamplingReply, SamplingRequest, ToolResultBlock } from "../model/sampling.ts";
import { type PlainSource, adapterOf } from "../model/subject/subject.ts";
import { inputResponsesPath } from "../model/subject/tool-call.ts";
import { textsOf as shownTexts } from "../review/subject/parts.ts";
import { requestKindOf } from "../review/review-facts.ts";
import { vectorsIn, vectorsText } from "../review/vectors.ts";
import type { NoticeWords } from "./words/notice-words.ts";
import type { ReviewView } from "../review/view.ts";
import type { NoticeContent } from "../run/notice-view.ts";

type ExcerptPiece = {
  readonly from: "systemPrompt" | "user" | "text" | "assistant" | "toolResult" | "inputResponses" | "reply" | "vectors" | PlainSource;
  readonly text: string;
  /** The text is left out, and `text` is empty. */
  readonly leftOut?: "secret";
};

/**
 * `raw`: the value that the text was made of, where writing it as JSON may hide a secret from the
 * check.
 */
type Source = ExcerptPiece & { readonly raw?: unknown };

/** `more`: UTF-16 code units of text that are not in the pieces. */
export type Excerpt = { readonly pieces: readonly ExcerptPiece[]; readonly more: number };

/** An email or a webhook shows at most this many characters (docs/policy.md). */
export const excerptCharacters = 1_500;
const mostPieces = 8;

/** Who wrote a piece of the excerpt. */
export function startOf(
  view: ReviewView,
  from: ExcerptPiece["from"],
  { excerpt: { start, ownStart, formatted }, review: { kinds } }: Pick<NoticeWords, "excerpt" | "review">,
): string {
  const kind = requestKindOf(view);
  if (view.subject !== "message") return kinds[kind].gates[view.gate].from;
  if (from === "systemPrompt" && kind === "sampling" && view.request.responseFormat !== undefined) return formatted;
  const starts: Readonly<Record<string, string>> = kind === "sampling" ? start : { ...start, ...ownStart };
  return starts[from] ?? "";
}

/**
 * The first `length` UTF-16 code units of a text, one less where the cut would fall inside a
 * surrogate pair.
 */
export function beginningOf(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? Math.max(0, length - 1) : length);
}

/**
 * At the request gate: the system prompt and the texts of messages and tool results, or the
 * arguments of a tool that is to run. At the response gate: the reply's texts, a tool's result, or
 * the beginning of vectors. The current version, in order, at most `characters` UTF-16 code units
 * and eight pieces.
 */
export function excerptOf(view: ReviewView, characters: number = excerptCharacters): Excerpt {
  const pieces: ExcerptPiece[] = [];
  let left = characters;
  let more = 0;
  for (const { from, text, raw } of textsOf(view)) {
    if (text === "") continue;
    const hasRoom = pieces.length < mostPieces && left > 0;
    if (hasRoom && (isSecret(text) || (raw !== undefined && holdsSecret(raw)))) {
      pieces.push({ from, text: "", leftOut: "secret" });
      more += text.length;
      continue;
    }
    const shown = pieces.length < mostPieces ? beginningOf(text, left) : "";
    if (shown !== "") pieces.push({ from, text: shown });
    // Nothing after a cut is shown.
    left = shown.length < text.length ? 0 : left - shown.length;
    more += text.length - shown.length;
  }
  return { pieces, more };
}

/** Two lines of a wide screen. */
const inboxCharacters = 240;

/**
 * What the inbox shows of a review's content: the beginning of a piece that its notices show, the
 * first that is no system prompt where there is one. Null where they may show none.
 */
export function inboxExcerpt({ view, excerpt }: NoticeContent): string | null {
  if (excerpt === "none") return null;
  const pieces = excerptOf(view).pieces.filter(({ text }) => text !== "");
  const piece = pieces.find(({ from }) => from !== "systemPrompt") ?? pieces[0];
  return piece === undefined ? null : beginningOf(piece.text, inboxCharacters);
}

function* textsOf(view: ReviewView): Generator<Source> {
  if (view.subject === "message") {
    if (view.gate === "request") return yield* textsOfRequest(view.request);
    return yield* view.reply === null ? [] : textsOfReply(view.reply);
  }
  const content = view.gate === "request" ? view.request : view.reply;
  if (content === null) return;
  // What cannot be changed in a request is a part of what is asked for.
  const showsFixed = !adapterOf(content).isReply;
  for (const { path, text, raw, isFixed } of shownTexts(content)) {
    const from = path === inputResponsesPath ? "inputResponses" : adapterOf(content).source;
    if (!isFixed || showsFixed) yield { from, text, ...(typeof raw === "object" ? { raw } : {}) };
  }
}

function* textsOfRequest(request: SamplingRequest): Generator<Source> {
  if (request.systemPrompt !== undefined) yield { from: "systemPrompt", text: request.systemPrompt };
  for (const { role, content } of request.messages) {
    for (const block of content) {
      if (block.type === "text" && request.kind === "embedding") yield { from: "text", text: block.text };
      else yield* textsIn(block, role);
    }
  }
}

function* textsOfReply(reply: SamplingReply): Generator<Source> {
  const vectors = vectorsIn(reply);
  if (vectors.length > 0) yield { from: "vectors", text: vectorsText(vectors) };
  for (const block of reply.content) {
    if (block.type === "text") yield { from: "reply", text: block.text };
  }
}

function* resultTexts(content: ToolResultBlock["content"]): Generator<string> {
  for (const piece of content) {
    if (piece.type === "text") yield piece.text;
    else if (piece.type === "resource" && "text" in piece.resource) yield piece.resource.text;
  }
}

function* textsIn(block: Block, role: "user" | "assistant"): Generator<Source> {
  switch (block.type) {
    case "text":
      return yield { from: role, text: block.text };
    case "tool_result":
      for (const text of resultTexts(block.content)) yield { from: "toolResult", text };
      return;
    // What a model asked for earlier, and nothing runs.
    case "tool_use":
    case "image":
    case "audio":
    case "pdf":
      return;
    default:
      return unreachable(block);
  }
}
