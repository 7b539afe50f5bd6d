// Has digests computed by the runtime: the same values as our own code's, several times faster.
// Imported for its effect alone.

import { createHash, createHmac } from "node:crypto";
import { useHashing } from "../../shared/encoding.ts";

const encoder = new TextEncoder();

useHashing({
  // Bytes: node:crypto takes twice as long to encode a text by itself.
  sha256: (text) => createHash("sha256").update(encoder.encode(text)).digest("base64url"),
  sha256Bytes: (bytes) => createHash("sha256").update(bytes).digest(),
  hmacSha256: (key, bytes) => createHmac("sha256", key).update(bytes).digest(),
});
