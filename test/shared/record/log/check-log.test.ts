// What a verifier finds in a log that was meddled with, with the public key alone.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8ToBytes } from "../../../../shared/encoding.ts";
import { bundleBytes, longestEntry, readBundle } from "../../../../shared/record/log/bundle.ts";
import { type LogFinding, type LogToCheck, checkLog } from "../../../../shared/record/log/check-log.ts";
import { openCheckpoint, readCheckpointText, signCheckpoint } from "../../../../shared/record/log/checkpoint.ts";
import { openNote, readVerifierKey, signNote, verifierKey } from "../../../../shared/record/log/signed-note.ts";
import { logFiles, signedLog, signerOf, treeHash } from "./reference-log.ts";
import notes from "./note-vectors.json" with { type: "json" };

const signer = signerOf("gateway.example/record/3", new Uint8Array(32).fill(7));
const stranger = signerOf("gateway.example/record/3", new Uint8Array(32).fill(8));
const entriesOf = (count: number, of = ""): Uint8Array[] =>
  Array.from({ length: count }, (_, n) => utf8ToBytes(JSON.stringify({ run: `run_${n}${of}` })));

const check = (files: ReadonlyMap<string, Uint8Array>, more: Partial<LogToCheck> = {}) =>
  checkLog({ read: async (path) => files.get(path) ?? null, key: signer.key, verify: signer.verify, ...more });
const findingsOf = async (files: ReadonlyMap<string, Uint8Array>, more: Partial<LogToCheck> = {}): Promise<readonly LogFinding[]> =>
  (await check(files, more)).findings;

const size = 700;
const entries = entriesOf(size);
const files = await signedLog(entries, signer);

describe("a log", () => {
  test("holds as it was written, and each entry is handed on", async () => {
    const seen: Uint8Array[] = [];
    const found = await check(files, {
      each: (entry) => void seen.push(entry),
      known: [{ size: 300, root: treeHash(entries.slice(0, 300)) }],
    });
    expect(found).toMatchObject({ from: 0, entries: size, findings: [], checkpoint: { origin: signer.key.name, size } });
    expect(seen).toEqual(entries);
  });

  test.each([0, 1, 2, 255, 256, 257, 512, 65_536])("of %i entries holds", async (count) => {
    const some = entriesOf(count);
    expect(await check(await signedLog(some, signer))).toMatchObject({ entries: count, findings: [] });
  });

  test("holds in part, and without what was pruned from the front", async () => {
    expect(await check(files, { from: 300 })).toMatchObject({ from: 256, entries: size - 256, findings: [] });
    const pruned = new Map(files);
    pruned.delete("tile/entries/000");
    pruned.delete("tile/0/000");
    expect(await check(pruned)).toMatchObject({ from: 256, entries: size - 256, findings: [] });
    // Who asks for that part misses it.
    expect(await findingsOf(pruned, { from: 1 })).toEqual([{ kind: "file", path: "tile/0/000" }]);
  });

  test("holds with the full tile in place of a part of it", async () => {
    const later = logFiles(entriesOf(768));
    const grown = new Map(files);
    grown.delete("tile/0/002.p/188");
    grown.delete("tile/entries/002.p/188");
    for (const path of ["tile/0/002", "tile/entries/002"]) grown.set(path, later.get(path)!);
    expect(await findingsOf(grown)).toEqual([]);
  });
});

