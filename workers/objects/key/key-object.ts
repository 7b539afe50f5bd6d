// One API key: its rate and its concurrent requests, whether it is revoked, its grants, what
// depends on it, its sessions, and the runs that an identical request may find.
//
// The arithmetic is shared/policy/limits.ts, share.ts and grant.ts. Rate and leases are kept in
// memory and written once a second, without waiting: a crash may forget the last second's requests
// and never locks a key out. Revocation, dependents, sessions, grants with their uses, the index,
// and the end of a run with its lease are committed before the answer.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import {
  type KeyCalls,
  revokedStatus,
  type Dependent,
  type AdmitInput,
  type AdmitAnswer,
  type BeginAnswer,
  type OverLimit,
  type CountAnswer,
  type CountInput,
  type GivenToAdmit,
  type JurorCase,
  type JurorCaseAnswer,
} from "../../stubs/key-calls.ts";
import type { Grant, GrantPass } from "../../../shared/policy/grant.ts";
import {
  type KeyState,
  type Limits,
  type Refusal,
  callsPerMinuteOf,
  countCalls,
  dropLease,
  emptyKeyState,
  enter,
  hasRoom,
} from "../../../shared/policy/limits.ts";
import { type ShareReport, endShare, giveShare, shareMsLeft } from "../../../shared/policy/share.ts";
import { type CallShare, endCalls, giveCalls } from "../../../shared/policy/call-share.ts";
import { riskAbove } from "../../../shared/policy/risk.ts";
import type { Env } from "../../platform/env.ts";
import { pause } from "../../platform/pause.ts";
import { atMost } from "../at-most.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { keySchema } from "../schema/key-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { KeySessions } from "./key-sessions.ts";
import { KeyGrants } from "./key-grants.ts";
import { KeyJurors } from "./key-jurors.ts";
import { KeyDependents } from "./key-dependents.ts";
import { KeyWindows } from "./key-windows.ts";

const writeEveryMs = 1_000;
const cleanUpEveryMs = 60_000;
/**
 * A key with more runs that an identical request may find gets no shares: a share comes with their
 * digests.
 */
const mostIndexed = 64;
/** A revocation waits this long for what it ends; the alarm ends the rest. */
const revokeWaitMs = 5_000;

