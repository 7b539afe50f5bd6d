// Who is signed in to the console by the admin token or at an issuer: part of the ConfigObject. A
// session ends by itself, by signing out, by signing out everywhere, and when the admin token is
// another one, or the operator is none any more.

import type { ConsoleSession } from "../stubs/config-calls.ts";

export class ConsoleSessions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Inside the transaction that records it. Forgets the sessions that are over. */
  open({ id, fingerprint, until }: ConsoleSession, now: number): void {
    this.#sql.exec("DELETE FROM console_session WHERE until <= ?", now);
    this.#sql.exec("INSERT INTO console_session (id, fingerprint, until) VALUES (?, ?, ?)", id, fingerprint, until);
  }

  find(id: string, now: number): ConsoleSession | null {
    return (
      this.#sql
        .exec<ConsoleSession>("SELECT id, fingerprint, until FROM console_session WHERE id = ? AND until > ?", id, now)
        .toArray()[0] ?? null
    );
  }

  /** `id`: null for all of them. Returns how many ended. */
  end(id: string | null): number {
    return this.#sql.exec("DELETE FROM console_session WHERE ?1 IS NULL OR id = ?1 RETURNING 1", id).toArray().length;
  }
}
