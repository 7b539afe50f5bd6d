// One of sixteen shards of the record: events without content, a summary line for each request, the index of open runs and notices.
//
// Appending is idempotent: a run's events are keyed by run and number, its summary and notices by their ids.

import type { LedgerCalls, LedgerEntry, Expected, Flood, RunsQuery, NoticesQuery } from "../stubs/ledger-calls.ts";
import { DurableObject } from "cloudflare:workers";
import { type RecordEvent, type RecordFact, type RunSummary, chainEvents } from "../../shared/record/record.ts";
import type { Env } from "../platform/env.ts";
import { ObjectAlarm } from "./alarm.ts";

const keptMs = 400 * 24 * 3_600_000;
const cleanUpEveryMs = 24 * 3_600_000;

/** Workers report a flood's count within a quarter of a second; this leaves time for slow ones. */
const floodSettlesMs = 30_000;

const stateOf = "json_extract(text, '$.state')";
const serverOf = "json_extract(text, '$.server')";
const summaryIndexes = {
  created: "(created_at)",
  open: "(created_at) WHERE ended_at IS NULL",
  of_key: "(key, created_at)",
  of_state: `(${stateOf}, created_at)`,
  of_server: `(${serverOf}, created_at)`,
};

export class LedgerObject extends DurableObject<Env> implements LedgerCalls {
  now = (): number => Date.now();
  random = (): number => Math.random();
  readonly #sql: SqlStorage;
  readonly #alarm: ObjectAlarm;
  #alarmSet = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS event (run TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, fact TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (run, seq)) WITHOUT ROWID`,
    );
    this.#sql.exec(`CREATE INDEX IF NOT EXISTS event_at ON event (at)`);
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS summary (run TEXT PRIMARY KEY, created_at INTEGER NOT NULL, ended_at INTEGER, key TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID`,
    );
    // One index for each filter, newest first; rows are scanned where several filters are combined.
    for (const [name, columns] of Object.entries(summaryIndexes))
      this.#sql.exec(`CREATE INDEX IF NOT EXISTS summary_${name} ON summary ${columns}`);
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS flood (run TEXT PRIMARY KEY, until INTEGER NOT NULL, count INTEGER NOT NULL, written INTEGER NOT NULL, text TEXT NOT NULL) WITHOUT ROWID`,
    );
    this.#sql.exec(
      `CREATE TABLE IF NOT EXISTS notice (id TEXT PRIMARY KEY, at INTEGER NOT NULL, run TEXT NOT NULL, text TEXT NOT NULL) WITHOUT ROWID`,
    );
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS expected (run TEXT PRIMARY KEY, due_at INTEGER NOT NULL) WITHOUT ROWID`);
    this.#sql.exec(`CREATE INDEX IF NOT EXISTS expected_due ON expected (due_at)`);
    this.#alarm = new ObjectAlarm({
      storage: ctx.storage,
      now: () => this.now(),
      random: () => this.random(),
      nextDue: () => (this.#isEmpty() ? null : this.now() + cleanUpEveryMs),
      failed: "ledger.alarmFailed",
    });
    void this.#alarm.restore();
  }

  append(entries: string): void {
    const parsed = JSON.parse(entries) as LedgerEntry[]; // written by our own objects
    this.ctx.storage.transactionSync(() => {
      for (const { events, summary, notices, flood, expected } of parsed) {
        this.#write(events);
        if (flood !== undefined) this.#count(flood);
        if (summary !== null) {
          // A late repeat of an earlier line never reopens a run that has ended.
          this.#sql.exec(
            `INSERT INTO summary (run, created_at, ended_at, key, text) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (run) DO UPDATE SET ended_at = excluded.ended_at, text = excluded.text WHERE summary.ended_at IS NULL`,
            summary.run,
            summary.createdAt,
            summary.endedAt,
            summary.key,
            JSON.stringify(summary),
          );
        }
        for (const notice of notices ?? []) {
          this.#sql.exec(
            "INSERT INTO notice (id, at, run, text) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET text = json_set(excluded.text, '$.at', notice.at)",
            notice.id,
            notice.at,
            notice.run,
            JSON.stringify(notice),
          );
        }
        if (expected !== undefined) this.#expect(expected.run, expected.dueAt);
      }
    });
    if (!this.#alarmSet) {
      this.#alarmSet = true;
      this.ctx.waitUntil(this.#alarm.restore());
    }
  }

  #expect(run: string, dueAt: number | null): void {
    if (dueAt === null) this.#sql.exec("DELETE FROM expected WHERE run = ?", run);
    else this.#sql.exec("INSERT OR REPLACE INTO expected (run, due_at) VALUES (?, ?)", run, dueAt);
  }

  overdue(before: number, limit: number): Expected[] {
    return this.#sql
      .exec<Expected>("SELECT run, due_at AS dueAt FROM expected WHERE due_at < ? ORDER BY due_at, run LIMIT ?", before, limit)
      .toArray();
  }

  lookedAfter(was: Expected, dueAt: number | null): void {
    this.ctx.storage.transactionSync(() => {
      const rows = this.#sql.exec("SELECT 1 FROM expected WHERE run = ? AND due_at = ?", was.run, was.dueAt).toArray();
      if (rows.length > 0) this.#expect(was.run, dueAt);
    });
  }

  #write(events: readonly RecordEvent[]): void {
    for (const { run, seq, at, fact, hash } of events)
      this.#sql.exec(
        "INSERT OR IGNORE INTO event (run, seq, at, fact, hash) VALUES (?, ?, ?, ?, ?)",
        run,
        seq,
        at,
        JSON.stringify(fact),
        hash,
      );
  }

  /** Stores a flood's count. Its summary line has it at once, its event when the minute is over. */
  #count(flood: Flood): void {
    const { run, key, reason, since, until } = flood;
    const { count } = this.#sql
      .exec<{ count: number }>(
        `INSERT INTO flood (run, until, count, written, text) VALUES (?, ?, ?, 0, ?)
         ON CONFLICT (run) DO UPDATE SET count = MAX(count, excluded.count) RETURNING count`,
        run,
        until,
        flood.count,
        JSON.stringify(flood),
      )
      .one();
    const line: RunSummary = {
      run,
      key,
      server: null,
      name: null,
      createdAt: since,
      endedAt: until,
      state: "refused",
      cause: { kind: "refusedMany", reason, count },
      model: null,
      inputTokens: 0,
      outputTokens: 0,
      costUsd: 0,
    };
    this.#sql.exec(
      `INSERT OR REPLACE INTO summary (run, created_at, ended_at, key, text) VALUES (?, ?, ?, ?, ?)`,
      run,
      since,
      until,
      key,
      JSON.stringify(line),
    );
  }

  /** Writes the events of floods whose minute is over. A later count becomes one more event: the counts add up. */
  #closeFloods(): void {
    const now = this.now();
    this.ctx.storage.transactionSync(() => {
      const over = this.#sql
        .exec<{ run: string; count: number; written: number; text: string }>(
          "SELECT run, count, written, text FROM flood WHERE until < ? AND count > written",
          now - floodSettlesMs,
        )
        .toArray();
      for (const { run, count, written, text } of over) {
        const { key, endpoint, reason, since, until } = JSON.parse(text) as Flood; // written by #count
        const [last = null] = this.#sql
          .exec<{ seq: number; hash: string }>("SELECT seq, hash FROM event WHERE run = ? ORDER BY seq DESC LIMIT 1", run)
          .toArray();
        const times = { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
        const fact: RecordFact = { kind: "refusedMany", key, endpoint, reason, ...times, count: count - written };
        this.#write(chainEvents(run, last, now, [fact]));
        this.#sql.exec("UPDATE flood SET written = ? WHERE run = ?", count, run);
      }
    });
  }

  runs({ state, server, key, since, after, limit }: RunsQuery): string {
    const wanted: [string, ...(string | number)[]][] = [];
    if (state === "open") wanted.push(["ended_at IS NULL"]);
    else if (state !== undefined) wanted.push([`${stateOf} = ?`, state]);
    if (server !== undefined) wanted.push([`${serverOf} = ?`, server]);
    if (key !== undefined) wanted.push(["key = ?", key]);
    if (since !== undefined) wanted.push(["created_at >= ?", since]);
    if (after !== undefined) wanted.push(["(created_at, run) < (?, ?)", after.createdAt, after.run]);
    const where = wanted.length === 0 ? "" : `WHERE ${wanted.map(([condition]) => condition).join(" AND ")}`;
    const rows = this.#sql
      .exec<{ text: string }>(
        `SELECT text FROM summary ${where} ORDER BY created_at DESC, run DESC LIMIT ?`,
        ...wanted.flatMap(([, ...values]) => values),
        limit,
      )
      .toArray();
    return `[${rows.map(({ text }) => text).join(",")}]`;
  }

  line(run: string): string | null {
    return this.#sql.exec<{ text: string }>("SELECT text FROM summary WHERE run = ?", run).toArray()[0]?.text ?? null;
  }

  notices({ open, before, limit }: NoticesQuery): string {
    const rows = this.#sql
      .exec<{ text: string }>(
        "SELECT text FROM notice WHERE at < ? AND (? OR json_extract(text, '$.state') = 'sent') ORDER BY at DESC LIMIT ?",
        before ?? Number.MAX_SAFE_INTEGER,
        open === true ? 0 : 1,
        limit,
      )
      .toArray();
    return `[${rows.map(({ text }) => text).join(",")}]`;
  }

  events(after: { readonly run: string; readonly seq: number }, limit: number, only: boolean): string {
    this.#closeFloods();
    const rows = this.#sql
      .exec<{ run: string; seq: number; at: number; fact: string; hash: string }>(
        `SELECT run, seq, at, fact, hash FROM event WHERE ${only ? "run = ? AND seq > ?" : "(run, seq) > (?, ?)"} ORDER BY run, seq LIMIT ?`,
        after.run,
        after.seq,
        limit,
      )
      .toArray();
    return `[${rows.map(({ run, seq, at, fact, hash }) => `{"run":${JSON.stringify(run)},"seq":${seq},"at":${at},"fact":${fact},"hash":"${hash}"}`).join(",")}]`;
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(() => {
      const oldest = this.now() - keptMs;
      this.#closeFloods();
      this.ctx.storage.transactionSync(() => {
        // A run's chain is deleted as a whole, once its last event is too old.
        this.#sql.exec("DELETE FROM event WHERE run IN (SELECT run FROM event GROUP BY run HAVING MAX(at) < ?)", oldest);
        this.#sql.exec("DELETE FROM summary WHERE created_at < ? AND ended_at IS NOT NULL", oldest);
        this.#sql.exec("DELETE FROM notice WHERE at < ?", oldest);
        this.#sql.exec("DELETE FROM flood WHERE until < ?", this.now() - cleanUpEveryMs);
      });
      this.#alarm.arm();
    });
  }

  #isEmpty(): boolean {
    const [row] = this.#sql
      .exec("SELECT 1 WHERE EXISTS (SELECT 1 FROM event) OR EXISTS (SELECT 1 FROM summary) OR EXISTS (SELECT 1 FROM notice)")
      .toArray();
    return row === undefined;
  }
}
