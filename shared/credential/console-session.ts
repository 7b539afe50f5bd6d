// The tokens of the console: the session's cookie, and what its forms carry. No clock, no storage,
// no URL.
//
// Each has its own domain, so that none passes for another credential. A made-up cookie wakes no
// object. The object stores a digest of the session's secret.

import { concatBytes, digestOf, equalBytes, fromBase64url, macOf, toBase64url, utf8ToBytes } from "../encoding.ts";
import { type SigningKeys, seal, unseal } from "../sealed-id.ts";

const sessionDomain = "countersign/console-session/v1";
const formDomain = "countersign/console-form/v1";
export const consoleSecretLength = 32;

/** An operator is signed in for so long, whatever they do. */
export const consoleSessionMs = 12 * 60 * 60_000;

/** An operator whom an issuer vouched for, by the issuer's name in the issuers document. */
export type IssuerOperator = { readonly issuer: string; readonly email: string };

const issuerMark = "issuer ";

/** Who opened a session, as its row says it in place of an admin token's fingerprint. */
export const issuerOpener = ({ issuer, email }: IssuerOperator): string => issuerMark + JSON.stringify([issuer, email]);

/** Null for the fingerprint of an admin token. */
export function parseIssuerOpener(text: string): IssuerOperator | null {
  if (!text.startsWith(issuerMark)) return null;
  const [issuer, email] = JSON.parse(text.slice(issuerMark.length)) as [string, string]; // written above
  return { issuer, email };
}

/** The value of the cookie. `secret`: 32 random bytes. */
export const consoleCookie = (keys: SigningKeys, secret: Uint8Array): string => seal(keys, sessionDomain, secret);

/**
 * What names the session of a genuine cookie, in storage and in forms; undefined for any other
 * text.
 */
export function consoleSessionId(keys: SigningKeys, cookie: string): string | undefined {
  const secret = unseal(keys, sessionDomain, cookie, consoleSecretLength);
  return secret === undefined ? undefined : sessionIdOf(secret);
}

/** A digest: it does not reveal the secret. */
export const sessionIdOf = (secret: Uint8Array): string => digestOf(sessionDomain, { secret: toBase64url(secret) });

/** The hidden field of every form of the console. */
export const formTokenName = "session";

const formMac = (key: Uint8Array, bound: string): Uint8Array => macOf(key, formDomain, utf8ToBytes(bound)).subarray(0, 16);

/**
 * What each form of a session carries, so that another site's form is refused by more than its
 * origin. It lasts as long as the session: a form that stood open for hours is not lost.
 * @param bound the session's id, or who Cloudflare Access signed in.
 */
export const consoleFormToken = (keys: SigningKeys, bound: string): string => toBase64url(formMac(keys[0].bytes, bound));

export function isConsoleFormToken(keys: SigningKeys, bound: string, token: string): boolean {
  const bytes = fromBase64url(token) ?? concatBytes();
  return keys.some((key) => equalBytes(bytes, formMac(key.bytes, bound)));
}
