// RFC 6962, section 2.1, as it is written there: slow, over all entries, with another SHA-256 than
// the one under test. And a log's files made with it.

import { createHash, sign as signWith, verify as verifyWith, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { signCheckpoint } from "../../../../shared/record/log/checkpoint.ts";
import type { Ed25519, NoteKey } from "../../../../shared/record/log/signed-note.ts";

type Bytes = Uint8Array;

const sha256 = (...parts: readonly Bytes[]): Bytes => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
};

const k = (n: number): number => 2 ** (Math.ceil(Math.log2(n)) - 1);

/** MTH */
export function treeHash(entries: readonly Bytes[]): Bytes {
  const [only] = entries;
  if (only === undefined) return sha256();
  if (entries.length === 1) return sha256(Uint8Array.of(0), only);
  const split = k(entries.length);
  return sha256(Uint8Array.of(1), treeHash(entries.slice(0, split)), treeHash(entries.slice(split)));
}

/** PATH */
export function auditPath(m: number, entries: readonly Bytes[]): Bytes[] {
  if (entries.length <= 1) return [];
  const split = k(entries.length);
  return m < split
    ? [...auditPath(m, entries.slice(0, split)), treeHash(entries.slice(split))]
    : [...auditPath(m - split, entries.slice(split)), treeHash(entries.slice(0, split))];
}

/** PROOF */
export const consistency = (m: number, entries: readonly Bytes[]): Bytes[] => subproof(m, entries, true);

function subproof(m: number, entries: readonly Bytes[], isWhole: boolean): Bytes[] {
  if (m === entries.length) return isWhole ? [] : [treeHash(entries)];
  const split = k(entries.length);
  return m <= split
    ? [...subproof(m, entries.slice(0, split), isWhole), treeHash(entries.slice(split))]
    : [...subproof(m - split, entries.slice(split), false), treeHash(entries.slice(0, split))];
}

const index = (n: number): string => {
  const digits = String(n).padStart(Math.ceil(String(n).length / 3) * 3, "0");
  return (digits.match(/\d{3}/g) ?? []).map((part, at, { length }) => (at < length - 1 ? `x${part}` : part)).join("/");
};

/** The files of a log of these entries, by the definitions of `tlog-tiles`. */
export function logFiles(entries: readonly Bytes[]): Map<string, Bytes> {
  const files = new Map<string, Bytes>();
  const write = (level: string, n: number, width: number, bytes: Bytes): void =>
    void files.set(`tile/${level}/${index(n)}${width === 256 ? "" : `.p/${width}`}`, new Uint8Array(bytes));
  for (let level = 0; Math.floor(entries.length / 256 ** level) > 0; level += 1) {
    const nodes = Math.floor(entries.length / 256 ** level);
    for (let n = 0; n * 256 < nodes; n += 1) {
      const width = Math.min(256, nodes - n * 256);
      const hashes = Array.from({ length: width }, (_, i) =>
        treeHash(entries.slice((n * 256 + i) * 256 ** level, (n * 256 + i + 1) * 256 ** level)),
      );
      write(String(level), n, width, Buffer.concat(hashes));
    }
  }
  for (let n = 0; n * 256 < entries.length; n += 1) {
    const part = entries.slice(n * 256, (n + 1) * 256);
    const sized = part.map((entry) => Buffer.concat([Uint8Array.of(Math.floor(entry.length / 256), entry.length % 256), entry]));
    write("entries", n, part.length, Buffer.concat(sized));
  }
  return files;
}

type Signer = Ed25519 & { readonly key: NoteKey };

/** A key out of 32 bytes, of Node.js. */
export function signerOf(name: string, seed: Bytes): Signer {
  const header = Buffer.from("302e020100300506032b657004220420", "hex");
  const secret = createPrivateKey({ key: Buffer.concat([header, seed]), format: "der", type: "pkcs8" });
  const publicKey = new Uint8Array(createPublicKey(secret).export({ format: "der", type: "spki" }).subarray(-32));
  return {
    key: { name, publicKey },
    sign: async (text) => new Uint8Array(signWith(null, text, secret)),
    verify: async (bytes, signature, text) => verifyWith(null, text, publicKeyOf(bytes), signature),
  };
}

const publicKeyOf = (bytes: Bytes): KeyObject =>
  createPublicKey({ key: Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), bytes]), format: "der", type: "spki" });

/** With its checkpoint. */
export async function signedLog(entries: readonly Bytes[], { key, sign }: Signer): Promise<Map<string, Bytes>> {
  const note = await signCheckpoint({ size: entries.length, root: treeHash(entries) }, key, sign);
  return logFiles(entries).set("checkpoint", new TextEncoder().encode(note));
}
