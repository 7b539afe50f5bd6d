// The events of a shard of the record, out of its log: which entry has which events of a run.
//
// Each event is in the log once, and what is there never changes. Requests that are answered at
// once are one entry without a row of their own: the time in a request's id leads to it. Other
// entries have a row in an index.

import type { LoggedActs } from "../../../shared/record/operators.ts";
import type { RecordEvent, RecordFact, TreeHead } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import { type LogEntry, type PlacedEntry, beginningOf, entriesOf, entryTexts, readEntries } from "../../../shared/record/log/entry.ts";
import { tileWidth } from "../../../shared/record/log/tiles.ts";
import { timeOfRunId } from "../../../shared/sealed-id.ts";
import type { RecordLog } from "./record-log.ts";

/**
 * An entry of a whole request arrives so long after the request at most, and not before it, but for
 * what clocks differ.
 */
const longestMs = 15 * 60_000;
const clocksDifferMs = 60_000;
/** So many entries are read at a time. */
const entriesAtOnce = 256;

/** An entry that has a row. */
type Indexed = {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly first: number;
  readonly last: number;
  readonly lineAt: number | null;
};

/** What became of the events and the line of an append. */
type Appended = {
  /** The time that was first given for the run's line. */
  readonly lineAt: number | null;
  /** The line stands in the log alone, since this append. */
  readonly isNewWhole: boolean;
  /** Those that were not stored before. */
  readonly stored: readonly RecordEvent[];
};

export class LedgerEvents {
  readonly #sql: SqlStorage;
  readonly #log: RecordLog;
  readonly #now: () => number;
  /** Whole requests of the last minutes, with their last event's number. */
  readonly #recent = new Map<string, number>();
  /** Whatever arrived since then is in `#recent`; null: nothing was read. */
  #recentSince: number | null = null;

  constructor(sql: SqlStorage, log: RecordLog, now: () => number) {
    this.#sql = sql;
    this.#log = log;
    this.#now = now;
  }

