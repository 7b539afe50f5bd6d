// `npm run verify-record` over a copy of the bucket: every shard's log with one key, and what it
// remembers from one time to the next.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { inFolder, knownNotes, logReport, remember, verifyLogs, witnessKeyOf } from "../../../../scripts/verify-log.ts";
import { fromUtf8, utf8ToBytes } from "../../../../shared/encoding.ts";
import { readBundle } from "../../../../shared/record/log/bundle.ts";
import { addCheckpointBody } from "../../../../shared/record/log/cosignature.ts";
import { TestWitness } from "../../../support/witness.ts";
import { verifierKey } from "../../../../shared/record/log/signed-note.ts";
import { signedLog, signerOf } from "./reference-log.ts";

const seed = new Uint8Array(32).fill(5);
const signer = (shard: number) => signerOf(`gateway.example/record/${shard}`, seed);
const { key } = signer(0);
const entriesOf = (count: number): Uint8Array[] => Array.from({ length: count }, (_, n) => utf8ToBytes(`{"run":"run_${n}"}`));

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "verify-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A shard's log as the bucket has it: its bundles compressed. */
async function write(shard: number, count: number, from = entriesOf(count)): Promise<void> {
  for (const [path, bytes] of await signedLog(from.slice(0, count), signer(shard))) {
    const file = join(folder, "record", String(shard), path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, path.startsWith("tile/entries/") ? gzipSync(bytes) : bytes);
  }
}

const verified = async (known: readonly string[] = []) => logReport(await verifyLogs(inFolder(folder), key, { known }));

test("holds for every log that is there, and says how much was verified", async () => {
  await write(0, 300);
  await write(7, 5);
  const { text, exitCode } = await verified();
  expect(exitCode).toBe(0);
  expect(text).toContain("log 0, 300 entries: 300 verified\nlog 7, 5 entries: 5 verified\n2 logs hold");
  expect((await verifyLogs(inFolder(folder), key, { from: 256 }))[0]?.check).toMatchObject({ from: 256, entries: 44 });
});

test("finds a log that is another shard's, and one that another key signed", async () => {
  await write(0, 300);
  const other = await signedLog(entriesOf(3), signer(4));
  mkdirSync(join(folder, "record", "7"), { recursive: true });
  writeFileSync(join(folder, "record", "7", "checkpoint"), other.get("checkpoint")!);
  expect(await verified()).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining("log 7\n  the checkpoint is missing, or this key did not"),
  });
  const stranger = signerOf(key.name, new Uint8Array(32).fill(6)).key;
  expect(logReport(await verifyLogs(inFolder(folder), stranger)).exitCode).toBe(1);
});

test("finds an entry that was changed, and says which", async () => {
  await write(0, 300);
  const file = join(folder, "record/0/tile/entries/000");
  const entries = entriesOf(300).with(17, utf8ToBytes(`{"run":"run_x"}`));
  writeFileSync(file, (await signedLog(entries, signer(0))).get("tile/entries/000")!);
  expect(await verified()).toMatchObject({ exitCode: 1, text: expect.stringContaining("entry 17 was changed") });
});

test("knows the checkpoints of the time before: a log that is shorter, anew or gone is found, and one that grew is not", async () => {
  const notes = join(folder, "known.txt");
  await write(0, 300);
  await write(3, 20);
  remember(notes, await verifyLogs(inFolder(folder), key));
  expect(knownNotes(notes)).toHaveLength(2);
  await write(0, 600);
  const grown = await verifyLogs(inFolder(folder), key, { known: knownNotes(notes) });
  expect(logReport(grown).exitCode).toBe(0);
  remember(notes, grown);
  expect(knownNotes(notes)).toHaveLength(2);
  const before = readFileSync(notes, "utf8");
  await write(0, 550);
  const shorter = await verifyLogs(inFolder(folder), key, { known: knownNotes(notes) });
  expect(logReport(shorter)).toMatchObject({ exitCode: 1, text: expect.stringContaining("it has 550 entries, and had 600 before") });
  remember(notes, shorter);
  expect(readFileSync(notes, "utf8").split("\u2014").length).toBe(before.split("\u2014").length);
  expect(knownNotes(notes).some((note) => note.includes("\n600\n"))).toBe(true);
  await write(0, 700, entriesOf(700).with(9, utf8ToBytes("anew")));
  expect(await verified(knownNotes(notes))).toMatchObject({ exitCode: 1, text: expect.stringContaining("it was written anew") });
  rmSync(join(folder, "record", "3"), { recursive: true });
  expect(await verified(knownNotes(notes))).toMatchObject({
    exitCode: 1,
    text: expect.stringContaining("log 3\n  the checkpoint is missing"),
  });
});

test("says where there is no log at all", async () => {
  expect(await verified()).toEqual({ text: "There is no log.", exitCode: 2 });
});

test("a log that a witness cosigned goes on from what the witness saw, even where its owner signed another one", async () => {
  const witness = await TestWitness.make();
  witness.logs.push(verifierKey(key));
  const own = witnessKeyOf(await witness.key());
  const report = async (whose = own) => logReport(await verifyLogs(inFolder(folder), key, { witness: whose }));
  await write(0, 200);
  // What is in no full bundle yet went to nobody.
  expect((await report()).exitCode).toBe(0);
  await write(0, 300);
  expect(await report()).toMatchObject({ exitCode: 1, text: expect.stringContaining("no checkpoint that the witness cosigned") });
  const note = fromUtf8((await signedLog(entriesOf(256), signer(0))).get("checkpoint")!);
  const cosigned = note + (await (await witness.add(addCheckpointBody(0, [], note))).text());
  writeFileSync(join(folder, "record/0/cosigned"), cosigned);
  expect(await report()).toMatchObject({
    exitCode: 0,
    text: expect.stringContaining("300 verified; the first 256 cosigned at 2026-09-21T14:13:20.000Z"),
  });
  const stranger = witnessKeyOf(await (await TestWitness.make()).key());
  expect((await report(stranger)).exitCode).toBe(1);
  // The time is signed with it.
  writeFileSync(join(folder, "record/0/cosigned"), cosigned.replace(/(w1 .{15})./, "$1x"));
  expect((await report()).exitCode).toBe(1);
  writeFileSync(join(folder, "record/0/cosigned"), cosigned);
  await write(0, 300, entriesOf(300).with(3, utf8ToBytes(`{"run":"run_x"}`)));
  expect(await report()).toMatchObject({ exitCode: 1, text: expect.stringContaining("its first 256 entries are not those") });
});

test("takes a compressed bundle for one, also where its bytes could be a bundle's", async () => {
  await write(0, 300);
  const file = join(folder, "record/0/tile/entries/000");
  const stream = gzipSync(gunzipSync(readFileSync(file))).subarray(10);
  // A comment of gzip's has the length of a second entry, which ends with the file.
  // `1f 8b` is 8,075.
  const second = 2 + 8_075;
  const header = Buffer.concat([Uint8Array.of(0x1f, 0x8b, 8, 16, 0, 0, 0, 0, 0, 3), Buffer.alloc(second + 400 - 10, "c")]);
  const rest = header.length + 1 + stream.length - second - 2;
  header.writeUInt16BE(rest, second);
  const bytes = Buffer.concat([header, Uint8Array.of(0), stream]);
  expect(readBundle(bytes)).toHaveLength(2);
  writeFileSync(file, bytes);
  expect(await verified()).toMatchObject({ exitCode: 0 });
});
