// The events of a shard of the record: each run's chain, in batches. A batch is what one append
// brought, so that a request that is answered at once is one row.
//
// Each event is stored once, and what is stored never changes. Batches of a run do not overlap.

import { type JsonOf, jsonOf, jsonOfList, readJsonOf } from "../../../shared/json/json-of.ts";
import type { RecordEvent, RecordFact } from "../../../shared/record/record.ts";

/**
 * Most UTF-16 code units of a batch, of at most three bytes each: the platform limits a row to 2
 * MB.
 */
const longestBatch = 500_000;
/** So many batches are read at a time. */
const batchesAtOnce = 64;

/** Successive events of one run, as a row has them. */
type Batch = { readonly firstSeq: number; readonly lastSeq: number; readonly newestAt: number; readonly events: BatchText };
/** An event as its batch has it, which knows the run. */
type BatchedEvent = Omit<RecordEvent, "run">;
type BatchText = JsonOf<BatchedEvent[]>;
/**
 * The first batch of a run has the time of the run's last event, so that a chain is old as a whole.
 */
type FirstBatch = { readonly id: number; readonly firstSeq: number; readonly lastAt: number | null; readonly lineAt: number | null };

/**
 * Ids follow the time of arrival, with room for so many in a millisecond; more of them take the ids
 * of later ones. Exact until the year 2041.
 */
const idsInMs = 1_000;

/**
 * The first number of the run's batch that has the event with this number, or else of the last
 * batch before it; 0 where there is none.
 */
const batchAt = "COALESCE((SELECT MAX(first_seq) FROM event_batch WHERE run = ?1 AND first_seq <= ?2), 0)";
/**
 * A chain that is deleted in several slices: nobody sees the rest of it. Looked up by the index of
 * runs, never by reading the table.
 */
const beingDeleted = "(SELECT 1 FROM event_batch AS first WHERE first.run = event_batch.run AND first.last_at = 0)";

export class LedgerEvents {
  readonly #sql: SqlStorage;
  readonly #now: () => number;
  #lastId: number | undefined;

  constructor(sql: SqlStorage, now: () => number) {
    this.#sql = sql;
    this.#now = now;
    // Rows in the order of arrival: only the small entries of the index by run are inserted at
    // random places.
  }

  /**
   * Stores the events that are not stored yet. Call it in a transaction.
   * @param lineAt when the line of their run was created; null where it has none. Returns the time
   *   that was first given for the run.
   */
  append(events: readonly RecordEvent[], lineAt: number | null): number | null {
    let firstGiven = lineAt;
    for (const [run, ofRun] of Map.groupBy(events, (event) => event.run)) {
      const first = this.#firstBatch(run);
      firstGiven = first?.lineAt ?? lineAt;
      const batches = batchesOf(first === undefined ? ofRun : this.#notStored(run, ofRun));
      const [begin] = batches;
      if (begin === undefined) continue;
      const lastAt = Math.max(first?.lastAt ?? 0, ...batches.map(({ newestAt }) => newestAt));
      const isNewFirst = first === undefined || begin.firstSeq < first.firstSeq;
      if (first !== undefined) this.#sql.exec("UPDATE event_batch SET last_at = ? WHERE id = ?", isNewFirst ? null : lastAt, first.id);
      for (const batch of batches) this.#insert(run, batch, isNewFirst && batch === begin ? lastAt : null, firstGiven);
    }
    return firstGiven;
  }

  #firstBatch(run: string): FirstBatch | undefined {
    return this.#sql
      .exec<FirstBatch>(
        "SELECT id, first_seq AS firstSeq, last_at AS lastAt, line_at AS lineAt FROM event_batch WHERE run = ? ORDER BY first_seq LIMIT 1",
        run,
      )
      .toArray()[0];
  }

