// Which parts of a review's content a Slack message shows, and a count of those that it does not:
// among them each text with what a warning calls a secret. It makes no blocks.

import type { JsonObject } from "../../encoding.ts";
import { prettyJson } from "../../json/exact-json.ts";
import type { ReplyBlock, SamplingRequest, ToolUseBlock } from "../../model/sampling.ts";
import {
  type ToolCall,
  type ToolResult,
  argumentsJsonOf,
  inputResponsesJsonOf,
  inputResponsesPath,
} from "../../model/subject/tool-call.ts";
import { isMessage, isPlain } from "../../model/subject/subject.ts";
import { holdsSecret } from "../../policy/risk.ts";
import { isSecret } from "../../policy/scan-text.ts";
import { requestKindOf } from "../../review/review-facts.ts";
import { objectText } from "../../review/editable-fields.ts";
import { fieldsOf, textsOf } from "../../review/subject/parts.ts";
import { fieldWords } from "./slack-field-words.ts";
import { cutAt, grownLength, longestText, shownText } from "./slack-blocks.ts";
import type { NoticeWords } from "../words/notice-words.ts";
import { type Text, textOf } from "../../words/text.ts";
import { vectorsIn, vectorsText } from "../../review/vectors.ts";
import type { MessageView, ReviewView } from "../../review/view.ts";

/** `at`: the JSON pointer of the text in the content. */
type Piece = { readonly label: string; readonly text: string; readonly at?: string };

/** Kinds of content that a message never shows. */
export const unshownKinds = ["image", "audio", "file", "tool", "toolUse", "toolResult", "vector", "metadata", "secret"] as const;
type UnshownKind = (typeof unshownKinds)[number];

/** `unshown`: how many there are of each. */
export type SlackContent = { readonly pieces: readonly Piece[]; readonly unshown: Readonly<Partial<Record<UnshownKind, number>>> };

const unshownNames = {
  image: "image",
  audio: "audio",
  pdf: "file",
  tool_use: "toolUse",
  tool_result: "toolResult",
  embedding: "vector",
} as const;

/** The pieces and the counts while they are gathered. */
class Gathering {
  readonly pieces: Piece[] = [];
  readonly unshown: Partial<Record<UnshownKind, number>> = {};
  readonly words: NoticeWords;
  readonly lang: string;
  readonly place: NoticeWords["review"]["place"];
  readonly labels: NoticeWords["slack"]["labels"];

  constructor(words: NoticeWords) {
    this.words = words;
    this.lang = words.lang;
    this.place = words.review.place;
    this.labels = words.slack.labels;
  }

  /** A label with an ordinal. */
  numbered(text: Text<"n">, n: number): string {
    return textOf(text, { n: String(n) }, this.lang);
  }

  /**
   * @param at The text's JSON pointer.
   * @param raw The value that the text was made of, where writing it as JSON may hide a secret from
   *   the check.
   */
  show(label: string, at: string, text: string, raw?: unknown): void {
    if (isSecret(text) || (raw !== undefined && holdsSecret(raw))) this.count("secret");
    else this.pieces.push({ label, at, text });
  }

  count(kind: UnshownKind): void {
    this.unshown[kind] = (this.unshown[kind] ?? 0) + 1;
  }
}

/**
 * The texts of the current version, in order, and counts of everything else. A missing reply is
 * empty.
 */
export function contentOf(view: ReviewView, words: NoticeWords): SlackContent {
  const gathering = new Gathering(words);
  gather(view, gathering);
  return { pieces: gathering.pieces, unshown: gathering.unshown };
}

function gather(view: ReviewView, into: Gathering): void {
  if (view.subject === "message") return view.gate === "request" ? gatherRequest(view.request, into) : gatherReply(view, into);
  if (view.subject === "toolCall") {
    if (view.gate === "request") return gatherCall(view.request, into);
    return view.reply === null ? into.show(into.place.result, "/content", "") : gatherResult(view.reply, into);
  }
  const content = view.gate === "request" ? view.request : view.reply;
  for (const { path, text, raw } of content === null ? [] : textsOf(content))
    into.show(fieldWords(path, { gate: view.gate, kind: view.request.kind }, into.words), path, text, raw);
}

/** What would run: its tool and its arguments together, as they are sent. */
const callText = (call: ToolCall): string => prettyJson(`{"name":${JSON.stringify(call.tool)},"input":${argumentsJsonOf(call)}}`);

function gatherCall(call: ToolCall, into: Gathering): void {
  into.show(into.labels.call, "/arguments", callText(call), call.arguments);
  const answers = inputResponsesJsonOf(call);
  if (answers !== null) into.show(into.place.inputResponses, inputResponsesPath, prettyJson(answers), call.inputResponses);
}

