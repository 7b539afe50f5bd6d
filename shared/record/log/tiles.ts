// The files of a log after C2SP `tlog-tiles`: where each stands, how wide it is in a tree of a
// size, and the tree's hashes out of them. A tile has 256 hashes, a bundle 256 entries; those at
// the tree's edge have fewer and are named with their width.

import { concatBytes } from "../../encoding.ts";
import { type Subtree, type SubtreeReader, nodeHash } from "./merkle.ts";

export const tileWidth = 256;
/** 256 is 2 to the power of 8. */
const heightOfTile = 8;
export const hashLength = 32;

/** `level`: "entries" for a bundle. `width`: how many hashes or entries it has. */
export type Tile = { readonly level: number | "entries"; readonly index: number; readonly width: number };

/** `tile/0/x001/067`, and with `.p/112` where it is not full. */
export function tilePath({ level, index, width }: Tile): string {
  const parts = [String(index % 1_000).padStart(3, "0")];
  for (let rest = Math.floor(index / 1_000); rest > 0; rest = Math.floor(rest / 1_000))
    parts.unshift(`x${String(rest % 1_000).padStart(3, "0")}`);
  return `tile/${level}/${parts.join("/")}${width === tileWidth ? "" : `.p/${width}`}`;
}

/** The tile of a path; undefined where it is none, or another spelling of one. */
export function readTilePath(path: string): Tile | undefined {
  const [, level = "", digits = "", width] = /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  if (level === "") return undefined;
  const tile: Tile = {
    level: level === "entries" ? level : Number(level),
    index: Number(digits.replaceAll(/[x/]/g, "")),
    width: width === undefined ? tileWidth : Number(width),
  };
  const isTile = tile.width > 0 && (width === undefined || tile.width < tileWidth) && (tile.level === "entries" || tile.level < 64);
  return isTile && tilePath(tile) === path ? tile : undefined;
}

/** How many of the tree's nodes stand at this level of tiles: entries at the level 0. */
const nodesAt = (size: number, level: Tile["level"]): number => Math.floor(size / tileWidth ** (level === "entries" ? 0 : level));

/** The tile as a tree of this size has it; undefined where it has none there. */
export function tileIn(size: number, level: Tile["level"], index: number): Tile | undefined {
  const width = Math.min(tileWidth, nodesAt(size, level) - index * tileWidth);
  return width > 0 ? { level, index, width } : undefined;
}

/** The tiles of hashes at the edge of a tree of this size, one of a level: those not full. */
export function partialTilesOf(size: number): Tile[] {
  const found: Tile[] = [];
  for (let level = 0; nodesAt(size, level) > 0; level += 1) {
    const nodes = nodesAt(size, level);
    if (nodes % tileWidth > 0) found.push({ level, index: Math.floor(nodes / tileWidth), width: nodes % tileWidth });
  }
  return found;
}

/** The hash of a full tile, or of a part of one as wide as a power of two. */
export function hashOfNodes(hashes: readonly Uint8Array[]): Uint8Array {
  let nodes = hashes;
  while (nodes.length > 1) nodes = pairsOf(nodes);
  const [hash] = nodes;
  if (hash === undefined) throw new Error("hashOfNodes: no hashes");
  return hash;
}

function pairsOf(nodes: readonly Uint8Array[]): Uint8Array[] {
  const pairs: Uint8Array[] = [];
  for (let index = 0; index < nodes.length; index += 2) {
    const [left, right] = nodes.slice(index, index + 2);
    if (left === undefined || right === undefined) throw new Error("pairsOf: their number is no power of two");
    pairs.push(nodeHash(left, right));
  }
  return pairs;
}

export const tileBytes = (hashes: readonly Uint8Array[]): Uint8Array => concatBytes(...hashes);

/** The hashes of a tile; undefined where the bytes are not so many. */
const readTile = (bytes: Uint8Array, width: number): Uint8Array[] | undefined =>
  bytes.length === width * hashLength
    ? Array.from({ length: width }, (_, index) => bytes.slice(index * hashLength, (index + 1) * hashLength))
    : undefined;

/** A log's file by its path; null where there is none. */
export type FileReader = (path: string) => Promise<Uint8Array | null>;

/** A file of the log is missing, or is none. */
export class BadFile extends Error {
  override readonly name = "BadFile";
  readonly path: string;

  constructor(path: string) {
    super(`not a file of the log: ${path}`);
    this.path = path;
  }
}

/**
 * The hashes of a tile. Where a part of it is not there any more, the first ones of the full tile
 * are the same.
 */
export async function tileHashes(read: FileReader, tile: Tile): Promise<Uint8Array[]> {
  const path = tilePath(tile);
  const bytes = await read(path);
  if (bytes === null && tile.width < tileWidth) {
    const whole = await read(tilePath({ ...tile, width: tileWidth }));
    const hashes = whole === null ? undefined : readTile(whole, tileWidth);
    if (hashes !== undefined) return hashes.slice(0, tile.width);
  }
  const hashes = bytes === null ? undefined : readTile(bytes, tile.width);
  if (hashes === undefined) throw new BadFile(path);
  return hashes;
}

/** Reads the subtrees of a tree of this size out of its tiles. */
export const subtreeReader =
  (hashesOf: (tile: Tile) => Promise<Uint8Array[]>, size: number): SubtreeReader =>
  async ({ height, index }: Subtree) => {
    const level = Math.floor(height / heightOfTile);
    const count = 2 ** (height % heightOfTile);
    const first = index * count;
    const tile = tileIn(size, level, Math.floor(first / tileWidth));
    if (tile === undefined) throw new Error("subtreeReader: not in this tree");
    const start = first % tileWidth;
    return hashOfNodes((await hashesOf(tile)).slice(start, start + count));
  };
