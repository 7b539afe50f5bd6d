// One reviewer's passkeys: their public keys and counters, and which nonces added one. Each counts
// for the address whose session added it, and for no other. Signatures are checked by the Worker,
// before it calls. The tables are in objects/schema/inbox-schema.ts.

import { jsonOf, readJsonOf, type JsonOf } from "../../../shared/json/json-of.ts";
import { passkeyMs } from "../../../shared/receipt/passkey-proof.ts";
import type { AddPasskeyInput, AddedPasskey, StoredPasskey, UsedPasskey } from "../../stubs/inbox-calls.ts";

const mostPasskeys = 10;

type Row = {
  readonly id: string;
  readonly name: string;
  readonly public_key: string;
  readonly counter: number;
  readonly transports: JsonOf<readonly string[]>;
  readonly is_synced: number;
  readonly created_at: number;
  readonly used_at: number | null;
};

export class Passkeys {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  of(address: string): StoredPasskey[] {
    return this.#sql
      .exec<Row>(
        "SELECT id, name, public_key, counter, transports, is_synced, created_at, used_at FROM passkey WHERE address = ? ORDER BY created_at",
        address,
      )
      .toArray()
      .map(({ public_key: publicKey, transports, is_synced: isSynced, created_at: createdAt, used_at: usedAt, ...row }) => ({
        ...row,
        publicKey,
        transports: readJsonOf(transports),
        isSynced: isSynced === 1,
        createdAt,
        usedAt,
      }));
  }

  /**
   * Adds one. A second one only where one that is there confirmed it: whoever gets hold of a
   * session adds none beside the owner's.
   */
  add({ address, nonce, passkey, confirmed }: AddPasskeyInput, now: number): AddedPasskey {
    const known = this.of(address);
    const isUsed = this.#sql.exec("SELECT 1 FROM passkey_nonce WHERE nonce = ?", nonce).toArray().length > 0;
    if (isUsed || this.#sql.exec("SELECT 1 FROM passkey WHERE id = ?", passkey.id).toArray().length > 0) return "usedBefore";
    if (known.length >= mostPasskeys) return "tooMany";
    if (known.length > 0 && (confirmed === null || !this.use({ address, ...confirmed }, now))) return "notConfirmed";
    this.#sql.exec("INSERT INTO passkey_nonce (nonce, until) VALUES (?, ?)", nonce, now + passkeyMs);
    this.#sql.exec(
      "INSERT INTO passkey (id, address, name, public_key, counter, transports, is_synced, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL)",
      passkey.id,
      address,
      passkey.name,
      passkey.publicKey,
      passkey.counter,
      jsonOf(passkey.transports),
      passkey.isSynced ? 1 : 0,
      now,
    );
    return "added";
  }

  /**
   * It signed. False where it is none of this address any more, or another signature of it came
   * first: a copy of a passkey that counts is found by its counter.
   */
  use({ address, id, counter }: UsedPasskey, now: number): boolean {
    const known = this.of(address).find((each) => each.id === id);
    if (known === undefined || (Math.max(counter, known.counter) > 0 && counter <= known.counter)) return false;
    this.#sql.exec("UPDATE passkey SET counter = ?, used_at = ? WHERE id = ?", counter, now, id);
    return true;
  }

  /** Also one of an address that the reviewer no longer has. */
  remove(id: string): boolean {
    return this.#sql.exec("DELETE FROM passkey WHERE id = ? RETURNING id", id).toArray().length > 0;
  }

  nextForget(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT MIN(until) AS at FROM passkey_nonce").one().at;
  }

  forget(now: number): void {
    this.#sql.exec("DELETE FROM passkey_nonce WHERE until <= ?", now);
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 WHERE EXISTS (SELECT 1 FROM passkey) OR EXISTS (SELECT 1 FROM passkey_nonce)").toArray().length === 0;
  }
}
