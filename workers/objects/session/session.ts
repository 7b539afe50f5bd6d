// One host's connection, for one API key: which originating requests are open, and which sampling requests ran under each.
//
// Holds ids, digests and counts, and fast-path results for ten minutes; never a prompt. What it decides is decided in
// shared/association/session.ts. Its tables are described in docs/storage-schema.md.

import type { Claim, SessionCalls, AssociateInput, Settled, AssociateAnswer, InFlightRow } from "../../stubs/session-calls.ts";
import { DurableObject } from "cloudflare:workers";
import { backoffMs } from "../../../shared/backoff.ts";
import { type Known, type Reservation, associate, originatingLapsesMs, resultKeptMs } from "../../../shared/association/session.ts";
import type { CancelCause } from "../../../shared/model/outcome.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { ObjectAlarm } from "../alarm.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { LongTexts } from "../long-text.ts";
import { SessionTables, claimKeptMs, forgettingAt, forgottenAfterMs, resultName } from "./session-tables.ts";

/** Whoever relays a request says again and again that it is in flight; after a crash nobody does. */
const inFlightLeaseMs = 3 * 60_000;
/** More would tell nothing that these do not. */
const mostInFlight = 100;
/** Longer results go to a table of their own, in parts. */
const longestInline = 100_000;
const withdrawRetry = { firstMs: 2_000, mostMs: 5 * 60_000 };
/** A reserved run that was not opened after so many attempts (some minutes) never will be. */
const withdrawUnknownAttempts = 7;