describe("is found:", () => {
  const bundle = (index: number): string => (index < 512 ? `tile/entries/00${Math.floor(index / 256)}` : "tile/entries/002.p/188");
  const rewritten = (of: readonly Uint8Array[]): Map<string, Uint8Array> => {
    const changed = new Map(files);
    for (const [path, bytes] of logFiles(of)) if (path.startsWith("tile/entries/")) changed.set(path, bytes);
    return changed;
  };

  test("one byte of any file", async () => {
    const paths = [...files.keys()];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), fc.nat(), fc.integer({ min: 1, max: 255 }), async (path, at, by) => {
        const bytes = files.get(path)!.slice();
        const place = at % bytes.length;
        bytes[place] = bytes[place]! ^ by;
        expect((await findingsOf(new Map(files).set(path, bytes))).length).toBeGreaterThan(0);
      }),
      { numRuns: 150 },
    );
  });

  test("any file that is missing, of those behind what may be pruned", async () => {
    for (const path of [...files.keys()].filter((each) => each !== "tile/entries/000")) {
      const fewer = new Map(files);
      fewer.delete(path);
      expect([path, (await findingsOf(fewer)).length > 0]).toEqual([path, true]);
    }
  });

  test("an entry that was changed, by its index", async () => {
    for (const index of [0, 255, 256, 511, 699]) {
      const changed = rewritten(entries.with(index, utf8ToBytes(JSON.stringify({ run: "run_other" }))));
      expect(await findingsOf(changed)).toEqual([{ kind: "entry", index }]);
    }
  });

  test("an entry that was removed, a request that was removed whole, and two that changed places", async () => {
    expect((await findingsOf(rewritten(entries.toSpliced(300, 1)))).length).toBeGreaterThan(0);
    const whole = entries.filter((_, index) => index % 50 !== 7);
    expect((await findingsOf(rewritten(whole))).length).toBeGreaterThan(0);
    expect(await findingsOf(rewritten(entries.with(10, entries[11]!).with(11, entries[10]!)))).toEqual([
      { kind: "entry", index: 10 },
      { kind: "entry", index: 11 },
    ]);
  });

  test("entries with the tiles of another tree under the same checkpoint", async () => {
    const other = await signedLog(entries.with(300, utf8ToBytes("other")), signer);
    expect(await findingsOf(new Map(other).set("checkpoint", files.get("checkpoint")!))).toEqual([{ kind: "root" }]);
    // A full tile alone is not the one that the tile above it names.
    const tile = new Map(files).set("tile/0/001", other.get("tile/0/001")!).set("tile/entries/001", other.get("tile/entries/001")!);
    expect(await findingsOf(tile)).toEqual([{ kind: "tile", path: "tile/0/001" }]);
  });

  test("a log that somebody without the key wrote anew, and one of another name", async () => {
    expect(await findingsOf(await signedLog(entries.slice(0, 600), stranger))).toEqual([{ kind: "checkpoint" }]);
    const elsewhere = signerOf("gateway.example/record/4", new Uint8Array(32).fill(7));
    expect(await findingsOf(await signedLog(entries, elsewhere))).toEqual([{ kind: "checkpoint" }]);
    expect(await findingsOf(new Map())).toEqual([{ kind: "checkpoint" }]);
  });

  test("a log that the key's owner cut short or wrote anew, by who knows an earlier checkpoint", async () => {
    const known = [{ size, root: treeHash(entries) }];
    expect(await findingsOf(await signedLog(entries.slice(0, 650), signer), { known })).toEqual([
      { kind: "rolledBack", known: size, size: 650 },
    ]);
    const anew = entriesOf(800).with(20, utf8ToBytes("other"));
    expect(await findingsOf(await signedLog(anew, signer), { known })).toEqual([{ kind: "rewritten", known: size }]);
    // Also by who looks at the newest part alone.
    const lying = new Map(await signedLog(anew, signer)).set("tile/0/000", files.get("tile/0/000")!);
    expect((await findingsOf(lying, { known: [{ size: 200, root: treeHash(entries.slice(0, 200)) }], from: 600 })).length).toBeGreaterThan(
      0,
    );
    expect(bundle(0)).toBe("tile/entries/000");
  });

  test("bundles that are none", async () => {
    for (const bytes of [
      new Uint8Array(1),
      Uint8Array.of(0, 9, 1),
      files.get("tile/entries/000")!.slice(0, -1),
      bundleBytes([...entries.slice(0, 256), entries[0]!]).slice(2),
    ])
      expect((await findingsOf(new Map(files).set("tile/entries/001", bytes))).length).toBeGreaterThan(0);
  });
});

