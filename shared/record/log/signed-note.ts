// Signed notes after C2SP `signed-note`: a text, and signatures by keys that have a name and a
// short id. Ed25519 alone; signatures of other keys are passed over. Signing and checking are
// passed in.

import { base64 } from "@scure/base";
import { bytesToHex, concatBytes, equalBytes, fromUtf8, sha256Of, utf8ToBytes } from "../../encoding.ts";

/** The type byte of an Ed25519 key: it signs notes, or cosigns checkpoints (`cosignature.ts`). */
type KeyType = 1 | 4;
const signs = 1;
const idLength = 4;
const keyLength = 32;
export const signatureLength = 64;
/** A note with more is refused before anything is computed. */
const mostSignatures = 64;

export type NoteKey = { readonly name: string; readonly publicKey: Uint8Array };

export type Ed25519 = {
  readonly sign: (text: Uint8Array) => Promise<Uint8Array>;
  readonly verify: (publicKey: Uint8Array, signature: Uint8Array, text: Uint8Array) => Promise<boolean>;
};

const isName = (name: string): boolean => name !== "" && !/[\p{White_Space}+]/u.test(name);

const typedKey = ({ publicKey }: NoteKey, type: KeyType): Uint8Array => concatBytes(Uint8Array.of(type), publicKey);

const keyIdOf = (key: NoteKey, type: KeyType): Uint8Array =>
  sha256Of(concatBytes(utf8ToBytes(`${key.name}\n`), typedKey(key, type))).subarray(0, idLength);

/** The text by which a key is handed on: `name+id+key`. */
export const verifierKey = (key: NoteKey, type: KeyType = signs): string =>
  `${key.name}+${bytesToHex(keyIdOf(key, type))}+${base64.encode(typedKey(key, type))}`;

/** The key of such a text; undefined where it is none, or one of another type. */
export function readVerifierKey(text: string, type: KeyType = signs): NoteKey | undefined {
  const [, name = "", , encoded = ""] = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (!isName(name) || bytes?.length !== 1 + keyLength || bytes[0] !== type) return undefined;
  const key = { name, publicKey: bytes.slice(1) };
  return verifierKey(key, type) === text ? key : undefined;
}

export function fromBase64(text: string): Uint8Array | undefined {
  try {
    return base64.decode(text);
  } catch {
    return undefined;
  }
}

/** The note of a text that ends with a line feed. */
export async function signNote(text: string, key: NoteKey, sign: Ed25519["sign"]): Promise<string> {
  const signature = await sign(utf8ToBytes(text));
  return `${text}\n\u2014 ${key.name} ${base64.encode(concatBytes(keyIdOf(key, signs), signature))}\n`;
}

/** `signatures`: of all keys, each without the key's id. `line`: as it stands in the note. */
type Note = {
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly id: Uint8Array; readonly bytes: Uint8Array; readonly line: string }[];
};

/** The parts of a note, of which nothing is checked yet; undefined where it has another form. */
function readNote(note: string): Note | undefined {
  const end = note.lastIndexOf("\n\n");
  if (end < 0 || !note.endsWith("\n") || hasControls(note)) return undefined;
  const lines = note.slice(end + 2, -1).split("\n");
  if (lines.length > mostSignatures) return undefined;
  const signatures = lines.map((line) => {
    const [, name = "", encoded = ""] = /^\u2014 (\S+) (\S+)$/.exec(line) ?? [];
    const bytes = fromBase64(encoded) ?? new Uint8Array();
    return { name, id: bytes.subarray(0, idLength), bytes: bytes.slice(idLength), line };
  });
  return signatures.every(({ name, bytes }) => isName(name) && bytes.length > 0) ? { text: note.slice(0, end + 1), signatures } : undefined;
}

/**
 * The text of a note, and its signatures that have this key's name and id, at least one; undefined
 * where there is none, or the note has another form.
 */
export function signaturesOf(note: string, key: NoteKey, type: KeyType): Note | undefined {
  const read = readNote(note);
  const id = keyIdOf(key, type);
  const signatures = read?.signatures.filter((each) => each.name === key.name && equalBytes(each.id, id)) ?? [];
  return read === undefined || signatures.length === 0 ? undefined : { text: read.text, signatures };
}

/**
 * The text of a note that this key signed; undefined where the note has another form, has no
 * signature of the key or one that does not hold.
 */
export async function openNote(note: string, key: NoteKey, verify: Ed25519["verify"]): Promise<string | undefined> {
  const read = signaturesOf(note, key, signs);
  if (read === undefined) return undefined;
  for (const { bytes } of read.signatures)
    if (bytes.length !== signatureLength || !(await verify(key.publicKey, bytes, utf8ToBytes(read.text)))) return undefined;
  return read.text;
}

/** A note has line feeds, and no other control character of ASCII. */
const hasControls = (note: string): boolean => [...note].some((character) => character < " " && character !== "\n");

/** The text of a note's bytes; undefined where they are no UTF-8. */
export function noteText(bytes: Uint8Array): string | undefined {
  try {
    return fromUtf8(bytes);
  } catch {
    return undefined;
  }
}
