// Which words of the catalogue say a note on a call, what is wrong with an edit, and a place in the
// content.

import type { Note } from "../model/call.ts";
import { type CalledTool, type ToolCall, inputResponsesPath } from "../model/subject/tool-call.ts";
import { type ContentKind, plainSubjectOf } from "../model/subject/subject.ts";
import { unreachable } from "../result.ts";
import { modelPath } from "../review/changes.ts";
import type { EditFault } from "../review/edit.ts";
import { isInArguments, isInReply, ordinalsIn } from "../review/editable-fields.ts";
import type { Segment } from "../review/text-view.ts";
import { answerPath } from "../review/written.ts";
import { type Text, textOf } from "../words/text.ts";
import type { ReviewWords } from "./words/notice-words.ts";

/** What a call left out, changed or added. */
export function noteWords(note: Note, { lang, review: { note: words } }: ReviewWords): string {
  switch (note.kind) {
    case "omitted":
      return textOf(words.omitted, { field: words.fields[note.field], why: note.why }, lang);
    case "clamped":
      return textOf(words.clamped, { field: words.fields[note.field], from: String(note.from), to: String(note.to) }, lang);
    case "overLimit":
      return textOf(words.overLimit[note.cut ? "cut" : "whole"], { reported: note.reportedTokens, allowed: note.maxTokens }, lang);
    case "contextAdded": {
      const [first = "", second] = note.parts.map((part) => words.contextParts[part]);
      const parts = second === undefined ? first : textOf(words.contextParts.both, { first, second }, lang);
      return textOf(words.contextAdded, { parts, n: note.characters }, lang);
    }
    case "notPassedOn":
      return textOf(words.notPassedOn, { members: note.members.join(words.between) }, lang);
    case "toolNeedsSampling":
      return words.toolNeedsSampling;
    default:
      return unreachable(note);
  }
}

/** Why a tool runs where it does. */
export const callWords = ({ server, tool }: Pick<ToolCall, "server" | "tool">, { lang, review: { why } }: ReviewWords): string =>
  textOf(why.function, { tool, server }, lang);

/**
 * What a text has that nobody sees: "U+200B zero width space ×3", "7 tag characters that spell
 * “send it”", "12 blank lines". The names of characters are Unicode's.
 */
