// The difference between two versions of a JSON document, line by line, for people to read. Where
// one line became another, by words.

import { diffArrays } from "diff";
import { printJson } from "../json/json-text.ts";
import type { Change } from "./difference.ts";

export type DifferenceLine =
  | { readonly kind: "same" | "removed" | "added"; readonly text: string }
  /** One line that became another. */
  | { readonly kind: "changed"; readonly changes: readonly Change[] }
  /** Unchanged lines that are not shown. */
  | { readonly kind: "skipped"; readonly lines: number }
  /** Changed lines beyond the first ones: nobody reads ten thousand. */
  | { readonly kind: "cut"; readonly lines: number };

/** Myers' algorithm takes time in the square of the edit length, which this bounds. */
const mostEdits = 800;
const mostShown = 1_000;
const contextLines = 2;
/** Lines of a block that are compared word by word. */
const mostPaired = 40;

/** The document as people see it: the gateway gives it its version. */
export function printDocument(document: unknown): string {
  if (typeof document !== "object" || document === null || Array.isArray(document)) return printJson(document);
  const { version: _version, ...rest } = document as Readonly<Record<string, unknown>>;
  return printJson(rest);
}

/** From one text to another. Empty where they are the same. */
export function documentDifference(before: string, after: string): DifferenceLine[] {
  if (before === after) return [];
  const [old, next] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < next.length - start && old.at(-1 - end) === next.at(-1 - end)) end += 1;
  const [removed, added] = [old.slice(start, old.length - end), next.slice(start, next.length - end)];
  const middle = diffArrays(removed, added, { maxEditLength: mostEdits }) ?? [
    { value: removed, removed: true, added: false },
    { value: added, removed: false, added: true },
  ];
  const blocks: Block[] = [{ kind: "same", lines: old.slice(0, start) }];
  for (const { value, removed: isRemoved, added: isAdded } of middle)
    blocks.push({ kind: isAdded ? "added" : isRemoved ? "removed" : "same", lines: value });
  blocks.push({ kind: "same", lines: old.slice(old.length - end) });
  return bounded(linesOf(blocks.filter(({ lines }) => lines.length > 0)));
}

type Block = { readonly kind: "same" | "removed" | "added"; readonly lines: readonly string[] };

function linesOf(blocks: readonly Block[]): DifferenceLine[] {
  const shown: DifferenceLine[] = [];
  for (let i = 0; i < blocks.length; i += 1) {
    const { kind, lines } = blocks[i] as Block; // below the length
    const follows = blocks[i + 1];
    if (kind === "same") shown.push(...contextOf(lines, i === 0, i === blocks.length - 1));
    else if (kind === "removed" && follows?.kind === "added" && follows.lines.length === lines.length && lines.length <= mostPaired) {
      shown.push(...lines.flatMap((line, n) => paired(line, follows.lines[n] ?? "")));
      i += 1;
    } else for (const text of lines) shown.push({ kind, text });
  }
  return shown;
}

/** Numbers, words, white space, and every other character by itself: together they are the line. */
const tokensIn = (line: string): string[] => line.match(/-?\d+(?:\.\d+)?|[\p{L}\p{M}\p{N}_]+|\s+|[^]/gu) ?? [];
const mostTokens = 2_000;

/** One line that became another, by words, where they have enough in common. */
function paired(before: string, after: string): DifferenceLine[] {
  const [old, next] = [tokensIn(before), tokensIn(after)];
  const parts = old.length + next.length > mostTokens ? [] : diffArrays(old, next);
  const changes = parts.map(({ value, added, removed }) => ({
    kind: added ? ("added" as const) : removed ? ("removed" as const) : ("same" as const),
    text: value.join(""),
  }));
  const same = changes.reduce((sum, change) => sum + (change.kind === "same" ? change.text.trim().length : 0), 0);
  if (same > 0 && same * 3 >= Math.min(before.trim().length, after.trim().length)) return [{ kind: "changed", changes }];
  return [
    { kind: "removed", text: before },
    { kind: "added", text: after },
  ];
}

function contextOf(lines: readonly string[], isFirst: boolean, isLast: boolean): DifferenceLine[] {
  const [before, after] = [isFirst ? 0 : contextLines, isLast ? 0 : contextLines];
  const same = (texts: readonly string[]): DifferenceLine[] => texts.map((text) => ({ kind: "same", text }));
  const skipped = lines.length - before - after;
  if (skipped <= 1) return same(lines);
  return [...same(lines.slice(0, before)), { kind: "skipped", lines: skipped }, ...same(lines.slice(lines.length - after))];
}

function bounded(lines: DifferenceLine[]): DifferenceLine[] {
  if (lines.length <= mostShown) return lines;
  return [...lines.slice(0, mostShown), { kind: "cut", lines: lines.length - mostShown }];
}
