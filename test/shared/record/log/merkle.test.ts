// The tree beside RFC 6962 as it is written, and beside the vectors that other implementations use.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesToHex, toBase64url, utf8ToBytes } from "../../../../shared/encoding.ts";
import { consistencyProof, emptyRoot, inclusionProof, leafHash, rootAt } from "../../../../shared/record/log/merkle.ts";
import {
  type FileReader,
  partialTilesOf,
  readTilePath,
  subtreeReader,
  tileHashes,
  tileIn,
  tilePath,
} from "../../../../shared/record/log/tiles.ts";
import { auditPath, consistency, logFiles, treeHash } from "./reference-log.ts";
import vectors from "./tree-vectors.json" with { type: "json" };

const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "hex"));
const hex = (hashes: readonly Uint8Array[]): string[] => hashes.map((hash) => bytesToHex(hash));

const readerOf =
  (files: ReadonlyMap<string, Uint8Array>): FileReader =>
  async (path) =>
    files.get(path) ?? null;
const subtrees = (files: ReadonlyMap<string, Uint8Array>, size: number) => subtreeReader((tile) => tileHashes(readerOf(files), tile), size);

const entriesOf = (count: number): Uint8Array[] => Array.from({ length: count }, (_, n) => utf8ToBytes(`entry ${n}`));

describe("the vectors of other implementations", () => {
  const leaves = vectors.leaves.map(fromHex);
  test.each(vectors.roots.map((root, index) => [index, root] as const))("the root of %i leaves", async (size, root) => {
    const entries = leaves.slice(0, size);
    expect(bytesToHex(await rootAt(subtrees(logFiles(entries), size), size))).toBe(root);
    expect(bytesToHex(treeHash(entries))).toBe(root);
  });

  test("the hash of a record, and of the empty tree", () => {
    expect(toBase64url(leafHash(utf8ToBytes("hello world")))).toBe("TszzRgjTG6xce-z2AG31kAXYKBgQVtCSCE40HmuwBb0");
    expect(bytesToHex(emptyRoot())).toBe(vectors.roots[0]);
  });
});

const most = 700;
const all = entriesOf(most);
const size = fc.integer({ min: 1, max: most });

test("every root, and both proofs, are those of the RFC, out of tiles", async () => {
  await fc.assert(
    fc.asyncProperty(size, fc.nat(), async (to, seed) => {
      const entries = all.slice(0, to);
      const read = subtrees(logFiles(entries), to);
      const index = seed % to;
      const from = (seed % to) + 1;
      const root = await rootAt(read, to);
      expect(bytesToHex(root)).toBe(bytesToHex(treeHash(entries)));
      const included = await inclusionProof(read, index, to);
      expect(hex(included)).toEqual(hex(auditPath(index, entries)));
      const continued = await consistencyProof(read, from, to);
      expect(hex(continued)).toEqual(hex(consistency(from, entries)));
      const earlier = entries.slice(0, from);
      expect(bytesToHex(await rootAt(read, from))).toBe(bytesToHex(treeHash(earlier)));
    }),
    { numRuns: 60 },
  );
});

describe("the paths of tiles", () => {
  test("are those of the specification", () => {
    expect(tilePath({ level: 0, index: 1_234_067, width: 256 })).toBe("tile/0/x001/x234/067");
    expect(tilePath({ level: "entries", index: 5, width: 112 })).toBe("tile/entries/005.p/112");
    expect(tilePath({ level: 1, index: 1_000, width: 256 })).toBe("tile/1/x001/000");
  });

  test("are read back, and nothing else is one", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("entries" as const, 0, 1, 5, 63),
        fc.nat({ max: 10 ** 12 }),
        fc.integer({ min: 1, max: 256 }),
        (level, index, width) => {
          const tile = { level, index, width };
          expect(readTilePath(tilePath(tile))).toEqual(tile);
        },
      ),
    );
    for (const path of [
      "tile/0/000.p/256",
      "tile/0/000.p/0",
      "tile/0/000.p/01",
      "tile/00/000",
      "tile/64/000",
      "tile/0/x000/001",
      "tile/0/x001/x002",
      "tile/0/1",
      "tile/0/0001",
      "tile/-1/000",
      "tile/data/000",
      "tile/0/000/",
      "/tile/0/000",
      "tile/0/../000",
      "checkpoint",
    ])
      expect([path, readTilePath(path)]).toEqual([path, undefined]);
  });

  test("of a tree of 70,000 are as many as the specification counts", () => {
    expect(partialTilesOf(70_000)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ]);
    expect(partialTilesOf(256)).toEqual([{ level: 1, index: 0, width: 1 }]);
    expect(partialTilesOf(0)).toEqual([]);
    expect(tileIn(70_000, "entries", 273)).toEqual({ level: "entries", index: 273, width: 112 });
    expect(tileIn(70_000, 0, 274)).toBeUndefined();
  });
});
