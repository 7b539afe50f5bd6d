// One of sixteen shards of the record: content-free events, a summary line for each request, the index of open runs and notices.
//
// Appending is idempotent: a run's events are keyed by run and number, its summary and notices by their ids.

import { DurableObject } from "cloudflare:workers";
import type { RecordEvent, RunSummary } from "../../shared/outcome/record.ts";
import type { Env } from "../env.ts";
import { ObjectAlarm } from "./alarm.ts";

const keptMs = 400 * 24 * 3_600_000;
const cleanUpEveryMs = 24 * 3_600_000;

/** A notice as lists show it. Of a link only claims and random bytes are stored; the token is computed when it is listed. */
export type NoticeRow = {
  readonly id: string;
  readonly at: number;
  readonly channel: string;
  readonly reviewer: string;
  readonly run: string;
  readonly gate: "request" | "response";
  /** `sent`, `failed`, or how the review ended. */
  readonly state: string;
  /** Why a notice did not go out. */
  readonly fault?: string;
  /** For the outbox channel only. */
  readonly link: { readonly reviewer: number; readonly expiresAtSeconds: number; readonly random: string } | null;
};

export type LedgerEntry = {
  readonly events: readonly RecordEvent[];
  readonly summary: RunSummary | null;
  readonly notices?: readonly NoticeRow[];
  /** When a run's object has something to do next, in Unix milliseconds; null: it has forgotten everything. */
  readonly expected?: Expected | { readonly run: string; readonly dueAt: null };
};

/** A run, and when its object has something to do next, in Unix milliseconds. */
export type Expected = { readonly run: string; readonly dueAt: number };

export type RunsQuery = { readonly open?: boolean; readonly key?: string; readonly before?: number; readonly limit: number };

export type NoticesQuery = { readonly open?: boolean; readonly before?: number; readonly limit: number };

export class LedgerObject extends DurableObject<Env> {
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
    this.#sql.exec(`CREATE INDEX IF NOT EXISTS summary_created ON summary (created_at)`);
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

  /** Appends what is new of each entry; what is there already stays as it is. `entries` is JSON of `LedgerEntry[]`. */
  append(entries: string): void {
    const parsed = JSON.parse(entries) as LedgerEntry[]; // written by our own objects
    this.ctx.storage.transactionSync(() => {
      for (const { events, summary, notices, expected } of parsed) {
        for (const event of events) {
          this.#sql.exec(
            "INSERT OR IGNORE INTO event (run, seq, at, fact, hash) VALUES (?, ?, ?, ?, ?)",
            event.run,
            event.seq,
            event.at,
            JSON.stringify(event.fact),
            event.hash,
          );
        }
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

  /** The runs whose objects had something to do before then and did not say that they did it, the longest overdue first. */
  overdue(before: number, limit: number): Expected[] {
    return this.#sql
      .exec<Expected>("SELECT run, due_at AS dueAt FROM expected WHERE due_at < ? ORDER BY due_at, run LIMIT ?", before, limit)
      .toArray();
  }

  /** A run was looked after: what it said is kept, unless it said something by itself meanwhile. `dueAt`: null where nothing of it is left. */
  lookedAfter(was: Expected, dueAt: number | null): void {
    this.ctx.storage.transactionSync(() => {
      const rows = this.#sql.exec("SELECT 1 FROM expected WHERE run = ? AND due_at = ?", was.run, was.dueAt).toArray();
      if (rows.length > 0) this.#expect(was.run, dueAt);
    });
  }

  /** Summary lines, newest first, as JSON of `RunSummary[]`. */
  runs(query: RunsQuery): string {
    const rows = this.#sql
      .exec<{ text: string }>(
        `SELECT text FROM summary WHERE created_at < ? AND (? OR ended_at IS NULL) AND (? OR key = ?) ORDER BY created_at DESC LIMIT ?`,
        query.before ?? Number.MAX_SAFE_INTEGER,
        query.open === true ? 0 : 1,
        query.key === undefined ? 1 : 0,
        query.key ?? "",
        query.limit,
      )
      .toArray();
    return `[${rows.map(({ text }) => text).join(",")}]`;
  }

  /** Notices, newest first, as JSON of `NoticeRow[]`. `open`: of reviews that still wait. `before`: Unix milliseconds. */
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

  /** Events after a run and number, in the order of run and number, as JSON of `RecordEvent[]`. */
  events(after: { readonly run: string; readonly seq: number }, limit: number): string {
    const rows = this.#sql
      .exec<{ run: string; seq: number; at: number; fact: string; hash: string }>(
        "SELECT run, seq, at, fact, hash FROM event WHERE (run, seq) > (?, ?) ORDER BY run, seq LIMIT ?",
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
      this.ctx.storage.transactionSync(() => {
        // A run's chain goes as a whole: events of a run are dropped once its last one is too old.
        this.#sql.exec("DELETE FROM event WHERE run IN (SELECT run FROM event GROUP BY run HAVING MAX(at) < ?)", oldest);
        this.#sql.exec("DELETE FROM summary WHERE created_at < ? AND ended_at IS NOT NULL", oldest);
        this.#sql.exec("DELETE FROM notice WHERE at < ?", oldest);
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
