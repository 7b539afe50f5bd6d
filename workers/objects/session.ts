// One host's connection, for one API key: which originating requests are open, and which sampling requests ran under each.
//
// Holds ids, digests and counts, and fast-path results for ten minutes; never a prompt. What it decides is decided in
// shared/association/session.ts. Its tables are described in docs/storage-schema.md.

import { DurableObject } from "cloudflare:workers";
import { type Known, type Reservation, associate, originatingLapsesMs, resultKeptMs } from "../../shared/association/session.ts";
import type { CancelCause } from "../../shared/run/lifecycle.ts";
import type { Env } from "../env.ts";
import { errorClass, logEvent } from "../log.ts";
import { runStub } from "./names.ts";
import { LongTexts } from "./long-text.ts";

export type AssociateInput = {
  /** The originating request's key: server and id, as `originatingKey` writes it. */
  readonly originating: string;
  /** The sampling request's JSON-RPC id with its type. */
  readonly request: string;
  readonly digest: string;
  readonly run: string;
  readonly leaseMs: number;
  readonly roundsLimit: number;
  /** False where the request will be refused anyway: association is judged and nothing is written. */
  readonly reserve: boolean;
  /** True where the request becomes a run: its RunObject has it from the start, and no lease runs out. */
  readonly durable: boolean;
};

export type AssociateAnswer =
  | { readonly kind: "fresh"; readonly takenOver: boolean }
  /** `ended`: the run is over and may have been deleted with its time. */
  | {
      readonly kind: "repeat";
      readonly run: string;
      readonly state: Reservation["state"];
      readonly ended: boolean;
      readonly result: string | null;
    }
  | { readonly kind: "conflict" }
  | { readonly kind: "ended"; readonly what: "session" | "originatingRequest" }
  | { readonly kind: "tooManyRounds"; readonly limit: number };

const cleanUpEveryMs = 10 * 60_000;
const cancelRetryMs = 2_000;
const cancelRetryMostMs = 5 * 60_000;

