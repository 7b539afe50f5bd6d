// The originating requests of a session that have ended, each as a mark of eight bytes: enough to
// refuse it, and nothing more.
//
// A mark is the beginning of a digest. An ended request is always found. One that never ended is
// taken for an ended one where both have the same mark: with a million marks, one in 18 million
// million.

import { digestOf, fromBase64url } from "../encoding.ts";

type Mark = bigint;

/** The mark of an originating request, by its key. */
export function markOf(key: string): Mark {
  const digest = fromBase64url(digestOf("countersign/ended-request/v1", key));
  if (digest === undefined) throw new Error("markOf: not a digest");
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0);
}

/** Marks, ascending. */
export type Marks = BigUint64Array;

/** The marks of both, each once. */
export const withMarks = (marks: Marks, more: readonly Mark[]): Marks => BigUint64Array.from(new Set([...marks, ...more])).sort();

export function hasMark(marks: Marks, mark: Mark): boolean {
  let from = 0;
  let to = marks.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((marks[middle] ?? 0n) < mark) from = middle + 1;
    else to = middle;
  }
  return marks[from] === mark;
}

/** As they are stored: eight bytes each, little-endian. */
export const bytesOf = (marks: Marks): ArrayBuffer => marks.slice().buffer;

/** The inverse of `bytesOf`. */
export const marksIn = (bytes: ArrayBuffer): Marks => new BigUint64Array(bytes);
