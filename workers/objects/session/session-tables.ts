// The tables of a session: created with the first row, and deleted with the last. It decides
// nothing.
//
// A session that was never used has no tables, so that asking about it writes nothing. Every row
// expires: the object's alarm deletes expired rows, and the whole object with the last of them.

import type { Originating } from "../../../shared/association/relay-association.ts";
import { originatingLapsesMs, resultKeptMs } from "../../../shared/association/session.ts";
import type { JsonOf } from "../../../shared/json/json-of.ts";
import type { ContentSeal } from "../content-seal.ts";
import { LongTexts } from "../long-text.ts";
import type { ObjectTables } from "../object-tables.ts";

/**
 * How long an originating request without sampling, and an ended session, are known: twice the time
 * to lapse.
 */
export const forgottenAfterMs = 2 * originatingLapsesMs;
/** For an id that stands for a request in every session of its key. */
export const reservationKeptMs = 24 * 3_600_000;
/** For a server's instructions from the beginning of a session. */
const instructionsKeptMs = 30 * 24 * 3_600_000;
/** A run is deleted by then: longer than the longest deadlines and the longest retention. */
const runKeptMostMs = 60 * 24 * 3_600_000;
/**
 * Rows need not be deleted at once: the alarm that only deletes comes at most once an hour, and for
 * stored outcomes once a minute.
 */
const forgetEveryMs = 3_600_000;
const forgetOutcomesEveryMs = 60_000;

/** In the transaction that forgets the rest. */
type ForgetsOriginating = {
  /** Adds the rounds of sampling requests that are deleted, the last of which came then. */
  readonly addRounds: (key: string, at: number, rounds: number) => void;
  /** Comes after all of `addRounds`. */
  readonly forget: (now: number) => void;
};

export class SessionTables {
  readonly results: LongTexts;
  readonly #storage: DurableObjectStorage;
  readonly #tables: ObjectTables;
  readonly #seal: ContentSeal;
  #begun: boolean;

  constructor(storage: DurableObjectStorage, tables: ObjectTables, seal: ContentSeal) {
    this.#storage = storage;
    this.#tables = tables;
    this.#seal = seal;
    this.results = new LongTexts(storage.sql, "result", seal);
    this.#begun = this.isBegun();
    // A repeat of what cannot be read is told that its reply is kept no longer.
    if (this.#tables.exist) for (const name of this.results.unreadable()) this.results.delete(name);
  }

  get exist(): boolean {
    return this.#tables.exist;
  }

  create(): void {
    this.#tables.create();
  }

  /** Whether the session is known to have ended. */
  isEnded(): boolean {
    return this.#tables.exist && this.#storage.sql.exec("SELECT 1 FROM session").toArray().length > 0;
  }

  /** Whether the session has begun, with its key's leave. */
  isBegun(): boolean {
    return this.#tables.exist && this.#storage.kv.get<boolean>("begun") === true;
  }

  begin(): void {
    if (this.#begun) return;
    this.#storage.kv.put("begun", true);
    this.#begun = true;
  }

  keepInstructions(text: string, now: number): void {
    this.#storage.kv.put("instructions", {
      ...this.#instructions(),
      text: this.#seal.sealText(text, "instructions"),
      at: now,
    } satisfies Instructions);
  }

  keepLogLevel(logLevel: string, now: number): void {
    this.#storage.kv.put("instructions", { text: null, ...this.#instructions(), logLevel, at: now } satisfies Instructions);
  }

  logLevel(): string | null {
    return this.#instructions()?.logLevel ?? null;
  }

  instructions(): string | null {
    const text = this.#instructions()?.text ?? null;
    return text === null ? null : this.#seal.openText(text, "instructions");
  }

  /** What names a client request in flight may have its arguments, which are content. */
  sealNamed = (named: JsonOf<Originating>, request: string): string => this.#seal.sealText(named, `in_flight\0${request}`);
  /** Null where it cannot be read: it is as if the request were not in flight. */
  openNamed = (named: string, request: string): JsonOf<Originating> | null =>
    this.#seal.openText(named, `in_flight\0${request}`) as JsonOf<Originating> | null; // from `sealNamed`

