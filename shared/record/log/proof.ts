// The proof that an entry is in a log, after C2SP `tlog-proof`: its index, the hashes that lead
// from it to the tree's root, and the checkpoint. Whoever has the log's key checks it offline.

import { base64 } from "@scure/base";

/** @param checkpoint A signed note of the tree that the hashes lead to. */
export const proofText = (index: number, hashes: readonly Uint8Array[], checkpoint: string): string =>
  `${["c2sp.org/tlog-proof@v1", `index ${index}`, ...hashes.map((hash) => base64.encode(hash))].join("\n")}\n\n${checkpoint}`;
