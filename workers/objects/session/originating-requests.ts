// The originating requests of a session: which are open, which have ended, and how many sampling
// requests each has had.
//
// An open one has no row while its sampling requests have theirs: these rows are what is known of
// it. Its own row is written when the first of them is deleted, or when it ends. Ended ones are
// packed: many share one row.

import { type Originating, originatingLapsesMs } from "../../../shared/association/session.ts";
import { EndedRequests } from "./ended-requests.ts";
import type { SessionDeps } from "./session-deps.ts";
import { forgottenAfterMs } from "./session-tables.ts";

/** So many open ones are known without asking the tables. */
const mostInMemory = 1_000;
/** So many ended ones have rows of their own at most. */
const mostUnpacked = 256;

export class OriginatingRequests {
  readonly #deps: SessionDeps;
  readonly #ended: EndedRequests;
  readonly #open = new Map<string, Originating>();
  /** How many ended ones have rows of their own, at most; counted at the first use. */
  #unpacked: number | undefined;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#ended = new EndedRequests(deps);
  }

  /** What the session knows of this one; null where that is nothing. */
  known(key: string): Originating | null {
    const inMemory = this.#open.get(key);
    if (inMemory !== undefined) return inMemory;
    if (!this.#deps.names.mayHave(key)) return this.#ended.has(key) ? { state: "ended", lastAt: 0, rounds: 0 } : null;
    if (!this.#deps.tables.exist) return null;
    const row = this.#deps.sql.exec<KnownRow>(selectKnown, key).one();
    const lastAt = Math.max(row.last_at ?? 0, row.sampled_at ?? 0);
    const rounds = (row.rounds ?? 0) + (row.sampled ?? 0);
    if (row.state === "ended" || this.#ended.has(key)) return { state: "ended", lastAt, rounds };
    if (row.sampled_at === null && row.state === null) return null;
    this.#remember(key, { state: "open", lastAt, rounds });
    return { state: "open", lastAt, rounds };
  }

  /** So many have ended that the session opens no more. */
  isFull(): boolean {
    return this.#ended.isFull();
  }

  /** A sampling request is reserved, with which it has had so many. */
  sampled(key: string, rounds: number, now: number): void {
    this.#remember(key, { state: "open", lastAt: now, rounds });
  }

  #remember(key: string, known: Originating): void {
    if (this.#open.size >= mostInMemory) this.#open.clear();
    this.#open.set(key, known);
  }

  /** A row of it was deleted: the tables are asked next time. */
  changed(key: string): void {
    this.#open.delete(key);
  }

  /** A transaction was undone: what is in memory may be wrong. */
  undone(): void {
    this.#open.clear();
    this.#ended.undone();
    this.#unpacked = undefined;
  }

  /** Ends it, also where it is not known yet. Call it in a transaction. */
  end(key: string, now: number): void {
    this.#open.delete(key);
    if (this.#ended.has(key)) return;
    this.#deps.names.add(key);
    this.#deps.sql.exec(
      "INSERT INTO originating (key, state, last_at, rounds) VALUES (?, 'ended', ?, 0) ON CONFLICT (key) DO UPDATE SET state = 'ended', last_at = excluded.last_at",
      key,
      now,
    );
    this.#unpacked = this.#unpacked === undefined ? this.#countUnpacked() : this.#unpacked + 1;
    if (this.#unpacked > mostUnpacked) this.#pack("state = 'ended'", []);
  }

  #countUnpacked(): number {
    return this.#deps.sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM originating WHERE state = 'ended'").one().count;
  }

  addRounds(key: string, at: number, rounds: number): void {
    if (this.#ended.has(key)) return;
    this.#deps.names.add(key);
    this.#deps.sql.exec(addRounds, key, at, rounds);
  }

  /** Forgets what ended long ago, and packs what ended or lapsed since. */
  forget(now: number): void {
    this.#open.clear();
    this.#deps.names.deleted();
    this.#deps.sql.exec(`DELETE FROM originating WHERE last_at <= ? AND ${isSettled}`, now - forgottenAfterMs);
    this.#ended.forget(now);
    this.#pack(`(state = 'ended' OR last_at <= ? AND ${isSettled})`, [now - originatingLapsesMs]);
  }

  /** `where`: a condition on the table `originating`. */
  #pack(where: string, values: number[]): void {
    const rows = this.#deps.sql
      .exec<{ key: string; last_at: number }>(`DELETE FROM originating WHERE ${where} RETURNING key, last_at`, ...values)
      .toArray();
    this.#unpacked = 0;
    if (rows.length === 0) return;
    const last = rows.reduce((latest, row) => Math.max(latest, row.last_at), 0);
    this.#ended.add(
      rows.map(({ key }) => key),
      last + forgottenAfterMs,
    );
  }
}

const selectKnown = `SELECT o.state, o.last_at, o.rounds, sampling.at AS sampled_at, sampling.rounds AS sampled
  FROM (SELECT MAX(at) AS at, SUM(rounds) AS rounds FROM sampling WHERE originating = ?1) AS sampling
  LEFT JOIN originating AS o ON o.key = ?1`;

/** An ended one stays as it is. */
const addRounds = `INSERT INTO originating (key, state, last_at, rounds) VALUES (?, 'open', ?, ?)
  ON CONFLICT (key) DO UPDATE SET last_at = MAX(last_at, excluded.last_at), rounds = rounds + excluded.rounds WHERE state = 'open'`;

/** SQL: the originating request has no sampling request any more. */
const isSettled = "NOT EXISTS (SELECT 1 FROM sampling WHERE sampling.originating = originating.key)";

type KnownRow = {
  readonly state: Originating["state"] | null;
  readonly last_at: number | null;
  readonly rounds: number | null;
  readonly sampled_at: number | null;
  readonly sampled: number | null;
};
