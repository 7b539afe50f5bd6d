// The tables of one run, which RunObject reads and writes. It decides nothing. Described in docs/storage-schema.md.

import type { ScheduleKind, OutboxKind } from "../../stubs/run-calls.ts";
import type { LinkRow } from "../../channels/channel.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import { type Json, digestOf, toBase64url } from "../../../shared/encoding.ts";
import { type RecordEvent, type RecordFact, chainEvents } from "../../../shared/record/record.ts";
import type { SamplingReply } from "../../../shared/model/sampling.ts";
import type { ShownVersion } from "../../../shared/review/view.ts";
import type { RunState } from "../../../shared/run/lifecycle.ts";
import type { RequestRef, RequestVersion, RunInput } from "../../../shared/run/run-input.ts";
import { LongTexts } from "../long-text.ts";

/** The input without the request, which is stored as the first version of the content. */
export type StoredInput = Omit<RunInput, "request">;

export type NewLink = Pick<LinkRow, "gate" | "reviewer" | "channel" | "expiresAtSeconds" | "receipt"> & {
  readonly random: Uint8Array;
  readonly createdAt: number;
};

/** An effect outside this object. Rows of one chain are performed in order; a row that fails delays its chain and no other. */
export type OutboxRow = {
  readonly id: number;
  readonly chain: string;
  readonly kind: OutboxKind;
  readonly detail: Json;
  readonly attempts: number;
  readonly dueAt: number;
};
/** A row as stored: its detail is parsed at the attempt, so that an unreadable one delays its own chain alone. */
export type StoredRow = Omit<OutboxRow, "detail"> & { readonly detail: string };

type Texts = "input" | "outcome" | "model" | `request:${number}` | `reply:${number}`;

