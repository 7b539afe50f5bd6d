// The tables of a key's grants: each grant, what is left of it, and the requests that used it.
//
// Part of the KeyObject, which alone writes here; shared/policy/grant.ts decides what a grant
// covers. The tables are created, and read into memory, at the first call: a key without grants
// pays nothing for them.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import {
  type Grant,
  type GrantPass,
  type GrantQuery,
  type GrantUse,
  giveBack,
  isForgotten,
  useGrants,
} from "../../../shared/policy/grant.ts";

/** A grant stays in the list for so long after it expired. */
const listedMs = 30 * 24 * 3_600_000;
/**
 * A repeat comes while the session still knows the request: at most a day after the last attempt.
 */
const usesKeptMs = 24 * 3_600_000;

export class KeyGrants {
  readonly #storage: DurableObjectStorage;
  #grants: Map<string, Grant> | undefined;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  /**
   * Stores a grant that a reviewer gave. One that is stored already stays as it is: used, or
   * revoked.
   */
  give(grant: Grant, now: number): void {
    const grants = this.#load();
    if (grants.has(grant.id)) return;
    this.#commit(() => {
      this.#forgetOld(grants, now);
      this.#write(grants, grant);
    });
  }

  /** The gates that grants open for this request. The uses are committed when this returns. */
  use(query: GrantQuery, now: number): readonly GrantPass[] {
    const grants = this.#load();
    if (grants.size === 0) return [];
    const earlier = this.#usesOf(query.identity);
    const granted = useGrants([...grants.values()], earlier, query, now);
    const forgotten = earlier.filter((use) => isForgotten(use, query, now));
    if (granted.grants.length === 0 && forgotten.length === 0) return granted.passes;
    this.#commit(() => {
      for (const { identity, gate } of forgotten) this.#dropUse(identity, gate);
      for (const grant of granted.grants) this.#write(grants, grant);
      for (const use of granted.uses) {
        this.#storage.sql.exec(
          "INSERT OR REPLACE INTO grant_use (identity, gate, grant, run, at, micro_usd) VALUES (?, ?, ?, ?, ?, ?)",
          use.identity,
          use.gate,
          use.grant,
          use.run,
          use.at,
          use.microUsd,
        );
      }
      this.#storage.sql.exec("DELETE FROM grant_use WHERE at <= ?", now - usesKeptMs);
    });
    return granted.passes;
  }

  /**
   * Gives back the uses that this run counted for this request, where they opened nothing. Twice is
   * the same as once.
   */
  giveBack(identity: string, run: string): void {
    const grants = this.#load();
    this.#commit(() => {
      for (const use of this.#usesOf(identity)) {
        const grant = grants.get(use.grant);
        if (use.run !== run || grant === undefined) continue;
        this.#dropUse(identity, use.gate);
        this.#write(grants, giveBack(grant, use));
      }
    });
  }

  /** Ends a grant; false where there is none of this id. */
  revoke(id: string, now: number): boolean {
    const grants = this.#load();
    const grant = grants.get(id);
    if (grant === undefined) return false;
    if (grant.revokedAt === null) this.#commit(() => this.#write(grants, { ...grant, revokedAt: now }));
    return true;
  }

  /** Newest first. An expired grant is listed for at least thirty more days. */
  list(): readonly Grant[] {
    return [...this.#load().values()].sort((a, b) => b.givenAt - a.givenAt || (a.id < b.id ? -1 : 1));
  }

  #load(): Map<string, Grant> {
    if (this.#grants !== undefined) return this.#grants;
    const rows = this.#storage.sql.exec<{ text: JsonOf<Grant> }>("SELECT text FROM grant").toArray();
    const grants = rows.map(({ text }) => readJsonOf(text));
    this.#grants = new Map(grants.map((grant) => [grant.id, grant]));
    return this.#grants;
  }

  /** Memory follows the tables, also where they could not be written. */
  #commit(write: () => void): void {
    try {
      this.#storage.transactionSync(write);
    } catch (error) {
      this.#grants = undefined;
      throw error;
    }
  }

  #write(grants: Map<string, Grant>, grant: Grant): void {
    const text = jsonOf(grant);
    this.#storage.sql.exec("INSERT OR REPLACE INTO grant (id, expires_at, text) VALUES (?, ?, ?)", grant.id, grant.expiresAt, text);
    grants.set(grant.id, grant);
  }

  #usesOf(identity: string): readonly GrantUse[] {
    return this.#storage.sql
      .exec<{ gate: GrantUse["gate"]; grant: string; run: string; at: number; micro_usd: number }>(
        "SELECT gate, grant, run, at, micro_usd FROM grant_use WHERE identity = ?",
        identity,
      )
      .toArray()
      .map(({ gate, grant, run, at, micro_usd: microUsd }) => ({ identity, gate, grant, run, at, microUsd }));
  }

  #dropUse(identity: string, gate: GrantUse["gate"]): void {
    this.#storage.sql.exec("DELETE FROM grant_use WHERE identity = ? AND gate = ?", identity, gate);
  }

  #forgetOld(grants: Map<string, Grant>, now: number): void {
    const oldest = now - listedMs;
    this.#storage.sql.exec("DELETE FROM grant WHERE expires_at <= ?", oldest);
    for (const { id, expiresAt } of grants.values()) if (expiresAt <= oldest) grants.delete(id);
  }
}