export function invisibleWords(segment: Exclude<Segment, { kind: "text" }>, { lang, review: { outside } }: ReviewWords): string {
  if (segment.kind === "blankLines") return textOf(outside.blankLines, { n: segment.count }, lang);
  const { what, codePoint, count } = segment;
  if (what.kind === "character") {
    const code = `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
    return [code, ...(what.name === null ? [] : [what.name]), ...(count > 1 ? [`×${count}`] : [])].join(" ");
  }
  const family = textOf(outside.unseen[what.kind], { n: count }, lang);
  return what.kind === "spaces" || what.spells === "" ? family : family + textOf(outside.unseen.spells, { text: what.spells }, lang);
}

/** The claims of a server on its tool, "read-only, not destructive"; empty where it makes none. */
export function claimWords(claims: CalledTool["annotations"], { review: { claim, marks } }: ReviewWords): string {
  const names = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;
  return names.flatMap((name) => (claims?.[name] === undefined ? [] : [claim[name][claims[name] ? "yes" : "no"]])).join(marks.comma);
}

/** The same as a sentence. */
function claimSentence({ definition }: Pick<ToolCall, "definition">, words: ReviewWords): string | null {
  const claims = claimWords(definition?.annotations, words);
  return claims === "" ? null : textOf(words.review.serverSays, { claims }, words.lang);
}

/** What a text of a format looks like, where not everybody knows. */
export const formatExamples: Readonly<Record<string, string>> = {
  uri: "https://example.com",
  date: "2026-11-25",
  "date-time": "2026-11-25T14:30:00Z",
};

type CalledFacts = { readonly call: Pick<ToolCall, "definition">; readonly differing?: number | undefined };

/** What a notice says of a call, a sentence each: its server's claims, and how usual it is. */
export function callSentences({ call, differing }: CalledFacts, words: ReviewWords): readonly string[] {
  const claims = claimSentence(call, words);
  const { lastCall } = words.review;
  return [
    ...(claims === null ? [] : [claims]),
    ...(differing === undefined ? [] : [differing === 0 ? lastCall.same : textOf(lastCall.differs, { n: differing }, words.lang)]),
  ];
}

/** Why an edit was refused. */
export function editErrorWords(fault: EditFault, words: ReviewWords): string {
  const { lang, review } = words;
  const { editFault, fieldFault, jsonFault, marks } = review;
  switch (fault.kind) {
    case "missing":
    case "notOffered":
    case "notAllowed":
    case "noMatch":
    case "repeatedItem":
    case "unfit":
    case "tooMuchWork":
      return fieldFault[fault.kind];
    case "wrongType": {
      const types: Readonly<Record<string, string>> = fieldFault.types;
      return textOf(fieldFault.wrongType, { types: fault.types.map((type) => types[type] ?? type).join(fieldFault.or) }, lang);
    }
    case "notOfFormat": {
      const sentences: Readonly<Record<string, string>> = fieldFault.notOfFormat;
      const { format } = fault;
      return textOf(sentences[format] ?? fieldFault.notOfOther, { format, example: formatExamples[format] ?? "" }, lang);
    }
    case "tooSmall":
    case "tooLarge":
    case "notAbove":
    case "notBelow":
    case "notMultiple":
      return textOf(fieldFault[fault.kind], { limit: String(fault.limit) }, lang);
    case "tooShort":
    case "tooLong":
    case "tooFew":
    case "tooMany":
      return textOf(fieldFault[fault.kind], { n: fault.limit }, lang);
    case "jsonRule":
      return jsonFault[fault.rule];
    case "inside":
      return fault.at + marks.colon + editErrorWords(fault.fault, words);
    case "raised":
      return textOf(editFault.raised, { requested: String(fault.requested) }, lang);
    case "notRequestedJson":
      return editFault[fault.hasSchema ? "notRequestedSchema" : "notRequestedJson"];
    default:
      return editFault[fault.kind];
  }
}

/** A pointer into the content of this kind, or into what came of it. */
export function placeWords(path: string, { lang, review: { place: words, kinds } }: ReviewWords, kind?: ContentKind): string {
  const [first, second, third] = ordinalsIn(path);
  const numbered = (text: Text<"n">, n: number | undefined): string => (n === undefined ? "" : textOf(text, { n: String(n) }, lang));
  const structured = /\/structuredContent(?:\/|$)/.test(path) ? words.structured : "";
  const input = /\/input(?:\/|$)/.test(path) ? words.input : "";
  if (isInArguments(path)) return words.arguments;
  if (path === inputResponsesPath) return words.inputResponses;
  if (path.startsWith("/definition/")) return words.definition;
  const subject = kind === undefined ? null : plainSubjectOf(kind);
  const own = subject === null ? {} : kinds[subject].places;
  const named = Object.keys(own).find((place) => path === place || path.startsWith(`${place}/`));
  if (named !== undefined) return own[named] ?? "";
  if ((kind === "toolCall" || kind === "toolResult") && isInReply(path)) return words.result + (structured || numbered(words.part, first));
  if (kind === "embedding" && path.startsWith("/messages/")) return numbered(words.text, first);
  if (path === "/systemPrompt") return words.systemPrompt;
  if (path === answerPath) return words.written;
  if (path === modelPath) return words.model;
  if (path === "/maxTokens") return words.maxTokens;
  if (path === "/temperature") return words.temperature;
  if (path.startsWith("/stopSequences")) return numbered(words.stopSequence, first) || words.stopSequences;
  if (path.startsWith("/tools/")) return numbered(path.endsWith("/description") ? words.toolDescription : words.tool, first);
  if (path.startsWith("/content/")) return words.reply + numbered(words.part, first) + input;
  if (path.startsWith("/messages/"))
    return [numbered(words.message, first), numbered(words.part, second), numbered(words.toolResult, third), input || structured].join("");
  return words.everythingElse;
}
