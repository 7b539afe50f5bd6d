// The record's files under a verifier that nobody here wrote, Go's sumdb/note and sumdb/tlog, and
// under our own. Each way to change a log is found by both, some only with an earlier checkpoint.

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inFolder, verifyLogs } from "../../scripts/verify-log.ts";
import { utf8ToBytes } from "../../shared/encoding.ts";
import { bundleBytes, readBundle } from "../../shared/record/log/bundle.ts";
import { signCheckpoint } from "../../shared/record/log/checkpoint.ts";
import { addCheckpointBody, cosignatureOn, cosigned, readCosignerKey } from "../../shared/record/log/cosignature.ts";
import { consistencyProof, rootAt } from "../../shared/record/log/merkle.ts";
import { subtreeReader, tileHashes } from "../../shared/record/log/tiles.ts";
import { verifierKey } from "../../shared/record/log/signed-note.ts";
import { signedLog, signerOf } from "../shared/record/log/reference-log.ts";
import { WrittenLog, textsOf } from "./foreign-log/written-log.ts";

/** Where Debian's golang-golang-x-mod-dev has its source. */
const goPath = "/usr/share/gocode";
const hasGo = spawnSync("go", ["version"]).status === 0 && existsSync(join(goPath, "src/golang.org/x/mod/sumdb/tlog"));
if (!hasGo) console.warn("Skipped: Go with golang.org/x/mod is not here (Debian: golang-go, golang-golang-x-mod-dev).");

const signer = signerOf("gateway.example/record/0", new Uint8Array(32).fill(9));
const { key } = signer;
/** Three levels of tiles, and none at the edge is full. */
const before = 66_048;
const after = 70_400;

const folder = mkdtempSync(join(tmpdir(), "foreign-log-"));
afterAll(() => rmSync(folder, { recursive: true }));
const verifier = join(folder, "verify");
const witness = join(folder, "witness");
const [written, earlier, oldest] = [join(folder, "written"), join(folder, "earlier"), join(folder, "oldest")];
let lastWritten: readonly string[] = [];
const knownNote = join(earlier, "record/0/checkpoint");

function build(program: string, source: string): void {
  execFileSync("go", ["build", "-o", program, new URL(`foreign-log/${source}`, import.meta.url).pathname], {
    env: { ...process.env, GO111MODULE: "off", GOPATH: goPath, GOCACHE: join(folder, "go-cache"), GOFLAGS: "" },
  });
}

beforeAll(async () => {
  if (!hasGo) return;
  build(verifier, "verify.go");
  build(witness, "witness.go");
  const log = new WrittenLog(written, 0, signer);
  await log.grow(before / 2);
  cpSync(written, oldest, { recursive: true });
  await log.grow(before / 2);
  cpSync(written, earlier, { recursive: true });
  await log.grow(after - before - 256);
  await log.grow(256);
  lastWritten = log.written;
}, 600_000);

/** What each says of a copy of the bucket; null: it holds. */
function foreign(bucket: string, isKnown: boolean): string | null {
  const known = isKnown ? ["-known", knownNote] : [];
  const { status, stdout, stderr } = spawnSync(verifier, ["-log", join(bucket, "record/0"), "-key", verifierKey(key), ...known], {
    encoding: "utf8",
  });
  if (status !== 0 && status !== 1) throw new Error(`the foreign verifier ended with ${status}: ${stderr}`);
  return status === 0 ? null : stdout.trim();
}

async function own(bucket: string, isKnown: boolean): Promise<string | null> {
  const [report] = await verifyLogs(inFolder(bucket), key, { known: isKnown ? [readFileSync(knownNote, "utf8")] : [] });
  const [finding] = report?.check.findings ?? [];
  return finding === undefined ? null : finding.kind;
}

const bundleFile = (n: number): string => `record/0/tile/entries/${String(n).padStart(3, "0")}`;

function changeBundle(bucket: string, n: number, change: (entries: Uint8Array[]) => Uint8Array[]): void {
  const file = join(bucket, bundleFile(n));
  const entries = readBundle(new Uint8Array(gunzipSync(readFileSync(file)))) ?? [];
  writeFileSync(file, gzipSync(bundleBytes(change(entries))));
}

function swapped<T>(items: readonly T[], a: number, b: number): T[] {
  const [first, second] = [items[a], items[b]];
  if (first === undefined || second === undefined) throw new Error("nothing to swap");
  return items.with(a, second).with(b, first);
}

