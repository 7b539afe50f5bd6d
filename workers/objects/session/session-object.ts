// One host's connection, for one API key: which originating requests are open, and which sampling
// requests ran under each.
//
// Keeps ids, digests and counts, and fast-path results for ten minutes; never a prompt.
// shared/association/session.ts decides. Its tables are in objects/schema/session-schema.ts.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type {
  SessionRequest,
  SessionCalls,
  SessionSigns,
  AssociateInput,
  Settled,
  AssociateAnswer,
  InFlightRow,
} from "../../stubs/session-calls.ts";
import type { Originating } from "../../../shared/association/relay-association.ts";
import { isLive, type SessionFacts, type Reservation, associate, originatingLapsesMs } from "../../../shared/association/session.ts";
import type { Outcome, WithdrawCause } from "../../../shared/model/outcome.ts";
import type { Env } from "../../platform/env.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { sessionSchema } from "../schema/session-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { runStub } from "../../stubs/stubs.ts";
import { OriginatingRequests } from "./originating-requests.ts";
import { FastResults } from "./fast-results.ts";
import { InFlightRequests } from "./session-in-flight.ts";
import { RequestIds } from "./request-ids.ts";
import { SessionDeps } from "./session-deps.ts";
import { UnrecordedRequests } from "./unrecorded-requests.ts";
import { Withdrawals } from "./withdrawals.ts";
import { forgettingAt, forgottenAfterMs, resultName, toldAt } from "./session-tables.ts";

