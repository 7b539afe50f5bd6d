// The lines of requests that were answered at once: they stand in the log alone, so that a request
// costs no row. Lists read bundles of entries, the newest first, from the object or from R2; what
// came when is known of each bundle, and the hours that a filter leaves out are not read.

import { type LinePage, type LinePlace, byAge } from "../../../shared/record/line-list.ts";
import { emptyEntry, entriesOf, isPart, type LogEntry } from "../../../shared/record/log/entry.ts";
import { tileWidth } from "../../../shared/record/log/tiles.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { ReplayQuery, RunsQuery } from "../../stubs/ledger-calls.ts";
import { lineTestOf, placeBefore } from "./line-filters.ts";
import { type HourFinder, endOfHour } from "./line-spans.ts";
import type { BundleLines, RecordLog } from "./record-log.ts";

/** A call that says nothing else reads so many lines at most. */
const linesInCall = 1_500;
/** So many bundles are looked up at a time, and passed over in one call. */
const bundlesAtOnce = 50;
const mostPassed = 5_000;
const always = Number.MAX_SAFE_INTEGER;

type Found = { readonly line: RunSummary; readonly entry: LogEntry };
/** `hours`: those that have lines of the query at all; null: any may. */
type Span = { readonly since: number; readonly until: number; readonly hours: HourFinder | null };
type Asked = Omit<Span, "until"> & {
  readonly end: LinePlace | undefined;
  readonly limit: number;
  readonly mostRead: number;
  /** Whether an entry's text may have a line that is wanted. */
  readonly mayBe: (text: string) => boolean;
};
type Page = { readonly found: readonly Found[]; readonly stoppedAt: LinePlace | null };

export class LogLines {
  readonly #log: RecordLog;

  constructor(log: RecordLog) {
    this.#log = log;
  }

  /** @param hours The hours that have lines of the query at all; null: any may. */
  async list(query: RunsQuery, hours: HourFinder | null): Promise<LinePage> {
    const end = placeBefore(query);
    const { since = 0, limit, mostRead = linesInCall } = query;
    const { mayHave: mayBe, isWanted } = lineTestOf(query);
    const { found, stoppedAt } = await this.#newest({ since, end, limit, mostRead, hours, mayBe }, isWanted);
    return { lines: found.map(({ line }) => line), stoppedAt };
  }

  /** What began in a time, newest first, with its entry: at most so many. */
  async page({ since, after, limit }: ReplayQuery): Promise<readonly Found[]> {
    const all = { mostRead: always, hours: null, mayBe: () => true };
    const { found } = await this.#newest({ since, end: after, limit, ...all }, () => true);
    return found;
  }

  /**
   * The time from which a list is whole that reads about so many lines; null where these are all.
   * Reads none of them.
   */
  reach(query: RunsQuery, hours: HourFinder | null, mostRead: number): number | null {
    const until = placeBefore(query)?.createdAt ?? always;
    let [read, passed] = [0, 0];
    for (const { lines, isNeeded, left } of this.#walk({ since: query.since ?? 0, until, hours })) {
      if (isNeeded) read += lines;
      passed += 1;
      if (left !== null && (read >= mostRead || passed >= mostPassed) && left + 1 < until) return left + 1;
    }
    return null;
  }

  async #newest({ since, end, limit, mostRead, hours, mayBe }: Asked, wanted: (line: RunSummary) => boolean): Promise<Page> {
    const until = end?.createdAt ?? always;
    const found: Found[] = [];
    let [read, passed] = [0, 0];
    const complete = (after: number): Found[] =>
      found.filter(({ line }) => line.createdAt > after).toSorted((a, b) => byAge(a.line, b.line));
    for (const { n, lines, isNeeded, left } of this.#walk({ since, until, hours })) {
      passed += 1;
      if (isNeeded) {
        for (const each of await this.#linesIn(n, mayBe)) {
          const { line } = each;
          if (line.createdAt >= since && (end === undefined || byAge(line, end) > 0) && wanted(line)) found.push(each);
        }
        read += lines;
      }
      if (left === null) break;
      const known = complete(left);
      if (known.length >= limit) return { found: known.slice(0, limit), stoppedAt: placeOf(known[limit - 1]) };
      if ((read >= mostRead || passed >= mostPassed) && left + 1 < until)
        return { found: known, stoppedAt: { createdAt: left + 1, run: "" } };
    }
    const all = complete(-1);
    return { found: all.slice(0, limit), stoppedAt: all.length > limit ? placeOf(all[limit - 1]) : null };
  }

  /**
   * Bundles, the newest first. `isNeeded`: it may have wanted lines. `left`: every wanted line of
   * the bundles that follow came at this time or before; null where there are none.
   */
  *#walk({ since, until, hours }: Span): Generator<{ n: number; lines: number; isNeeded: boolean; left: number | null }> {
    /** The end of the newest hour up to then that may have lines; null where there is none. */
    const wantedUntil = (last: number): number | null => {
      if (hours === null) return last;
      const hour = hours(since, last);
      return hour === null ? null : Math.min(last, endOfHour(hour));
    };
    let left = wantedUntil(until);
    if (left === null) return;
    for (const { n, minAt, peakAt, bound, lines } of this.#bundles(() => left ?? -1)) {
      const isNeeded = minAt !== null && (hours === null || hours(minAt, peakAt ?? minAt) !== null);
      left = bound < since ? null : wantedUntil(Math.min(bound, until));
      yield { n, lines, isNeeded, left };
      if (left === null) return;
    }
  }

  /** The newest entries first, which are in no bundle yet. */
  *#bundles(until: () => number): Generator<BundleLines & { readonly bound: number }> {
    const newest = this.#log.bundles;
    yield { n: newest, ...this.#log.tail, bound: this.#log.peakBefore(newest) ?? -1 };
    for (let next = newest; ;) {
      const bundles = this.#log.bundlesBefore(next, until(), bundlesAtOnce);
      for (const each of bundles) yield { ...each, bound: each.peakBefore ?? -1 };
      const last = bundles.at(-1);
      if (last === undefined) return;
      next = last.n;
    }
  }

  async #linesIn(n: number, mayBe: (text: string) => boolean): Promise<Found[]> {
    const first = Math.max(n * tileWidth, this.#log.pruned);
    const texts = await this.#log.texts(first, Math.min((n + 1) * tileWidth, this.#log.size));
    // A part is not the whole of what is looked for.
    const read = texts.map((text) => (mayBe(text) || isPart(text) ? text : emptyEntry));
    return entriesOf(read, first).flatMap((entry) => (entry.whole === true && entry.line !== null ? [{ line: entry.line, entry }] : []));
  }

  async countSince(since: number): Promise<number> {
    let count = 0;
    for (const { n, minAt, lines, bound } of this.#bundles(() => always)) {
      if (minAt !== null)
        count += minAt >= since ? lines : (await this.#linesIn(n, () => true)).filter(({ line }) => line.createdAt >= since).length;
      if (bound < since) break;
    }
    return count;
  }

  get isEmpty(): boolean {
    return this.#log.tail.peakAt === null;
  }
}

const placeOf = (found: Found | undefined): LinePlace | null =>
  found === undefined ? null : { createdAt: found.line.createdAt, run: found.line.run };
