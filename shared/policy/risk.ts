// Warnings about a request or a reply, found without a model: advice for reviewers and a condition
// for rules, never a verdict. The checks know shapes and phrases, and can be evaded: no rule should
// open a gate because nothing was found.

import type { JsonObject } from "../encoding.ts";
import type { Block, ReplyBlock, SamplingRequest } from "../model/sampling.ts";
import { type Content, isPlain, walkPlain } from "../model/subject/subject.ts";
import { walkResultContent } from "../model/subject/tool-call.ts";
import { type Walk, alike } from "../model/subject/walk.ts";
import { unreachable } from "../result.ts";
import { disguisedWordsAt } from "../look-alikes.ts";
import { type InvisibleCharacter, findInvisible } from "../invisible-characters.ts";
import { pointerStep } from "../json/issue-collector.ts";
import { objectOf } from "../json/values.ts";
import type { Form } from "../model/subject/form.ts";
import { isPasswordMember, namesSecret } from "../secret-shapes.ts";
import { addressesReviewer, carriesData, namesCollector, overridesInstructions } from "./phrases.ts";
import { type CredentialKind, isSecret, scanText } from "./scan-text.ts";

export type RiskLevel = "low" | "medium" | "high";

export const riskLevels: readonly RiskLevel[] = ["low", "medium", "high"];

/** The highest level of risk that was found, or "none". */
export type SeenRisk = "none" | RiskLevel;

const levels: readonly SeenRisk[] = ["none", ...riskLevels];

export const highestRisk = (risks: readonly Pick<RiskNote, "level">[]): SeenRisk =>
  levels.findLast((level) => risks.some((risk) => risk.level === level)) ?? "none";

/** Whether a risk is of this level or a higher one. */
export const isRiskAtLeast = (risk: SeenRisk, level: SeenRisk): boolean => levels.indexOf(risk) >= levels.indexOf(level);

/** The next higher level; null above the highest. */
export const riskAbove = (risk: SeenRisk): RiskLevel | null => riskLevels.find((level) => !isRiskAtLeast(risk, level)) ?? null;

/**
 * Something found in a text, with its evidence: our own words and numbers, nothing of the content.
 */
type RiskFinding =
  /** `asksSecret`: a field of a form asks for what no server may ask for in one. */
  | { readonly kind: "urlWithData" | "addressesReviewer" | "overridesInstructions" | "asksSecret" | "lookAlikes" }
  | { readonly kind: "credential"; readonly of: CredentialKind }
  /** `characters`: more than these, for `size`; a run of these, for `blob`. */
  | { readonly kind: "size" | "blob"; readonly characters: number }
  | { readonly kind: "blankLines"; readonly lines: number }
  | { readonly kind: "longSpace"; readonly spaces: number }
  | { readonly kind: InvisibleRisk; readonly characters: number };

type InvisibleRisk = "bidirectional" | "bidirectionalMark" | "tagCharacters" | "zeroWidth" | "control" | "unseen";

/**
 * `pointer` is a JSON pointer into the neutral request or reply. `more`: in so many further places
 * the same kind was found. The sentences are in the catalogue.
 */
export type RiskNote = { readonly level: RiskLevel; readonly pointer: string } & (
  | RiskFinding
  | { readonly kind: RiskFinding["kind"]; readonly more: number }
);

/** Further places of one kind are counted in one more note. */
const placesShown = 10;

/**
 * Checks everything in a content that another party reads as text. That there are images or tools
 * is a fact about the content and no warning; vectors are not checked. At most eleven notes of
 * each kind and level (of secrets ten for each kind of secret), in the order of the content. Linear
 * in its size; no note repeats anything from it.
 */
export function findRisks(content: Content): RiskNote[] {
  const notes = new Notes();
  let characters = 0;
  lookAtContent(
    content,
    (text, pointer) => {
      characters += text.length;
      lookAtText(text, pointer, notes);
    },
    notes,
  );
  lookAtSize(characters, notes);
  return notes.list();
}

function lookAtContent(content: Content, look: Look, notes: Notes): void {
  if (isPlain(content)) {
    if (content.kind === "form") lookAtFields(content, notes);
    return void walkPlain(content, lookingBy(look));
  }
  if ("kind" in content) return lookAtRequest(content, look);
  for (const [c, block] of content.content.entries()) lookAtBlock(block, `/content/${c}`, look);
}