/** The log without a request, made anew from the entries; without the key, the checkpoint stays. */
async function withoutRequest(bucket: string, isSigned: boolean): Promise<void> {
  const entries = Array.from({ length: after }, (_, n) => textsOf(n).map(utf8ToBytes)).flat();
  // As long as before: another one comes behind.
  entries.splice(300, 1);
  entries.push(utf8ToBytes("another"));
  for (const [path, bytes] of await signedLog(entries, signer)) {
    if (path === "checkpoint" && !isSigned) continue;
    const file = join(bucket, "record/0", path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}

type Tampering = { readonly name: string; readonly tamper: (bucket: string) => void | Promise<void>; readonly needsKnown?: true };

const tamperings: readonly Tampering[] = [
  {
    name: "one byte of an entry changed",
    tamper: (bucket) => changeBundle(bucket, 1, (entries) => entries.with(7, (entries[7] ?? new Uint8Array()).with(3, 65))),
  },
  { name: "one entry removed from its bundle", tamper: (bucket) => changeBundle(bucket, 1, (entries) => entries.toSpliced(7, 1)) },
  { name: "two entries swapped", tamper: (bucket) => changeBundle(bucket, 257, (entries) => swapped(entries, 4, 9)) },
  {
    name: "two entries swapped with their hashes in the tile",
    tamper: (bucket) => {
      changeBundle(bucket, 1, (entries) => swapped(entries, 4, 9));
      const file = join(bucket, "record/0/tile/0/001");
      const hashes = Array.from({ length: 256 }, (_, n) => readFileSync(file).subarray(n * 32, n * 32 + 32));
      writeFileSync(file, Buffer.concat(swapped(hashes, 4, 9)));
    },
  },
  { name: "one request removed whole, the tree made anew", tamper: (bucket) => withoutRequest(bucket, false) },
  { name: "the same, signed anew by who has the key", tamper: (bucket) => withoutRequest(bucket, true), needsKnown: true },
  {
    name: "the log rolled back to an earlier checkpoint",
    tamper: (bucket) => {
      rmSync(join(bucket, "record"), { recursive: true });
      cpSync(oldest, bucket, { recursive: true });
    },
    needsKnown: true,
  },
  {
    name: "another size in the signed checkpoint",
    tamper: (bucket) => {
      const file = join(bucket, "record/0/checkpoint");
      const note = readFileSync(file, "utf8");
      writeFileSync(
        file,
        note.replace(/\n(\d+)\n/, (_, size: string) => `\n${Number(size) - 256}\n`),
      );
    },
  },
];

describe.skipIf(!hasGo)("a log of the product's own code", () => {
  test("holds, its entries, tiles and an earlier checkpoint, in both verifiers", async () => {
    expect([foreign(written, true), await own(written, true)]).toEqual([null, null]);
    expect([foreign(earlier, false), await own(earlier, false)]).toEqual([null, null]);
    // Parts of a tile go when it is full.
    const parts = (bucket: string): string[] => readdirSync(join(bucket, "record/0/tile/1")).toSorted();
    expect([parts(oldest), parts(written)]).toEqual([["000.p"], ["000", "000.p", "001.p"]]);
    expect(readdirSync(join(written, "record/0/tile/1/000.p"))).toEqual([]);
    // Of the tree's edge what has changed: the tile of level 2 has not.
    const files = ["tile/entries/274", "tile/0/274", "tile/1/001.p/19", "checkpoint"];
    expect(lastWritten).toEqual(files.map((file) => `record/0/${file}`));
  });

  test.each(tamperings)("$name is found by both", async ({ tamper, needsKnown = false }) => {
    const bucket = mkdtempSync(join(folder, "tampered-"));
    cpSync(written, bucket, { recursive: true });
    await tamper(bucket);
    const found = [foreign(bucket, false), await own(bucket, false)];
    if (needsKnown) {
      // Whoever kept no checkpoint cannot tell.
      expect(found).toEqual([null, null]);
      found.splice(0, 2, foreign(bucket, true), await own(bucket, true));
    }
    expect(found).toEqual([expect.any(String), expect.any(String)]);
    rmSync(bucket, { recursive: true });
  });

  test("is cosigned by a witness where it goes on from what that saw, and by a proof of it alone", async () => {
    const state = mkdtempSync(join(folder, "witness-"));
    const add = (body: string): string =>
      execFileSync(witness, ["-log", verifierKey(key), "-state", state], { input: body, encoding: "utf8" });
    const cosigner = readCosignerKey(execFileSync(witness, ["-key"], { encoding: "utf8" }).trim());
    if (cosigner === undefined) throw new Error("no key");
    const read = subtreeReader((tile) => tileHashes(inFolder(written)(0), tile), after);
    let old = 0;
    for (const size of [1, 255, 256, 257, 1_000, 65_536, before, after, after]) {
      const note = await signCheckpoint({ size, root: await rootAt(read, size) }, key, signer.sign);
      const proof = old === 0 || old === size ? [] : await consistencyProof(read, old, size);
      if (proof.length > 0) {
        expect(add(addCheckpointBody(old, proof.toSpliced(-1, 1), note))).toBe("422\n");
        expect(add(addCheckpointBody(old - 1, proof, note))).toBe(`409\n${old}\n`);
      }
      const answer = add(addCheckpointBody(old, proof, note));
      expect([size, answer.slice(0, 4)]).toEqual([size, "200\n"]);
      const held = await cosigned(note, answer.slice(4), cosigner, signer.verify);
      expect((await cosignatureOn(held ?? "", cosigner, signer.verify))?.at).toBe(1_790_000_000);
      old = size;
    }
  });
});