describe("a bundle", () => {
  test("has the bytes of each entry, and is read back", () => {
    const some = [utf8ToBytes("a"), new Uint8Array(), new Uint8Array(longestEntry).fill(3), utf8ToBytes("é")];
    expect(readBundle(bundleBytes(some))).toEqual(some);
    expect([...bundleBytes([utf8ToBytes("ab")])]).toEqual([0, 2, 97, 98]);
    expect(() => bundleBytes([new Uint8Array(longestEntry + 1)])).toThrow("too long");
  });
});

describe("a signed note", () => {
  test.each(notes.notes)("of $of opens with its key, and with no other", async ({ key, text, note }) => {
    const known = readVerifierKey(key)!;
    expect(verifierKey(known)).toBe(key);
    expect(await openNote(note, known, signer.verify)).toBe(text);
    expect(await openNote(note, signer.key, signer.verify)).toBeUndefined();
    expect(await openNote(note, { ...known, name: "other" }, signer.verify)).toBeUndefined();
  });

  test("opens with signatures of others beside ours, and not with a wrong one of ours", async () => {
    const note = await signNote("text\n", signer.key, signer.sign);
    const [, theirs = ""] = (await signNote("text\n", stranger.key, stranger.sign)).split("\n\n");
    expect(await openNote(`${note}${theirs}`, signer.key, signer.verify)).toBe("text\n");
    expect(await openNote(`text\n\n${theirs}`, signer.key, signer.verify)).toBeUndefined();
    const [, forged = ""] = (await signNote("other\n", signer.key, signer.sign)).split("\n\n");
    expect(await openNote(`${note}${forged}`, signer.key, signer.verify)).toBeUndefined();
    expect(await openNote(`text\n\n${theirs.repeat(70)}${note.split("\n\n")[1]}`, signer.key, signer.verify)).toBeUndefined();
  });

  test("with anything changed does not open", async () => {
    const note = await signNote("first\n\nsecond\n", signer.key, signer.sign);
    expect(await openNote(note, signer.key, signer.verify)).toBe("first\n\nsecond\n");
    for (const wrong of [
      note.slice(1),
      note.slice(0, -1),
      note.replace("first", "First"),
      note.replace("\n\n\u2014", "\n\u2014"),
      note.replace("\u2014 ", "- "),
      `${note}\n`,
      note.replace("first", "\u0001first"),
      "",
    ])
      expect(await openNote(wrong, signer.key, signer.verify)).toBeUndefined();
  });

  test.each(notes.badKeys)("has no key like %s", (text) => {
    expect(readVerifierKey(text)).toBeUndefined();
  });
});

describe("a checkpoint", () => {
  test("says which log, how many entries and the root", async () => {
    const root = treeHash(entries);
    const note = await signCheckpoint({ size, root }, signer.key, signer.sign);
    expect(note.split("\n").slice(0, 2)).toEqual([signer.key.name, "700"]);
    expect(await openCheckpoint(note, signer.key, signer.verify)).toEqual({ origin: signer.key.name, size, root });
  });

  test.each([
    "a\n01\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\n",
    "a\n-1\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\n",
    "\n1\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\n",
    "a\n1\nTszz\n",
    "a\n1\n",
    "a\n99999999999999999999\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\n",
  ])("is none: %j", (text) => {
    expect(readCheckpointText(text)).toBeUndefined();
  });

  test("is that of Go's checksum database", () => {
    expect(readCheckpointText("go.sum database tree\n123456789012\nTszzRgjTG6xce+z2AG31kAXYKBgQVtCSCE40HmuwBb0=\nJOE\n")).toMatchObject({
      size: 123_456_789_012,
    });
  });
});