/**
 * Servers must not ask for secrets in a form (MCP, client/elicitation, "Security Considerations").
 */
function lookAtFields({ schema }: Form, notes: Notes): void {
  for (const [name, property] of Object.entries(objectOf(schema["properties"]) ?? {})) {
    const { title, format } = objectOf(property) ?? {};
    if (format === "password" || namesSecret(name) || (typeof title === "string" && namesSecret(title)))
      notes.add("high", `/schema/properties${pointerStep(name)}`, { kind: "asksSecret" });
  }
}

function lookingBy(look: Look): Walk {
  const text = (path: string, value: string): string => {
    look(value, path);
    return value;
  };
  const json = (path: string, value: JsonObject): JsonObject => {
    lookAtJson(value, path, look);
    return value;
  };
  return { ...alike(text, json), claim: text };
}

function lookAtRequest(request: SamplingRequest, look: Look): void {
  if (request.systemPrompt !== undefined) look(request.systemPrompt, "/systemPrompt");
  for (const [m, message] of request.messages.entries())
    for (const [c, block] of message.content.entries()) lookAtBlock(block, `/messages/${m}/content/${c}`, look);
  for (const [t, tool] of (request.tools ?? []).entries()) {
    look(tool.name, `/tools/${t}/name`);
    if (tool.description !== undefined) look(tool.description, `/tools/${t}/description`);
    lookAtJson(tool.inputSchema, `/tools/${t}/inputSchema`, look);
  }
  for (const [s, sequence] of (request.stopSequences ?? []).entries()) look(sequence, `/stopSequences/${s}`);
  if (request.metadata !== undefined) lookAtJson(request.metadata, "/metadata", look);
}

function lookAtSize(characters: number, notes: Notes): void {
  if (characters > 200_000) notes.add("medium", "", { kind: "size", characters: 200_000 });
  else if (characters > 20_000) notes.add("low", "", { kind: "size", characters: 20_000 });
}

type Look = (text: string, pointer: string) => void;

/** Checks everything in one block that is sent as text. */
function lookAtBlock(block: Block | ReplyBlock, pointer: string, look: Look): void {
  switch (block.type) {
    case "text":
      return look(block.text, `${pointer}/text`);
    case "tool_use":
      look(block.name, `${pointer}/name`);
      return lookAtJson(block.input, `${pointer}/input`, look);
    case "tool_result":
      for (const [p, piece] of block.content.entries()) walkResultContent(piece, `${pointer}/content/${p}`, lookingBy(look));
      if (block.structuredContent !== undefined) lookAtJson(block.structuredContent, `${pointer}/structuredContent`, look);
      return;
    case "pdf":
      return block.name === undefined ? undefined : look(block.name, `${pointer}/name`);
    case "image":
    case "audio":
    case "embedding":
      return;
    default:
      return unreachable(block);
  }
}

/** Checks every text and member name in a JSON value, all under the value's pointer. */
function lookAtJson(value: unknown, pointer: string, look: Look): void {
  const waiting: unknown[] = [value];
  for (let next = waiting.pop(); waiting.length > 0 || next !== undefined; next = waiting.pop()) {
    if (typeof next === "string") look(next, pointer);
    else if (Array.isArray(next)) for (const each of next) waiting.push(each);
    else if (typeof next === "object" && next !== null) {
      for (const [name, each] of Object.entries(next)) {
        // A password is known by the name before it.
        if (typeof each === "string" && isPasswordMember(name, each)) look(`${name}: ${each}`, pointer);
        else {
          look(name, pointer);
          waiting.push(each);
        }
      }
    }
  }
}

/**
 * Whether a warning calls something in this value of JSON a secret: in any of its texts or member
 * names, or in the value as one text. Linear in its size.
 */
export function holdsSecret(value: unknown): boolean {
  let found = false;
  const look = (text: string): void => {
    found ||= isSecret(text);
  };
  lookAtJson(value, "", look);
  return found;
}

