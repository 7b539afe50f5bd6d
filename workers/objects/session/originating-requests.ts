// The originating requests of a session: which are open, which have ended, and how many sampling requests each has had.
//
// An open one has no row while its sampling requests have theirs: these rows are what is known of it. Its own row is written when the first
// of them is deleted, or when it ends.

import type { Originating } from "../../../shared/association/session.ts";
import type { SessionParts } from "./session-parts.ts";

/** So many open ones are known without asking the tables. */
const mostInMemory = 1_000;

export class OriginatingRequests {
  readonly #parts: SessionParts;
  readonly #open = new Map<string, Originating>();

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  /** What the session knows of this one; null where that is nothing. */
  known(key: string): Originating | null {
    if (!this.#parts.tables.exist) return null;
    const inMemory = this.#open.get(key);
    if (inMemory !== undefined) return inMemory;
    const row = this.#parts.sql.exec<KnownRow>(selectKnown, key).one();
    if (row.sampled_at === null && row.state === null) return null;
    const known: Originating = {
      state: row.state ?? "open",
      lastAt: Math.max(row.last_at ?? 0, row.sampled_at ?? 0),
      rounds: (row.rounds ?? 0) + (row.sampled ?? 0),
    };
    if (known.state === "open") this.#remember(key, known);
    return known;
  }

  /** A sampling request's row was written, with which it has had so many. */
  sampled(key: string, rounds: number, now: number): void {
    this.#remember(key, { state: "open", lastAt: now, rounds });
  }

  #remember(key: string, known: Originating): void {
    if (this.#open.size >= mostInMemory) this.#open.clear();
    this.#open.set(key, known);
  }

  /** Rows are about to be deleted, or were: the tables are asked next time. */
  changed(): void {
    this.#open.clear();
  }

  /** Ends it, also where it is not known yet. Call it in a transaction. */
  end(key: string, now: number): void {
    this.#open.delete(key);
    this.#parts.sql.exec(
      "INSERT INTO originating (key, state, last_at, rounds) VALUES (?, 'ended', ?, 0) ON CONFLICT (key) DO UPDATE SET state = 'ended', last_at = excluded.last_at",
      key,
      now,
    );
  }
}

const selectKnown = `SELECT o.state, o.last_at, o.rounds, sampling.at AS sampled_at, sampling.rounds AS sampled
  FROM (SELECT MAX(at) AS at, SUM(rounds) AS rounds FROM sampling WHERE originating = ?1) AS sampling
  LEFT JOIN originating AS o ON o.key = ?1`;

type KnownRow = {
  readonly state: Originating["state"] | null;
  readonly last_at: number | null;
  readonly rounds: number | null;
  readonly sampled_at: number | null;
  readonly sampled: number | null;
};
