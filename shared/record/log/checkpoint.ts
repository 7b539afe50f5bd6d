// A checkpoint of a log after C2SP `tlog-checkpoint`: which log it is, how many entries it has, and
// the hash of its tree, in a signed note.

import { base64 } from "@scure/base";
import { type Ed25519, type NoteKey, fromBase64, openNote, signNote } from "./signed-note.ts";
import type { Tree } from "./merkle.ts";
import { hashLength } from "./tiles.ts";

export type Checkpoint = Tree & { readonly origin: string };

const checkpointText = ({ origin, size, root }: Checkpoint): string => `${origin}\n${size}\n${base64.encode(root)}\n`;

/** The log's name is its key's. */
export const signCheckpoint = (tree: Tree, key: NoteKey, sign: Ed25519["sign"]): Promise<string> =>
  signNote(checkpointText({ ...tree, origin: key.name }), key, sign);

/** What a text says, without a look at who signed it; lines behind the third are passed over. */
export function readCheckpointText(text: string): Checkpoint | undefined {
  const [origin = "", digits = "", encoded = "", ...more] = text.split("\n");
  const size = Number(digits);
  const root = fromBase64(encoded);
  if (origin === "" || !/^(?:0|[1-9]\d*)$/.test(digits) || !Number.isSafeInteger(size) || root?.length !== hashLength) return undefined;
  return more.length > 0 ? { origin, size, root } : undefined;
}

/** The checkpoint of a note that the log's key signed; undefined for anything else. */
export async function openCheckpoint(note: string, key: NoteKey, verify: Ed25519["verify"]): Promise<Checkpoint | undefined> {
  const text = await openNote(note, key, verify);
  const checkpoint = text === undefined ? undefined : readCheckpointText(text);
  return checkpoint?.origin === key.name ? checkpoint : undefined;
}
