// What a witness is sent and answers (C2SP `tlog-witness` and `tlog-cosignature`): a checkpoint
// with the proof that the log goes on from what the witness saw, and the witness's signature that
// it saw it then. Cosignatures of Ed25519 alone.

import { base64 } from "@scure/base";
import { concatBytes, utf8ToBytes } from "../../encoding.ts";
import { type Ed25519, type NoteKey, readVerifierKey, signatureLength, signaturesOf } from "./signed-note.ts";

/** The type byte of a key that cosigns. */
const cosigns = 4;
const timeLength = 8;
/** The last second that a date can have. */
const lastSecond = 8_640_000_000_000;

/** A witness's key, of the text by which it is handed on; undefined where it is none. */
export const readCosignerKey = (text: string): NoteKey | undefined => readVerifierKey(text, cosigns);

/**
 * The body of `add-checkpoint`.
 * @param old How many entries the witness has seen of the log.
 * @param proof That the checkpoint goes on from there; empty where `old` is 0 or all of it.
 */
export const addCheckpointBody = (old: number, proof: readonly Uint8Array[], checkpoint: string): string =>
  `old ${old}\n${proof.map((hash) => `${base64.encode(hash)}\n`).join("")}\n${checkpoint}`;

/** `at`: when it was made, in Unix seconds. `line`: as it stands in a note. */
type Cosignature = { readonly at: number; readonly line: string };

/**
 * The cosignature of this key on a checkpoint, the newest where it has several; undefined where
 * there is none, or one that does not hold.
 */
export async function cosignatureOn(checkpoint: string, key: NoteKey, verify: Ed25519["verify"]): Promise<Cosignature | undefined> {
  const note = signaturesOf(checkpoint, key, cosigns);
  let newest: Cosignature | undefined;
  for (const { bytes, line } of note?.signatures ?? []) {
    if (bytes.length !== timeLength + signatureLength) return undefined;
    const at = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
    const signed = concatBytes(utf8ToBytes(`cosignature/v1\ntime ${at}\n`), utf8ToBytes(note?.text ?? ""));
    if (at > lastSecond || !(await verify(key.publicKey, bytes.slice(timeLength), signed))) return undefined;
    if (newest === undefined || at > newest.at) newest = { at, line };
  }
  return newest;
}

/**
 * The checkpoint with the cosignature that a witness answered; undefined where the answer has none
 * of this key that holds, or anything but signatures.
 */
export async function cosigned(checkpoint: string, answer: string, key: NoteKey, verify: Ed25519["verify"]): Promise<string | undefined> {
  // An empty line would make the checkpoint's signatures a part of the text.
  if (answer === "" || answer.startsWith("\n") || answer.includes("\n\n")) return undefined;
  const cosignature = await cosignatureOn(checkpoint + answer, key, verify);
  return cosignature === undefined ? undefined : `${checkpoint}${cosignature.line}\n`;
}
