// The differences between two versions of the content, for people to read. A large change is shown
// by lines, a very large one as the old text and the new one; the page always shows the full text
// too.

import { diffArrays, type ChangeObject } from "diff";
import { canonicalJson, sha256Hex, type Json } from "../encoding.ts";
import type { Content } from "../model/subject/subject.ts";
import type { ToolCall } from "../model/subject/tool-call.ts";
import { blanking } from "../model/subject/walk.ts";
import { argumentTexts } from "./call-fields.ts";
import type { Compared } from "./subject/part.ts";
import { fieldsOf, partOf } from "./subject/parts.ts";

export type Change =
  | { readonly kind: "same" | "removed" | "added"; readonly text: string }
  /** Unchanged lines that are not shown. */
  | { readonly kind: "skipped"; readonly lines: number };

/**
 * One changed field. `path` is empty for a difference that no edit makes (a redacted image, added
 * context).
 */
export type FieldChange = { readonly path: string; readonly changes: readonly Change[] };

// Myers' algorithm takes time in the square of the edit length, which these bound.
const mostWordCharacters = 40_000;
const mostWordEdits = 1_200;
const mostLineEdits = 1_500;
const contextLines = 2;

type TextChange = Exclude<Change, { kind: "skipped" }>;

const toChange = ({ added, removed, value }: ChangeObject<string[]>): TextChange => ({
  kind: added ? "added" : removed ? "removed" : "same",
  text: value.join(""),
});

/**
 * Words, runs of white space, ends of lines, and every other character by itself: together they are
 * the text.
 */
const wordsIn = (text: string): string[] => text.match(/\r?\n|[\p{L}\p{M}\p{N}_]+|[^\S\r\n]+|[^]/gu) ?? [];
/** Lines with their ends: together they are the text. */
const linesIn = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** The length of the longest common beginning that ends with a line. */
function commonLines(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at === 0 ? 0 : a.lastIndexOf("\n", at - 1) + 1;
}

/** The length of the longest common ending that begins after a line's end. */
function commonEnding(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length += 1;
  const lineEnd = a.indexOf("\n", a.length - length);
  return length === 0 || lineEnd === -1 ? 0 : a.length - lineEnd - 1;
}

function middleDifference(before: string, after: string): TextChange[] {
  const words =
    before.length + after.length <= mostWordCharacters
      ? diffArrays(wordsIn(before), wordsIn(after), { maxEditLength: mostWordEdits })
      : undefined;
  const parts = words ?? diffArrays(linesIn(before), linesIn(after), { maxEditLength: mostLineEdits });
  if (parts !== undefined) return joined(parts.map(toChange));
  return [
    { kind: "removed", text: before },
    { kind: "added", text: after },
  ];
}

/** A stretch that both texts have; or what one has in place of what the other had. */
type Stretch = { readonly same: string } | { readonly removed: string; readonly added: string };

function stretchesOf(changes: readonly TextChange[]): Stretch[] {
  const into: Stretch[] = [];
  for (const { kind, text } of changes) {
    const last = into.at(-1);
    if (kind === "same") into.push({ same: text });
    else if (last === undefined || "same" in last) into.push({ removed: "", added: "", [kind]: text });
    else into.splice(-1, 1, { ...last, [kind]: last[kind] + text });
  }
  return into;
}

const isReplaced = (stretch: Stretch | undefined): stretch is Exclude<Stretch, { same: string }> =>
  stretch !== undefined && !("same" in stretch) && stretch.removed !== "" && stretch.added !== "";

/**
 * Words that were replaced one after another as one replacement: "one sentence" by "three points",
 * and not each word by itself.
 */
