// Bytes, text and digests, for every other stage. No clock, no randomness, no network.
//
// Digests and MACs are synchronous on purpose: a decision is made in one function without an
// `await` between reading the state and writing it, and the digest is part of that decision.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { base64urlnopad, utf8 } from "@scure/base";
import canonicalize from "canonicalize";

export type { Json, JsonObject } from "./json-types.ts";
export { bytesToHex, concatBytes, utf8ToBytes };

/** Unpadded base64url (RFC 4648 section 5). Of what is short, as ids are, with what is built in. */
export const toBase64url = (bytes: Uint8Array): string =>
  bytes.length > mostBuiltIn
    ? base64urlnopad.encode(bytes)
    : btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (letter) => urlLetters[letter] ?? "");

const mostBuiltIn = 256;
const urlLetters: Readonly<Record<string, string>> = { "+": "-", "/": "_" };

/**
 * The bytes of an unpadded base64url text, or undefined where it is not one (padding, other
 * letters, stray bits).
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  try {
    return base64urlnopad.decode(text);
  } catch {
    return undefined;
  }
}

/** The text of UTF-8 bytes that we wrote. Throws for other bytes. */
export const fromUtf8 = (bytes: Uint8Array): string => utf8.encode(bytes);

/** RFC 8785: one text for equal JSON values. Members that are `undefined` are left out. */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("canonicalJson: not a JSON value");
  return text;
}

/** SHA-256 of a UTF-8 text as lower-case hex: the form in which API keys are stored. */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** SHA-256 and HMAC of the platform: synchronous, and faster than ours. */
type PlatformHashing = {
  /** SHA-256 of the text's UTF-8, as unpadded base64url. */
  readonly sha256: (text: string) => string;
  readonly sha256Bytes: (bytes: Uint8Array) => Uint8Array;
  readonly hmacSha256: (key: Uint8Array, bytes: Uint8Array) => Uint8Array;
};

const ownHashing: PlatformHashing = {
  sha256: (text) => toBase64url(sha256(utf8ToBytes(text))),
  sha256Bytes: sha256,
  hmacSha256: (key, bytes) => hmac(sha256, key, bytes),
};
let hashing = ownHashing;

/**
 * Replaces this file's SHA-256 and HMAC with the platform's, which are several times faster: a
 * request takes a dozen digests. Throws where they give other results.
 */
export function useHashing(platform: PlatformHashing): void {
  const text = "countersign \u00e9\u20ac\ud83d\ude00";
  const key = utf8ToBytes("key");
  const same =
    platform.sha256(text) === ownHashing.sha256(text) &&
    equalBytes(platform.sha256Bytes(utf8ToBytes(text)), ownHashing.sha256Bytes(utf8ToBytes(text))) &&
    equalBytes(platform.hmacSha256(key, utf8ToBytes(text)), ownHashing.hmacSha256(key, utf8ToBytes(text)));
  if (!same) throw new Error("useHashing: the platform's SHA-256 or HMAC is not what it should be");
  hashing = platform;
}

/**
 * The digest of a JSON value within one domain: SHA-256 over the domain, a NUL and the canonical
 * JSON, as base64url. Two domains never give the same digest for the same value.
 */
export const digestOf = (domain: string, value: unknown): string => hashing.sha256(`${domain}\0${canonicalJson(value)}`);

/** SHA-256 of bytes: 32 bytes. */
export const sha256Of = (bytes: Uint8Array): Uint8Array => hashing.sha256Bytes(bytes);

/** HMAC-SHA-256 over the domain, a NUL and the bytes: 32 bytes. */
export const macOf = (key: Uint8Array, domain: string, bytes: Uint8Array): Uint8Array =>
  hashing.hmacSha256(key, concatBytes(domainBytes(domain), bytes));

const domains = new Map<string, Uint8Array>();

/** The domain and a NUL. Domains are constants of this project, a few dozen. */
function domainBytes(domain: string): Uint8Array {
  let bytes = domains.get(domain);
  if (bytes === undefined) {
    bytes = utf8ToBytes(`${domain}\0`);
    domains.set(domain, bytes);
  }
  return bytes;
}

/**
 * HMAC-SHA-256 over the bytes as they are: for what others sign. What we sign ourselves has a
 * domain (`macOf`).
 */
export const hmacSha256 = (key: Uint8Array, bytes: Uint8Array): Uint8Array => hashing.hmacSha256(key, bytes);

/**
 * Compares in a time that does not show where the first difference is. Unequal lengths are unequal.
 */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}
