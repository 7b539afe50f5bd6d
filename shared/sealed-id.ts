// Ids that prove their origin: random bytes with a MAC, so that a made-up id never wakes an object.
//
// Two signing keys may be live at once: new ids are sealed with the first, ids of either are
// accepted.

import { concatBytes, equalBytes, fromBase64url, macOf, toBase64url, utf8ToBytes } from "./encoding.ts";
import { sha256 } from "@noble/hashes/sha2.js";

export type SigningKey = { readonly id: number; readonly bytes: Uint8Array };
/** The first one signs; all of them verify. Never empty. */
export type SigningKeys = readonly [SigningKey, ...SigningKey[]];

/**
 * Derives a signing key from a secret's text. `id` distinguishes two live keys; it reveals nothing
 * of the secret.
 */
export function signingKey(secret: string): SigningKey {
  const bytes = sha256(utf8ToBytes(`countersign/signing-key/v1\0${secret}`));
  return { id: sha256(bytes)[0] ?? 0, bytes };
}

const macLength = 16;

/** One key id byte, the payload, and 128 bits of MAC over both, as base64url. */
export function seal(keys: SigningKeys, domain: string, payload: Uint8Array): string {
  const claims = concatBytes(Uint8Array.of(keys[0].id), payload);
  return toBase64url(concatBytes(claims, macOf(keys[0].bytes, domain, claims).subarray(0, macLength)));
}

/**
 * The payload of what `seal` made with one of these keys in this domain, or undefined for anything
 * else.
 */
export function unseal(keys: SigningKeys, domain: string, text: string, payloadLength: number): Uint8Array | undefined {
  const payload = unsealAny(keys, domain, text);
  return payload?.length === payloadLength ? payload : undefined;
}

/** The same for a payload of any length. */
export function unsealAny(keys: SigningKeys, domain: string, text: string): Uint8Array | undefined {
  const bytes = fromBase64url(text);
  if (bytes === undefined || bytes.length < 1 + macLength) return undefined;
  const claims = bytes.subarray(0, bytes.length - macLength);
  const mac = bytes.subarray(bytes.length - macLength);
  const genuine = keys.some((key) => key.id === claims[0] && equalBytes(mac, macOf(key.bytes, domain, claims).subarray(0, macLength)));
  return genuine ? claims.slice(1) : undefined;
}

export const runRandomLength = 16;
const runPrefix = "run_";
const runDomain = "countersign/run/v1";

const timeLength = 6;

/**
 * The bytes of a new run's id: when it began, in Unix milliseconds, and ten random ones. The time
 * leads from an id to its place in the record, without an index.
 */
export function newRunBytes(now: number, random: Uint8Array): Uint8Array {
  const bytes = random.slice(0, runRandomLength);
  new DataView(bytes.buffer).setUint32(0, Math.floor(now / 0x1_0000));
  new DataView(bytes.buffer).setUint16(4, now % 0x1_0000);
  return bytes;
}

/**
 * When a run began, in Unix milliseconds, by its id. An id that was made in another way gives any
 * time; what is no run's id gives none.
 */
export function timeOfRunId(id: string): number | undefined {
  const bytes = randomOfRunId(id)?.subarray(0, timeLength);
  return bytes?.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** A run's id from 16 bytes. Also the id of its task (design: tasks). */
export const runIdOf = (keys: SigningKeys, random: Uint8Array): string => runPrefix + seal(keys, runDomain, random);

/**
 * The 16 random bytes of a run id; undefined where it is none. It checks no MAC, and so is not for
 * ids from outside.
 */
export function randomOfRunId(id: string): Uint8Array | undefined {
  const bytes = id.startsWith(runPrefix) ? fromBase64url(id.slice(runPrefix.length)) : undefined;
  return bytes?.length === 1 + runRandomLength + macLength ? bytes.slice(1, 1 + runRandomLength) : undefined;
}

/** The 16 random bytes of a genuine run id, or undefined. */
export const parseRunId = (keys: SigningKeys, id: string): Uint8Array | undefined =>
  id.startsWith(runPrefix) ? unseal(keys, runDomain, id.slice(runPrefix.length), runRandomLength) : undefined;
