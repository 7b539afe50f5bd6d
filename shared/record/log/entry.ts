// An entry of the log: what one request, run or operator brought to the record at one time, as the
// bytes of its JSON. What is hashed is what is stored.
//
// The format allows 65,535 bytes. What is longer becomes several entries, each with a part of the
// text; they stand side by side.

import { utf8ToBytes } from "../../encoding.ts";
import type { RecordEvent } from "../record.ts";
import type { RunSummary } from "../run-summary.ts";
import { longestEntry } from "./bundle.ts";

export type LogEntry = {
  readonly run: string;
  /** Successive ones of the run. */
  readonly events: readonly Omit<RecordEvent, "run">[];
  /** The request's line in lists, as it was then. */
  readonly line: RunSummary | null;
  /** The request came and ended with this entry: its line stands nowhere else. */
  readonly whole?: true;
};

/** The text of an entry that says nothing, with which a bundle is filled. */
export const emptyEntry = JSON.stringify({ run: "", events: [], line: null } satisfies LogEntry);

type Part = { readonly run: string; readonly part: readonly [number: number, of: number]; readonly text: string };

/** Of UTF-16 code units: JSON needs at most six bytes for each. */
const unitsInPart = 10_000;
/** UTF-8 has at most three bytes for a code unit. */
const surelyShort = Math.floor(longestEntry / 3);

/** The texts of the entry: one, or its parts. None has a line feed. */
export function entryTexts(entry: LogEntry): string[] {
  const text = JSON.stringify(entry);
  if (text.length <= surelyShort || utf8ToBytes(text).length <= longestEntry) return [text];
  const count = Math.ceil(text.length / unitsInPart);
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      run: entry.run,
      part: [index + 1, count],
      text: text.slice(index * unitsInPart, (index + 1) * unitsInPart),
    } satisfies Part),
  );
}

/** Whether the text may be a part of an entry: true of some others too. */
export const isPart = (text: string): boolean => text.includes('"part":[');

/** What the text of a run's entry begins with, and no other run's. */
export const beginningOf = (run: string): string => `{"run":${JSON.stringify(run)},`;

export type PlacedEntry = LogEntry & {
  /** Of its first part. */
  readonly index: number;
};

/**
 * The entries of successive texts. Parts whose first ones are not among the texts are left out.
 * @param first The index of the first text.
 */
export const entriesOf = (texts: readonly string[], first: number): PlacedEntry[] => readEntries(texts, first).entries;

/** `next`: where to go on; before an entry whose last parts are not among the texts. */
export function readEntries(texts: readonly string[], first: number): { readonly entries: PlacedEntry[]; readonly next: number } {
  const entries: PlacedEntry[] = [];
  let parts: string[] = [];
  for (const [offset, text] of texts.entries()) {
    const value = JSON.parse(text) as LogEntry | Part; // written by `entryTexts`
    if (!("part" in value)) {
      entries.push({ ...value, index: first + offset });
      continue;
    }
    const [number, of] = value.part;
    if (parts.length !== number - 1) continue;
    parts.push(value.text);
    if (number < of) continue;
    entries.push({ ...(JSON.parse(parts.join("")) as LogEntry), index: first + offset - of + 1 });
    parts = [];
  }
  return { entries, next: first + texts.length - parts.length };
}
