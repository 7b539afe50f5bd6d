// Verifies the record's logs with the public key alone: over HTTP, or over a copy of the bucket.
// Part of `npm run verify-record`.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { equalBytes, fromUtf8 } from "../shared/encoding.ts";
import { type LogCheck, type LogFinding, checkLog } from "../shared/record/log/check-log.ts";
import { openCheckpoint, readCheckpointText } from "../shared/record/log/checkpoint.ts";
import { readCosignerKey } from "../shared/record/log/cosignature.ts";
import { type NoteKey, noteText, readVerifierKey } from "../shared/record/log/signed-note.ts";
import type { FileReader } from "../shared/record/log/tiles.ts";

const shards = 16;

/** What is behind the shard's number in a log's name. */
const nameOf = (origin: string): string => origin.replace(/\/\d+$/, "");

export const verifySignature = async (publicKey: Uint8Array, signature: Uint8Array, text: Uint8Array): Promise<boolean> =>
  crypto.subtle.verify(
    "Ed25519",
    await crypto.subtle.importKey("raw", new Uint8Array(publicKey), "Ed25519", false, ["verify"]),
    new Uint8Array(signature),
    new Uint8Array(text),
  );

/** The files of a shard's log; null where there is no log of this number. */
export type LogFiles = (shard: number) => FileReader;

/** `token`: an operator's; undefined where the log is public. */
export const overHttp =
  (url: string, token: string | undefined, ask: typeof fetch = fetch): LogFiles =>
  (shard) =>
  async (path) => {
    const answer = await ask(
      `${url}/record/${shard}/${path}`,
      token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } },
    );
    if (answer.status === 404) return null;
    if (!answer.ok) throw unread(answer);
    return new Uint8Array(await answer.arrayBuffer());
  };

/**
 * A folder with what the bucket has: `record/0/checkpoint` and so on. Bundles may be compressed as
 * the bucket has them, or as a tool wrote them that decompressed them.
 */
export const inFolder =
  (folder: string): LogFiles =>
  (shard) =>
  async (path) => {
    const file = join(folder, "record", String(shard), path);
    if (!existsSync(file)) return null;
    const bytes = new Uint8Array(readFileSync(file));
    return path.startsWith("tile/entries/") ? decompressed(bytes) : bytes;
  };

/** What gzip begins with. No bundle does: its third byte is the first of an entry's JSON. */
const gzipMark = Uint8Array.of(0x1f, 0x8b, 8);

function decompressed(bytes: Uint8Array): Uint8Array {
  // That it can be read as a bundle says less: one compressed bundle of some ten thousands can.
  if (!equalBytes(bytes.subarray(0, gzipMark.length), gzipMark)) return bytes;
  try {
    return new Uint8Array(gunzipSync(bytes));
  } catch {
    return bytes;
  }
}

export type LogReport = { readonly shard: number; readonly check: LogCheck; readonly note: string | null };

type VerifyOptions = {
  readonly known?: readonly string[];
  readonly from?: number;
  readonly witness?: NoteKey | undefined;
  readonly each?: (text: string, shard: number) => void;
};

/**
 * Checks every shard's log that is there. All must be logs of one gateway: the key's name, but for
 * the shard's number, is that of each.
 * @param known Checkpoints of earlier times, as they were signed.
 * @param witness Whoever has to have cosigned each log.
 * @param each Called with the text of each entry that holds, in the order of its log.
 */
export async function verifyLogs(
  files: LogFiles,
  { name, publicKey }: NoteKey,
  { known = [], from = 0, witness, each }: VerifyOptions = {},
): Promise<LogReport[]> {
  const reports: LogReport[] = [];
  for (let shard = 0; shard < shards; shard += 1) {
    const read = files(shard);
    const bytes = await read("checkpoint");
    const key = { name: `${nameOf(name)}/${shard}`, publicKey };
    const before = (await Promise.all(known.map((note) => openCheckpoint(note, key, verifySignature)))).filter(
      (each) => each !== undefined,
    );
    // A log that was known and is gone is found by its missing checkpoint.
    if (bytes === null && before.length === 0) continue;
    const onEntry = each === undefined ? {} : { each: (entry: Uint8Array): void => each(fromUtf8(entry), shard) };
    const check = await checkLog({ read, key, verify: verifySignature, from, known: before, witness, ...onEntry });
    reports.push({ shard, check, note: bytes === null ? null : (noteText(bytes) ?? null) });
  }
  return reports;
}