export class RunStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #texts: LongTexts;

  #created: boolean;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#texts = new LongTexts(this.#sql, "content");
    this.#created = this.#hasTables();
  }

  #hasTables(): boolean {
    return this.#sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'run'").toArray().length > 0;
  }

  /** The tables are created with the run: asking for an unknown run writes nothing. */
  createTables(): void {
    for (const table of [
      "run (one INTEGER PRIMARY KEY CHECK (one = 1), state TEXT NOT NULL, delivered_at INTEGER, delivered_to INTEGER, requestor_gone INTEGER NOT NULL DEFAULT 0)",
      "version (gate TEXT NOT NULL, version INTEGER NOT NULL, by TEXT, at INTEGER NOT NULL, PRIMARY KEY (gate, version)) WITHOUT ROWID",
      "link (id TEXT PRIMARY KEY, gate TEXT NOT NULL, reviewer INTEGER NOT NULL, channel TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked_at INTEGER, notice TEXT NOT NULL, receipt TEXT) WITHOUT ROWID",
      "nonce (id TEXT PRIMARY KEY, form TEXT NOT NULL, used_at INTEGER NOT NULL) WITHOUT ROWID",
      "outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, chain TEXT NOT NULL, kind TEXT NOT NULL, detail TEXT NOT NULL, attempts INTEGER NOT NULL, due_at INTEGER NOT NULL)",
      "schedule (kind TEXT PRIMARY KEY, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL) WITHOUT ROWID",
      "event (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, fact TEXT NOT NULL, hash TEXT NOT NULL, shipped INTEGER NOT NULL)",
      "request_ref (session TEXT NOT NULL, originating TEXT NOT NULL, request TEXT NOT NULL, PRIMARY KEY (session, originating, request)) WITHOUT ROWID",
    ]) {
      this.#sql.exec(`CREATE TABLE IF NOT EXISTS ${table}`);
    }
    this.#sql.exec("CREATE UNIQUE INDEX IF NOT EXISTS link_live ON link (gate, reviewer, channel) WHERE revoked_at IS NULL");
    this.#texts.createTable();
    this.#created = true;
  }

  async deleteAll(): Promise<void> {
    try {
      const deleted = this.#storage.deleteAll();
      this.#created = false;
      await deleted;
    } catch (error) {
      this.#created = this.#hasTables();
      throw error;
    }
  }

  transaction<T>(work: () => T): T {
    try {
      return this.#storage.transactionSync(work);
    } catch (error) {
      // Tables that were created inside are rolled back.
      this.#created = this.#hasTables();
      throw error;
    }
  }

  // The run itself

  /** Whether there is a run, readable or not. */
  exists(): boolean {
    return this.#created;
  }

  state(): RunState | null {
    if (!this.#created) return null;
    const [row] = this.#sql.exec<{ state: string }>("SELECT state FROM run").toArray();
    return row === undefined ? null : (JSON.parse(row.state) as RunState); // written by writeState
  }

  writeState(state: RunState): void {
    this.#sql.exec(
      "INSERT INTO run (one, state) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET state = excluded.state",
      JSON.stringify(state),
    );
  }

  /** When the outcome was delivered, and to how many requestors; null while it may not be delivered. */
  delivery(): { readonly at: number; readonly to: number } | null {
    return (
      this.#sql
        .exec<{ at: number; to: number }>('SELECT delivered_at AS at, delivered_to AS "to" FROM run WHERE delivered_at IS NOT NULL')
        .toArray()[0] ?? null
    );
  }

  markDelivered(at: number, to: number): void {
    this.#sql.exec("UPDATE run SET delivered_at = ?, delivered_to = ? WHERE delivered_at IS NULL", at, to);
  }

  /** An outcome that no requestor received at its delivery has been received: it is no longer kept for an identical request. */
  markReceived(): void {
    this.#sql.exec("UPDATE run SET delivered_to = 1 WHERE delivered_to = 0");
  }

  /** Whether the record has that no requestor waits. */
  isRequestorGone(): boolean {
    return this.#created && this.#sql.exec("SELECT 1 FROM run WHERE requestor_gone = 1").toArray().length > 0;
  }

  markRequestor(gone: boolean): void {
    this.#sql.exec("UPDATE run SET requestor_gone = ?", gone ? 1 : 0);
  }

  // Content

  #json<T>(name: Texts): T | null {
    const text = this.#texts.read(name);
    return text === undefined ? null : (JSON.parse(text) as T); // each name is written by one method below
  }

  input = (): StoredInput | null => this.#json("input");
  writeInput = (input: StoredInput): void => this.#texts.write("input", JSON.stringify(input));

  requestVersion = (version: number): RequestVersion | null => this.#json(`request:${version}`);
  writeRequestVersion(version: number, content: RequestVersion, by: string | null, at: number): void {
    this.#texts.write(`request:${version}`, JSON.stringify(content));
    this.#sql.exec("INSERT OR REPLACE INTO version (gate, version, by, at) VALUES ('request', ?, ?, ?)", version, by, at);
  }

  replyVersion = (version: number): SamplingReply | null => this.#json(`reply:${version}`);
  writeReplyVersion(version: number, content: SamplingReply, by: string | null, at: number): void {
    this.#texts.write(`reply:${version}`, JSON.stringify(content));
    this.#sql.exec("INSERT OR REPLACE INTO version (gate, version, by, at) VALUES ('response', ?, ?, ?)", version, by, at);
  }

  /** Deletes a denied reply, also the copy that came from the cache. */
  deleteReplies(): void {
    for (const { version } of this.versions("response")) this.#texts.delete(`reply:${version}`);
    const input = this.input();
    if (input?.cache?.found === undefined) return;
    const { found: _denied, ...cache } = input.cache;
    this.writeInput({ ...input, cache });
  }

  versions(gate: Gate): ShownVersion[] {
    return this.#sql.exec<ShownVersion>("SELECT version, by, at FROM version WHERE gate = ? ORDER BY version", gate).toArray();
  }

  /** The reply's candidate, usage and notes: JSON that RunObject wrote. */
  modelFacts = <T>(): T | null => this.#json<T>("model");
  writeModelFacts = (facts: unknown): void => this.#texts.write("model", JSON.stringify(facts));

  outcome = (): string | undefined => this.#texts.read("outcome");
  writeOutcome = (outcome: string): void => this.#texts.write("outcome", outcome);

  // Links and nonces

  /** The links of a gate that are not revoked. */
  links(gate: Gate): LinkRow[] {
    return this.#sql.exec<LinkRow>(`${selectLink} WHERE gate = ? AND revoked_at IS NULL`, gate).toArray();
  }

  /** A link by its id, revoked ones too. */
  link(id: string): LinkRow | null {
    return this.#sql.exec<LinkRow>(`${selectLink} WHERE id = ?`, id).toArray()[0] ?? null;
  }

  /** Adds the one live link of a reviewer, gate and channel; null where there is one already, which stays. */
  addLink(link: NewLink): LinkRow | null {
    const id = toBase64url(link.random);
    const added = this.#sql.exec(
      "INSERT OR IGNORE INTO link (id, gate, reviewer, channel, created_at, expires_at, revoked_at, notice, receipt) VALUES (?, ?, ?, ?, ?, ?, NULL, 'queued', ?) RETURNING id",
      id,
      link.gate,
      link.reviewer,
      link.channel,
      link.createdAt,
      link.expiresAtSeconds,
      link.receipt,
    );
    return added.toArray().length === 0 ? null : this.link(id);
  }

  revokeLink(id: string, at: number): void {
    this.#sql.exec("UPDATE link SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL", at, id);
  }

  /** How many links of a reviewer on a channel were replaced since then. */
  revokedSince({ gate, reviewer, channel }: Pick<LinkRow, "gate" | "reviewer" | "channel">, since: number): number {
    return this.#sql
      .exec<{
        n: number;
      }>(
        "SELECT COUNT(*) AS n FROM link WHERE gate = ? AND reviewer = ? AND channel = ? AND revoked_at > ?",
        gate,
        reviewer,
        channel,
        since,
      )
      .one().n;
  }

  /** Stores whether a link's notice was sent. A later failure does not undo an earlier success; a receipt stays until the next one. */
  markNotice(link: string, notice: "sent" | "failed", receipt: string | null): void {
    this.#sql.exec(
      "UPDATE link SET notice = CASE WHEN notice = 'sent' THEN 'sent' ELSE ? END, receipt = COALESCE(?, receipt) WHERE id = ?",
      notice,
      receipt,
      link,
    );
  }

  /** The digest of the form that used this nonce, or null where it is unused. */
  usedNonce(nonce: string): string | null {
    return this.#sql.exec<{ form: string }>("SELECT form FROM nonce WHERE id = ?", nonceKey(nonce)).toArray()[0]?.form ?? null;
  }

  useNonce(nonce: string, form: string, at: number): void {
    this.#sql.exec("INSERT INTO nonce (id, form, used_at) VALUES (?, ?, ?)", nonceKey(nonce), form, at);
  }

  // Events

  appendEvents(run: string, at: number, facts: readonly RecordFact[]): void {
    const [last] = this.#sql.exec<{ seq: number; hash: string }>("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").toArray();
    this.#writeEvents(chainEvents(run, last ?? null, at, facts));
  }

  /** Stores events that the fast path wrote, so that later ones are chained to them. */
  continueEvents(events: readonly RecordEvent[]): void {
    this.#writeEvents(events);
  }

  #writeEvents(events: readonly RecordEvent[]): void {
    for (const { seq, at, fact, hash } of events) {
      this.#sql.exec("INSERT INTO event (seq, at, fact, hash, shipped) VALUES (?, ?, ?, ?, 0)", seq, at, JSON.stringify(fact), hash);
    }
  }

  /** Whether the record has that this reviewer opened the link of this channel. */
  wasOpened(gate: Gate, reviewer: string, channel: string): boolean {
    const opened = "json_extract(fact, '$.kind') = 'opened' AND json_extract(fact, '$.gate') = ?";
    const by = "json_extract(fact, '$.reviewer') = ? AND json_extract(fact, '$.channel') = ?";
    return this.#sql.exec(`SELECT 1 FROM event WHERE ${opened} AND ${by} LIMIT 1`, gate, reviewer, channel).toArray().length > 0;
  }

  unshippedEvents(run: string): RecordEvent[] {
    return this.#sql
      .exec<{ seq: number; at: number; fact: string; hash: string }>("SELECT seq, at, fact, hash FROM event WHERE shipped = 0 ORDER BY seq")
      .toArray()
      .map(({ seq, at, fact, hash }) => ({ run, seq, at, fact: JSON.parse(fact) as RecordFact, hash })); // written by appendEvents
  }

  markShipped(upTo: number): void {
    this.#sql.exec("UPDATE event SET shipped = 1 WHERE seq <= ?", upTo);
  }

  // Requests that the run answers

  addRequestRef({ session, originating, request }: RequestRef): void {
    this.#sql.exec("INSERT OR IGNORE INTO request_ref (session, originating, request) VALUES (?, ?, ?)", session, originating, request);
  }

  removeRequestRef({ session, originating, request }: RequestRef): void {
    this.#sql.exec("DELETE FROM request_ref WHERE session = ? AND originating = ? AND request = ?", session, originating, request);
  }

  requestRefs(): RequestRef[] {
    return this.#sql.exec<RequestRef>("SELECT session, originating, request FROM request_ref").toArray();
  }

  // Outbox and schedule

  queue(kind: OutboxKind, chain: string, detail: Json, dueAt: number): void {
    this.#sql.exec(
      "INSERT INTO outbox (chain, kind, detail, attempts, due_at) VALUES (?, ?, ?, 0, ?)",
      chain,
      kind,
      JSON.stringify(detail),
      dueAt,
    );
  }

  /** The first row of each chain, where it is due. */
  dueRows(now: number): StoredRow[] {
    return this.#sql
      .exec<StoredRow>(
        "SELECT id, chain, kind, detail, attempts, due_at AS dueAt FROM outbox WHERE id IN (SELECT MIN(id) FROM outbox GROUP BY chain) AND due_at <= ? ORDER BY id",
        now,
      )
      .toArray();
  }

  /** Counts an attempt and sets the next. Committed before the attempt, so that one that is cut off counts. */
  postpone(id: number, dueAt: number): void {
    this.#sql.exec("UPDATE outbox SET attempts = attempts + 1, due_at = ? WHERE id = ?", dueAt, id);
  }

  /** Sets the time that the other side named, and does not count the attempt. */
  wait(id: number, dueAt: number): void {
    this.#sql.exec("UPDATE outbox SET attempts = MAX(attempts - 1, 0), due_at = ? WHERE id = ?", dueAt, id);
  }

  /** Sets the earliest time of the next attempt; the last one counts. */
  delay(id: number, dueAt: number): void {
    this.#sql.exec("UPDATE outbox SET due_at = MAX(due_at, ?) WHERE id = ?", dueAt, id);
  }

  done(id: number): void {
    // The run may have been deleted during the attempt.
    if (this.#created) this.#sql.exec("DELETE FROM outbox WHERE id = ?", id);
  }

  /** Makes rows that were attempted due at once. */
  runNow(kind: OutboxKind, now: number): void {
    this.#sql.exec("UPDATE outbox SET due_at = ? WHERE kind = ? AND attempts > 0 AND due_at > ?", now, kind, now);
  }

  dropQueued(kind: OutboxKind): void {
    this.#sql.exec("DELETE FROM outbox WHERE kind = ?", kind);
  }

  schedule(kind: ScheduleKind, dueAt: number): void {
    this.#sql.exec(
      "INSERT INTO schedule (kind, due_at, attempts) VALUES (?, ?, 0) ON CONFLICT (kind) DO UPDATE SET due_at = excluded.due_at, attempts = 0",
      kind,
      dueAt,
    );
  }

  unschedule(kind: ScheduleKind): void {
    this.#sql.exec("DELETE FROM schedule WHERE kind = ?", kind);
  }

  /** Stops a gate's clock. */
  unscheduleGate(gate: Gate): void {
    this.#sql.exec("DELETE FROM schedule WHERE kind LIKE ?", `%:${gate}`);
  }

  isScheduled(kind: ScheduleKind): boolean {
    return this.#sql.exec("SELECT 1 FROM schedule WHERE kind = ?", kind).toArray().length > 0;
  }

  /** The due rows, the longest overdue first. `attempts`: how often each failed. */
  dueSchedule(now: number): { kind: ScheduleKind; attempts: number }[] {
    return this.#sql
      .exec<{ kind: ScheduleKind; attempts: number }>("SELECT kind, attempts FROM schedule WHERE due_at <= ? ORDER BY due_at", now)
      .toArray();
  }

  /** Counts a failure and sets the next attempt. */
  postponeSchedule(kind: ScheduleKind, dueAt: number): void {
    this.#sql.exec("UPDATE schedule SET attempts = attempts + 1, due_at = ? WHERE kind = ?", dueAt, kind);
  }

  /** Whether the run's retention time is over. */
  dueForget(now: number): boolean {
    return this.#created && this.#sql.exec("SELECT 1 FROM schedule WHERE kind = 'forget' AND due_at <= ?", now).toArray().length > 0;
  }

  /** When the schedule is due next, in Unix milliseconds; null where it is empty. */
  nextScheduled(): number | null {
    if (!this.#created) return null;
    return this.#sql.exec<{ at: number | null }>("SELECT MIN(due_at) AS at FROM schedule").one().at;
  }

  /** When the first row of each chain is due. */
  nextRows(): { chain: string; dueAt: number }[] {
    if (!this.#created) return [];
    return this.#sql
      .exec<{ chain: string; dueAt: number }>(
        "SELECT chain, due_at AS dueAt FROM outbox WHERE id IN (SELECT MIN(id) FROM outbox GROUP BY chain)",
      )
      .toArray();
  }
}

const selectLink = "SELECT id, gate, reviewer, channel, expires_at AS expiresAtSeconds, revoked_at AS revokedAt, notice, receipt FROM link";

const nonceKey = (nonce: string): string => digestOf("countersign/used-nonce/v1", nonce);
