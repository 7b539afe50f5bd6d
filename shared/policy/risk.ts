// What a reviewer should look at twice in a request or a reply, found without a model. Advice for people and a condition for rules; never a verdict.
// It knows shapes and phrases, so it can be got round: no rule should open a gate because nothing was found.

import type { ReplyBlock, SamplingReply, SamplingRequest } from "../model/sampling.ts";
import { unreachable } from "../result.ts";
import { findInvisible } from "../invisible-characters.ts";
import { addressesReviewer, exfiltratingUrl, overridesInstructions } from "./phrases.ts";
import { scanText } from "./scan-text.ts";

export type RiskLevel = "low" | "medium" | "high";

export const riskLevels: readonly RiskLevel[] = ["low", "medium", "high"];

/** The highest level of risk that was seen, or "none". */
export type SeenRisk = "none" | RiskLevel;

const levels: readonly SeenRisk[] = ["none", ...riskLevels];

export const highestRisk = (risks: readonly Pick<RiskNote, "level">[]): SeenRisk =>
  levels.findLast((level) => risks.some((risk) => risk.level === level)) ?? "none";

/** Whether a risk is of this level or a higher one. */
export const isRiskAtLeast = (risk: SeenRisk, level: SeenRisk): boolean => levels.indexOf(risk) >= levels.indexOf(level);

/** The lowest level of risk that is above this one; null above the highest. */
export const riskAbove = (risk: SeenRisk): RiskLevel | null => riskLevels.find((level) => !isRiskAtLeast(risk, level)) ?? null;

/** `pointer` is a JSON pointer into the neutral request or reply; `message` is one plain sentence without content from outside. */
export type RiskNote = { readonly level: RiskLevel; readonly kind: string; readonly pointer: string; readonly message: string };

/** After so many places of one kind, the rest are counted in one more note. */
const placesShown = 10;

/**
 * Looks through everything in a request that a provider is sent as text, and at what else it carries. At most eleven notes
 * of each kind and level, in the order of the request. Linear in its size; no note repeats anything from it.
 */
export function findRisks(request: SamplingRequest): RiskNote[] {
  const notes = new Notes();
  let characters = 0;
  const look = (text: string, pointer: string): void => {
    characters += text.length;
    lookAtText(text, pointer, notes);
  };

  if (request.systemPrompt !== undefined) look(request.systemPrompt, "/systemPrompt");
  for (const [m, message] of request.messages.entries())
    for (const [c, block] of message.content.entries()) lookAtBlock(block, `/messages/${m}/content/${c}`, look, notes);
  for (const [t, tool] of (request.tools ?? []).entries()) {
    look(tool.name, `/tools/${t}/name`);
    if (tool.description !== undefined) look(tool.description, `/tools/${t}/description`);
    lookAtJson(tool.inputSchema, `/tools/${t}/inputSchema`, look);
  }
  for (const [s, sequence] of (request.stopSequences ?? []).entries()) look(sequence, `/stopSequences/${s}`);
  if (request.metadata !== undefined) lookAtJson(request.metadata, "/metadata", look);

  if ((request.tools?.length ?? 0) > 0)
    notes.add("low", "tools", "/tools", "The model is offered tools, and may ask the server to run them.");
  lookAtSize(characters, notes);
  return notes.list();
}

/**
 * Looks through what a model (or a function) answered: its texts, the names and inputs of its tool uses, what is in tool results. Media
 * are noted and not looked into, and vectors say nothing that could be looked at. As `findRisks` in all else.
 */
export function findReplyRisks({ content }: Pick<SamplingReply, "content">): RiskNote[] {
  const notes = new Notes();
  let characters = 0;
  const look = (text: string, pointer: string): void => {
    characters += text.length;
    lookAtText(text, pointer, notes);
  };
  for (const [c, block] of content.entries()) lookAtBlock(block, `/content/${c}`, look, notes);
  lookAtSize(characters, notes);
  return notes.list();
}

function lookAtSize(characters: number, notes: Notes): void {
  if (characters > 200_000) notes.add("medium", "size", "", "The text is over 200,000 characters long, which few people read.");
  else if (characters > 20_000) notes.add("low", "size", "", "The text is over 20,000 characters long.");
}

type Look = (text: string, pointer: string) => void;

/** Everything in one block that is sent as text, and a word on what is not. */
function lookAtBlock(block: ReplyBlock, pointer: string, look: Look, notes: Notes): void {
  const unread = (what: string, at: string): void =>
    notes.add("low", "media", at, `There is ${what} here, which the text checks do not cover.`);
  switch (block.type) {
    case "text":
      return look(block.text, `${pointer}/text`);
    case "image":
      return unread("an image", pointer);
    case "audio":
      return unread("audio", pointer);
    case "tool_use":
      look(block.name, `${pointer}/name`);
      return lookAtJson(block.input, `${pointer}/input`, look);
    case "tool_result":
      for (const [p, piece] of block.content.entries()) {
        const inner = `${pointer}/content/${p}`;
        if (piece.type === "text") look(piece.text, `${inner}/text`);
        else if (piece.type === "image") unread("an image", inner);
        else if (piece.type === "audio") unread("audio", inner);
        else if (piece.type === "resource" && "blob" in piece.resource) unread("a binary resource", inner);
        else lookAtJson(piece, inner, look);
      }
      if (block.structuredContent !== undefined) lookAtJson(block.structuredContent, `${pointer}/structuredContent`, look);
      return;
    case "embedding":
      return;
    default:
      return unreachable(block);
  }
}