export class KeyObject extends StoredObject implements KeyCalls {
  #state: KeyState = emptyKeyState;
  #revoked: boolean;
  #writing = false;
  #cleanUpAt = 0;
  /** Runs by the digest of their request: see `indexRun`. */
  readonly #index = new Map<string, { run: string; expiresAt: number }>();
  readonly #grants: KeyGrants;
  readonly #jurors: KeyJurors;
  readonly #dependents: KeyDependents;
  readonly #sessions: KeySessions;
  readonly #windows: KeyWindows;
  readonly #alarm: ObjectAlarm;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, keySchema);
    this.tables.create();
    this.#grants = new KeyGrants(ctx.storage);
    this.#jurors = new KeyJurors(this.sql);
    this.#windows = new KeyWindows(ctx, () => this.now());
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "key.alarmFailed" });
    this.#dependents = new KeyDependents(env, this.sql, this.clock, this.#alarm);
    this.#sessions = new KeySessions(env, this.sql, this.clock, this.#alarm);
    void this.#alarm.restore();
    this.#revoked = this.sql.exec("SELECT 1 FROM revocation").toArray().length > 0;
    for (const row of this.sql.exec<{ digest: string; run: string; expires_at: number }>("SELECT digest, run, expires_at FROM identical")) {
      this.#index.set(row.digest, { run: row.run, expiresAt: row.expires_at });
    }
    void ctx.blockConcurrencyWhile(async () => {
      this.#state = (await ctx.storage.get<KeyState>("state")) ?? emptyKeyState;
    });
  }

  admit({ run, session, limits, leaseMs, identical, released, reports, shareFor, grants }: AdmitInput): AdmitAnswer {
    if (this.#revoked) return { kind: "revoked" };
    const now = this.now();
    this.#end(released, reports, now);
    const { state, refusal } = enter(this.#state, { id: run, expiresAt: now + leaseMs }, limits, now);
    this.#setState(state);
    if (refusal !== null) return { ...overLimit(refusal, limits), mayLook: this.#count(1, limits, now) === null };
    const found = this.#index.get(identical);
    const passes = grants === undefined ? [] : this.#pass(run, grants, limits);
    const share = shareFor === null ? null : this.#giveShare(shareFor, limits, now);
    return {
      kind: "admitted",
      identical: found !== undefined && found.expiresAt > now ? found.run : null,
      passes,
      share,
      sessionPermitUntil: session === null ? null : this.#permitOf(session, limits),
      hasRoom: hasRoom(this.#state, limits, now),
    };
  }

  #permitOf(session: string, limits: Limits): number | null {
    const begun = this.#sessions.begin(session, limits);
    return begun.kind === "begun" ? begun.until : null;
  }

  /** Stored before the answer leaves: no reset forgets a share that is out. */
  #giveShare(longestMs: number, limits: Limits, now: number): GivenToAdmit | null {
    const indexed = [...this.#index].flatMap(([digest, { expiresAt }]) => (expiresAt > now ? [digest] : []));
    if (indexed.length > mostIndexed) return null;
    const { state, share } = giveShare(this.#state, { id: crypto.randomUUID(), longestMs }, limits, now);
    if (share === null) return null;
    this.#state = state;
    void this.ctx.storage.put("state", state);
    return { share, indexed };
  }

  count({ calls, limits, report, wanted }: CountInput): CountAnswer {
    if (this.#revoked) return { kind: "revoked" };
    const now = this.now();
    if (report !== null) this.#setState(endCalls(this.#state, report, now));
    const refusal = this.#count(calls, limits, now);
    return refusal === null
      ? { kind: "counted", share: wanted > 0 ? this.#giveCalls(wanted, limits, now) : null }
      : overLimit(refusal, limits);
  }

  #count(calls: number, limits: Limits, now: number): Refusal | null {
    const { state, refusal } = countCalls(this.#state, calls, limits, now);
    this.#setState(state);
    return refusal;
  }

  /** Stored before the answer leaves, as `#giveShare` does. */
  #giveCalls(wanted: number, limits: Limits, now: number): CallShare | null {
    const { state, share } = giveCalls(this.#state, { id: crypto.randomUUID(), wanted }, limits, now);
    if (share === null) return null;
    this.#state = state;
    void this.ctx.storage.put("state", state);
    return share;
  }

  #pass(run: string, { query: text, leaseMs }: NonNullable<AdmitInput["grants"]>, limits: Limits): readonly GrantPass[] {
    const now = this.now();
    const query = readJsonOf(text);
    const passes = this.#grants.use(query, now);
    // No reviewer will be asked, whatever the reply says: the lease is needed for the model call
    // alone.
    const isUnasked = passes.every(({ replyRiskAtMost = "high" }) => riskAbove(replyRiskAtMost) === null);
    if (isUnasked && passes.length === query.gates.length)
      this.#setState(enter(this.#state, { id: run, expiresAt: now + leaseMs }, limits, now).state);
    return passes;
  }

  giveGrant(grant: JsonOf<Grant>): void {
    if (!this.#revoked) this.#grants.give(readJsonOf(grant), this.now());
  }

  giveBackGrants(identity: string, run: string): void {
    this.#grants.giveBack(identity, run);
  }

  openJurorCase(question: JurorCase): JurorCaseAnswer {
    return this.#jurors.open(question, this.now());
  }

  jurorRaised(run: string): void {
    this.#jurors.raised(run);
  }

  revokeGrant(id: string): boolean {
    return this.#grants.revoke(id, this.now());
  }

  grants(): JsonOf<readonly Grant[]> {
    return jsonOf(this.#grants.list());
  }

  lastUsedAt(): number | null {
    const { bucket, calls } = this.#state;
    return bucket === null && calls === null ? null : Math.max(bucket?.at ?? 0, calls?.at ?? 0);
  }

  release(runs: readonly string[], reports: readonly ShareReport[]): void {
    this.#end(runs, reports, this.now());
  }

  #end(runs: readonly string[], reports: readonly ShareReport[], now: number): void {
    if (runs.length === 0 && reports.length === 0) return;
    const state = reports.reduce((left, report) => endShare(left, report, now), this.#state);
    this.#setState({ ...state, leases: [...runs.reduce((left, run) => dropLease(left, run, now), state.leases)] });
  }

  indexRun(run: string, digest: string, expiresAt: number | null): void {
    const now = this.now();
    if (expiresAt !== null) {
      this.#index.set(digest, { run, expiresAt });
      this.sql.exec("INSERT OR REPLACE INTO identical (digest, run, expires_at) VALUES (?, ?, ?)", digest, run, expiresAt);
    } else if (this.#index.get(digest)?.run === run) {
      this.#index.delete(digest);
      this.sql.exec("DELETE FROM identical WHERE digest = ? AND run = ?", digest, run);
    }
    if (now >= this.#cleanUpAt) this.#cleanUp(now);
  }

  /** Drops what no request may find any more: once a minute, since it looks at all of it. */
  #cleanUp(now: number): void {
    this.#cleanUpAt = now + cleanUpEveryMs;
    for (const [each, { expiresAt }] of this.#index) if (expiresAt <= now) this.#index.delete(each);
    this.sql.exec("DELETE FROM identical WHERE expires_at <= ?", now);
  }

  beginRun(run: string, digest: string, findableUntil: number | null, leaseMs: number): boolean {
    if (!this.addDependent({ kind: "run", name: run }, null)) return false;
    const now = this.now();
    this.#setState({ ...this.#state, leases: [...dropLease(this.#state.leases, run, now), { id: run, expiresAt: now + leaseMs }] });
    if (findableUntil !== null) this.indexRun(run, digest, findableUntil);
    return true;
  }

  endRun(run: string, digest: string, findableUntil: number | null): void {
    this.#end([run], [], this.now());
    // Its lease is as long as people may take: a crash that brought it back would take the place of
    // other requests for that time.
    void this.ctx.storage.put("state", this.#state);
    this.#dependents.drop({ kind: "run", name: run });
    this.indexRun(run, digest, findableUntil);
  }

  isRevoked(): boolean {
    return this.#revoked;
  }

  addDependent(dependent: Dependent, until: number | null): boolean {
    if (!this.#revoked) this.#dependents.add(dependent, until, this.now());
    return !this.#revoked;
  }

  async revoke(): Promise<void> {
    this.#revoked = true;
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      this.sql.exec("INSERT OR IGNORE INTO revocation (one, at) VALUES (1, ?)", now);
      this.#dependents.queueAll(now);
    });
    for (const { id } of this.#grants.list()) this.#grants.revoke(id, now);
    this.#windows.endAll();
    await Promise.all([atMost(revokeWaitMs, this.alarm()), pause(shareMsLeft(this.#state, now))]);
  }

  beginSession(session: string, limits: Limits): BeginAnswer {
    return this.#revoked ? { kind: "revoked" } : this.#sessions.begin(session, limits);
  }

  sessionEnded(session: string): void {
    this.#sessions.ended(session);
  }

  endSession(session: string): void {
    this.#windows.endSession(session);
  }

  /**
   * Opens a window on the key: a hibernating WebSocket that closes when the key is revoked, and
   * keeps nothing awake until then.
   */
  override async fetch(request: Request): Promise<Response> {
    if (request.headers.get("Upgrade") !== "websocket") return new Response(null, { status: 426 });
    return this.#revoked ? new Response(null, { status: revokedStatus }) : this.#windows.open(request.headers);
  }

  override webSocketMessage(): void {
    // Windows only listen.
  }

  /** Also for a revocation. Throws as `ObjectAlarm.ring` does. */
  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      await Promise.all([this.#dependents.endDue(), this.#sessions.checkDue()]);
      this.#alarm.arm();
    });
  }

  #nextDue(): number | null {
    const times = [this.#dependents.nextDue(), this.#sessions.nextDue()].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** In memory at once, in storage within a second. */
  #setState(state: KeyState): void {
    this.#state = state;
    if (this.#writing) return;
    this.#writing = true;
    setTimeout(() => {
      this.#writing = false;
      void this.ctx.storage.put("state", this.#state, { allowUnconfirmed: true });
    }, writeEveryMs);
  }
}

const overLimit = (refusal: Refusal, limits: Limits): OverLimit => ({
  kind: "refused",
  ...refusal,
  max: refusal.limit === "callsPerMinute" ? callsPerMinuteOf(limits) : limits[refusal.limit],
});