export class SessionObject extends StoredObject implements SessionCalls {
  readonly #deps: SessionDeps;
  readonly #alarm: ObjectAlarm;
  readonly #ids: RequestIds;
  readonly #originating: OriginatingRequests;
  readonly #unrecorded: UnrecordedRequests;
  readonly #results: FastResults;
  readonly #inFlight: InFlightRequests;
  readonly #withdrawals: Withdrawals;
  #ended: boolean;
  #begun: boolean;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, sessionSchema);
    const deps = new SessionDeps(ctx, env, this.tables, this.clock);
    this.#deps = deps;
    this.#ids = new RequestIds(deps);
    this.#originating = new OriginatingRequests(deps);
    this.#unrecorded = new UnrecordedRequests(deps);
    this.#results = new FastResults(deps, this.#unrecorded);
    this.#inFlight = new InFlightRequests(deps);
    this.#withdrawals = new Withdrawals(deps);
    this.#ended = deps.tables.isEnded();
    this.#begun = deps.tables.isBegun();
    this.#alarm = this.alarmFor({ nextDue: () => deps.tables.nextDue(), failed: "session.alarmFailed" });
    void this.#alarm.restore();
  }

  associate(question: JsonOf<AssociateInput>): JsonOf<AssociateAnswer> {
    return jsonOf(this.#associate(readJsonOf(question)));
  }

  #associate(input: AssociateInput): AssociateAnswer {
    if (input.settled.length > 0) this.#results.settle(input.settled);
    const now = this.now();
    const verdict = associate(this.#known(input), input, now);
    switch (verdict.kind) {
      case "fresh":
      case "takenOver":
        if (input.reservation !== null && !this.#ids.mayReserve(input.reservation, input.digest)) return { kind: "conflict" };
        if (input.reserve && !this.#mayBegin(input, now)) return { kind: "notBegun" };
        if (input.reserve && input.reservation !== null) this.reserveRequestId(input.reservation, input.digest);
        if (input.reserve) this.#reserve(input, verdict, now);
        return { kind: "fresh", takenOver: verdict.kind === "takenOver" };
      case "repeat": {
        const { run, state, ended } = verdict.reservation;
        return { kind: "repeat", run, state, ended, result: state === "settled" ? this.#results.resultOf(input) : null };
      }
      case "conflict":
      case "ended":
      case "tooManyRounds":
        return verdict;
      default:
        return verdict satisfies never;
    }
  }

  settle(answers: JsonOf<readonly Settled[]>): void {
    this.#results.settle(readJsonOf(answers));
  }

  awaitResult(originating: string, request: string, waitMs: number): Promise<JsonOf<Outcome> | null> {
    return this.#results.awaitResult(originating, request, waitMs);
  }

  reserveRequestId(id: string, digest: string): boolean {
    return this.#ids.reserve(id, digest);
  }

  releaseRequestId(id: string, digest: string): void {
    this.#ids.release(id, digest);
  }

  openInFlight(requests: readonly InFlightRow[], holder: string): void {
    this.#inFlight.open(requests, holder);
  }

  resumeInFlight(request: string, holder: string): void {
    this.#inFlight.resume(request, holder);
  }

  renewInFlight(holder: string): void {
    this.#inFlight.renew(holder);
  }

  leaveInFlight(holder: string): void {
    this.#inFlight.leave(holder);
  }

  keepTask(id: string, named: JsonOf<Originating>): void {
    this.#inFlight.keepTask(id, named);
  }

  taskServes(id: string): JsonOf<Originating> | null {
    return this.#inFlight.taskServes(id);
  }

  runsOf(keys: string, from: number, most: number): string[] {
    if (!this.#deps.tables.exist) return [];
    return this.#deps.sql
      .exec<{ run: string }>(
        "SELECT run FROM sampling WHERE originating >= ?1 AND originating < ?1 || '~' AND state = 'durable' ORDER BY at DESC LIMIT ?2 OFFSET ?3",
        keys,
        most,
        from,
      )
      .toArray()
      .map(({ run }) => run);
  }

  keepInstructions(text: string): void {
    this.#inFlight.keepInstructions(text);
  }

  instructions(): string | null {
    return this.#inFlight.instructions();
  }

  keepLogLevel(level: string): void {
    this.#inFlight.keepLogLevel(level);
  }

  logLevel(): string | null {
    return this.#inFlight.logLevel();
  }

  associationSigns(task: string | null): SessionSigns {
    return this.#inFlight.associationSigns(task);
  }

  forget({ originating, request, run }: SessionRequest & { run: string }, reservation: string | null, isAnswered: boolean): void {
    if (!this.#deps.tables.exist) return;
    this.ctx.storage.transactionSync(() => {
      if (isAnswered) this.#unrecorded.keep({ originating, request });
      const dropped = this.#deps.sql
        .exec(
          "DELETE FROM sampling WHERE originating = ? AND request = ? AND run = ? AND settled_at IS NULL RETURNING run",
          originating,
          request,
          run,
        )
        .toArray();
      if (dropped.length === 0) return;
      if (reservation !== null) this.#deps.sql.exec("DELETE FROM request_id WHERE id = ?", reservation);
      this.#deps.sql.exec("DELETE FROM withdrawal WHERE originating = ? AND request = ?", originating, request);
    });
    this.#originating.changed(originating);
    this.#results.release(resultName({ originating, request }), null);
  }

  async adopted(originating: string, request: string, run: string): Promise<void> {
    if (!this.#deps.tables.exist) return;
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.#deps.sql.exec(
        "UPDATE sampling SET state = 'durable', run = ?, unrecorded = NULL WHERE originating = ? AND request = ?",
        run,
        originating,
        request,
      );
      const ended = this.#originating.known(originating)?.state === "ended";
      if (this.#ended || ended)
        this.#withdrawals.queue(
          "originating = ? AND request = ?",
          [originating, request],
          this.#ended ? "session" : "originatingRequest",
          now,
        );
    });
    this.#results.release(resultName({ originating, request }), null);
    await this.#withdrawals.send();
  }

  runEnded(run: string, requests: readonly SessionRequest[]): void {
    if (!this.#deps.tables.exist) return;
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      for (const { originating, request } of requests) {
        this.#deps.sql.exec(
          "UPDATE sampling SET settled_at = ?, state = 'durable', run = ?, unrecorded = NULL WHERE originating = ? AND request = ? AND settled_at IS NULL",
          now,
          run,
          originating,
          request,
        );
      }
    });
    this.#deps.alarmBy(now + originatingLapsesMs);
  }

  async endOriginating(ended: readonly string[], cause: WithdrawCause, begins: boolean): Promise<boolean> {
    if (!this.#deps.tables.exist && !begins) return false;
    this.#deps.tables.create();
    const now = this.now();
    try {
      this.ctx.storage.transactionSync(() => {
        for (const originating of ended) {
          this.#originating.end(originating, now);
          this.#inFlight.closeFor(originating);
          this.#withdrawals.queue("originating = ?", [originating], cause, now);
        }
      });
    } catch (error) {
      this.#originating.undone();
      throw error;
    }
    await this.#withdrawals.send();
    return true;
  }

  openOriginating(key: string, mustBeInFlight: boolean): boolean {
    if (this.#ended || (mustBeInFlight && !this.#inFlight.has(key))) return false;
    this.#deps.tables.create();
    const now = this.now();
    const known = this.#originating.known(key);
    if (known === null ? this.#originating.isFull() : !isLive(known, now)) return false;
    this.ctx.storage.transactionSync(() => {
      this.#inFlight.write();
      this.#originating.addRounds(key, now, 0);
    });
    this.#originating.changed(key);
    this.#deps.alarmBy(now + originatingLapsesMs);
    return true;
  }

  async closeInFlight(requests: readonly string[], goesOn: boolean): Promise<void> {
    for (const request of requests) {
      const originating = this.#inFlight.close(request);
      if (goesOn || originating === null || !this.#deps.tables.exist) continue;
      if (this.#originating.known(originating)?.state === "open") await this.endOriginating([originating], "originatingRequest", true);
    }
  }

  /** A session that its key counts begins only with its key's leave. */
  #mayBegin({ sessionPermitUntil }: AssociateInput, now: number): boolean {
    if (this.#begun || sessionPermitUntil === undefined) return true;
    this.#begun = sessionPermitUntil !== null && now < sessionPermitUntil;
    return this.#begun;
  }

  isAlive(): boolean {
    return this.#begun && !this.#ended;
  }

  isEnded(): boolean {
    return this.#ended;
  }

  async endSession(begins: boolean): Promise<boolean> {
    if (!this.#deps.tables.exist && !begins) return false;
    this.#deps.tables.create();
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.#deps.sql.exec("INSERT OR IGNORE INTO session (one, ended_at) VALUES (1, ?)", now);
      this.ctx.storage.kv.delete("instructions");
      this.#inFlight.closeAll();
      this.#withdrawals.queue("TRUE", [], "session", now);
    });
    this.#ended = true;
    await this.#withdrawals.send();
    return true;
  }

  async cancelRequest(request: string, originating: string | null): Promise<boolean> {
    const now = this.now();
    const named = this.#openUnder(request, originating);
    if (named === undefined) return false;
    this.ctx.storage.transactionSync(() => this.#withdrawals.queue("request = ? AND originating = ?", [request, named], "caller", now));
    await this.#withdrawals.send();
    return true;
  }

  async abandonRequest(request: string, originating: string | null): Promise<void> {
    const now = this.now();
    const named = this.#openUnder(request, originating);
    if (named === undefined) return;
    // Settled first, so that the end of the originating request, which comes next, finds nothing to
    // withdraw.
    const [row] = this.#deps.sql
      .exec<{ run: string }>(
        "UPDATE sampling SET settled_at = ? WHERE request = ? AND originating = ? AND state = 'durable' AND settled_at IS NULL RETURNING run",
        now,
        request,
        named,
      )
      .toArray();
    if (row === undefined) return;
    this.#deps.alarmBy(now + originatingLapsesMs);
    if (await runStub(this.env, row.run).abandon()) return;
    this.#deps.sql.exec("UPDATE sampling SET settled_at = NULL WHERE request = ? AND originating = ? AND run = ?", request, named, row.run);
    await this.cancelRequest(request, named);
  }

  /**
   * The originating request of the one open run that this id names: two servers of a session may
   * use the same id.
   */
  #openUnder(request: string, originating: string | null): string | undefined {
    if (!this.#deps.tables.exist) return undefined;
    const open = this.#deps.sql
      .exec<{ originating: string }>(
        "SELECT originating FROM sampling WHERE request = ? AND state = 'durable' AND settled_at IS NULL",
        request,
      )
      .toArray()
      .filter((row) => originating === null || row.originating === originating);
    return open.length === 1 ? open[0]?.originating : undefined;
  }

  override async alarm(): Promise<void> {
    this.#deps.alarmCame();
    await this.#alarm.ring(async () => {
      // First: what the record may lack is not forgotten. Where it cannot be told, the rest is
      // done.
      const telling = this.#unrecorded.tell();
      await telling.catch(() => {});
      await this.#deps.tables.forget(this.now(), this.#originating);
      this.#ended = this.#deps.tables.isEnded();
      this.#begun = this.#deps.tables.isBegun();
      await this.#withdrawals.send();
      await telling;
    });
  }

  #known({ originating, request, alone }: AssociateInput): SessionFacts {
    const mayBeThere = this.#deps.names.mayHave(resultName({ originating, request })) && this.#deps.tables.exist;
    const [row] = mayBeThere ? this.#deps.sql.exec<ReservationRow>(selectReservation, originating, request).toArray() : [];
    const known = alone ? null : this.#originating.known(originating);
    return {
      // One that is full is over for what it does not know.
      sessionEnded: this.#ended || (known === null && !alone && this.#originating.isFull()),
      originating: known,
      reservation:
        row === undefined
          ? null
          : { digest: row.digest, run: row.run, state: row.state, leaseUntil: row.lease_until, ended: row.settled_at !== null },
    };
  }

  /**
   * A run's reservation is confirmed before the run is opened; one of a model call from the Worker
   * is written while the model is called.
   */
  #reserve(input: AssociateInput, verdict: Reserved, now: number): void {
    this.#deps.names.add(resultName(input), input.originating);
    if (input.durable || input.reservation !== null) this.#writeReservation(input, verdict, now);
    else this.#deps.writeAfterAnswer(() => this.#writeReservation(input, verdict, now));
    if (!input.alone) this.#originating.sampled(input.originating, verdict.rounds, now);
  }

  #writeReservation(input: AssociateInput, { kind, reservation }: Reserved, now: number): void {
    this.#deps.tables.create();
    this.#inFlight.write();
    if (input.sessionPermitUntil !== undefined) this.#deps.tables.begin();
    if (kind === "takenOver") this.#unrecorded.keep(input);
    this.#deps.sql.exec(
      `INSERT OR REPLACE INTO sampling (originating, request, digest, run, state, at, rounds, lease_until, settled_at, kept, unrecorded)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?)`,
      input.originating,
      input.request,
      reservation.digest,
      reservation.run,
      reservation.state,
      now,
      input.alone ? 0 : 1,
      reservation.leaseUntil,
      input.facts === null ? null : jsonOf(input.facts),
    );
    this.#deps.alarmBy(
      input.facts === null ? forgettingAt(now + forgottenAfterMs) : toldAt(kind === "takenOver" ? now : reservation.leaseUntil),
    );
  }
}

const selectReservation = "SELECT digest, run, state, lease_until, settled_at FROM sampling WHERE originating = ? AND request = ?";

type Reserved = Extract<ReturnType<typeof associate>, { reservation: Reservation; rounds: number }>;

type ReservationRow = {
  readonly digest: string;
  readonly run: string;
  readonly state: Reservation["state"];
  readonly lease_until: number;
  readonly settled_at: number | null;
};
