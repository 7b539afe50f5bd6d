// The tokens of the inbox: the link that signs a reviewer in, the cookie of the browser that asked
// for it, and the session afterwards. No clock, no storage, no URL.
//
// Each has its own domain, so that none passes for a review's link or for the other. A made-up one
// wakes no object. The inbox's object stores digests of a session's secret and of the browser's,
// and never a token.

import { concatBytes, digestOf, equalBytes, fromBase64url, macOf, toBase64url, utf8ToBytes } from "../encoding.ts";
import type { Gate } from "../model/gate.ts";
import { passkeysTarget } from "./passkey-form.ts";
import { type SigningKeys, seal, unseal } from "../sealed-id.ts";

const signInDomain = "countersign/inbox-sign-in/v1";
const askedDomain = "countersign/inbox-asked/v1";
const sessionDomain = "countersign/inbox-session/v1";
const formatVersion = 1;
const nameLength = 32;
export const signInRandomLength = 16;
export const sessionSecretLength = 32;
export const browserSecretLength = 32;

/** How long a browser may use a sign-in link after it asked for one. */
export const signInMs = 10 * 60_000;
/** How long an unused email counts towards the limit of emails. */
export const unusedMs = 60 * 60_000;
/** How long a link may be used at all: by a browser that asked when this email still counted. */
export const linkMs = unusedMs + signInMs;

/** The name of a reviewer's inbox object. It does not reveal the reviewer's name. */
export const inboxNameOf = (reviewer: string): string => digestOf("countersign/inbox-name/v1", { reviewer });

/** An email address for comparison: sessions and waiting reviews are bound to one. */
export const addressDigest = (email: string): string => digestOf("countersign/inbox-address/v1", email.trim().toLowerCase());

/** What the object stores of a browser's or a session's secret. */
export const secretDigest = (secret: string): string => digestOf("countersign/inbox-secret/v1", secret);

/** `inbox` is the object's name, `id` the row of the link: 16 random bytes as base64url. */
export type SignInClaims = { readonly inbox: string; readonly id: string; readonly expiresAtSeconds: number };

export function signInToken(keys: SigningKeys, { inbox, id, expiresAtSeconds }: SignInClaims): string {
  const parts = [bytesOf(inbox, nameLength), bigEndian64(expiresAtSeconds), bytesOf(id, signInRandomLength)];
  return seal(keys, signInDomain, concatBytes(Uint8Array.of(formatVersion), ...parts));
}

/**
 * The claims of a genuine token; undefined alike for any other text. The caller judges the expiry.
 */
export function parseSignInToken(keys: SigningKeys, token: string): SignInClaims | undefined {
  const payload = unseal(keys, signInDomain, token, 1 + nameLength + 8 + signInRandomLength);
  if (payload === undefined || payload[0] !== formatVersion) return undefined;
  const at = 1 + nameLength;
  const expiresAtSeconds = fromBigEndian64(payload.subarray(at, at + 8));
  return { inbox: toBase64url(payload.subarray(1, at)), id: toBase64url(payload.subarray(at + 8)), expiresAtSeconds };
}

/** `secret`: 32 random bytes as base64url. `askedAt`: Unix milliseconds. */
type AskedClaims = { readonly secret: string; readonly askedAt: number };

/**
 * The value of the cookie of a browser that asked for a link. The address is in none of its bytes:
 * they prove it to whoever knows it. `address`: the `addressDigest` of what was typed.
 */
export function askedToken(keys: SigningKeys, { secret, askedAt }: AskedClaims, address: string): string {
  const head = concatBytes(bytesOf(secret, browserSecretLength), bigEndian64(askedAt));
  return toBase64url(concatBytes(head, askedMac(keys[0].bytes, head, address)));
}

const askedMac = (key: Uint8Array, head: Uint8Array, address: string): Uint8Array =>
  macOf(key, askedDomain, concatBytes(head, utf8ToBytes(address))).subarray(0, 16);

/**
 * The browser's secret, and when it asked for this address: null where it did not. Undefined for
 * any other text.
 */
export function parseAskedToken(
  keys: SigningKeys,
  token: string,
  address: string,
): { readonly secret: string; readonly askedAt: number | null } | undefined {
  const bytes = fromBase64url(token);
  if (bytes?.length !== browserSecretLength + 8 + 16) return undefined;
  const head = bytes.subarray(0, browserSecretLength + 8);
  const mac = bytes.subarray(head.length);
  const isFor = keys.some((key) => equalBytes(mac, askedMac(key.bytes, head, address)));
  const secret = toBase64url(head.subarray(0, browserSecretLength));
  return { secret, askedAt: isFor ? fromBigEndian64(head.subarray(browserSecretLength)) : null };
}

/** `secret`: 32 random bytes as base64url. */
type SessionClaims = { readonly inbox: string; readonly secret: string };

/** The value of the session's cookie. */
export const sessionToken = (keys: SigningKeys, { inbox, secret }: SessionClaims): string =>
  seal(keys, sessionDomain, concatBytes(Uint8Array.of(formatVersion), bytesOf(inbox, nameLength), bytesOf(secret, sessionSecretLength)));

export function parseSessionToken(keys: SigningKeys, token: string): SessionClaims | undefined {
  const payload = unseal(keys, sessionDomain, token, 1 + nameLength + sessionSecretLength);
  if (payload === undefined || payload[0] !== formatVersion) return undefined;
  return { inbox: toBase64url(payload.subarray(1, 1 + nameLength)), secret: toBase64url(payload.subarray(1 + nameLength)) };
}

function bigEndian64(value: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value));
  return bytes;
}

const fromBigEndian64 = (bytes: Uint8Array): number => Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));

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

const connectForm = /^connect\?[\x21-\x7e]{1,4096}$/;

/** The page that asks about a client, for a sign-in on the way there. `query`: after `?`. */
export const connectTarget = (query: string): string | null => (connectForm.test(`connect?${query}`) ? `connect?${query}` : null);

/** The console's page of a sign-in at an issuer, without `console/`; undefined for any other. */
export function consoleTargetPage(target: string): string | undefined {
  const [root, ...names] = target.split("/");
  return root === "console" && names.length <= 5 && names.every((name) => /^[\w-]{1,100}$/.test(name)) ? names.join("/") : undefined;
}

/** Whether a sign-in may lead there: a review's key, the page about a client, or their passkeys. */
export const isSignInTarget = (target: string): boolean =>
  target === passkeysTarget || parseReviewKey(target) !== undefined || connectForm.test(target);
