// The Merkle tree of a log (RFC 6962, section 2.1): hashes of entries and of trees over them, and
// the proofs that an entry is in a tree and that a tree goes on from an earlier one.
//
// Trees are read from the hashes of complete subtrees, wherever these are kept. No storage.

import { concatBytes, sha256Of } from "../../encoding.ts";

/** The hash of the tree without entries. */
export const emptyRoot = (): Uint8Array => sha256Of(new Uint8Array());

/** The hash of an entry: its own bytes, after a zero that no inner node begins with. */
export const leafHash = (entry: Uint8Array): Uint8Array => sha256Of(concatBytes(Uint8Array.of(0), entry));

export const nodeHash = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256Of(concatBytes(Uint8Array.of(1), left, right));

/**
 * A complete subtree: the entries from `index * 2 ** height` on, `2 ** height` of them. Its hash
 * never changes.
 */
export type Subtree = { readonly height: number; readonly index: number };
export type SubtreeReader = (subtree: Subtree) => Promise<Uint8Array>;

/** The largest power of two below `count`, which is at least 2. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** The complete subtrees that the first `size` entries consist of, the largest first. */
function subtreesOf(size: number): Subtree[] {
  const found: Subtree[] = [];
  for (let height = 52, start = 0; height >= 0; height -= 1) {
    const width = 2 ** height;
    if (start + width > size) continue;
    found.push({ height, index: start / width });
    start += width;
  }
  return found;
}

/** The hash of a tree, from those of its complete subtrees, the largest first. */
const rootOf = (hashes: readonly Uint8Array[]): Uint8Array =>
  hashes.length === 0 ? emptyRoot() : hashes.reduceRight((right, left) => nodeHash(left, right));

export const rootAt = async (read: SubtreeReader, size: number): Promise<Uint8Array> =>
  rootOf(await Promise.all(subtreesOf(size).map(read)));

/** The hash of the entries from `start` to `end`, which a tree has: `start` is where it splits. */
async function rangeHash(read: SubtreeReader, start: number, end: number): Promise<Uint8Array> {
  const count = end - start;
  const height = Math.log2(count);
  if (Number.isInteger(height)) return read({ height, index: start / count });
  const middle = start + splitOf(count);
  return nodeHash(await rangeHash(read, start, middle), await rangeHash(read, middle, end));
}

/**
 * The hashes that lead from an entry to the root of the tree of this size: `PATH` of the RFC.
 * `index` is below `size`.
 */
export async function inclusionProof(read: SubtreeReader, index: number, size: number): Promise<Uint8Array[]> {
  const path: Promise<Uint8Array>[] = [];
  for (let start = 0, end = size; end - start > 1;) {
    const middle = start + splitOf(end - start);
    path.push(index < middle ? rangeHash(read, middle, end) : rangeHash(read, start, middle));
    if (index < middle) end = middle;
    else start = middle;
  }
  return (await Promise.all(path)).toReversed();
}

/**
 * The hashes that show that the tree of size `to` begins with that of size `from`: `PROOF` of the
 * RFC. `from` is at least 1 and at most `to`.
 */
export async function consistencyProof(read: SubtreeReader, from: number, to: number): Promise<Uint8Array[]> {
  const path: Promise<Uint8Array>[] = [];
  let start = 0;
  let end = to;
  while (from < end) {
    const middle = start + splitOf(end - start);
    path.push(from <= middle ? rangeHash(read, middle, end) : rangeHash(read, start, middle));
    if (from <= middle) end = middle;
    else start = middle;
  }
  // The whole of the earlier tree is known to who asks.
  if (start > 0) path.push(rangeHash(read, start, end));
  return (await Promise.all(path)).toReversed();
}

export type Tree = { readonly size: number; readonly root: Uint8Array };
