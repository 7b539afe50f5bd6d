// Who has a proof and the log's key, and nothing else: checks a C2SP `tlog-proof` offline.

import { equalBytes } from "../../shared/encoding.ts";
import { openCheckpoint } from "../../shared/record/log/checkpoint.ts";
import { nodeHash } from "../../shared/record/log/merkle.ts";
import { type Ed25519, fromBase64, readVerifierKey } from "../../shared/record/log/signed-note.ts";
import { hashLength } from "../../shared/record/log/tiles.ts";

type ProvenEntry = { readonly index: number; readonly leaf: Uint8Array };

/**
 * Whether the proof shows this entry in a tree that the key signed. `key`: as `verifierKey` has it.
 */
export async function isProven({ index, leaf }: ProvenEntry, proof: string, key: string, verify: Ed25519["verify"]): Promise<boolean> {
  const end = proof.indexOf("\n\n");
  const [first, second, ...rest] = proof.slice(0, Math.max(end, 0)).split("\n");
  const noteKey = readVerifierKey(key);
  if (first !== "c2sp.org/tlog-proof@v1" || second !== `index ${index}` || noteKey === undefined) return false;
  const tree = await openCheckpoint(proof.slice(end + 2), noteKey, verify);
  const hashes = rest.map(fromBase64).filter((hash) => hash?.length === hashLength);
  if (tree === undefined || hashes.length !== rest.length) return false;
  return isIncluded({ leaf, index, ...tree }, hashes as Uint8Array[]); // none was left out
}

type Included = { readonly leaf: Uint8Array; readonly index: number; readonly size: number; readonly root: Uint8Array };

/** Whether the path leads from the entry to the root (RFC 9162, section 2.1.3.2). */
function isIncluded({ leaf, index, size, root }: Included, path: readonly Uint8Array[]): boolean {
  if (!(index < size)) return false;
  let node = index;
  let last = size - 1;
  let hash = leaf;
  for (const other of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(other, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else hash = nodeHash(hash, other);
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && equalBytes(hash, root);
}
