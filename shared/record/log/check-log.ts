// Checks a log, or a part of it, with its public key alone: that every entry is the one that the
// signed tree has, and that the tree goes on from one that was known before. Files come from
// wherever they are: HTTP, a folder, a bucket.
//
// The checkpoint's signature vouches for the root; the root for the tiles at the edge, out of which
// it is computed; each tile for the full tiles below it; the lowest ones for the entries.

import { equalBytes } from "../../encoding.ts";
import { leafHash, rootAt, type Tree } from "./merkle.ts";
import { readBundle } from "./bundle.ts";
import { type Checkpoint, openCheckpoint } from "./checkpoint.ts";
import { cosignatureOn } from "./cosignature.ts";
import { type Ed25519, type NoteKey, noteText } from "./signed-note.ts";
import { BadFile, type FileReader, type Tile, hashOfNodes, subtreeReader, tileHashes, tileIn, tilePath, tileWidth } from "./tiles.ts";

const checkpointPath = "checkpoint";
/** The last checkpoint that the witness cosigned. */
const cosignedPath = "cosigned";

export type LogFinding =
  /** There is no checkpoint, or this key did not sign it. */
  | { readonly kind: "checkpoint" }
  /** The tree's edge is not the one that the checkpoint names. */
  | { readonly kind: "root" }
  /** A tile or a bundle is missing, or has another length. */
  | { readonly kind: "file"; readonly path: string }
  /** A tile is not the one that the tile above it names. */
  | { readonly kind: "tile"; readonly path: string }
  /** An entry is not the one that the tree has. */
  | { readonly kind: "entry"; readonly index: number }
  /** The tree is shorter than one that was known. */
  | { readonly kind: "rolledBack"; readonly known: number; readonly size: number }
  /** The tree does not begin with the one that was known. */
  | { readonly kind: "rewritten"; readonly known: number }
  /** There is no checkpoint that the witness cosigned. */
  | { readonly kind: "uncosigned" };

export type LogCheck = {
  /** Null where it does not hold. */
  readonly checkpoint: Checkpoint | null;
  /** The first entry that was checked: those before it were asked for by nobody, or are pruned. */
  readonly from: number;
  readonly entries: number;
  /**
   * The checkpoint that the witness cosigned, and when, in Unix seconds; null where no witness was
   * asked for, or there is none.
   */
  readonly cosigned: (Tree & { readonly at: number }) | null;
  readonly findings: readonly LogFinding[];
};

export type LogToCheck = {
  readonly read: FileReader;
  readonly key: NoteKey;
  readonly verify: Ed25519["verify"];
  /** Entries before this one are not looked at. */
  readonly from?: number;
  /** Trees that were known before. */
  readonly known?: readonly Tree[];
  /** The key of a witness: the tree has to go on from what it cosigned. */
  readonly witness?: NoteKey | undefined;
  /** Called with each entry that holds, in order. */
  readonly each?: (entry: Uint8Array, index: number) => void;
};

/**
 * Checks the checkpoint, the tree, and every entry from `from` on. Entries at the beginning whose
 * bundles are not there count as pruned: `from` of the answer says so.
 */
export async function checkLog({ read, key, verify, from = 0, known = [], witness, each }: LogToCheck): Promise<LogCheck> {
  const bytes = await read(checkpointPath);
  const note = bytes === null ? undefined : noteText(bytes);
  const checkpoint = note === undefined ? undefined : await openCheckpoint(note, key, verify);
  if (checkpoint === undefined) return { checkpoint: null, from, entries: 0, cosigned: null, findings: [{ kind: "checkpoint" }] };
  const findings: LogFinding[] = [];
  const tree = new CheckedTree(read, checkpoint.size);
  const hold = await collected(findings, async () => {
    if (!equalBytes(await tree.root(checkpoint.size), checkpoint.root)) findings.push({ kind: "root" });
  });
  // Without its edge nothing below it can be vouched for.
  if (!hold || findings.length > 0) return { checkpoint, from, entries: 0, cosigned: null, findings };
  let first = Math.floor(Math.min(from, checkpoint.size) / tileWidth);
  const bundles = Math.ceil(checkpoint.size / tileWidth);
  let entries = 0;
  for (let index = first; index < bundles; index += 1) {
    const tile = tileIn(checkpoint.size, "entries", index);
    if (tile === undefined) continue;
    const found = await tree.bundle(tile);
    if (found === null && from === 0 && entries === 0 && findings.length === 0) {
      first = index + 1;
      continue;
    }
    await collected(findings, async () => {
      const hashes = await tree.checked({ ...tile, level: 0 });
      if (found?.length !== tile.width) throw new BadFile(tilePath(tile));
      for (const [offset, entry] of found.entries()) {
        const expected = hashes[offset];
        const at = index * tileWidth + offset;
        if (expected === undefined || !equalBytes(leafHash(entry), expected)) findings.push({ kind: "entry", index: at });
        else each?.(entry, at);
        entries += 1;
      }
    });
  }
  const cosigned = witness === undefined ? null : await cosignedTree({ read, key, verify, witness });
  // A log that has no full bundle yet was not sent to anybody.
  if (witness !== undefined && cosigned === null && checkpoint.size >= tileWidth) findings.push({ kind: "uncosigned" });
  const earlier = cosigned === null ? known : [...known, cosigned];
  for (const before of earlier) await collected(findings, () => compare(tree, before, checkpoint, findings));
  findings.push(...tree.findings());
  return { checkpoint, from: first * tileWidth, entries, cosigned, findings };
}