function gatherRequest(request: SamplingRequest, into: Gathering): void {
  const { lang, place, labels } = into;
  if (request.systemPrompt !== undefined) into.show(place.systemPrompt, "/systemPrompt", request.systemPrompt);
  for (const [i, { role, content }] of request.messages.entries()) {
    const ordinal = { n: String(i + 1), of: String(request.messages.length) };
    const label =
      request.kind === "embedding"
        ? textOf(labels.text, ordinal, lang)
        : textOf(labels.message, { ...ordinal, role: labels.roles[role] }, lang);
    const at = `/messages/${i}/content`;
    if (content.length === 0) into.show(label, at, "");
    for (const [j, block] of content.entries()) {
      if (block.type === "text")
        into.show(content.length === 1 ? label : label + into.numbered(place.part, j + 1), `${at}/${j}`, block.text);
      else into.count(unshownNames[block.type]);
    }
  }
  // As JSON: Slack may not show the line breaks that stop sequences often begin with.
  for (const [i, stop] of (request.stopSequences ?? []).entries())
    into.show(into.numbered(place.stopSequence, i + 1), `/stopSequences/${i}`, JSON.stringify(stop), stop);
  const schema = request.responseFormat?.schema;
  if (schema !== undefined) into.show(labels.schema, "/responseFormat", objectText(schema), schema);
  // An empty list of tools is sent too, so it counts as not shown.
  if (request.tools !== undefined) into.unshown.tool = request.tools.length;
  if (request.metadata !== undefined) into.unshown.metadata = 1;
}

/**
 * Name, id and arguments together, because all of them come from outside: a name in a label of ours
 * could say anything.
 */
const useText = ({ name, id, input }: ToolUseBlock): string => objectText({ name, id, input });

function gatherReply(view: MessageView, into: Gathering): void {
  const { place, labels } = into;
  const content = view.reply?.content ?? [];
  const vectors = view.reply === null ? [] : vectorsIn(view.reply);
  if (content.length === 0) into.show(place.reply, "/content", "");
  // Only the beginning of each vector is shown, so vectors also count as not shown.
  if (vectors.length > 0) into.show(labels.vectors, "/content", vectorsText(vectors));
  for (const [i, block] of content.entries())
    gatherBlock(view, block, { at: `/content/${i}`, part: content.length === 1 ? "" : into.numbered(place.part, i + 1) }, into);
}

type BlockPlace = { readonly at: string; readonly part: string };

function gatherBlock(view: MessageView, block: ReplyBlock, { at, part }: BlockPlace, into: Gathering): void {
  const { place, labels } = into;
  if (block.type === "text") into.show(place.reply + part, at, block.text);
  else if (block.type === "tool_use" && requestKindOf(view) !== "sampling") into.show(labels.toolUse + part, at, useText(block), block);
  else into.count(unshownNames[block.type]);
}

function gatherResult({ content, structuredContent }: ToolResult, into: Gathering): void {
  const { place, labels } = into;
  if (content.length === 0 && structuredContent === undefined) into.show(place.result, "/content", "");
  for (const [i, piece] of content.entries()) {
    const label = content.length === 1 ? place.result : place.result + into.numbered(place.part, i + 1);
    const at = `/content/${i}`;
    if (piece.type === "text") into.show(label, at, piece.text);
    else if (piece.type === "image" || piece.type === "audio") into.count(piece.type);
    else if (piece.type === "resource" && "blob" in piece.resource) into.count("file");
    else into.show(label, at, objectText(asJson(piece)), piece);
  }
  if (structuredContent !== undefined) into.show(labels.structured, "/structuredContent", objectText(structuredContent), structuredContent);
}

/** The block without its undefined members, as it was parsed. */
const asJson = (block: object): JsonObject => JSON.parse(JSON.stringify(block)) as JsonObject; // an object gives an object

/**
 * Whether the text fits uncut, both before and after invisible characters are named and Slack
 * escapes it.
 */
export const fitsWhole = (text: string, words: NoticeWords): boolean =>
  text.length <= longestText && grownLength(shownText(text, words)) <= longestText;

type Beginning = { readonly pieces: readonly Piece[]; /** UTF-16 code units that are not shown. */ readonly missing: number };

/**
 * The first texts up to `room` characters as shown; the last one may be cut, never within a
 * character.
 */
export function beginningOf(pieces: readonly Piece[], room: number, words: NoticeWords): Beginning {
  const shown: Piece[] = [];
  let left = room;
  let missing = 0;
  for (const { text, ...piece } of pieces) {
    const start = left > 0 ? longestStart(text, left, words) : "";
    missing += text.length - start.length;
    if (start === "" && text !== "") left = 0;
    else {
      shown.push({ ...piece, text: start });
      left = start === text ? left - grownLength(shownText(start, words)) : 0;
    }
  }
  return { pieces: shown, missing };
}

/** The longest start of the text that is shown in `room` characters. */
function longestStart(text: string, room: number, words: NoticeWords): string {
  let fits = 0;
  let tooLong = Math.min(text.length, room) + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (grownLength(shownText(cutAt(text, middle), words)) <= room) fits = middle;
    else tooLong = middle;
  }
  return cutAt(text, fits);
}

/** How many characters of text the content has, those of tools and results included. */
export function charactersIn({ gate, request, reply }: ReviewView): number {
  const content = gate === "request" ? request : reply;
  if (content === null) return 0;
  let sum = 0;
  if (isPlain(content)) {
    for (const { text } of textsOf(content)) sum += text.length;
    return sum;
  }
  const fields = fieldsOf(content);
  for (const [path, text] of fields) if (path !== "/maxTokens" && path !== "/temperature") sum += text.length;
  const schema = gate === "request" && isMessage(request) ? request.responseFormat?.schema : undefined;
  if (schema !== undefined) sum += objectText(schema).length;
  return sum;
}
