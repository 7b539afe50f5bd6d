// The proof that an entry is in a log, after C2SP `tlog-proof`: its index, the hashes that lead
// from it to the tree's root, and the checkpoint. Whoever has the log's key checks it offline.

import { base64 } from "@scure/base";
import { openCheckpoint } from "./checkpoint.ts";
import { hashLength } from "./tiles.ts";
import { isIncluded } from "./merkle.ts";
import { type Ed25519, fromBase64, readVerifierKey } from "./signed-note.ts";

const heading = "c2sp.org/tlog-proof@v1";

/** @param checkpoint A signed note of the tree that the hashes lead to. */
export const proofText = (index: number, hashes: readonly Uint8Array[], checkpoint: string): string =>
  `${[heading, `index ${index}`, ...hashes.map((hash) => base64.encode(hash))].join("\n")}\n\n${checkpoint}`;

type ProvenEntry = { readonly index: number; readonly leaf: Uint8Array };

/**
 * Whether the proof shows this entry in a tree that the key signed. `key`: as `verifierKey` has it.
 */
export async function isProven({ index, leaf }: ProvenEntry, proof: string, key: string, verify: Ed25519["verify"]): Promise<boolean> {
  const end = proof.indexOf("\n\n");
  const [first, second, ...rest] = proof.slice(0, Math.max(end, 0)).split("\n");
  const noteKey = readVerifierKey(key);
  if (first !== heading || second !== `index ${index}` || noteKey === undefined) return false;
  const tree = await openCheckpoint(proof.slice(end + 2), noteKey, verify);
  const hashes = rest.map(fromBase64).filter((hash) => hash?.length === hashLength);
  if (tree === undefined || hashes.length !== rest.length) return false;
  return isIncluded({ leaf, index, ...tree }, hashes as Uint8Array[]); // none was left out
}