export class SessionObject extends DurableObject<Env> implements SessionCalls {
  now = (): number => Date.now();
  random = (): number => Math.random();
  readonly #sql: SqlStorage;
  readonly #alarm: ObjectAlarm;
  readonly #tables: SessionTables;
  readonly #results: LongTexts;
  readonly #waiting = new Map<string, Set<(result: string | null) => void>>();
  #ended: boolean;
  #alarmAt: number | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#tables = new SessionTables(ctx.storage);
    this.#results = this.#tables.results;
    this.#ended = this.#tables.isEnded();
    this.#alarm = new ObjectAlarm({
      storage: ctx.storage,
      now: () => this.now(),
      random: () => this.random(),
      nextDue: () => this.#tables.nextDue(),
      failed: "session.alarmFailed",
    });
    void this.#alarm.restore();
  }

  associate(input: AssociateInput): AssociateAnswer {
    if (input.settled.length > 0) this.settle(input.settled);
    const now = this.now();
    const verdict = associate(this.#known(input), input, now);
    switch (verdict.kind) {
      case "fresh":
      case "takenOver":
        if (input.claim !== null && !this.#mayClaim(input.claim, input.digest)) return { kind: "conflict" };
        if (input.reserve && input.claim !== null) this.claim(input.claim, input.digest);
        if (input.reserve) this.#reserve(input, verdict.reservation, verdict.rounds, now);
        return { kind: "fresh", takenOver: verdict.kind === "takenOver" };
      case "repeat": {
        const { run, state, ended } = verdict.reservation;
        return { kind: "repeat", run, state, ended, result: state === "settled" ? this.#resultOf(input) : null };
      }
      case "conflict":
      case "ended":
      case "tooManyRounds":
        return verdict;
      default:
        return verdict satisfies never;
    }
  }

  claim(id: string, digest: string): boolean {
    const now = this.now();
    if (!this.#mayClaim(id, digest)) return false;
    this.#tables.create();
    this.#sql.exec(
      `INSERT INTO claim (id, digest, at, held) VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET
       held = CASE WHEN digest = excluded.digest THEN held + 1 ELSE 1 END, digest = excluded.digest, at = excluded.at`,
      id,
      digest,
      now,
    );
    this.#alarmBy(now + claimKeptMs);
    return true;
  }

  unclaim(id: string, digest: string): void {
    if (!this.#tables.exist) return;
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec("UPDATE claim SET held = held - 1 WHERE id = ? AND digest = ?", id, digest);
      this.#sql.exec("DELETE FROM claim WHERE id = ? AND held <= 0", id);
    });
  }

  #mayClaim(id: string, digest: string): boolean {
    if (!this.#tables.exist) return true;
    const [row] = this.#sql.exec<{ digest: string; at: number }>("SELECT digest, at FROM claim WHERE id = ?", id).toArray();
    return row === undefined || row.digest === digest || this.now() - row.at >= claimKeptMs;
  }

  async adopted(originating: string, request: string, run: string): Promise<void> {
    if (!this.#tables.exist) return;
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec("UPDATE sampling SET state = 'durable', run = ? WHERE originating = ? AND request = ?", run, originating, request);
      const ended = this.#sql.exec("SELECT 1 FROM originating WHERE key = ? AND state = 'ended'", originating).toArray().length > 0;
      if (this.#ended || ended)
        this.#queueWithdrawals(
          "originating = ? AND request = ?",
          [originating, request],
          this.#ended ? "session" : "originatingRequest",
          now,
        );
    });
    this.#release(resultName({ originating, request }), null);
    await this.#withdrawQueued();
  }

  settle(answers: readonly Settled[]): void {
    if (!this.#tables.exist) return;
    const now = this.now();
    const kept = answers.filter((answer) => this.#settle(answer, now));
    if (kept.length > 0) this.#alarmBy(now + resultKeptMs);
    for (const answer of kept) this.#release(resultName(answer), answer.result);
  }

  #settle(answer: Settled, now: number): boolean {
    const { originating, request, run, result } = answer;
    // One row for a result of the usual size: most are a few kilobytes.
    if (result.length <= longestInline) return this.#markSettled(originating, request, run, now, result);
    return this.ctx.storage.transactionSync(() => {
      const settled = this.#markSettled(originating, request, run, now, null);
      if (settled) this.#results.write(resultName(answer), result);
      return settled;
    });
  }

  #markSettled(originating: string, request: string, run: string, now: number, result: string | null): boolean {
    const { rowsWritten } = this.#sql.exec(
      "UPDATE sampling SET state = 'settled', settled_at = ?, result = ? WHERE originating = ? AND request = ? AND run = ? AND state = 'fast'",
      now,
      result,
      originating,
      request,
      run,
    );
    return rowsWritten > 0;
  }

  #resultOf(of: { readonly originating: string; readonly request: string }): string | null {
    const [row] = this.#sql
      .exec<{ result: string | null }>("SELECT result FROM sampling WHERE originating = ? AND request = ?", of.originating, of.request)
      .toArray();
    return row?.result ?? this.#results.read(resultName(of)) ?? null;
  }

  forget(originating: string, request: string, run: string, claimed: string | null): void {
    if (!this.#tables.exist) return;
    this.ctx.storage.transactionSync(() => {
      const dropped = this.#sql
        .exec(
          "DELETE FROM sampling WHERE originating = ? AND request = ? AND run = ? AND settled_at IS NULL RETURNING run",
          originating,
          request,
          run,
        )
        .toArray();
      if (dropped.length === 0) return;
      if (claimed !== null) this.#sql.exec("DELETE FROM claim WHERE id = ?", claimed);
      this.#sql.exec("DELETE FROM withdrawal WHERE originating = ? AND request = ?", originating, request);
      this.#sql.exec("UPDATE originating SET rounds = MAX(0, rounds - 1) WHERE key = ?", originating);
    });
    this.#release(resultName({ originating, request }), null);
  }

  async awaitResult(originating: string, request: string, waitMs: number): Promise<string | null> {
    if (!this.#tables.exist) return null;
    const name = resultName({ originating, request });
    const known = this.#resultOf({ originating, request });
    if (known !== null) return known;
    // Refused meanwhile, or adopted by a run: nobody is getting an answer here.
    const fast = this.#sql
      .exec("SELECT 1 FROM sampling WHERE originating = ? AND request = ? AND state = 'fast'", originating, request)
      .toArray();
    if (fast.length === 0) return null;
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

  runEnded(run: string, requests: readonly Claim[]): void {
    if (!this.#tables.exist) return;
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      for (const { originating, request } of requests) {
        this.#sql.exec(
          "UPDATE sampling SET settled_at = ?, state = 'durable', run = ? WHERE originating = ? AND request = ? AND settled_at IS NULL",
          now,
          run,
          originating,
          request,
        );
      }
    });
    this.#alarmBy(now + originatingLapsesMs);
  }

  async endOriginating(ended: readonly string[], cause: CancelCause, begins: boolean): Promise<boolean> {
    if (!this.#tables.exist && !begins) return false;
    this.#tables.create();
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      for (const originating of ended) {
        this.#sql.exec(
          "INSERT INTO originating (key, state, last_at, rounds) VALUES (?, 'ended', ?, 0) ON CONFLICT (key) DO UPDATE SET state = 'ended', last_at = excluded.last_at",
          originating,
          now,
        );
        this.#sql.exec("DELETE FROM in_flight WHERE originating = ?", originating);
        this.#queueWithdrawals("originating = ?", [originating], cause, now);
      }
    });
    await this.#withdrawQueued();
    return true;
  }

  openInFlight(requests: readonly InFlightRow[], holder: string): void {
    this.#tables.create();
    const now = this.now();
    for (const { request, originating, named } of requests)
      this.#sql.exec(
        "INSERT OR REPLACE INTO in_flight (request, originating, named, holder, at, until) VALUES (?, ?, ?, ?, ?, ?)",
        request,
        originating,
        named,
        holder,
        now,
        now + inFlightLeaseMs,
      );
    this.#alarmBy(now + originatingLapsesMs);
  }

  resumeInFlight(request: string, holder: string): void {
    if (!this.#tables.exist) return;
    this.#sql.exec("UPDATE in_flight SET holder = ?, until = ? WHERE request = ?", holder, this.now() + inFlightLeaseMs, request);
  }

  renewInFlight(holder: string): void {
    if (!this.#tables.exist) return;
    this.#sql.exec("UPDATE in_flight SET until = ? WHERE holder = ?", this.now() + inFlightLeaseMs, holder);
  }

  leaveInFlight(holder: string): void {
    if (!this.#tables.exist) return;
    this.#sql.exec("UPDATE in_flight SET until = 0 WHERE holder = ?", holder);
  }

  keepTask(id: string, named: string): void {
    const now = this.now();
    this.#tables.create();
    this.#sql.exec("INSERT OR IGNORE INTO task (id, named, at) VALUES (?, ?, ?)", id, named, now);
    this.#alarmBy(forgettingAt(now + originatingLapsesMs));
  }

  taskServes(id: string): string | null {
    if (!this.#tables.exist) return null;
    return this.#sql.exec<{ named: string }>("SELECT named FROM task WHERE id = ?", id).toArray()[0]?.named ?? null;
  }

  keepInstructions(text: string): void {
    this.#tables.create();
    this.#tables.keepInstructions(text, this.now());
    this.#alarm.arm();
  }

  instructions(): string | null {
    return this.#tables.instructions();
  }

  async closeInFlight(requests: readonly string[], goesOn: boolean): Promise<void> {
    if (!this.#tables.exist) return;
    for (const request of requests) {
      const [row] = this.#sql
        .exec<{ originating: string }>("DELETE FROM in_flight WHERE request = ? RETURNING originating", request)
        .toArray();
      if (goesOn || row === undefined) continue;
      if (this.#sql.exec("SELECT 1 FROM originating WHERE key = ? AND state = 'open'", row.originating).toArray().length > 0)
        await this.endOriginating([row.originating], "originatingRequest", true);
    }
  }

  associationSigns(task: string | null): { readonly task: string | null; readonly inFlight: string[] } {
    if (!this.#tables.exist) return { task: null, inFlight: [] };
    const rows = this.#sql.exec<{ named: string }>(
      "SELECT named FROM in_flight WHERE until > ? ORDER BY rowid DESC LIMIT ?",
      this.now(),
      mostInFlight,
    );
    return { task: task === null ? null : this.taskServes(task), inFlight: rows.toArray().map(({ named }) => named) };
  }

  isEnded(): boolean {
    return this.#ended;
  }

  async endSession(begins: boolean): Promise<boolean> {
    if (!this.#tables.exist && !begins) return false;
    this.#tables.create();
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec("INSERT OR IGNORE INTO session (one, ended_at) VALUES (1, ?)", now);
      this.ctx.storage.kv.delete("instructions");
      this.#sql.exec("DELETE FROM in_flight");
      this.#queueWithdrawals("TRUE", [], "session", now);
    });
    this.#ended = true;
    await this.#withdrawQueued();
    return true;
  }

  async cancelRequest(request: string, originating: string | null): Promise<void> {
    const now = this.now();
    const named = this.#openUnder(request, originating);
    if (named === undefined) return;
    this.ctx.storage.transactionSync(() => this.#queueWithdrawals("request = ? AND originating = ?", [request, named], "caller", now));
    await this.#withdrawQueued();
  }

  async abandonRequest(request: string, originating: string | null): Promise<void> {
    const now = this.now();
    const named = this.#openUnder(request, originating);
    if (named === undefined) return;
    // First of all, so that the end of the originating request, which comes next, finds nothing to withdraw.
    const [row] = this.#sql
      .exec<{ run: string }>(
        "UPDATE sampling SET settled_at = ? WHERE request = ? AND originating = ? AND state = 'durable' AND settled_at IS NULL RETURNING run",
        now,
        request,
        named,
      )
      .toArray();
    if (row === undefined) return;
    this.#alarmBy(now + originatingLapsesMs);
    if (await runStub(this.env, row.run).abandon()) return;
    this.#sql.exec("UPDATE sampling SET settled_at = NULL WHERE request = ? AND originating = ? AND run = ?", request, named, row.run);
    await this.cancelRequest(request, named);
  }

  /** The originating request of the one open run that this id names: two servers of a session may use the same id. */
  #openUnder(request: string, originating: string | null): string | undefined {
    if (!this.#tables.exist) return undefined;
    const open = this.#sql
      .exec<{ originating: string }>(
        "SELECT originating FROM sampling WHERE request = ? AND state = 'durable' AND settled_at IS NULL",
        request,
      )
      .toArray()
      .filter((row) => originating === null || row.originating === originating);
    return open.length === 1 ? open[0]?.originating : undefined;
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = undefined;
    await this.#alarm.ring(async () => {
      await this.#tables.forget(this.now());
      this.#ended = this.#tables.isEnded();
      await this.#withdrawQueued();
    });
  }

  /** One statement for both: on the fast path each one costs more than all the judging. */
  #known(input: Claim): Known {
    if (!this.#tables.exist) return { sessionEnded: false, originating: null, reservation: null };
    const row = this.#sql.exec<KnownRow>(selectKnown, input.originating, input.request).one();
    return {
      sessionEnded: this.#ended,
      originating: row.state === null ? null : { state: row.state, lastAt: row.last_at ?? 0, rounds: row.rounds ?? 0 },
      reservation:
        row.digest === null || row.run === null || row.held === null
          ? null
          : { digest: row.digest, run: row.run, state: row.held, leaseUntil: row.lease_until ?? 0, ended: row.settled_at !== null },
    };
  }

  #reserve(input: AssociateInput, reservation: Reservation, rounds: number, now: number): void {
    this.#tables.create();
    // Committed together, as nothing is awaited between; cut off by an error, a round too many would be counted and nothing else.
    if (!input.alone)
      this.#sql.exec(
        "INSERT INTO originating (key, state, last_at, rounds) VALUES (?, 'open', ?, ?) ON CONFLICT (key) DO UPDATE SET last_at = excluded.last_at, rounds = excluded.rounds",
        input.originating,
        now,
        rounds,
      );
    this.#sql.exec(
      "INSERT OR REPLACE INTO sampling (originating, request, digest, run, state, lease_until, settled_at, result) VALUES (?, ?, ?, ?, ?, ?, NULL, NULL)",
      input.originating,
      input.request,
      reservation.digest,
      reservation.run,
      reservation.state,
      reservation.leaseUntil,
    );
    this.#alarmBy(forgettingAt(now + forgottenAfterMs));
  }

  #queueWithdrawals(where: string, bindings: string[], cause: CancelCause, now: number): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO withdrawal (originating, request, cause, attempts, due_at)
       SELECT originating, request, ?, 0, ? FROM sampling WHERE state = 'durable' AND settled_at IS NULL AND ${where}`,
      cause,
      now,
      ...bindings,
    );
    this.#alarmBy(now + withdrawRetry.firstMs);
  }

  async #withdrawQueued(): Promise<void> {
    if (!this.#tables.exist) return;
    const due = this.#sql
      .exec<{ originating: string; request: string; run: string; cause: CancelCause; attempts: number }>(
        "SELECT originating, request, run, cause, attempts FROM withdrawal JOIN sampling USING (originating, request) WHERE due_at <= ?",
        this.now(),
      )
      .toArray();
    const session = this.ctx.id.toString();
    await Promise.all(
      due.map(async ({ originating, request, run, cause, attempts }) => {
        const again = (): void => {
          const wait = backoffMs(withdrawRetry, attempts, this.random());
          this.#sql.exec(
            "UPDATE withdrawal SET attempts = attempts + 1, due_at = ? WHERE originating = ? AND request = ?",
            this.now() + wait,
            originating,
            request,
          );
        };
        try {
          const answer = await runStub(this.env, run).withdraw(cause, { session, originating, request });
          // A run that is not there may be about to be opened, by a Worker that reserved it a moment ago.
          if (answer === "unknown" && attempts < withdrawUnknownAttempts) return again();
          this.ctx.storage.transactionSync(() => {
            const settled = this.#sql
              .exec(
                "UPDATE sampling SET settled_at = COALESCE(settled_at, ?) WHERE originating = ? AND request = ? AND run = ? RETURNING run",
                this.now(),
                originating,
                request,
                run,
              )
              .toArray();
            // Where the request adopted another run meanwhile, it is withdrawn from that one next.
            if (settled.length === 0) again();
            else this.#sql.exec("DELETE FROM withdrawal WHERE originating = ? AND request = ?", originating, request);
          });
        } catch (error) {
          logEvent("session.cancelFailed", { run, attempt: attempts, error: errorClass(error) });
          again();
        }
      }),
    );
    const next = this.#tables.nextDue();
    if (next !== null) this.#alarmBy(next);
  }

  #release(name: string, result: string | null): void {
    for (const done of this.#waiting.get(name) ?? []) done(result);
  }

  /** Sets the object's one alarm to `at`, unless it is set to an earlier time. */
  #alarmBy(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    // After a restart only the tables know of an earlier one.
    const known = this.#alarmAt === undefined ? this.#tables.nextDue() : null;
    this.#alarmAt = Math.min(at, known ?? at);
    void this.ctx.storage.setAlarm(this.#alarmAt);
  }
}

const selectKnown = `SELECT o.state, o.last_at, o.rounds, s.digest, s.run, s.state AS held, s.lease_until, s.settled_at
  FROM (SELECT ? AS key, ? AS request) AS asked
  LEFT JOIN originating AS o ON o.key = asked.key
  LEFT JOIN sampling AS s ON s.originating = asked.key AND s.request = asked.request`;

type KnownRow = {
  readonly state: "open" | "ended" | null;
  readonly last_at: number | null;
  readonly rounds: number | null;
  readonly digest: string | null;
  readonly run: string | null;
  readonly held: Reservation["state"] | null;
  readonly lease_until: number | null;
  readonly settled_at: number | null;
};
