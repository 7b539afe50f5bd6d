// The key with which the record's checkpoints are signed: made once, sealed as content is where
// CONTENT_KEY is set, and sealed anew whenever it is read, so that it outlives a rotation.

import { toBase64url } from "../../shared/encoding.ts";
import type { Env } from "../platform/env.ts";
import type { StoredRecordKey } from "../stubs/config-calls.ts";
import { ContentSeal } from "./content-seal.ts";

const place = "record_key";

export class RecordKey {
  readonly #sql: SqlStorage;
  readonly #seal: ContentSeal;

  constructor(env: Env, sql: SqlStorage, object: string) {
    this.#sql = sql;
    this.#seal = new ContentSeal(env, object);
  }

  /** Null where it cannot be opened: CONTENT_KEY is another one, and the one before is not set. */
  async get(): Promise<StoredRecordKey | null> {
    const made = this.#stored() === undefined ? await newKey() : null;
    // Another call may have made one meanwhile: the first one stays.
    if (made !== null && this.#stored() === undefined) this.#store(made.publicKey, made.secret);
    const row = this.#stored();
    const secret = row === undefined ? null : this.#seal.openText(row.secret, place);
    if (row === undefined || secret === null) return null;
    if (made === null) this.#store(row.publicKey, secret);
    return { publicKey: row.publicKey, secret };
  }

  #stored(): StoredRecordKey | undefined {
    return this.#sql.exec<StoredRecordKey>("SELECT public_key AS publicKey, secret FROM record_key").toArray()[0];
  }

  #store(publicKey: string, secret: string): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO record_key (one, public_key, secret) VALUES (1, ?, ?)",
      publicKey,
      this.#seal.sealText(secret, place),
    );
  }
}

async function newKey(): Promise<StoredRecordKey> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("newKey: not a pair");
  const [secret, publicKey] = await Promise.all([
    crypto.subtle.exportKey("pkcs8", pair.privateKey),
    crypto.subtle.exportKey("raw", pair.publicKey),
  ]);
  if (!(secret instanceof ArrayBuffer) || !(publicKey instanceof ArrayBuffer)) throw new Error("newKey: not bytes");
  return { publicKey: toBase64url(new Uint8Array(publicKey)), secret: toBase64url(new Uint8Array(secret)) };
}
