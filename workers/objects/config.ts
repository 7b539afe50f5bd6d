// The one writer of configuration: documents with their last versions, and API keys. KV holds the published copy.
//
// KV has no compare-and-set, so nothing is written there first: a version is committed here, then published, and what
// could not be published is tried again by the alarm.

import { DurableObject } from "cloudflare:workers";
import type { Env } from "../env.ts";
import { errorClass, logEvent } from "../log.ts";

export const documentNames = ["routing", "policy", "servers", "issuers"] as const;
export type DocumentName = (typeof documentNames)[number];

const versionsKept = 20;
const publishRetryMs = 2_000;
const publishRetryMostMs = 60_000;

export type StoredDocument = { readonly version: number; readonly at: number; readonly text: string };
export type WriteAnswer =
  | { readonly kind: "written"; readonly version: number }
  | { readonly kind: "conflict"; readonly current: StoredDocument };
export type StoredKey = { readonly id: string; readonly hash: string; readonly record: string; readonly revokedAt: number | null };

export class ConfigObject extends DurableObject<Env> {
  now = (): number => Date.now();
  readonly #sql: SqlStorage;
  #publishing: Promise<void> = Promise.resolve();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS document (name TEXT NOT NULL, version INTEGER NOT NULL, at INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (name, version)) WITHOUT ROWID`,
    );
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS key (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, record TEXT NOT NULL, created_at INTEGER NOT NULL, revoked_at INTEGER) WITHOUT ROWID`,
    );
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS unpublished (kv_key TEXT PRIMARY KEY, value TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL) WITHOUT ROWID`,
    );
  }

  /** The current version, or null where nobody ever wrote one. */
  current(name: DocumentName): StoredDocument | null {
    return (
      this.#sql
        .exec<StoredDocument>("SELECT version, at, text FROM document WHERE name = ? ORDER BY version DESC LIMIT 1", name)
        .toArray()[0] ?? null
    );
  }

  /**
   * Replaces a document whole, if `expectedVersion` is still the current one (0: there is none yet).
   * @param text The document as it is to be served, without its version, which is given here.
   */
  async write(name: DocumentName, expectedVersion: number, document: string): Promise<WriteAnswer> {
    const now = this.now();
    const written = this.ctx.storage.transactionSync((): WriteAnswer => {
      const current = this.current(name);
      if ((current?.version ?? 0) !== expectedVersion) {
        return { kind: "conflict", current: current ?? { version: 0, at: now, text: "null" } };
      }
      const version = expectedVersion + 1;
      const text = JSON.stringify({ ...(JSON.parse(document) as object), version });
      this.#sql.exec("INSERT INTO document (name, version, at, text) VALUES (?, ?, ?, ?)", name, version, now, text);
      this.#sql.exec("DELETE FROM document WHERE name = ? AND version <= ?", name, version - versionsKept);
      this.#queue(name, text, now);
      return { kind: "written", version };
    });
    await this.#publish();
    return written;
  }

  /** The last versions, newest first. */
  versions(name: DocumentName): { version: number; at: number }[] {
    return this.#sql
      .exec<{ version: number; at: number }>("SELECT version, at FROM document WHERE name = ? ORDER BY version DESC", name)
      .toArray();
  }

  version(name: DocumentName, version: number): StoredDocument | null {
    return (
      this.#sql.exec<StoredDocument>("SELECT version, at, text FROM document WHERE name = ? AND version = ?", name, version).toArray()[0] ??
      null
    );
  }

  /** Adds a key. `record` is JSON; `hash` is the SHA-256 of the key, which is not stored. */
  async addKey(id: string, hash: string, record: string): Promise<void> {
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec("INSERT INTO key (id, hash, record, created_at, revoked_at) VALUES (?, ?, ?, ?, NULL)", id, hash, record, now);
      this.#queue(`key:${hash}`, JSON.stringify({ record: JSON.parse(record) as unknown, revokedAt: null }), now);
    });
    await this.#publish();
  }

  keys(): StoredKey[] {
    return this.#sql.exec<StoredKey>("SELECT id, hash, record, revoked_at AS revokedAt FROM key ORDER BY created_at").toArray();
  }

  /** For a key whose own MAC vouches for it and that KV does not show yet. */
  findKey(hash: string): StoredKey | null {
    return this.#sql.exec<StoredKey>("SELECT id, hash, record, revoked_at AS revokedAt FROM key WHERE hash = ?", hash).toArray()[0] ?? null;
  }

  /** For who comes with an issuer's token, which stands for a key by its id. */
  keyOfId(id: string): StoredKey | null {
    return this.#sql.exec<StoredKey>("SELECT id, hash, record, revoked_at AS revokedAt FROM key WHERE id = ?", id).toArray()[0] ?? null;
  }

  /** Revokes a key; false where there is none of this id. */
  async revokeKey(id: string): Promise<boolean> {
    const now = this.now();
    const found = this.ctx.storage.transactionSync(() => {
      const [row] = this.#sql
        .exec<{ hash: string; record: string }>(
          "UPDATE key SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ? RETURNING hash, record",
          now,
          id,
        )
        .toArray();
      if (row === undefined) return false;
      this.#queue(`key:${row.hash}`, JSON.stringify({ record: JSON.parse(row.record) as unknown, revokedAt: now }), now);
      return true;
    });
    await this.#publish();
    return found;
  }

  override async alarm(): Promise<void> {
    await this.#publish();
  }

  #queue(kvKey: string, value: string, now: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO unpublished (kv_key, value, attempts, due_at) VALUES (?, ?, 0, ?)", kvKey, value, now);
    // In the same commit: a crash before the first attempt still publishes.
    void this.ctx.storage.setAlarm(now + publishRetryMs);
  }

  /** One at a time: of two writes of one key that are under way together, KV keeps either. */
  #publish(): Promise<void> {
    const next = this.#publishing.catch(() => {}).then(() => this.#publishDue());
    this.#publishing = next;
    return next;
  }

  async #publishDue(): Promise<void> {
    const rows = this.#sql
      .exec<{ kv_key: string; value: string; attempts: number }>(
        "SELECT kv_key, value, attempts FROM unpublished WHERE due_at <= ?",
        this.now(),
      )
      .toArray();
    for (const { kv_key: kvKey, value, attempts } of rows) {
      try {
        await this.env.CONFIG.put(kvKey, value);
        this.#sql.exec("DELETE FROM unpublished WHERE kv_key = ? AND value = ?", kvKey, value);
      } catch (error) {
        logEvent("config.publishFailed", { attempt: attempts, error: errorClass(error) });
        const wait = Math.min(publishRetryMs * 2 ** attempts, publishRetryMostMs);
        this.#sql.exec("UPDATE unpublished SET attempts = attempts + 1, due_at = ? WHERE kv_key = ?", this.now() + wait, kvKey);
      }
    }
    const [next] = this.#sql.exec<{ due_at: number | null }>("SELECT MIN(due_at) AS due_at FROM unpublished").toArray();
    if (next?.due_at != null) await this.ctx.storage.setAlarm(next.due_at);
  }
}