function joined(changes: readonly TextChange[]): TextChange[] {
  const into: Stretch[] = [];
  for (const stretch of stretchesOf(changes)) {
    const [before, gap] = into.slice(-2);
    if (isReplaced(stretch) && isReplaced(before) && gap !== undefined && "same" in gap && /^[^\S\r\n]+$/.test(gap.same))
      into.splice(-2, 2, { removed: before.removed + gap.same + stretch.removed, added: before.added + gap.same + stretch.added });
    else into.push(stretch);
  }
  return into.flatMap((stretch): TextChange[] =>
    "same" in stretch
      ? [{ kind: "same", text: stretch.same }]
      : [
          { kind: "removed", text: stretch.removed },
          { kind: "added", text: stretch.added },
        ],
  );
}

/** Neighbours of one kind as one change, without empty ones. */
function merged(changes: readonly TextChange[]): Change[] {
  const into: { kind: TextChange["kind"]; text: string }[] = [];
  for (const change of changes) {
    const last = into.at(-1);
    if (last?.kind === change.kind) last.text += change.text;
    else if (change.text !== "") into.push({ ...change });
  }
  return into;
}

/**
 * The changes from `before` to `after`: without the added ones they are `before`, without the
 * removed ones `after`.
 */
export function differenceOf(before: string, after: string): Change[] {
  const start = commonLines(before, after);
  const end = commonEnding(before.slice(start), after.slice(start));
  return merged([
    { kind: "same", text: before.slice(0, start) },
    ...middleDifference(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    { kind: "same", text: before.slice(before.length - end) },
  ]);
}

/**
 * Replaces long unchanged text by its number of lines; two lines stay on either side of a change.
 */
export function condense(changes: readonly Change[]): Change[] {
  return changes.flatMap((change, i): Change[] => {
    if (change.kind !== "same") return [change];
    const lines = change.text.split(/(?<=\n)/);
    const before = i === 0 ? 0 : contextLines + 1;
    const after = i === changes.length - 1 ? 0 : contextLines + 1;
    const skipped = lines.length - before - after;
    if (skipped < contextLines + 1) return [change];
    const head = lines.slice(0, before).join("");
    const tail = lines.slice(lines.length - after).join("");
    return [
      ...(head === "" ? [] : [{ kind: "same" as const, text: head }]),
      { kind: "skipped", lines: skipped },
      ...(after === 0 || tail === "" ? [] : [{ kind: "same" as const, text: tail }]),
    ];
  });
}

/** Media are compared and shown by size and digest. */
const withoutMedia = (name: string, value: Json): Json =>
  (name === "data" || name === "blob") && typeof value === "string"
    ? `${value.length} characters of base64, sha256 ${sha256Hex(value)}`
    : value;

function changesOfFields(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): FieldChange[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].flatMap((path) => {
    const [old, next] = [before.get(path) ?? "", after.get(path) ?? ""];
    return old === next && before.has(path) === after.has(path) ? [] : [{ path, changes: differenceOf(old, next) }];
  });
}

function changesOfRest(before: unknown, after: unknown): FieldChange[] {
  if (canonicalJson(before) === canonicalJson(after)) return [];
  return [{ path: "", changes: differenceOf(JSON.stringify(before, withoutMedia, 2), JSON.stringify(after, withoutMedia, 2)) }];
}

const isCall = (content: Content): content is ToolCall => "kind" in content && content.kind === "toolCall";

function compared<T extends Content>(value: T, other: T): Compared {
  const part = partOf(value);
  const rest = part.rewrite(value, blanking);
  // The schema of a tool says what a field is. Not in `Part`: the terminal reads no schema.
  if (isCall(value) && isCall(other)) return { fields: argumentTexts(value, other), rest };
  return part.compared?.(value) ?? { fields: fieldsOf(value), rest };
}

/** Every field in which two versions of a content differ, in the page's order. */
export function changesBetween<T extends Content>(before: T, after: T): FieldChange[] {
  const [old, next] = [compared(before, after), compared(after, before)];
  return [...changesOfFields(old.fields, next.fields), ...changesOfRest(old.rest, next.rest)];
}
