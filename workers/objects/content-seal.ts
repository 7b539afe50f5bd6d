// How every object stores content: encrypted where CONTENT_KEY is set, as plain text where it is
// not.
//
// AES-256-GCM with a key of the object's own, made from CONTENT_KEY and the object's id by HKDF
// (RFC 5869). The table, the row's name and its part are authenticated with the text, so a row that
// is put in another's place does not open. Sealing is synchronous (node:crypto, the same code of
// the runtime as WebCrypto's): a decision reads and writes content with no `await` in between
// (docs/decisions/synchronous-crypto.md).
//
// A sealed text is bytes: 1 for this form, the key's id (6), the nonce (12), the tag (16), the
// encrypted text.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { fromBase64url, toBase64url } from "../../shared/encoding.ts";
import { once } from "../../shared/once.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";

const form = 1;
const idLength = 6;
const nonceLength = 12;
const tagLength = 16;
const headerLength = 1 + idLength;
/** Before a sealed text in a column of JSON. */
const sealedPrefix = "sealed/v1 ";

/** What SQLite gives back: text that is plain, bytes that are sealed. */
export type StoredText = string | ArrayBuffer;

/**
 * The content cannot be read: the key that sealed it is neither CONTENT_KEY nor
 * CONTENT_KEY_PREVIOUS, or the row is not as it was written.
 */
export class ContentUnreadable extends Error {
  override readonly name = "ContentUnreadable";
}

/** `id`: tells keys apart, and reveals nothing of them. */
type Key = { readonly id: string; readonly bytes: Uint8Array };

const derived = (secret: string, salt: string, info: string, length: number): Uint8Array =>
  new Uint8Array(hkdfSync("sha256", secret, salt, info, length));

const keyIdOf = (secret: string): string => toBase64url(derived(secret, "", "countersign/content-key-id/v1", idLength));

export class ContentSeal {
  /**
   * The first one seals; all of them open. None: nothing is sealed. Made when content is first
   * written or read.
   */
  readonly #keysOnce: () => readonly Key[];

  /** @param object The object's id: its keys are no other object's. */
  constructor(env: Env, object: string) {
    this.#keysOnce = once(() =>
      settingsOf(env).contentSecrets.map((secret) => ({
        id: keyIdOf(secret),
        bytes: derived(secret, object, "countersign/content/v1", 32),
      })),
    );
  }

  /** What is to be stored of a text. `place`: where, as it is read again. */
  seal(text: string, place: string): string | Uint8Array {
    const [key] = this.#keysOnce();
    if (key === undefined) return text;
    const nonce = randomBytes(nonceLength);
    const cipher = createCipheriv("aes-256-gcm", key.bytes, nonce);
    cipher.setAAD(new TextEncoder().encode(place));
    const sealed = [cipher.update(text, "utf8"), cipher.final()];
    const bytes = [Uint8Array.of(form), fromBase64url(key.id) ?? new Uint8Array(idLength), nonce, cipher.getAuthTag(), ...sealed];
    return new Uint8Array(Buffer.concat(bytes));
  }

  /** Throws `ContentUnreadable`. */
  open(stored: StoredText, place: string): string {
    if (typeof stored === "string") return stored;
    const bytes = new Uint8Array(stored);
    const key = this.#keyOf(bytes);
    if (key === undefined) throw new ContentUnreadable("sealed with a key that is not set");
    const nonceEnd = headerLength + nonceLength;
    const decipher = createDecipheriv("aes-256-gcm", key.bytes, bytes.subarray(headerLength, nonceEnd));
    decipher.setAAD(new TextEncoder().encode(place));
    decipher.setAuthTag(bytes.subarray(nonceEnd, nonceEnd + tagLength));
    try {
      const opened = decipher.update(bytes.subarray(nonceEnd + tagLength));
      return new TextDecoder().decode(Buffer.concat([opened, decipher.final()]));
    } catch {
      throw new ContentUnreadable("not as it was written");
    }
  }

  /** Whether the key of what is stored is set. `stored` may be its beginning alone. */
  mayOpen(stored: StoredText): boolean {
    return typeof stored === "string" || this.#keyOf(new Uint8Array(stored)) !== undefined;
  }

  /** The same for a text within JSON. */
  sealText(text: string, place: string): string {
    const sealed = this.seal(text, place);
    return typeof sealed === "string" ? sealed : sealedPrefix + toBase64url(sealed);
  }

  /** Null where it cannot be read. */
  openText(stored: string, place: string): string | null {
    if (!stored.startsWith(sealedPrefix)) return stored;
    const bytes = fromBase64url(stored.slice(sealedPrefix.length));
    try {
      return bytes === undefined ? null : this.open(bytes.slice().buffer, place);
    } catch (error) {
      if (error instanceof ContentUnreadable) return null;
      throw error;
    }
  }

  #keyOf(bytes: Uint8Array): Key | undefined {
    const id = bytes[0] === form ? toBase64url(bytes.subarray(1, headerLength)) : "";
    return this.#keysOnce().find((key) => key.id === id);
  }
}