  #notStored(run: string, events: readonly RecordEvent[]): RecordEvent[] {
    const seqs = events.map(({ seq }) => seq);
    const stored = this.#sql
      .exec<{ firstSeq: number; lastSeq: number }>(
        `SELECT first_seq AS firstSeq, last_seq AS lastSeq FROM event_batch WHERE run = ?1 AND first_seq >= ${batchAt} AND first_seq <= ?3`,
        run,
        Math.min(...seqs),
        Math.max(...seqs),
      )
      .toArray();
    return events.filter(({ seq }) => !stored.some(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq));
  }

  #insert(run: string, { firstSeq, lastSeq, events }: Batch, lastAt: number | null, lineAt: number | null): void {
    this.#sql.exec(
      "INSERT INTO event_batch (id, run, first_seq, last_seq, last_at, line_at, events) VALUES (?, ?, ?, ?, ?, ?, ?)",
      this.#nextId(),
      run,
      firstSeq,
      lastSeq,
      lastAt,
      lineAt,
      events,
    );
  }

  #nextId(): number {
    this.#lastId ??= this.#sql.exec<{ id: number | null }>("SELECT MAX(id) AS id FROM event_batch").one().id ?? 0;
    this.#lastId = Math.max(this.#lastId + 1, this.#now() * idsInMs);
    return this.#lastId;
  }

  /** When the run's line was created; null where that is not known. */
  lineAt(run: string): number | null {
    return this.#firstBatch(run)?.lineAt ?? null;
  }

  /** The last event of a run's chain; null where it has none. */
  last(run: string): BatchedEvent | null {
    const [row] = this.#sql
      .exec<{ events: BatchText }>("SELECT events FROM event_batch WHERE run = ? ORDER BY first_seq DESC LIMIT 1", run)
      .toArray();
    return row === undefined ? null : (readJsonOf(row.events).at(-1) ?? null);
  }

  /**
   * The first event of a run, and its `grantUsed`, which come with it. Read out of the row by
   * SQLite: the rest of a row is much longer.
   */
  first(run: string): { readonly fact: RecordFact | null; readonly grants: readonly RecordFact[] } {
    const [row] = this.#sql
      .exec<{ fact: JsonOf<RecordFact>; grants: JsonOf<RecordFact[]> | null }>(
        `SELECT json_extract(events, '$[0].fact') AS fact,
           CASE WHEN instr(events, '"kind":"grantUsed"') > 0 THEN (SELECT json_group_array(json_extract(value, '$.fact'))
             FROM json_each(events) WHERE json_extract(value, '$.fact.kind') = 'grantUsed') END AS grants
         FROM event_batch WHERE run = ? AND first_seq = 1`,
        run,
      )
      .toArray();
    if (row === undefined) return { fact: null, grants: [] };
    return { fact: readJsonOf(row.fact), grants: row.grants === null ? [] : readJsonOf(row.grants) };
  }

  /** Events after a run and number, in the order of run and number. `only`: of that run alone. */
  after(after: { readonly run: string; readonly seq: number }, limit: number, only: boolean): RecordEvent[] {
    const found: RecordEvent[] = [];
    for (let more = true; more && found.length < limit;) {
      const { run, seq } = found.at(-1) ?? after;
      const next = this.#batchesFrom(run, seq, only).flatMap((batch) =>
        readJsonOf(batch.events)
          .filter((event) => batch.run !== run || event.seq > seq)
          .map((event): RecordEvent => ({ run: batch.run, ...event })),
      );
      found.push(...next);
      more = next.length > 0;
    }
    return found.slice(0, limit);
  }

  /** From the batch that has the event with this number. */
  #batchesFrom(run: string, seq: number, only: boolean): { run: string; events: BatchText }[] {
    return this.#sql
      .exec<{ run: string; events: BatchText }>(
        `SELECT run, events FROM event_batch WHERE ${only ? `run = ?1 AND first_seq >= ${batchAt}` : `(run, first_seq) >= (?1, ${batchAt})`}
           AND NOT EXISTS ${beingDeleted} ORDER BY run, first_seq LIMIT ?3`,
        run,
        seq,
        batchesAtOnce,
      )
      .toArray();
  }

  /** The events of one run before this number, the newest first. */
  before({ run, seq }: { readonly run: string; readonly seq: number }, limit: number): RecordEvent[] {
    const batches = this.#sql.exec<{ events: BatchText }>(
      `SELECT events FROM event_batch WHERE run = ? AND first_seq < ? AND NOT EXISTS ${beingDeleted} ORDER BY first_seq DESC`,
      run,
      seq,
    );
    const found: RecordEvent[] = [];
    for (const { events } of batches) {
      const earlier = readJsonOf(events).filter((event) => event.seq < seq);
      found.push(...earlier.toReversed().map((event): RecordEvent => ({ run, ...event })));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  /**
   * Deletes chains whose last event is older than this, at most so many rows; returns how many. A
   * longer chain goes in several slices, and is out of sight from the first on. Call it in a
   * transaction.
   */
  deleteOld(before: number, most: number): number {
    const due = this.#sql
      .exec<{ id: number; run: string }>(
        // What arrived later is younger. Of chains that go on, the first batch is among the old
        // ones: it is passed over.
        "SELECT id, run FROM event_batch WHERE id < ? AND last_at < ? ORDER BY id LIMIT ?",
        before * idsInMs,
        before,
        most,
      )
      .toArray();
    let left = most;
    for (const { id, run } of due) {
      if (left === 0) break;
      left -= this.#sql
        .exec(
          "DELETE FROM event_batch WHERE id IN (SELECT id FROM event_batch WHERE run = ? ORDER BY first_seq DESC LIMIT ?) RETURNING id",
          run,
          left,
        )
        .toArray().length;
      // The first batch goes last; where it is left, the chain is the next slice's first.
      if (left === 0) this.#sql.exec("UPDATE event_batch SET last_at = 0 WHERE id = ?", id);
    }
    return most - left;
  }

  /** Batches that arrived after this one, in that order: the events of one run each. */
  arrivedAfter(id: number, limit: number): { readonly id: number; readonly events: readonly RecordEvent[] }[] {
    return this.#sql
      .exec<{ id: number; run: string; events: BatchText }>(
        "SELECT id, run, events FROM event_batch WHERE id > ? ORDER BY id LIMIT ?",
        id,
        limit,
      )
      .toArray()
      .map((batch) => ({ id: batch.id, events: readJsonOf(batch.events).map((event) => ({ run: batch.run, ...event })) }));
  }

  /** The events of a run before this number. */
  earlierOf(run: string, seq: number): RecordEvent[] {
    return this.#sql
      .exec<{ events: BatchText }>("SELECT events FROM event_batch WHERE run = ? AND first_seq < ? ORDER BY first_seq", run, seq)
      .toArray()
      .flatMap(({ events }) => readJsonOf(events).map((event) => ({ run, ...event })));
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM event_batch LIMIT 1").toArray().length === 0;
  }
}

/**
 * One run's events as batches without gaps, each event once, each batch no longer than a row may
 * be.
 */
function batchesOf(events: readonly RecordEvent[]): Batch[] {
  const batches: { firstSeq: number; lastSeq: number; newestAt: number; texts: JsonOf<BatchedEvent>[]; length: number }[] = [];
  for (const { seq, at, fact, hash } of events.toSorted((a, b) => a.seq - b.seq)) {
    const text = jsonOf<BatchedEvent>({ seq, at, fact, hash });
    const last = batches.at(-1);
    if (last?.lastSeq === seq) continue;
    if (last?.lastSeq === seq - 1 && last.length + text.length <= longestBatch) {
      last.lastSeq = seq;
      last.newestAt = Math.max(last.newestAt, at);
      last.texts.push(text);
      last.length += text.length;
    } else batches.push({ firstSeq: seq, lastSeq: seq, newestAt: at, texts: [text], length: text.length });
  }
  return batches.map(({ firstSeq, lastSeq, newestAt, texts }) => ({ firstSeq, lastSeq, newestAt, events: jsonOfList(texts) }));
}