type CosignedLog = Pick<LogToCheck, "read" | "key" | "verify"> & { readonly witness: NoteKey };

async function cosignedTree({ read, key, verify, witness }: CosignedLog): Promise<LogCheck["cosigned"]> {
  const bytes = await read(cosignedPath);
  const note = (bytes === null ? undefined : noteText(bytes)) ?? "";
  const [checkpoint, cosignature] = [await openCheckpoint(note, key, verify), await cosignatureOn(note, witness, verify)];
  return checkpoint === undefined || cosignature === undefined ? null : { ...checkpoint, at: cosignature.at };
}

async function compare(tree: CheckedTree, known: Tree, { size }: Tree, findings: LogFinding[]): Promise<void> {
  if (known.size > size) findings.push({ kind: "rolledBack", known: known.size, size });
  else if (!equalBytes(await tree.root(known.size), known.root)) findings.push({ kind: "rewritten", known: known.size });
}

/** Does this, and makes a finding of a file that is none; returns whether there was none. */
async function collected(findings: LogFinding[], work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof BadFile)) throw error;
    const { path } = error;
    if (!findings.some((each) => each.kind === "file" && each.path === path)) findings.push({ kind: "file", path });
    return false;
  }
}

/** The tiles of a tree, each checked by the one above it. */
class CheckedTree {
  readonly #read: FileReader;
  readonly #size: number;
  readonly #known = new Map<string, Promise<Uint8Array[]>>();
  readonly #changed = new Set<string>();

  constructor(read: FileReader, size: number) {
    this.#read = read;
    this.#size = size;
  }

  /** Of the tree when it had so many entries. */
  root(size: number): Promise<Uint8Array> {
    return rootAt(
      subtreeReader((tile) => this.checked(tile), this.#size),
      size,
    );
  }

  /** The hashes of a tile. A tile that is not full is at the edge, for which the root vouches. */
  checked(tile: Tile): Promise<Uint8Array[]> {
    const path = tilePath(tile);
    let hashes = this.#known.get(path);
    if (hashes === undefined) {
      hashes = this.#checked(tile);
      // Nearly all are of the lowest level, each wanted once: a long log would fill the memory.
      if (tile.level !== 0) this.#known.set(path, hashes);
    }
    return hashes;
  }

  async #checked({ level, index, width }: Tile): Promise<Uint8Array[]> {
    const hashes = await tileHashes(this.#read, { level, index, width });
    if (width < tileWidth || level === "entries") return hashes;
    const above = tileIn(this.#size, level + 1, Math.floor(index / tileWidth));
    if (above === undefined) throw new Error("CheckedTree: a full tile has one above it");
    const named = (await this.checked(above))[index % tileWidth];
    if (named === undefined || !equalBytes(named, hashOfNodes(hashes))) this.#changed.add(tilePath({ level, index, width }));
    return hashes;
  }

  /** The entries of a bundle; null where it is not there. */
  async bundle(tile: Tile): Promise<Uint8Array[] | null> {
    let bytes = await this.#read(tilePath(tile));
    if (bytes === null && tile.width < tileWidth) bytes = await this.#read(tilePath({ ...tile, width: tileWidth }));
    return bytes === null ? null : (readBundle(bytes)?.slice(0, tile.width) ?? []);
  }

  findings(): LogFinding[] {
    return [...this.#changed].map((path) => ({ kind: "tile", path }));
  }
}
