// The mark of a session stands in the address of its pages, `/console/~mark/keys`, beside the
// cookie. A server on another port of localhost is sent the cookie, and does not know the address.
// No clock, no storage.

import { equalBytes, fromBase64url, macOf, toBase64url, utf8ToBytes } from "../encoding.ts";
import type { SigningKeys } from "../sealed-id.ts";

const markMac = (key: Uint8Array, session: string): Uint8Array =>
  macOf(key, "countersign/session-mark/v1", utf8ToBytes(session)).subarray(0, 16);

/** A session's mark: 22 characters of base64url. `session`: the digest that names it. */
export const sessionMark = (keys: SigningKeys, session: string): string => toBase64url(markMac(keys[0].bytes, session));

/** Whether a mark is this session's, also after the signing key has changed once. */
export function isSessionMark(keys: SigningKeys, session: string, mark: string): boolean {
  const bytes = fromBase64url(mark);
  return bytes !== undefined && keys.some((key) => equalBytes(bytes, markMac(key.bytes, session)));
}