  /**
   * Looks for whole requests that came before this object woke, where an append may have their
   * events again. Call it before the transaction of `append`.
   */
  async lookFor(runs: readonly { readonly run: string; readonly events: readonly Pick<RecordEvent, "seq">[] }[]): Promise<void> {
    this.#readRecent();
    for (const { run, events } of runs) {
      const begunAt = this.#timeOf(run);
      const mayBeThere = begunAt !== undefined && events.some(({ seq }) => seq === 1) && begunAt < (this.#recentSince ?? 0);
      if (!mayBeThere || this.#recent.has(run) || this.#indexed(run).some(({ firstSeq }) => firstSeq === 1)) continue;
      const found = await this.whole(run);
      if (found !== null) this.#note(run, found);
    }
  }

  /** The number of a run's last event; null where it has none. */
  async lastOf(run: string): Promise<{ readonly seq: number } | null> {
    await this.lookFor([{ run, events: [{ seq: 1 }] }]);
    const seq = Math.max(this.#recent.get(run) ?? 0, ...this.#indexed(run).map(({ lastSeq }) => lastSeq));
    return seq === 0 ? null : { seq };
  }

  /** The time in an id that is not to come; undefined where it says none. */
  #timeOf(run: string): number | undefined {
    const at = timeOfRunId(run);
    return at === undefined || at > this.#now() + clocksDifferMs ? undefined : at;
  }

  #readRecent(): void {
    if (this.#recentSince !== null) return;
    const tail = this.#log.bundles * tileWidth;
    // What is older is looked for by its time, where somebody sends it again.
    this.#recentSince = this.#log.bundleAt(this.#log.bundles - 1) ?? 0;
    for (const entry of entriesOf(this.#log.stored(tail, this.#log.size), tail)) if (entry.whole === true) this.#note(entry.run, entry);
  }

  #note(run: string, { events }: Pick<LogEntry, "events">): void {
    this.#recent.set(run, events.at(-1)?.seq ?? 0);
    for (const [oldest] of this.#recent) {
      const at = timeOfRunId(oldest) ?? 0;
      if (at > this.#now() - longestMs - clocksDifferMs) break;
      this.#recent.delete(oldest);
      this.#recentSince = Math.max(this.#recentSince ?? 0, at + 1);
    }
  }

  /**
   * Stores the events that are not stored yet, and the line with them; `changed`: the line is to be
   * stored where no event is new too. Call it in a transaction, and `write` of the log at its end.
   */
  append(events: readonly RecordEvent[], line: RunSummary | null, changed: (line: RunSummary) => boolean): Appended {
    this.#readRecent();
    const runs = Map.groupBy(events, (event) => event.run);
    if (line !== null && !runs.has(line.run)) runs.set(line.run, []);
    let appended: Appended = { lineAt: line?.createdAt ?? null, isNewWhole: false, stored: [] };
    const stored: RecordEvent[] = [];
    for (const [run, ofRun] of runs) {
      const own = line?.run === run ? line : null;
      const result = this.#appendRun(run, ofRun, own, changed);
      stored.push(...result.stored);
      if (own !== null || line === null) appended = result;
    }
    return { ...appended, stored };
  }

  #appendRun(run: string, events: readonly RecordEvent[], line: RunSummary | null, changed: (line: RunSummary) => boolean): Appended {
    const indexed = this.#indexed(run);
    const wholeTo = this.#recent.get(run) ?? 0;
    const isStored = ({ seq }: RecordEvent): boolean =>
      seq <= wholeTo || indexed.some(({ firstSeq, lastSeq }) => firstSeq <= seq && seq <= lastSeq);
    const parts = successive(events.filter((event) => !isStored(event)));
    const [only] = parts;
    if (indexed.length === 0 && wholeTo === 0 && parts.length === 1 && only !== undefined && this.#isWhole(run, only, line)) {
      const texts = entryTexts(asEntry(run, only, line, true));
      if (texts.length === 1) {
        this.#log.add(texts, this.#now(), line?.createdAt ?? null);
        this.#note(run, { events: only });
        return { lineAt: line?.createdAt ?? null, isNewWhole: true, stored: only };
      }
    }
    // The line of a whole request is there already.
    if (wholeTo > 0 && parts.length === 0) return { lineAt: line?.createdAt ?? null, isNewWhole: false, stored: [] };
    const lineAt = lineAtOf(indexed) ?? line?.createdAt ?? null;
    const stored = line === null ? null : { ...line, createdAt: lineAt ?? line.createdAt };
    const isChanged = stored !== null && wholeTo === 0 && changed(stored);
    if (parts.length === 0 && isChanged) this.#log.add(entryTexts(asEntry(run, [], stored)), this.#now(), null);
    for (const part of parts) {
      const texts = entryTexts(asEntry(run, part, part === parts.at(-1) ? stored : null));
      const first = this.#log.add(texts, this.#now(), null);
      this.#sql.exec(
        "INSERT INTO log_entry (run, first_seq, last_seq, first, last, line_at) VALUES (?, ?, ?, ?, ?, ?)",
        run,
        part[0]?.seq ?? 0,
        part.at(-1)?.seq ?? 0,
        first,
        first + texts.length - 1,
        lineAt,
      );
    }
    return { lineAt, isNewWhole: false, stored: parts.flat() };
  }

  #isWhole(run: string, events: readonly RecordEvent[], line: RunSummary | null): boolean {
    const begunAt = timeOfRunId(run);
    if (begunAt === undefined || events[0]?.seq !== 1 || line === null || line.endedAt === null) return false;
    // One that people were asked about has a row, by which decisions are found.
    if (line.review !== undefined) return false;
    const now = this.#now();
    return [begunAt, line.createdAt].every((at) => at > now - longestMs && at < now + clocksDifferMs);
  }

  /** In the order of their events. */
  #indexed(run: string): Indexed[] {
    return this.#sql
      .exec<Indexed>(
        "SELECT first_seq AS firstSeq, last_seq AS lastSeq, first, last, line_at AS lineAt FROM log_entry WHERE run = ? ORDER BY first_seq",
        run,
      )
      .toArray();
  }

  /** A transaction was undone. */
  undone(): void {
    this.#recent.clear();
    this.#recentSince = null;
  }