function lookAtText(text: string, pointer: string, notes: Notes): void {
  if (text === "") return;
  const scan = scanText(text);
  if (!scan.plain) lookForInvisible(text, pointer, notes);
  if (scan.blankLines >= 20) notes.add(scan.blankLines >= 100 ? "high" : "medium", pointer, { kind: "blankLines", lines: scan.blankLines });
  if (scan.longestSpace >= 200) notes.add("medium", pointer, { kind: "longSpace", spaces: scan.longestSpace });
  for (const of of scan.credentials) notes.add("high", pointer, { kind: "credential", of });
  if (scan.blob >= 300) notes.add("medium", pointer, { kind: "blob", characters: scan.blob });
  const lower = text.toLowerCase();
  if (namesCollector(lower) || (scan.url && carriesData(text))) notes.add("medium", pointer, { kind: "urlWithData" });
  const address = addressesReviewer(lower);
  if (address !== undefined) notes.add(address, pointer, { kind: "addressesReviewer" });
  if (overridesInstructions(lower)) notes.add("medium", pointer, { kind: "overridesInstructions" });
  if (disguisedWordsAt(text).next().done !== true) notes.add("medium", pointer, { kind: "lookAlikes" });
}

/** Which warning a character makes that nobody sees. */
export function invisibleRiskOf({ kind, codePoint }: Pick<InvisibleCharacter, "kind" | "codePoint">): InvisibleRisk {
  // U+200E, U+200F and U+061C only mark a direction; the others turn text round.
  if (kind === "bidi") return codePoint === 0x200e || codePoint === 0x200f || codePoint === 0x61c ? "bidirectionalMark" : "bidirectional";
  if (kind === "tag") return "tagCharacters";
  return kind === "other" ? "unseen" : kind;
}

function lookForInvisible(text: string, pointer: string, notes: Notes): void {
  const counts = { bidirectional: 0, bidirectionalMark: 0, tagCharacters: 0, zeroWidth: 0, control: 0, unseen: 0 };
  for (const character of findInvisible(text)) counts[invisibleRiskOf(character)] += 1;
  const add = (level: RiskLevel, kind: InvisibleRisk): void => {
    if (counts[kind] > 0) notes.add(level, pointer, { kind, characters: counts[kind] });
  };
  add("high", "bidirectional");
  add("low", "bidirectionalMark");
  add("high", "tagCharacters");
  add(counts.zeroWidth >= 16 ? "high" : "medium", "zeroWidth");
  add("medium", "control");
  // A soft hyphen or two come with copied text; a row of others spells something or makes a gap.
  add(counts.unseen >= 4 ? "medium" : "low", "unseen");
}

/** Bounds the notes: a request may have a hundred thousand bad places. */
class Notes {
  readonly #notes: RiskNote[] = [];
  readonly #counts = new Map<string, { level: RiskLevel; kind: RiskFinding["kind"]; places: number }>();

  add(level: RiskLevel, pointer: string, finding: RiskFinding): void {
    const { kind } = finding;
    // Ten places with one kind of secret do not hide another kind.
    const sort = `${level} ${kind} ${"of" in finding ? finding.of : ""}`;
    const count = this.#counts.get(sort) ?? { level, kind, places: 0 };
    this.#counts.set(sort, count);
    if (this.#hasHere(level, pointer, finding)) return;
    count.places += 1;
    if (count.places <= placesShown) this.#notes.push({ level, pointer, ...finding });
  }

  /** Several texts of one JSON value have one pointer and need one note. */
  #hasHere(level: RiskLevel, pointer: string, finding: RiskFinding): boolean {
    for (let at = this.#notes.length - 1; at >= 0 && this.#notes[at]?.pointer === pointer; at -= 1) {
      const note = this.#notes[at];
      if (note?.kind === finding.kind && note.level === level && (!("of" in finding) || ("of" in note && note.of === finding.of)))
        return true;
    }
    return false;
  }

  list(): RiskNote[] {
    const rest = new Map<string, RiskNote & { readonly more: number }>();
    for (const { level, kind, places } of this.#counts.values()) {
      const more = places - placesShown + (rest.get(`${level} ${kind}`)?.more ?? 0);
      if (places > placesShown) rest.set(`${level} ${kind}`, { level, kind, pointer: "", more });
    }
    return [...this.#notes, ...rest.values()];
  }
}