export class SessionObject extends DurableObject<Env> {
  now = (): number => Date.now();
  readonly #sql: SqlStorage;
  readonly #results: LongTexts;
  readonly #waiting = new Map<string, Set<(result: string | null) => void>>();
  #ended: boolean;
  #alarmAt: number | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS session (one INTEGER PRIMARY KEY CHECK (one = 1), ended_at INTEGER NOT NULL)`);
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS originating (key TEXT PRIMARY KEY, state TEXT NOT NULL, last_at INTEGER NOT NULL, rounds INTEGER NOT NULL) WITHOUT ROWID`,
    );
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS sampling (originating TEXT NOT NULL, request TEXT NOT NULL, digest TEXT NOT NULL, run TEXT NOT NULL,
       state TEXT NOT NULL, lease_until INTEGER NOT NULL, settled_at INTEGER, PRIMARY KEY (originating, request)) WITHOUT ROWID`,
    );
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS cancellation (run TEXT PRIMARY KEY, originating TEXT NOT NULL, cause TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL) WITHOUT ROWID`,
    );
    this.#results = new LongTexts(this.#sql, "result");
    this.#results.createTable();
    this.#ended = this.#sql.exec("SELECT 1 FROM session").toArray().length > 0;
  }

  /** Judges a sampling request and, where it is fresh, reserves it: in one call, so that of two repeats one is fresh. */
  associate(input: AssociateInput): AssociateAnswer {
    const now = this.now();
    const verdict = associate(this.#known(input), input, now);
    switch (verdict.kind) {
      case "fresh":
      case "takenOver":
        if (input.reserve) this.#reserve(input, verdict.reservation, verdict.rounds, now);
        return { kind: "fresh", takenOver: verdict.kind === "takenOver" };
      case "repeat": {
        const { run, state, ended } = verdict.reservation;
        return { kind: "repeat", run, state, ended, result: state === "settled" ? (this.#results.read(resultName(input)) ?? null) : null };
      }
      case "conflict":
      case "ended":
      case "tooManyRounds":
        return verdict;
      default:
        return verdict satisfies never;
    }
  }

  /** The request is answered by an earlier run that it adopted. */
  adopted(originating: string, request: string, run: string): void {
    this.#sql.exec("UPDATE sampling SET state = 'durable', run = ? WHERE originating = ? AND request = ?", run, originating, request);
  }

  /** A fast-path request has its answer: kept for a repeat, and given to those who wait for it now. */
  settle(originating: string, request: string, run: string, result: string): void {
    const now = this.now();
    const name = resultName({ originating, request });
    const kept = this.ctx.storage.transactionSync(() => {
      const rows = this.#sql
        .exec(
          "UPDATE sampling SET state = 'settled', settled_at = ? WHERE originating = ? AND request = ? AND run = ? AND state = 'fast' RETURNING run",
          now,
          originating,
          request,
          run,
        )
        .toArray();
      if (rows.length > 0) this.#results.write(name, result);
      return rows.length > 0;
    });
    if (!kept) return;
    this.#alarmBy(now + resultKeptMs);
    this.#release(name, result);
  }

  /** A request that was reserved and then refused is forgotten, so that the same id can be used again. */
  forget(originating: string, request: string, run: string): void {
    this.#sql.exec(
      "DELETE FROM sampling WHERE originating = ? AND request = ? AND run = ? AND settled_at IS NULL",
      originating,
      request,
      run,
    );
    this.#release(resultName({ originating, request }), null);
  }

  /** Waits for a fast-path answer that another caller is getting; null when none came within `waitMs`: ask again. */
  async awaitResult(originating: string, request: string, waitMs: number): Promise<string | null> {
    const name = resultName({ originating, request });
    const known = this.#results.read(name);
    if (known !== undefined) return known;
    return new Promise((resolve) => {
      const waiters = this.#waiting.get(name) ?? new Set();
      this.#waiting.set(name, waiters);
      const done = (result: string | null): void => {
        clearTimeout(timer);
        waiters.delete(done);
        if (waiters.size === 0) this.#waiting.delete(name);
        resolve(result);
      };
      const timer = setTimeout(() => done(null), waitMs);
      waiters.add(done);
    });
  }

  /** The run is over: nothing of it is to be cancelled any more. */
  runEnded(run: string): void {
    this.#sql.exec("UPDATE sampling SET settled_at = ? WHERE run = ? AND settled_at IS NULL", this.now(), run);
  }

  /** Ends an originating request for good: its open runs are cancelled, later sampling for it is refused. */
  async endOriginating(originating: string, cause: CancelCause): Promise<void> {
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec(
        "INSERT INTO originating (key, state, last_at, rounds) VALUES (?, 'ended', ?, 0) ON CONFLICT (key) DO UPDATE SET state = 'ended', last_at = excluded.last_at",
        originating,
        now,
      );
      this.#queueCancellations("originating = ?", [originating], cause, now);
    });
    await this.#cancelQueued();
  }

  /** Ends the session for good. */
  async endSession(): Promise<void> {
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec("INSERT OR IGNORE INTO session (one, ended_at) VALUES (1, ?)", now);
      this.#queueCancellations("TRUE", [], "session", now);
    });
    this.#ended = true;
    await this.#cancelQueued();
  }

  /**
   * The asker withdrew one sampling request. Two servers of a session may use the same id: without the originating
   * request only an id that names one open run is acted on.
   */
  async cancelRequest(request: string, originating: string | null): Promise<void> {
    const now = this.now();
    const open = this.#sql
      .exec<{ originating: string }>(
        "SELECT originating FROM sampling WHERE request = ? AND state = 'durable' AND settled_at IS NULL",
        request,
      )
      .toArray()
      .filter((row) => originating === null || row.originating === originating);
    const [only] = open;
    if (open.length !== 1 || only === undefined) return;
    this.ctx.storage.transactionSync(() =>
      this.#queueCancellations("request = ? AND originating = ?", [request, only.originating], "caller", now),
    );
    await this.#cancelQueued();
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    try {
      this.#cleanUp();
      await this.#cancelQueued();
    } catch (error) {
      logEvent("session.cancelFailed", { error: errorClass(error) });
      this.#alarmBy(this.now() + cancelRetryMostMs);
    }
  }

  #known(input: { originating: string; request: string }): Known {
    const [originating] = this.#sql
      .exec<{ state: "open" | "ended"; last_at: number; rounds: number }>(
        "SELECT state, last_at, rounds FROM originating WHERE key = ?",
        input.originating,
      )
      .toArray();
    const [reservation] = this.#sql
      .exec<{ digest: string; run: string; state: Reservation["state"]; lease_until: number; settled_at: number | null }>(
        "SELECT digest, run, state, lease_until, settled_at FROM sampling WHERE originating = ? AND request = ?",
        input.originating,
        input.request,
      )
      .toArray();
    return {
      sessionEnded: this.#ended,
      originating: originating === undefined ? null : { state: originating.state, lastAt: originating.last_at, rounds: originating.rounds },
      reservation:
        reservation === undefined
          ? null
          : {
              digest: reservation.digest,
              run: reservation.run,
              state: reservation.state,
              leaseUntil: reservation.lease_until,
              ended: reservation.settled_at !== null,
            },
    };
  }

  #reserve(input: AssociateInput, reservation: Reservation, rounds: number, now: number): void {
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec(
        "INSERT INTO originating (key, state, last_at, rounds) VALUES (?, 'open', ?, ?) ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at, rounds = excluded.rounds",
        input.originating,
        now,
        rounds,
      );
      this.#sql.exec(
        "INSERT OR REPLACE INTO sampling (originating, request, digest, run, state, lease_until, settled_at) VALUES (?, ?, ?, ?, ?, ?, NULL)",
        input.originating,
        input.request,
        reservation.digest,
        reservation.run,
        reservation.state,
        reservation.leaseUntil,
      );
    });
  }

  #queueCancellations(where: string, bindings: string[], cause: CancelCause, now: number): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO cancellation (run, originating, cause, attempts, due_at)
       SELECT run, originating, ?, 0, ? FROM sampling WHERE state = 'durable' AND settled_at IS NULL AND ${where}`,
      cause,
      now,
      ...bindings,
    );
    this.#alarmBy(now + cancelRetryMs);
  }

  async #cancelQueued(): Promise<void> {
    const due = this.#sql
      .exec<{ run: string; originating: string; cause: CancelCause; attempts: number }>(
        "SELECT run, originating, cause, attempts FROM cancellation WHERE due_at <= ?",
        this.now(),
      )
      .toArray();
    const self = this.ctx.id.toString();
    await Promise.all(
      due.map(async ({ run, originating, cause, attempts }) => {
        try {
          await runStub(this.env, run).cancel(cause, self, originating);
          this.#sql.exec("DELETE FROM cancellation WHERE run = ?", run);
          this.runEnded(run);
        } catch (error) {
          logEvent("session.cancelFailed", { run, attempt: attempts, error: errorClass(error) });
          const wait = Math.min(cancelRetryMs * 2 ** attempts, cancelRetryMostMs);
          this.#sql.exec("UPDATE cancellation SET attempts = attempts + 1, due_at = ? WHERE run = ?", this.now() + wait, run);
        }
      }),
    );
    const [next] = this.#sql.exec<{ due_at: number | null }>("SELECT MIN(due_at) AS due_at FROM cancellation").toArray();
    if (next?.due_at != null) this.#alarmBy(next.due_at);
  }

  #cleanUp(): void {
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      const stale = this.#sql
        .exec<{ originating: string; request: string }>(
          "DELETE FROM sampling WHERE (state = 'settled' AND settled_at <= ?) OR (settled_at IS NOT NULL AND settled_at <= ?) RETURNING originating, request",
          now - resultKeptMs,
          now - originatingLapsesMs,
        )
        .toArray();
      for (const row of stale) this.#results.delete(resultName(row));
    });
    const [more] = this.#sql.exec("SELECT 1 FROM sampling WHERE settled_at IS NOT NULL LIMIT 1").toArray();
    if (more !== undefined) this.#alarmBy(now + cleanUpEveryMs);
  }

  #release(name: string, result: string | null): void {
    for (const done of this.#waiting.get(name) ?? []) done(result);
  }

  /** Sets the object's one alarm to `at`, unless it is set to an earlier time. */
  #alarmBy(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    // After a restart only the tables know of an earlier one.
    const [queued] = this.#sql.exec<{ due_at: number | null }>("SELECT MIN(due_at) AS due_at FROM cancellation").toArray();
    this.#alarmAt = Math.min(at, queued?.due_at ?? at);
    void this.ctx.storage.setAlarm(this.#alarmAt);
  }
}

const resultName = (of: { readonly originating: string; readonly request: string }): string => `${of.originating} ${of.request}`;
