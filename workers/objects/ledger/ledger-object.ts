// One of sixteen shards of the record: its log, with an entry for each request and each step of a
// run, without content; what lists and sums need beside it; the index of open runs and notices.
//
// Appending is idempotent: a run's events are known by run and number, its summary and notices by
// their ids.

import type {
  LedgerCalls,
  LedgerEntry,
  EntryPlace,
  EntryProof,
  Expected,
  NoticeRow,
  ReplayQuery,
  ReplayRow,
  RunsQuery,
  NoticesQuery,
  ServerUseQuery,
  LogStatus,
  ShardEntries,
  ShardFailures,
  ShardMetrics,
  ShardOpen,
  ShardRecent,
  ShardToolCalls,
  ShardTotals,
  ShardUsage,
  ShardUse,
  SignedCheckpoint,
  ToolCallsQuery,
  TotalsQuery,
  UsageQuery,
} from "../../stubs/ledger-calls.ts";
import { type JsonOf, jsonOf, jsonOfList, readJsonOf } from "../../../shared/json/json-of.ts";
import { type LinePage, byAge, mergedLines } from "../../../shared/record/line-list.ts";
import { type DecisionFact, decisionsIn } from "../../../shared/record/decisions.ts";
import { totalsOf } from "../../../shared/record/line-totals.ts";
import { toBase64url, utf8ToBytes } from "../../../shared/encoding.ts";
import { leafHash } from "../../../shared/record/log/merkle.ts";
import { proofText } from "../../../shared/record/log/proof.ts";
import { verifierKey } from "../../../shared/record/log/signed-note.ts";
import { tileWidth } from "../../../shared/record/log/tiles.ts";
import type { LoggedActs } from "../../../shared/record/operators.ts";
import { type RecordEvent, type TreeHead, numberEvents } from "../../../shared/record/record.ts";
import { type ReservedRequest, unknownOutcome } from "../../../shared/run/unknown-outcome.ts";
import { needEarlier } from "../../../shared/telemetry/metric-sums.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { lookForAlerts } from "../../stores/look-for-alerts.ts";
import type { ObjectAlarm } from "../alarm.ts";
import { ledgerSchema } from "../schema/ledger-schema.ts";
import { StoredObject } from "../stored-object.ts";
import { noBreakdown } from "../../../shared/record/usage-breakdown.ts";
import type { LedgerCounter } from "./ledger-counter.ts";
import { type FirstFacts, LedgerEvents, firstFacts } from "./ledger-events.ts";
import { type ToolCalls, addedToolCalls, toolCallsIn } from "../../../shared/record/tool-calls.ts";
import { LedgerFailures } from "./ledger-failures.ts";
import { LedgerFloods } from "./ledger-floods.ts";
import { LedgerLines } from "./ledger-lines.ts";
import { type CountedEvents, LedgerMetrics } from "./ledger-metrics.ts";
import { LedgerRecent } from "./ledger-recent.ts";
import { openRequests } from "./ledger-open.ts";
import { LedgerUsage } from "./ledger-usage.ts";
import { LedgerUse } from "./ledger-use.ts";
import { isOpenState } from "./line-filters.ts";
import { LogCheckpoints } from "./log-checkpoints.ts";
import { LogLines } from "./log-lines.ts";
import { LogWitness } from "./log-witness.ts";
import { type LogBucket, RecordLog } from "./record-log.ts";

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
/** So many bundles go to R2 in one alarm. */
const bundlesInAlarm = 8;
const publishAfterMs = 2_000;
/** In one call for a page, which asks all shards: what is left is counted by the alarm, at once. */
const linesForPage = 300;
/**
 * Of so many lines that end, one has the next ones counted with it: a page then finds few that are
 * not, however seldom one is opened.
 */