/** Every text in a JSON value, its members' names too, each looked at where it stands as if it were one. */
function lookAtJson(value: unknown, pointer: string, look: Look): void {
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") look(next, pointer);
    else if (Array.isArray(next)) for (const each of next) waiting.push(each);
    else if (typeof next === "object" && next !== null) {
      for (const [name, each] of Object.entries(next)) {
        look(name, pointer);
        waiting.push(each);
      }
    }
  }
}

function lookAtText(text: string, pointer: string, notes: Notes): void {
  if (text === "") return;
  const scan = scanText(text);
  if (!scan.plain) lookForUnseen(text, pointer, notes);
  if (scan.blankLines >= 100)
    notes.add("high", "blankLines", pointer, `${scan.blankLines} blank lines in a row, so that the text after them is easily missed.`);
  else if (scan.blankLines >= 20) notes.add("medium", "blankLines", pointer, `${scan.blankLines} blank lines in a row.`);
  if (scan.longestSpace >= 200)
    notes.add(
      "medium",
      "longSpace",
      pointer,
      `${scan.longestSpace} spaces or tabs in one line, so that the text after them is easily missed.`,
    );
  if (scan.credential !== undefined)
    notes.add("high", "credential", pointer, `There is something here that looks like ${scan.credential}.`);
  if (scan.blob >= 300)
    notes.add("medium", "blob", pointer, `${scan.blob} characters here look like encoded data, which a person cannot read.`);
  if (scan.url) {
    const url = exfiltratingUrl(text);
    if (url !== undefined)
      notes.add(
        url,
        "urlWithData",
        pointer,
        url === "medium"
          ? "The query of a web address here carries much data, or has placeholders for data."
          : "A web address here has a query.",
      );
  }
  const lower = text.toLowerCase();
  const address = addressesReviewer(lower);
  if (address === "high")
    notes.add("high", "addressesReviewer", pointer, "The text addresses the reviewer, asks for approval, or imitates this page.");
  else if (address === "medium")
    notes.add("medium", "addressesReviewer", pointer, "The text mentions review or approval, possibly to influence it.");
  if (overridesInstructions(lower))
    notes.add(
      "medium",
      "overridesInstructions",
      pointer,
      "The text tells the model to ignore its instructions, or to hide something from people.",
    );
}

function lookForUnseen(text: string, pointer: string, notes: Notes): void {
  const counts = { override: 0, mark: 0, tag: 0, zeroWidth: 0, control: 0, other: 0 };
  for (const { kind, codePoint } of findInvisible(text)) {
    // U+200E, U+200F and U+061C only mark a direction; the others turn text round.
    if (kind === "bidi") counts[codePoint === 0x200e || codePoint === 0x200f || codePoint === 0x61c ? "mark" : "override"] += 1;
    else counts[kind] += 1;
  }
  const say = (level: RiskLevel, kind: string, count: number, what: string): void => {
    if (count > 0)
      notes.add(level, kind, pointer, `There ${count === 1 ? `is 1 ${what} character` : `are ${count} ${what} characters`} here.`);
  };
  say("high", "bidirectional", counts.override, "bidirectional control");
  say("low", "bidirectionalMark", counts.mark, "bidirectional mark");
  say("high", "tagCharacters", counts.tag, "invisible tag");
  say(counts.zeroWidth >= 16 ? "high" : "medium", "zeroWidth", counts.zeroWidth, "zero-width");
  say("medium", "control", counts.control, "control");
  say("low", "unseen", counts.other, "other invisible or ambiguous");
}

/** Keeps a request with a hundred thousand bad places from making a hundred thousand notes. */
class Notes {
  readonly #notes: RiskNote[] = [];
  readonly #counts = new Map<string, { level: RiskLevel; kind: string; places: number }>();

  add(level: RiskLevel, kind: string, pointer: string, message: string): void {
    const count = this.#counts.get(`${level} ${kind}`) ?? { level, kind, places: 0 };
    this.#counts.set(`${level} ${kind}`, count);
    count.places += 1;
    // Several texts of one JSON value have one pointer; saying the same of it twice helps nobody.
    const last = this.#notes.at(-1);
    if (last?.pointer === pointer && last.kind === kind && last.level === level) count.places -= 1;
    else if (count.places <= placesShown) this.#notes.push({ level, kind, pointer, message });
  }

  list(): RiskNote[] {
    const rest = [...this.#counts.values()].filter(({ places }) => places > placesShown);
    return [
      ...this.#notes,
      ...rest.map(({ level, kind, places }) => ({
        level,
        kind,
        pointer: "",
        message: `The same was found in ${places - placesShown} more ${places - placesShown === 1 ? "place" : "places"}.`,
      })),
    ];
  }
}