  #instructions(): Instructions | undefined {
    return this.#storage.kv.get<Instructions>("instructions");
  }

  /**
   * Deletes expired rows; the whole object where none is left. `originating`: who forgets the
   * originating requests.
   */
  async forget(now: number, originating: ForgetsOriginating): Promise<void> {
    if (!this.#tables.exist) return;
    const { sql } = this.#storage;
    this.#storage.transactionSync(() => {
      this.#forgetSampling(now, originating);
      sql.exec("DELETE FROM request_id WHERE at <= ?", now - reservationKeptMs);
      sql.exec("DELETE FROM in_flight WHERE at <= ? AND until <= ?", now - originatingLapsesMs, now);
      sql.exec("DELETE FROM task WHERE at <= ?", now - originatingLapsesMs);
      sql.exec("DELETE FROM withdrawal WHERE (originating, request) NOT IN (SELECT originating, request FROM sampling)");
      originating.forget(now);
      sql.exec("DELETE FROM session WHERE ended_at <= ? AND NOT EXISTS (SELECT 1 FROM sampling)", now - forgottenAfterMs);
      if ((this.#instructions()?.at ?? now) <= now - instructionsKeptMs) this.#storage.kv.delete("instructions");
    });
    if (this.#isEmpty()) await this.#deleteAll();
  }

  /**
   * Deletes expired sampling requests with their outcomes; their originating requests stay known.
   */
  #forgetSampling(now: number, originating: ForgetsOriginating): void {
    const { sql } = this.#storage;
    const settled = sql
      .exec<StaleRow>(
        `DELETE FROM sampling WHERE unrecorded IS NULL AND settled_at <= CASE state WHEN 'settled' THEN ? ELSE ? END RETURNING originating, at, rounds, kept`,
        now - resultKeptMs,
        now - originatingLapsesMs,
      )
      .toArray();
    // Reserved by a Worker that was cut off, and not repeated since; or by a run that is deleted.
    const abandoned = sql
      .exec<StaleRow>(
        `DELETE FROM sampling WHERE unrecorded IS NULL AND settled_at IS NULL AND lease_until <= CASE state WHEN 'fast' THEN ? ELSE ? END
         RETURNING originating, at, rounds, kept`,
        now - originatingLapsesMs,
        now - runKeptMostMs,
      )
      .toArray();
    // The rows of one text were settled in the same moment.
    for (const kept of new Set(settled.map((row) => row.kept))) if (kept !== null) this.results.delete(kept);
    const byOriginating = Map.groupBy([...settled, ...abandoned], ({ originating }) => originating);
    for (const [key, rows] of byOriginating) {
      const rounds = rows.reduce((sum, row) => sum + row.rounds, 0);
      const last = rows.reduce((latest, { at }) => Math.max(latest, at), 0);
      if (rounds > 0) originating.addRounds(key, last, rounds);
    }
  }

  /** When a row has work or expires next, in Unix milliseconds; null where nothing is kept. */
  nextDue(): number | null {
    if (!this.#tables.exist) return null;
    // Scalar subqueries: the platform allows five parts of a compound SELECT at most.
    const { withdrawal, settled, reservation, inFlight, unrecorded, ...over } = this.#storage.sql
      .exec<
        Record<
          "withdrawal" | "settled" | "unrecorded" | "unsettled" | "reservation" | "inFlight" | "task" | "originating" | "ended" | "session",
          number | null
        >
      >(
        `SELECT (SELECT MIN(due_at) FROM withdrawal) AS withdrawal,
         (SELECT MIN(settled_at + CASE state WHEN 'settled' THEN ? ELSE ? END) FROM sampling WHERE settled_at IS NOT NULL) AS settled,
         (SELECT MIN(at) FROM (SELECT MIN(lease_until) AS at FROM sampling WHERE unrecorded IS NOT NULL
           UNION ALL SELECT MIN(due_at) FROM unrecorded)) AS unrecorded,
         (SELECT MIN(lease_until + CASE state WHEN 'fast' THEN ? ELSE ? END) FROM sampling WHERE settled_at IS NULL) AS unsettled,
         (SELECT MIN(at) + ? FROM request_id) AS reservation,
         (SELECT MIN(MAX(at + ?, until)) FROM in_flight) AS inFlight,
         (SELECT MIN(at) + ? FROM task) AS task,
         (SELECT MIN(last_at) + ? FROM originating WHERE NOT EXISTS (SELECT 1 FROM sampling WHERE sampling.originating = originating.key)) AS originating,
         (SELECT MIN(until) FROM ended) AS ended,
         (SELECT MIN(ended_at) + ? FROM session WHERE NOT EXISTS (SELECT 1 FROM sampling)) AS session`,
        resultKeptMs,
        originatingLapsesMs,
        originatingLapsesMs,
        runKeptMostMs,
        reservationKeptMs,
        originatingLapsesMs,
        originatingLapsesMs,
        forgottenAfterMs,
        forgottenAfterMs,
      )
      .one();
    const instructions = this.#instructions();
    const forgotten = earliest([...Object.values(over), instructions === undefined ? null : instructions.at + instructionsKeptMs]);
    return earliest([
      withdrawal,
      settled === null ? null : outcomesForgottenAt(settled),
      unrecorded === null ? null : toldAt(unrecorded),
      reservation,
      inFlight,
      forgotten === null ? null : forgettingAt(forgotten),
    ]);
  }

  #isEmpty(): boolean {
    const tables = ["session", "originating", "ended", "sampling", "unrecorded", "withdrawal", "in_flight", "task", "request_id"];
    const rows = tables.map((table) => `EXISTS (SELECT 1 FROM ${table})`).join(" OR ");
    return this.#instructions() === undefined && this.#storage.sql.exec(`SELECT 1 WHERE ${rows}`).toArray().length === 0;
  }

  /** Both deletions begin before an await, so that they are one commit. */
  async #deleteAll(): Promise<void> {
    this.#begun = false;
    await Promise.all([this.#storage.deleteAlarm(), this.#tables.deleteAll()]);
  }
}

/** The full hour after this moment. */
export const forgettingAt = (moment: number): number => Math.ceil(moment / forgetEveryMs) * forgetEveryMs;
/** The full minute after this moment. */
export const outcomesForgottenAt = (moment: number): number => Math.ceil(moment / forgetOutcomesEveryMs) * forgetOutcomesEveryMs;

/** When the record is told of a request whose Worker's time is over then: the full minute after. */
export const toldAt = outcomesForgottenAt;

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((at) => at !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export const resultName = (of: { readonly originating: string; readonly request: string }): string => `${of.originating} ${of.request}`;

type StaleRow = { readonly originating: string; readonly at: number; readonly rounds: number; readonly kept: string | null };
/** `logLevel`: what the client of a translated session asked for. */
type Instructions = { readonly text: string | null; readonly logLevel?: string; readonly at: number };