const countedEvery = 64;
/** Less than an alert waits for more failures. */
const lookEveryMs = 4_000;
const linesInAppend = 512;
/** A server's calls of a week are found in the newest lines, or are said to be more. */
const pagesOfCalls = 4;
const linesOfCalls = 500;
/** A shard looks at about so many lines for the totals of a search; at most at the other number. */
const linesOfTotals = 1_500;
const mostOfTotals = 3_000;

export class LedgerObject extends StoredObject implements LedgerCalls {
  /** Null: the log keeps to this object. */
  bucket: LogBucket | null = this.env.RECORD_BUCKET ?? null;
  readonly #log: RecordLog;
  readonly #events: LedgerEvents;
  readonly #logLines: LogLines;
  readonly #checkpoints: LogCheckpoints;
  readonly #witness: LogWitness;
  readonly #lines: LedgerLines;
  readonly #floods: LedgerFloods;
  readonly #failures: LedgerFailures;
  readonly #recent: LedgerRecent;
  readonly #use: LedgerUse;
  readonly #metrics: LedgerMetrics;
  readonly #usage: LedgerUsage;
  readonly #alarm: ObjectAlarm;
  #alarmSet = false;
  /** When a failure was said last to whom alerts are. */
  #lookedAt = 0;
  /** The last slice of the clean-up had as many rows as it may have. */
  #isMoreDue = false;
  /** When full bundles go to R2, in Unix milliseconds; null: at once. */
  #publishAt: number | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, ledgerSchema);
    this.tables.create();
    this.#log = new RecordLog(this.sql, () => this.bucket, (ctx.id.name ?? ctx.id.toString()).replace(/^shard-/, ""));
    this.#events = new LedgerEvents(this.sql, this.#log, () => this.now());
    this.#logLines = new LogLines(this.#log);
    this.#checkpoints = new LogCheckpoints(env, this.#log);
    this.#witness = new LogWitness({
      sql: this.sql,
      now: () => this.now(),
      witness: () => settingsOf(this.env).witness,
      keep: (note) => this.#log.keepCosigned(note),
    });
    this.#lines = new LedgerLines(this.sql);
    this.#floods = new LedgerFloods(this.sql, this.#events, this.#lines);
    this.#failures = new LedgerFailures(this.sql);
    this.#recent = new LedgerRecent(this.#log, this.#events);
    this.#use = new LedgerUse(this.sql);
    this.#metrics = new LedgerMetrics(this.sql);
    this.#usage = new LedgerUsage(this.sql);
    this.#alarm = this.alarmFor({ nextDue: () => this.#nextDue(), failed: "ledger.alarmFailed" });
    void this.#alarm.restore();
  }

  async append(entries: JsonOf<readonly LedgerEntry[]>): Promise<void> {
    const parsed = readJsonOf(entries);
    await this.#events.lookFor(parsed.flatMap(({ events }) => (events[0] === undefined ? [] : [{ run: events[0].run, events }])));
    const bundles = this.#log.bundles;
    this.#recent.begin();
    const stored = this.#transact(() => {
      const all = parsed.map((entry) => this.#write(entry));
      this.#log.write(this.now());
      return all;
    });
    if (this.#recent.add(stored, this.now())) this.#lookForAlerts();
    await this.#countSometimes(parsed);
    if (this.#log.bundles > bundles) this.#handOnLater();
    if (!this.#alarmSet) {
      this.#alarmSet = true;
      this.ctx.waitUntil(this.#alarm.restore());
    }
  }

  /** Behind the append: once in a few seconds, which the object that looks waits for. */
  #lookForAlerts(): void {
    const now = this.now();
    if (Math.abs(now - this.#lookedAt) < lookEveryMs) return;
    this.#lookedAt = now;
    this.ctx.waitUntil(lookForAlerts(this.env, now, (work) => this.ctx.waitUntil(work)));
  }

  /** A bundle is full. */
  #handOnLater(): void {
    const isNew = this.#log.unpublished > 0 && this.#publishAt === null;
    if (isNew) this.#publishAt = this.now() + publishAfterMs;
    if (isNew || this.#witness.dueAt(this.#log.closed) !== null) this.#alarm.arm();
  }

  async appendUnknown(requests: JsonOf<readonly ReservedRequest[]>): Promise<void> {
    const entries: LedgerEntry[] = [];
    for (const request of readJsonOf(requests)) {
      const { run } = request;
      const last = await this.#events.lastOf(run);
      if (last !== null && (await this.line(run)) !== null) continue;
      const { fact, summary } = unknownOutcome(request, this.now());
      entries.push({ events: numberEvents(run, last, this.now(), [fact]), summary });
    }
    if (entries.length > 0) await this.append(jsonOf(entries));
  }

  /** All of it or nothing, in memory too. */
  #transact<T>(work: () => T): T {
    try {
      return this.ctx.storage.transactionSync(work);
    } catch (error) {
      this.#log.undone();
      this.#events.undone();
      this.#lines.undone();
      for (const counter of this.#counters()) counter.undone();
      throw error;
    }
  }

  /** Returns what of it is new: the events, and the line where the request has ended with it. */
  #write({ events, summary, notices, flood, expected }: LedgerEntry): {
    readonly events: readonly RecordEvent[];
    readonly line: RunSummary | null;
  } {
    if (flood !== undefined) {
      const { line, more } = this.#floods.count(flood);
      this.#usage.flooded(line, more);
    }
    // A run has one line, under the time that its first entry said.
    let isNew = false;
    let ended: RunSummary | null = null;
    const { isNewWhole, stored } = this.#events.append(events, summary, (line) => {
      isNew = this.#lines.write(line);
      if (isNew) this.#ended(line, this.#counters());
      if (isNew) ended = line;
      return isNew;
    });
    if (isNewWhole && summary !== null) {
      this.#lines.note(summary);
      this.#ended(summary, []);
      ended = summary;
    }
    for (const notice of notices ?? []) this.#writeNotice(notice);
    if (expected !== undefined) this.#expect(expected.run, expected.dueAt);
    return { events: stored, line: ended };
  }

  /** A line was written with an end, for the first time. */
  #ended(line: RunSummary, counters: readonly LedgerCounter[]): void {
    for (const counter of counters) counter.ended(line);
    this.#failures.ended(line);
  }

  #counters(): readonly LedgerCounter[] {
    return [this.#use.counter, this.#usage.counter];
  }

  /**
   * One of `countedEvery` lines says so by its id, so that no count of lines has to be stored, nor
   * is lost with the object's memory.
   */
  async #countSometimes(entries: readonly LedgerEntry[]): Promise<void> {
    const isTime = entries.some(({ summary }) => summary !== null && summary.endedAt !== null && isOneOf(countedEvery, summary.run));
    if (!isTime) return;
    this.#countLines(this.#usage.counter, linesInAppend);
    await this.#countLog(linesInAppend);
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

  async runs(query: RunsQuery): Promise<JsonOf<LinePage>> {
    const hours = this.#lines.hoursOf(query);
    const own = this.#lines.list(query, hours);
    if (isInRowsAlone(query) || this.#logLines.isEmpty) return own;
    const { limit } = query;
    const page = await this.#logLines.list(query, hours);
    const { lines, next } = mergedLines([readJsonOf(own), page], limit);
    return jsonOf<LinePage>({ lines, stoppedAt: next });
  }

  async decisions(requests: readonly string[]): Promise<JsonOf<readonly DecisionFact[]>> {
    const found: DecisionFact[] = [];
    for (const run of requests) found.push(...decisionsIn(await this.#events.of(run, { after: 0, limit: Number.MAX_SAFE_INTEGER })));
    return jsonOf(found);
  }

  async reach(query: TotalsQuery): Promise<number | null> {
    if (isInRowsAlone(query)) return null;
    return this.#logLines.reach({ ...query, limit: 0 }, this.#lines.hoursOf({ ...query, limit: 0 }), linesOfTotals);
  }

  async totals(query: TotalsQuery): Promise<JsonOf<ShardTotals>> {
    const { lines, stoppedAt } = readJsonOf(await this.runs({ ...query, limit: mostOfTotals, mostRead: mostOfTotals }));
    return jsonOf<ShardTotals>({ ...totalsOf(lines), stoppedAt });
  }

  async toolCalls({ server, since }: ToolCallsQuery): Promise<JsonOf<ShardToolCalls>> {
    let tools: ToolCalls[] = [];
    let after: Pick<RunsQuery, "after"> = {};
    for (let page = 0; page < pagesOfCalls; page += 1) {
      const { lines, stoppedAt } = readJsonOf(await this.runs({ server, since, limit: linesOfCalls, ...after }));
      tools = addedToolCalls([...tools, ...toolCallsIn(lines)]);
      if (stoppedAt === null) return jsonOf({ isPartial: false, tools });
      after = { after: stoppedAt };
    }
    return jsonOf({ isPartial: true, tools });
  }

  async replay(query: ReplayQuery): Promise<JsonOf<ReplayRow[]>> {
    const own = this.#lines.page(query).map((line) => ({ ...line, facts: async (): Promise<FirstFacts> => this.#events.first(line.run) }));
    const alone = (await this.#logLines.page(query)).map(({ line: { run, createdAt, state }, entry }) => ({
      run,
      createdAt,
      state,
      facts: async (): Promise<FirstFacts> => firstFacts(entry),
    }));
    const rows: ReplayRow[] = [];
    for (const { facts, ...line } of [...own, ...alone].toSorted(byAge).slice(0, query.limit)) rows.push({ ...line, ...(await facts()) });
    return jsonOf(rows);
  }

  async begunSince(since: number): Promise<number> {
    return this.#lines.countSince(since) + (await this.#logLines.countSince(since));
  }

  async line(run: string): Promise<JsonOf<RunSummary> | null> {
    const createdAt = this.#events.lineAt(run) ?? this.#floods.since(run);
    const own = createdAt === null ? null : this.#lines.of(run, createdAt);
    if (own !== null) return own;
    const line = (await this.#events.whole(run))?.line ?? null;
    return line === null ? null : jsonOf(line);
  }

  async serverUse({ after, limit }: ServerUseQuery): Promise<JsonOf<ShardUse>> {
    const isBehind = [this.#countLines(this.#use.counter, linesForReport), await this.#countLog(linesForReport)].includes(true);
    return jsonOf<ShardUse>({ isBehind, servers: this.#use.list(after, limit) });
  }

  async metrics(): Promise<JsonOf<ShardMetrics>> {
    this.#closeFloods(rowsInSlice);
    let isBehind = true;
    for (let slices = 0; isBehind && slices < slicesForMetrics; slices += 1) isBehind = await this.#countLog(linesInSlice);
    return jsonOf<ShardMetrics>({ isBehind, sums: this.#metrics.sums(), open: this.#lines.open() });
  }

  #closeFloods(most: number): void {
    this.#transact(() => {
      this.#floods.close(this.now(), most);
      this.#log.write(this.now());
    });
  }

  /** Adds up entries of the log, at most about so many; returns whether there are more. */
  async #countLog(most: number): Promise<boolean> {
    const { counted } = this.#log.state();
    if (counted >= this.#log.size) return false;
    const { entries, next } = await this.#events.from(counted, most);
    const events: CountedEvents[] = [];
    for (const { run, events: some } of entries) {
      const own = some.map((event): RecordEvent => ({ run, ...event }));
      const earlier = needEarlier(own) ? await this.#events.of(run, { before: own[0]?.seq ?? 1, limit: Number.MAX_SAFE_INTEGER }) : [];
      events.push({ events: own, earlier });
    }
    const lines = entries.flatMap(({ whole, line }) => (whole === true && line !== null ? [line] : []));
    this.#transact(() => {
      // Two calls may have read the same entries.
      if (this.#log.state().counted !== counted) return;
      this.#metrics.add(events);
      for (const counter of this.#counters()) counter.add(lines);
      this.#log.setState({ counted: next });
    });
    return this.#log.state().counted < this.#log.size;
  }

  async usage({ hours, days, by }: UsageQuery): Promise<JsonOf<ShardUsage>> {
    const isBehind = [this.#countLines(this.#usage.counter, linesForPage), await this.#countLog(linesForPage)].includes(true);
    if (isBehind && !this.#isMoreDue) {
      this.#isMoreDue = true;
      this.#alarm.arm();
    }
    return jsonOf<ShardUsage>({
      isBehind,
      isEmpty: this.#lines.isEmpty() && this.#logLines.isEmpty,
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

  async recent(): Promise<JsonOf<ShardRecent>> {
    return jsonOf(await this.#recent.read(this.now()));
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

  async events(run: string, after: number, limit: number): Promise<JsonOf<RecordEvent[]>> {
    this.#closeFloods(Number.MAX_SAFE_INTEGER);
    return jsonOf(await this.#events.of(run, { after, limit }));
  }

  async eventsBefore(before: { readonly run: string; readonly seq: number }, limit: number): Promise<JsonOf<RecordEvent[]>> {
    return jsonOf(await this.#events.newestOf(before.run, before.seq, limit));
  }

  async entries(from: number): Promise<JsonOf<ShardEntries>> {
    if (from === 0) this.#closeFloods(Number.MAX_SAFE_INTEGER);
    const { entries, next } = await this.#events.from(from);
    const events = entries.flatMap(({ run, events: some }) => some.map((event): RecordEvent => ({ run, ...event })));
    return jsonOf<ShardEntries>({ events, next: next >= this.#log.size ? null : next });
  }

  file(path: string): Promise<Uint8Array | null> {
    return this.#log.file(path);
  }

  async checkpoint(): Promise<SignedCheckpoint | null> {
    const signer = await this.#checkpoints.signer();
    if (signer === null) return null;
    const tree = await this.#log.tree();
    const { cosigned } = this.#witness;
    const note = cosigned?.size === tree.size ? cosigned.note : await signer.sign(tree);
    return { note, key: verifierKey(signer.key) };
  }

  async cosigned(): Promise<SignedCheckpoint | null> {
    const { cosigned } = this.#witness;
    const signer = cosigned === null ? null : await this.#checkpoints.signer();
    return cosigned === null || signer === null ? null : { note: cosigned.note, key: verifierKey(signer.key) };
  }

  async place(run: string): Promise<EntryPlace | null> {
    const index = await this.#events.place(run);
    if (index === null) return null;
    const [text = ""] = await this.#log.texts(index, index + 1);
    return { index, leaf: toBase64url(leafHash(utf8ToBytes(text))) };
  }

  async proof(run: string): Promise<EntryProof | null> {
    const [index, signer] = [await this.#events.place(run), await this.#checkpoints.signer()];
    if (index === null || signer === null) return null;
    // A tree that the witness saw with this entry shows more than the newest one. The log may grow
    // meanwhile: both are of one tree.
    const { cosigned } = this.#witness;
    const seen = cosigned !== null && index < cosigned.size ? cosigned : null;
    const size = seen?.size ?? this.#log.size;
    const { text, leaf, path } = await this.#log.entry(index, size);
    const note = seen?.note ?? (await signer.sign(await this.#log.tree(size)));
    return { index, leaf: toBase64url(leaf), entry: text, proof: proofText(index, path, note), key: verifierKey(signer.key) };
  }

  async tree(): Promise<TreeHead> {
    const { size, root } = await this.#log.tree();
    return { size, root: toBase64url(root) };
  }

  logged(run: string, known: TreeHead | null): Promise<LoggedActs> {
    return this.#events.logged(run, known);
  }

  logStatus(): LogStatus {
    const { stored, pruned } = this.#log.state();
    const { size, hasBucket, unpublished, unpublishedSince, since } = this.#log;
    const { problem: witnessProblem } = this.#witness;
    const bytes = this.sql.databaseSize;
    return { size, pruned, stored: stored * tileWidth, hasBucket, unpublished, unpublishedSince, witnessProblem, since, bytes };
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      // Each by itself: one that is behind must not hold up the other.
      const isBehind = [
        ...this.#counters().map((counter) => this.#countLines(counter, linesInSlice)),
        await this.#countLog(linesInSlice),
      ].includes(true);
      this.#transact(() => this.#log.fill(this.now() - cleanUpEveryMs, this.now()));
      const isMore = (await this.#prune()) || this.#transact(() => this.#cleanUp()) === rowsInSlice;
      this.#isMoreDue = isMore || isBehind;
      // Last: where R2 is away, everything else is done.
      try {
        await this.#publish();
      } finally {
        await this.#sendToWitness();
      }
      this.#alarm.arm();
    });
  }

  /** Deletes the oldest bundle where it is old enough; returns whether it did. */
  async #prune(): Promise<boolean> {
    const n = this.#log.oldBundle(this.now() - settingsOf(this.env).recordKeptMs);
    if (n === null) return false;
    await this.#log.prune(
      n,
      (work) => this.#transact(work),
      (texts) => this.#events.forget(texts, (n + 1) * tileWidth),
    );
    return true;
  }

  async #publish(): Promise<void> {
    this.#publishAt = null;
    if (!this.#log.hasBucket) return;
    const signer = this.#log.unpublished === 0 ? null : await this.#checkpoints.signer();
    if (signer === null && this.#log.unpublished > 0) throw new Error("LedgerObject: no key to sign with");
    await this.#log.publish(bundlesInAlarm, async (tree) => signer?.sign(tree) ?? "");
  }

  async #sendToWitness(): Promise<void> {
    const { closed } = this.#log;
    await this.#witness.send(closed, async () => {
      const note = await (await this.#checkpoints.signer())?.sign(await this.#log.tree(closed));
      return note === undefined ? null : { note, proofFrom: (size) => this.#log.proofFrom(size, closed) };
    });
  }

  /** Adds up lines; returns whether there may be more. */
  #countLines(counter: LedgerCounter, most: number): boolean {
    return this.#transact(() => counter.countNext(most));
  }

  /** One slice of the clean-up; returns how many rows it had. */
  #cleanUp(): number {
    const now = this.now();
    const oldest = now - settingsOf(this.env).recordKeptMs;
    let rows = this.#floods.close(now, rowsInSlice);
    this.#log.write(now);
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
    if (this.#log.unpublished > 0) return this.#publishAt ?? this.now();
    return this.#witness.dueAt(this.#log.closed) ?? (this.#isEmpty() ? null : this.now() + cleanUpEveryMs);
  }

  #isEmpty(): boolean {
    return (
      this.#log.isEmpty &&
      this.#lines.isEmpty() &&
      this.#use.isEmpty() &&
      this.#usage.isEmpty() &&
      this.sql.exec("SELECT 1 FROM notice LIMIT 1").toArray().length === 0
    );
  }
}

/** What waits, and what people decided, are runs, whose lines are rows. */
const isInRowsAlone = ({ state, decided }: TotalsQuery): boolean => isOpenState(state) || decided !== undefined;

/**
 * True for one of so many ids, and always the same ones. By other bits than those that pick the
 * shard (`ledgerShardOf`).
 */
const isOneOf = (many: number, id: string): boolean =>
  ([...id].reduce((hash, character) => (hash * 33 + (character.codePointAt(0) ?? 0)) >>> 0, 0) >>> 8) % many === 0;
