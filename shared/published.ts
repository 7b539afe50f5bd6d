// The published copy of a piece of configuration: its text under a MAC over name, version and text,
// so that only the writer of configuration can put one in a store that others may write. No clock,
// no storage.
//
// The MAC proves who wrote a copy, not that it is the newest one: the reader compares its version
// with the writer's.

import { concatBytes, equalBytes, fromBase64url, macOf, toBase64url, utf8ToBytes } from "./encoding.ts";
import type { SigningKey, SigningKeys } from "./sealed-id.ts";

export type Published = { readonly version: number; readonly text: string };

const form = "published/v1";
const domain = "countersign/published/v1";
const macLength = 32;
/**
 * The form, the version, one byte for the key and the MAC as base64url, and a line's end; what
 * follows is the text as it is.
 */
const header = /^published\/v1 (0|[1-9]\d{0,14}) ([A-Za-z0-9_-]{44})\n/;

/** A key for this alone: a MAC that was made for another purpose is of no use here. */
const publishingKey = ({ bytes }: SigningKey): Uint8Array => macOf(bytes, "countersign/publishing-key/v1", new Uint8Array());

const macOfCopy = (key: SigningKey, name: string, { version, text }: Published): Uint8Array =>
  macOf(publishingKey(key), domain, utf8ToBytes(`${name}\0${version}\0${text}`));

/**
 * What is put into the store under `name`.
 * @param name Without a NUL. A copy counts under its own name alone.
 * @param version A whole number from 0 up to 15 digits.
 */
export function publishedCopy(keys: SigningKeys, name: string, published: Published): string {
  const mac = toBase64url(concatBytes(Uint8Array.of(keys[0].id), macOfCopy(keys[0], name, published)));
  return `${form} ${published.version} ${mac}\n${published.text}`;
}

/** What was published under this name with one of these keys; undefined for anything else. */
export function readPublished(keys: SigningKeys, name: string, stored: string): Published | undefined {
  const [head, version, mac] = header.exec(stored) ?? [];
  if (head === undefined || version === undefined || mac === undefined) return undefined;
  const published = { version: Number(version), text: stored.slice(head.length) };
  const bytes = fromBase64url(mac);
  if (bytes?.length !== 1 + macLength) return undefined;
  const genuine = keys.some((key) => key.id === bytes[0] && equalBytes(bytes.subarray(1), macOfCopy(key, name, published)));
  return genuine ? published : undefined;
}

/**
 * Differs where copies were made with another key or in another form; it reveals nothing of the
 * key.
 */
export const publishingMark = (keys: SigningKeys): string =>
  toBase64url(macOf(publishingKey(keys[0]), "countersign/publishing-mark/v1", utf8ToBytes(form)).subarray(0, 16));