  /** When the run's line was created, where the line has a row; null where that is not known. */
  lineAt(run: string): number | null {
    return lineAtOf(this.#indexed(run));
  }

  /** The entry of a request that is one entry; null where there is none. */
  async whole(run: string): Promise<PlacedEntry | null> {
    const begunAt = this.#timeOf(run);
    if (begunAt === undefined) return null;
    const beginning = beginningOf(run);
    const from = this.#log.bundleFrom(begunAt - clocksDifferMs);
    for (let n = Math.max(from, this.#log.pruned / tileWidth); n <= this.#log.bundles; n += 1) {
      // Whatever arrived before this bundle arrived before then.
      if (n > from && (this.#log.bundleAt(n - 1) ?? 0) > begunAt + longestMs + clocksDifferMs) return null;
      const first = n * tileWidth;
      const texts = await this.#log.texts(first, Math.min(first + tileWidth, this.#log.size));
      const place = texts.findIndex((each) => each.startsWith(beginning));
      const [entry] = place < 0 ? [] : entriesOf(texts.slice(place, place + 1), first + place);
      if (entry?.whole === true) return entry;
    }
    return null;
  }

  async #entry({ first, last }: Indexed): Promise<LogEntry | undefined> {
    return first < this.#log.pruned ? undefined : entriesOf(await this.#log.texts(first, last + 1), first)[0];
  }

  /** Events of a run from after one number to before another, in order. */
  async of(run: string, { after = 0, before = Number.MAX_SAFE_INTEGER, limit }: EventRange): Promise<RecordEvent[]> {
    const indexed = this.#indexed(run);
    const whole = indexed[0]?.firstSeq === 1 ? null : await this.whole(run);
    const found: RecordEvent[] = [];
    const take = (entry: LogEntry | undefined): void => {
      for (const event of entry?.events ?? []) if (event.seq > after && event.seq < before) found.push({ run, ...event });
    };
    take(whole ?? undefined);
    for (const each of indexed) {
      if (found.length >= limit) break;
      if (each.lastSeq > after && each.firstSeq < before) take(await this.#entry(each));
    }
    return found.slice(0, limit);
  }

  /** Events of a run before this number, the newest first. */
  async newestOf(run: string, before: number, limit: number): Promise<RecordEvent[]> {
    const found: RecordEvent[] = [];
    for (const each of this.#indexed(run).toReversed()) {
      if (found.length >= limit) break;
      if (each.firstSeq >= before) continue;
      const events = (await this.#entry(each))?.events ?? [];
      found.push(
        ...events
          .filter(({ seq }) => seq < before)
          .map((event) => ({ run, ...event }))
          .toReversed(),
      );
    }
    if (found.length < limit && found.at(-1)?.seq !== 1)
      found.push(
        ...((await this.whole(run))?.events ?? [])
          .map((event) => ({ run, ...event }))
          .filter(({ seq }) => seq < before)
          .toReversed(),
      );
    return found.slice(0, limit);
  }

  /** The first event of a run, and its `grantUsed` and `jurorDecided`, which come with it. */
  async first(run: string): Promise<FirstFacts> {
    const [first] = this.#indexed(run);
    const entry = first?.firstSeq === 1 ? await this.#entry(first) : await this.whole(run);
    return firstFacts(entry ?? null);
  }

  /** `LedgerCalls.logged`. */
  async logged(run: string, known: TreeHead | null): Promise<LoggedActs> {
    const own = this.#indexed(run);
    const whole = own[0]?.firstSeq === 1 ? null : await this.whole(run);
    const entries = whole === null ? own : [{ first: whole.index, last: whole.index, firstSeq: 1, lastSeq: whole.events.length }, ...own];
    const lastSeq = entries.at(-1)?.lastSeq ?? 0;
    const changed = await this.#log.firstChanged(entries.flatMap(({ first, last }) => [first, last]));
    const at = entries.find(({ first, last }) => changed === first || changed === last)?.firstSeq ?? null;
    const isOther = known !== null && !(await this.#log.hasHad(known));
    return { lastSeq, changedAt: at ?? (isOther ? 1 : null) };
  }

  async place(run: string): Promise<number | null> {
    const index = this.#indexed(run).at(-1)?.first ?? (await this.whole(run))?.index ?? null;
    return index === null || index < this.#log.pruned ? null : index;
  }

  /** Entries from this index on, in the order in which they came, and where to go on. */
  async from(index: number, most = entriesAtOnce): Promise<{ readonly entries: readonly PlacedEntry[]; readonly next: number }> {
    const begin = Math.max(index, this.#log.pruned);
    for (let count = most; ; count *= 4) {
      const end = Math.min(begin + count, this.#log.size);
      const read = readEntries(await this.#log.texts(begin, end), begin);
      // The parts of one entry may be more than that.
      if (read.next > begin || end === this.#log.size) return read;
    }
  }

  /** Deletes what the index has of these entries, all before this index of the log. */
  forget(texts: readonly string[], before: number): void {
    const runs = new Set(texts.map((text) => (JSON.parse(text) as Pick<LogEntry, "run">).run)); // every entry names its run
    for (const run of runs) this.#sql.exec("DELETE FROM log_entry WHERE run = ? AND last < ?", run, before);
  }
}

/** The first entries of a run may have come without its line. */
const lineAtOf = (indexed: readonly Indexed[]): number | null => indexed.find(({ lineAt }) => lineAt !== null)?.lineAt ?? null;

type EventRange = { readonly after?: number; readonly before?: number; readonly limit: number };

export type FirstFacts = { readonly fact: RecordFact | null; readonly grants: readonly RecordFact[] };

export function firstFacts(entry: LogEntry | null): FirstFacts {
  const facts = entry?.events.map(({ fact }) => fact) ?? [];
  return { fact: facts[0] ?? null, grants: facts.filter(({ kind }) => kind === "grantUsed" || kind === "jurorDecided") };
}

const asEntry = (run: string, events: readonly RecordEvent[], line: RunSummary | null, isWhole = false): LogEntry => ({
  run,
  events: events.map(({ seq, at, fact }) => ({ seq, at, fact })),
  line,
  ...(isWhole ? { whole: true } : {}),
});

/** One run's events in parts without gaps, each event once. */
function successive(events: readonly RecordEvent[]): RecordEvent[][] {
  const parts: RecordEvent[][] = [];
  for (const event of events.toSorted((a, b) => a.seq - b.seq)) {
    const last = parts.at(-1);
    const seq = last?.at(-1)?.seq;
    if (seq === event.seq) continue;
    if (last !== undefined && seq === event.seq - 1) last.push(event);
    else parts.push([event]);
  }
  return parts;
}
