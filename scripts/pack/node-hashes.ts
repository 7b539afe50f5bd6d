// SHA-256 and HMAC of Node under the names of `@noble/hashes`: the client's package has Node's in place of that library, which is larger
// than what uses it.

import { createHash, createHmac } from "node:crypto";

export const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(createHash("sha256").update(bytes).digest());

/** @param _hash SHA-256, the only one that is used. */
export const hmac = (_hash: typeof sha256, key: Uint8Array, bytes: Uint8Array): Uint8Array =>
  new Uint8Array(createHmac("sha256", key).update(bytes).digest());
