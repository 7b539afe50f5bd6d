// One of sixteen shards of the record: events without content, a summary line for each request, the
// index of open runs and notices.
//
// Appending is idempotent: a run's events are known by run and number, its summary and notices by
// their ids.

import type {
  LedgerCalls,
  LedgerEntry,
  Expected,
  NoticeRow,
  ReplayQuery,
  ReplayRow,
  RunsQuery,
  NoticesQuery,
  ServerUseQuery,
  ShardFailures,
  ShardMetrics,
  ShardOpen,
  ShardUsage,
  ShardUse,
  UsageQuery,
} from "../../stubs/ledger-calls.ts";
import { type JsonOf, jsonOf, jsonOfList, readJsonOf } from "../../../shared/json/json-of.ts";
import type { LinePage } from "../../../shared/record/line-list.ts";
import type { RecordEvent } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { Env } from "../../platform/env.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { ledgerSchema } from "../schema/ledger-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { noBreakdown } from "../../../shared/record/usage-breakdown.ts";
import type { LedgerCounter } from "./ledger-counter.ts";
import { LedgerEvents } from "./ledger-events.ts";
import { LedgerFailures } from "./ledger-failures.ts";
import { LedgerFloods } from "./ledger-floods.ts";
import { LedgerLines } from "./ledger-lines.ts";
import { LedgerMetrics } from "./ledger-metrics.ts";
import { openRequests } from "./ledger-open.ts";
import { LedgerUsage } from "./ledger-usage.ts";
import { LedgerUse } from "./ledger-use.ts";

const keptMs = 400 * 24 * 3_600_000;
const cleanUpEveryMs = 24 * 3_600_000;
/** So many rows in one alarm: calls wait for no more than that. */
const rowsInSlice = 500;
/**
 * So many lines are added up in one alarm, and in one call for the report: reading them is quick,
 * and few rows are written.
 */
const linesInSlice = 2_000;
const linesForReport = 10_000;
const slicesForMetrics = 5;
/** In one call for a page, which asks all shards: what is left is counted by the alarm, at once. */
const linesForPage = 300;
/**
 * Of so many lines that end, one has the next ones counted with it: a page then finds few that are
 * not, however seldom one is opened.
 */
const countedEvery = 64;
const linesInAppend = 512;

