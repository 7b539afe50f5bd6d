// What of a review's content a Slack message shows, and exactly what it does not. It makes no blocks and decides nothing.

import type { SamplingReply, SamplingRequest } from "../protocol/sampling.ts";
import { replyFields, requestFields } from "./fields.ts";
import { cutAt, grownLength, longestText, shownText } from "./slack-blocks.ts";
import { slackWords as words } from "./slack-words.ts";
import type { ReviewView } from "./view.ts";

export type Piece = { readonly label: string; readonly text: string };

/** Kinds of content that a message never shows, and how many there are of each. */
export type Unshown = Readonly<Partial<Record<"image" | "audio" | "tool" | "toolUse" | "toolResult" | "vector" | "metadata", number>>>;

export type SlackContent = { readonly pieces: readonly Piece[]; readonly unshown: Unshown };

const unshownNames = { image: "image", audio: "audio", tool_use: "toolUse", tool_result: "toolResult", embedding: "vector" } as const;

/** The texts of the version that waits, in order, and what it has beside them. A reply that is not there is empty. */
export const contentOf = (view: ReviewView): SlackContent =>
  view.gate === "request" ? requestContent(view.request) : replyContent(view.reply);

function requestContent(request: SamplingRequest): SlackContent {
  const pieces: Piece[] = [];
  const unshown: Partial<Record<keyof Unshown, number>> = {};
  if (request.systemPrompt !== undefined) pieces.push({ label: words.places.systemPrompt, text: request.systemPrompt });
  for (const [i, { role, content }] of request.messages.entries()) {
    const label = words.places.message(i + 1, request.messages.length, role);
    if (content.length === 0) pieces.push({ label, text: "" });
    for (const [j, block] of content.entries()) {
      if (block.type === "text") pieces.push({ label: content.length === 1 ? label : label + words.places.part(j + 1), text: block.text });
      else unshown[unshownNames[block.type]] = (unshown[unshownNames[block.type]] ?? 0) + 1;
    }
  }
  // As JSON: Slack may not show the line breaks that they often begin with.
  for (const [i, stop] of (request.stopSequences ?? []).entries())
    pieces.push({ label: words.places.stopSequence(i + 1), text: JSON.stringify(stop) });
  // An empty list of tools is sent as well, and nobody would see it.
  if (request.tools !== undefined) unshown.tool = request.tools.length;
  if (request.metadata !== undefined) unshown.metadata = 1;
  return { pieces, unshown };
}

function replyContent(reply: SamplingReply | null): SlackContent {
  const pieces: Piece[] = [];
  const unshown: Partial<Record<keyof Unshown, number>> = {};
  const content = reply?.content ?? [];
  if (content.length === 0) pieces.push({ label: words.places.reply, text: "" });
  for (const [i, block] of content.entries()) {
    const label = content.length === 1 ? words.places.reply : words.places.reply + words.places.part(i + 1);
    if (block.type === "text") pieces.push({ label, text: block.text });
    else unshown[unshownNames[block.type]] = (unshown[unshownNames[block.type]] ?? 0) + 1;
  }
  return { pieces, unshown };
}

/** Whether the text is shown uncut: before and after its invisible characters are named, and however Slack escapes it. */
export const fitsWhole = (text: string): boolean => text.length <= longestText && grownLength(shownText(text)) <= longestText;

export type Beginning = { readonly pieces: readonly Piece[]; /** UTF-16 code units that are not shown. */ readonly missing: number };

/** The first texts up to `room` characters as they are shown, the last of them cut; never within a character. */
export function beginningOf(pieces: readonly Piece[], room: number): Beginning {
  const shown: Piece[] = [];
  let left = room;
  let missing = 0;
  for (const { label, text } of pieces) {
    const start = left > 0 ? longestStart(text, left) : "";
    missing += text.length - start.length;
    if (start === "" && text !== "") left = 0;
    else {
      shown.push({ label, text: start });
      left = start === text ? left - grownLength(shownText(start)) : 0;
    }
  }
  return { pieces: shown, missing };
}

/** As much of the text's start as is shown in `room` characters. */
function longestStart(text: string, room: number): string {
  let fits = 0;
  let fitsNot = Math.min(text.length, room) + 1;
  while (fitsNot - fits > 1) {
    const middle = Math.floor((fits + fitsNot) / 2);
    if (grownLength(shownText(cutAt(text, middle))) <= room) fits = middle;
    else fitsNot = middle;
  }
  return cutAt(text, fits);
}

/** How many characters of text the content has, those of tools and results included. */
export function charactersIn({ gate, request, reply }: ReviewView): number {
  const fields = gate === "request" ? requestFields(request) : reply === null ? new Map<string, string>() : replyFields(reply);
  let sum = 0;
  for (const [path, text] of fields) if (path !== "/maxTokens" && path !== "/temperature") sum += text.length;
  return sum;
}
