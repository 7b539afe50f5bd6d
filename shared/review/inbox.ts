// The tokens of the inbox: the link that signs a reviewer in, and the session afterwards. No clock, no storage, no URL.
//
// Each has its own domain, so that none passes for a review's link or for the other. A made-up one wakes no object. The inbox's object
// stores digests of a session's secret and of the browser's, and never a token.

import { concatBytes, digestOf, fromBase64url, toBase64url } from "../encoding.ts";
import type { Gate } from "../model/gate.ts";
import { type SigningKeys, seal, unseal } from "../sealed-id.ts";

const signInDomain = "countersign/inbox-sign-in/v1";
const sessionDomain = "countersign/inbox-session/v1";
const formatVersion = 1;
const nameLength = 32;
export const signInRandomLength = 16;
export const sessionSecretLength = 32;
export const browserSecretLength = 32;

/** How long a sign-in link may be used. */
export const signInMs = 10 * 60_000;

/** The name of a reviewer's inbox object. It does not reveal the reviewer's name. */
export const inboxNameOf = (reviewer: string): string => digestOf("countersign/inbox-name/v1", { reviewer });

/** An email address for comparison: sessions and waiting reviews are bound to one. */
export const addressDigest = (email: string): string => digestOf("countersign/inbox-address/v1", email.trim().toLowerCase());

/** What the object stores of a browser's or a session's secret. */
export const secretDigest = (secret: string): string => digestOf("countersign/inbox-secret/v1", secret);

/** `inbox` is the object's name, `id` the row of the link: 16 random bytes as base64url. */
export type SignInClaims = { readonly inbox: string; readonly id: string; readonly expiresAtSeconds: number };

export function signInToken(keys: SigningKeys, { inbox, id, expiresAtSeconds }: SignInClaims): string {
  const seconds = new Uint8Array(8);
  new DataView(seconds.buffer).setBigUint64(0, BigInt(expiresAtSeconds));
  return seal(
    keys,
    signInDomain,
    concatBytes(Uint8Array.of(formatVersion), bytesOf(inbox, nameLength), seconds, bytesOf(id, signInRandomLength)),
  );
}

/** The claims of a genuine token; undefined alike for any other text. The caller judges the expiry. */
export function parseSignInToken(keys: SigningKeys, token: string): SignInClaims | undefined {
  const payload = unseal(keys, signInDomain, token, 1 + nameLength + 8 + signInRandomLength);
  if (payload === undefined || payload[0] !== formatVersion) return undefined;
  const at = 1 + nameLength;
  const expiresAtSeconds = Number(new DataView(payload.buffer, payload.byteOffset).getBigUint64(at));
  return { inbox: toBase64url(payload.subarray(1, at)), id: toBase64url(payload.subarray(at + 8)), expiresAtSeconds };
}

/** `secret`: 32 random bytes as base64url. */
export type SessionClaims = { readonly inbox: string; readonly secret: string };

/** The value of the session's cookie. */
export const sessionToken = (keys: SigningKeys, { inbox, secret }: SessionClaims): string =>
  seal(keys, sessionDomain, concatBytes(Uint8Array.of(formatVersion), bytesOf(inbox, nameLength), bytesOf(secret, sessionSecretLength)));

export function parseSessionToken(keys: SigningKeys, token: string): SessionClaims | undefined {
  const payload = unseal(keys, sessionDomain, token, 1 + nameLength + sessionSecretLength);
  if (payload === undefined || payload[0] !== formatVersion) return undefined;
  return { inbox: toBase64url(payload.subarray(1, 1 + nameLength)), secret: toBase64url(payload.subarray(1 + nameLength)) };
}

function bytesOf(text: string, length: number): Uint8Array {
  const bytes = fromBase64url(text);
  if (bytes?.length !== length) throw new Error("an inbox token of parts of the wrong size");
  return bytes;
}

/** Names one waiting review in forms and addresses: `request:run_…`. */
export const reviewKey = (run: string, gate: Gate): string => `${gate}:${run}`;

export function parseReviewKey(key: string): { readonly run: string; readonly gate: Gate } | undefined {
  const [, gate, run = ""] = /^(request|response):(run_[A-Za-z0-9_-]{1,100})$/.exec(key) ?? [];
  return gate === "request" || gate === "response" ? { run, gate } : undefined;
}