export class LedgerObject extends StoredObject implements LedgerCalls {
  readonly #events: LedgerEvents;
  readonly #lines: LedgerLines;
  readonly #floods: LedgerFloods;
  readonly #failures: LedgerFailures;
  readonly #use: LedgerUse;
  readonly #metrics: LedgerMetrics;
  readonly #usage: LedgerUsage;
  readonly #alarm: ObjectAlarm;
  #alarmSet = false;
  /** The last slice of the clean-up had as many rows as it may have. */
  #isMoreDue = false;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, ledgerSchema);
    this.tables.create();
    this.#events = new LedgerEvents(this.sql, () => this.now());
    this.#lines = new LedgerLines(this.sql);
    this.#floods = new LedgerFloods(this.sql, this.#events, this.#lines);
    this.#failures = new LedgerFailures(this.sql);
    this.#use = new LedgerUse(this.sql);
    this.#metrics = new LedgerMetrics(this.sql, this.#events);
    this.#usage = new LedgerUsage(this.sql);
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "ledger.alarmFailed" });
    void this.#alarm.restore();
  }

  append(entries: JsonOf<readonly LedgerEntry[]>): void {
    const parsed = readJsonOf(entries);
    try {
      this.ctx.storage.transactionSync(() => {
        for (const entry of parsed) this.#write(entry);
      });
    } catch (error) {
      this.#lines.undone();
      for (const counter of this.#counters()) counter.undone();
      throw error;
    }
    this.#countSometimes(parsed);
    if (!this.#alarmSet) {
      this.#alarmSet = true;
      this.ctx.waitUntil(this.#alarm.restore());
    }
  }

  #write({ events, summary, notices, flood, expected }: LedgerEntry): void {
    const createdAt = this.#events.append(events, summary?.createdAt ?? null);
    if (flood !== undefined) {
      const { line, more } = this.#floods.count(flood);
      this.#usage.flooded(line, more);
    }
    // A run has one line, under the time that its first entry said.
    const line = summary === null ? null : { ...summary, createdAt: createdAt ?? summary.createdAt };
    if (line !== null && this.#lines.write(line)) {
      for (const counter of this.#counters()) counter.ended(line);
      this.#failures.ended(line);
    }
    for (const notice of notices ?? []) this.#writeNotice(notice);
    if (expected !== undefined) this.#expect(expected.run, expected.dueAt);
  }

  #counters(): readonly LedgerCounter[] {
    return [this.#use.counter, this.#usage.counter];
  }

  /**
   * One of `countedEvery` lines says so by its id, so that no count of lines has to be stored, nor
   * is lost with the object's memory.
   */
  #countSometimes(entries: readonly LedgerEntry[]): void {
    const isTime = entries.some(({ summary }) => summary !== null && summary.endedAt !== null && isOneOf(countedEvery, summary.run));
    if (isTime) this.#countLines(this.#usage.counter, linesInAppend);
  }

  #writeNotice(notice: NoticeRow): void {
    this.sql.exec(
      "INSERT INTO notice (id, at, run, text) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET text = json_set(excluded.text, '$.at', notice.at)",
      notice.id,
      notice.at,
      notice.run,
      jsonOf(notice),
    );
  }

  #expect(run: string, dueAt: number | null): void {
    if (dueAt === null) this.sql.exec("DELETE FROM expected WHERE run = ?", run);
    else this.sql.exec("INSERT OR REPLACE INTO expected (run, due_at) VALUES (?, ?)", run, dueAt);
  }

  overdue(before: number, limit: number): Expected[] {
    return this.sql
      .exec<Expected>("SELECT run, due_at AS dueAt FROM expected WHERE due_at < ? ORDER BY due_at, run LIMIT ?", before, limit)
      .toArray();
  }

  lookedAfter(was: Expected, dueAt: number | null): void {
    this.ctx.storage.transactionSync(() => {
      const rows = this.sql.exec("SELECT 1 FROM expected WHERE run = ? AND due_at = ?", was.run, was.dueAt).toArray();
      if (rows.length > 0) this.#expect(was.run, dueAt);
    });
  }

  runs(query: RunsQuery): JsonOf<LinePage> {
    return this.#lines.list(query);
  }

  replay(query: ReplayQuery): JsonOf<ReplayRow[]> {
    return jsonOf(this.#lines.page(query).map((line): ReplayRow => ({ ...line, ...this.#events.first(line.run) })));
  }

  begunSince(since: number): number {
    return this.#lines.countSince(since);
  }

  line(run: string): JsonOf<RunSummary> | null {
    const createdAt = this.#events.lineAt(run) ?? this.#floods.since(run);
    return createdAt === null ? null : this.#lines.of(run, createdAt);
  }

  serverUse({ after, limit }: ServerUseQuery): JsonOf<ShardUse> {
    const isBehind = this.#countLines(this.#use.counter, linesForReport);
    return jsonOf<ShardUse>({ isBehind, servers: this.#use.list(after, limit) });
  }

  metrics(): JsonOf<ShardMetrics> {
    this.ctx.storage.transactionSync(() => this.#floods.close(this.now(), rowsInSlice));
    let isBehind = true;
    for (let slices = 0; isBehind && slices < slicesForMetrics; slices += 1) isBehind = this.#countMetrics(linesInSlice);
    return jsonOf<ShardMetrics>({ isBehind, sums: this.#metrics.sums(), open: this.#lines.open() });
  }

  #countMetrics(most: number): boolean {
    return this.ctx.storage.transactionSync(() => this.#metrics.countNext(most));
  }

  usage({ hours, days, by }: UsageQuery): JsonOf<ShardUsage> {
    const isBehind = this.#countLines(this.#usage.counter, linesForPage);
    if (isBehind && !this.#isMoreDue) {
      this.#isMoreDue = true;
      this.#alarm.arm();
    }
    return jsonOf<ShardUsage>({
      isBehind,
      isEmpty: this.#lines.isEmpty(),
      hours: hours === undefined ? [] : this.#usage.hours(hours),
      days: days === undefined ? [] : this.#usage.days(days),
      by: by === undefined ? noBreakdown : this.#usage.by(by.dimension, by),
    });
  }

  openNow(): JsonOf<ShardOpen> {
    return jsonOf(openRequests(this.sql));
  }

  failures(since: number): JsonOf<ShardFailures> {
    return jsonOf(this.#failures.since(since));
  }

  notices({ open, before, limit }: NoticesQuery): JsonOf<NoticeRow[]> {
    const rows = this.sql
      .exec<{ text: JsonOf<NoticeRow> }>(
        "SELECT text FROM notice WHERE at < ? AND (? OR json_extract(text, '$.state') = 'sent') ORDER BY at DESC LIMIT ?",
        before ?? Number.MAX_SAFE_INTEGER,
        open === true ? 0 : 1,
        limit,
      )
      .toArray();
    return jsonOfList(rows.map(({ text }) => text));
  }

  events(after: { readonly run: string; readonly seq: number }, limit: number, only: boolean): JsonOf<RecordEvent[]> {
    this.ctx.storage.transactionSync(() => this.#floods.close(this.now(), Number.MAX_SAFE_INTEGER));
    return jsonOf(this.#events.after(after, limit, only));
  }

  eventsBefore(before: { readonly run: string; readonly seq: number }, limit: number): JsonOf<RecordEvent[]> {
    return jsonOf(this.#events.before(before, limit));
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(() => {
      // Each by itself: one that is behind must not hold up the other.
      const isBehind = [
        ...this.#counters().map((counter) => this.#countLines(counter, linesInSlice)),
        this.#countMetrics(linesInSlice),
      ].includes(true);
      this.#isMoreDue = this.ctx.storage.transactionSync(() => this.#cleanUp()) === rowsInSlice || isBehind;
      this.#alarm.arm();
    });
  }

  /** Adds up lines; returns whether there may be more. */
  #countLines(counter: LedgerCounter, most: number): boolean {
    try {
      return this.ctx.storage.transactionSync(() => counter.countNext(most));
    } catch (error) {
      counter.undone();
      throw error;
    }
  }

  /** One slice of the clean-up; returns how many rows it had. */
  #cleanUp(): number {
    const now = this.now();
    const oldest = now - keptMs;
    let rows = this.#floods.close(now, rowsInSlice);
    rows += this.#events.deleteOld(oldest, rowsInSlice - rows);
    rows += this.#lines.deleteOld(oldest, rowsInSlice - rows);
    rows += this.#use.deleteOld(oldest, rowsInSlice - rows);
    rows += this.#usage.deleteOld(oldest, now, rowsInSlice - rows);
    rows += this.#deleteOldNotices(oldest, rowsInSlice - rows);
    rows += this.#floods.deleteOld(now - cleanUpEveryMs, rowsInSlice - rows);
    return rows;
  }

  #deleteOldNotices(before: number, most: number): number {
    return this.sql.exec("DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE at < ? LIMIT ?) RETURNING 1", before, most).toArray()
      .length;
  }

  #nextDue(): number | null {
    if (this.#isMoreDue) return this.now();
    return this.#isEmpty() ? null : this.now() + cleanUpEveryMs;
  }

  #isEmpty(): boolean {
    return (
      this.#events.isEmpty() &&
      this.#lines.isEmpty() &&
      this.#use.isEmpty() &&
      this.#usage.isEmpty() &&
      this.sql.exec("SELECT 1 FROM notice LIMIT 1").toArray().length === 0
    );
  }
}

/**
 * True for one of so many ids, and always the same ones. By other bits than those that pick the
 * shard (`ledgerShardOf`).
 */
const isOneOf = (many: number, id: string): boolean =>
  ([...id].reduce((hash, character) => (hash * 33 + (character.codePointAt(0) ?? 0)) >>> 0, 0) >>> 8) % many === 0;