const wordsOf = (finding: LogFinding): string => {
  switch (finding.kind) {
    case "checkpoint":
      return "the checkpoint is missing, or this key did not sign it";
    case "root":
      return "the tree is not the one that the checkpoint names";
    case "file":
      return `${finding.path} is missing, or is not whole`;
    case "tile":
      return `${finding.path} was changed`;
    case "entry":
      return `entry ${finding.index} was changed, or another one is in its place`;
    case "rolledBack":
      return `it has ${finding.size} entries, and had ${finding.known} before: the last ones were taken away`;
    case "rewritten":
      return `its first ${finding.known} entries are not those that were known before: it was written anew`;
    case "uncosigned":
      return "it has no checkpoint that the witness cosigned";
    default:
      return finding satisfies never;
  }
};

export function logReport(reports: readonly LogReport[]): { readonly text: string; readonly exitCode: 0 | 1 | 2 } {
  if (reports.length === 0) return { text: "There is no log.", exitCode: 2 };
  const lines = reports.map(({ shard, check: { checkpoint, from, entries, cosigned, findings } }) => {
    const pruned = from > 0 ? `; the first ${from} are pruned or were not asked for` : "";
    const size = checkpoint === null ? "" : `, ${checkpoint.size} entries: ${entries} verified${pruned}`;
    const seen = cosigned === null ? "" : `; the first ${cosigned.size} cosigned at ${new Date(cosigned.at * 1_000).toISOString()}`;
    return [`log ${shard}${size}${seen}`, ...findings.map((finding) => `  ${wordsOf(finding)}`)].join("\n");
  });
  const broken = reports.filter(({ check }) => check.findings.length > 0).length;
  lines.push(broken === 0 ? `${reports.length} logs hold` : `${broken} of ${reports.length} logs do not hold`);
  return { text: lines.join("\n"), exitCode: broken === 0 ? 0 : 1 };
}

/** Checkpoints of earlier verifications, one behind the other; none where there is no file. */
export const knownNotes = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split(/(?<=\n)(?=\S+\n\d+\n[A-Za-z0-9+/=]{44}\n\n)/)
        .filter((note) => note !== "")
    : [];

/** Keeps the newest checkpoint of each log that held, so that the next verification knows it. */
export function remember(path: string, reports: readonly LogReport[]): void {
  const newest = new Map(knownNotes(path).map((note) => [readCheckpointText(note)?.origin ?? note, note]));
  for (const { check, note } of reports)
    if (note !== null && check.checkpoint !== null && check.findings.length === 0) newest.set(check.checkpoint.origin, note);
  writeFileSync(path, [...newest.values()].join(""));
}

/** A key as it is handed on; undefined where the text is none. */
export const keyOf = (text: string): NoteKey | undefined => readVerifierKey(text);

/** The same of a witness's key. */
export const witnessKeyOf = (text: string): NoteKey | undefined => readCosignerKey(text);

/** What the gateway itself says: no proof where the gateway is not trusted. */
export async function keyOfGateway(url: string, token: string | undefined): Promise<NoteKey | undefined> {
  const answer = await fetch(`${url}/record/0/checkpoint`, token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } });
  if (!answer.ok) throw unread(answer);
  return keyOf(answer.headers.get("Countersign-Record-Key") ?? "");
}

const unread = ({ url, status }: Response): Error =>
  new Error(
    `${url}: the gateway answered ${status}${status === 401 ? ". Its record is for operators: set ADMIN_TOKEN in the environment to the gateway's" : ""}`,
  );
