// Review links and form nonces: what a token claims, and whether it is genuine. No clock, no
// storage, no URL.
//
// The MAC covers the claims, never a URL or host, so that proxies and path prefixes cannot break
// it. It is checked before any object is woken. The object stores the claims and the random bytes,
// never the token.

import type { Gate } from "../model/gate.ts";
import { concatBytes, digestOf, equalBytes, fromBase64url, macOf, toBase64url, utf8ToBytes } from "../encoding.ts";
import { type LinkChannel, noticeChannelNames, noticeChannels } from "../notice-channels.ts";
import { type SigningKeys, seal, unseal } from "../sealed-id.ts";

const tokenDomain = "countersign/link/v1";
const nonceDomain = "countersign/form-nonce/v1";
const formatVersion = 1;
const gates = ["request", "response"] as const satisfies readonly Gate[];
export const linkChannels = ["outbox", ...noticeChannelNames] as const satisfies readonly LinkChannel[];
const byteOf = (channel: LinkChannel): number => (channel === "outbox" ? 0 : noticeChannels[channel].linkByte);

/**
 * What a link claims. `reviewer` is the reviewer's position in the run's list. One link for each
 * reviewer, gate and channel.
 */
export type LinkClaims = {
  readonly runRandom: Uint8Array;
  readonly gate: Gate;
  readonly reviewer: number;
  readonly channel: LinkChannel;
  /** Unix seconds. */
  readonly expiresAtSeconds: number;
  readonly random: Uint8Array;
};

export const linkRandomLength = 12;
const payloadLength = 1 + 16 + 1 + 1 + 1 + 5 + linkRandomLength;

/** The token of a link: 72 characters of base64url. */
export function linkToken(keys: SigningKeys, claims: LinkClaims): string {
  const payload = concatBytes(
    Uint8Array.of(formatVersion),
    claims.runRandom,
    Uint8Array.of(gates.indexOf(claims.gate), claims.reviewer, byteOf(claims.channel)),
    bigEndian(claims.expiresAtSeconds, 5),
    claims.random,
  );
  if (payload.length !== payloadLength) throw new Error("linkToken: claims of the wrong size");
  return seal(keys, tokenDomain, payload);
}

/**
 * The claims of a genuine token; undefined alike for unknown, forged and damaged ones. The caller
 * judges the expiry.
 */
export function parseLinkToken(keys: SigningKeys, token: string): LinkClaims | undefined {
  const payload = unseal(keys, tokenDomain, token, payloadLength);
  if (payload === undefined || payload[0] !== formatVersion) return undefined;
  const gate = gates[payload[17] ?? -1];
  const reviewer = payload[18];
  const channel = linkChannels.find((each) => byteOf(each) === payload[19]);
  if (gate === undefined || reviewer === undefined || channel === undefined) return undefined;
  return {
    runRandom: payload.slice(1, 17),
    gate,
    reviewer,
    channel,
    expiresAtSeconds: fromBigEndian(payload.subarray(20, 25)),
    random: payload.slice(25),
  };
}

/** Names a link in the object's tables and the record, and cannot open it. */
export const linkId = (claims: LinkClaims): string => toBase64url(claims.random);

/** A nonce decides for this link, version and digest only. */
export type NonceSubject = { readonly token: string; readonly version: number; readonly digest: string };

export const nonceRandomLength = 8;
/** A scanner that submits the first form is quicker than this; a person is not. */
export const nonceEarliestMs = 1_000;
export const nonceLatestMs = 30 * 60_000;

/**
 * A MAC over the time, random bytes and the subject: nothing is stored. `now` is Unix milliseconds.
 */
export function formNonce(keys: SigningKeys, subject: NonceSubject, now: number, random: Uint8Array): string {
  const head = concatBytes(bigEndian(now, 6), random);
  return toBase64url(concatBytes(head, nonceMac(keys[0].bytes, subject, head)));
}

export type NonceVerdict = "good" | "early" | "late" | "forged";

/** Judges a nonce by its MAC and age. The object knows whether it was used before. */
export function judgeNonce(
  keys: SigningKeys,
  subject: NonceSubject,
  nonce: string,
  now: number,
  latestMs: number = nonceLatestMs,
): NonceVerdict {
  const bytes = fromBase64url(nonce);
  if (bytes === undefined || bytes.length !== 6 + nonceRandomLength + 16) return "forged";
  const head = bytes.subarray(0, 6 + nonceRandomLength);
  const mac = bytes.subarray(6 + nonceRandomLength);
  if (!keys.some((key) => equalBytes(mac, nonceMac(key.bytes, subject, head)))) return "forged";
  const age = now - fromBigEndian(head.subarray(0, 6));
  if (age < nonceEarliestMs) return "early";
  return age > latestMs ? "late" : "good";
}

const nonceMac = (key: Uint8Array, subject: NonceSubject, head: Uint8Array): Uint8Array =>
  macOf(key, nonceDomain, concatBytes(head, utf8ToBytes(digestOf(nonceDomain, { ...subject })))).subarray(0, 16);

function bigEndian(value: number, length: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 256 ** length) throw new Error("bigEndian: out of range");
  const bytes = new Uint8Array(length);
  for (let i = length - 1, rest = value; i >= 0; i -= 1, rest = Math.floor(rest / 256)) bytes[i] = rest % 256;
  return bytes;
}

const fromBigEndian = (bytes: Uint8Array): number => bytes.reduce((value, byte) => value * 256 + byte, 0);
