// What a shard's requests of the last hour came to, in memory alone: an append adds to it what it
// stores anyway, and no row is written or read for it. An object that woke within the hour reads
// the newest entries of its log once, when somebody asks.

import type { LogEntry } from "../../../shared/record/log/entry.ts";
import { tileWidth } from "../../../shared/record/log/tiles.ts";
import type { RecordEvent } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import {
  type RecentOutcome,
  RecentOutcomes,
  minuteMs,
  outcomesOfEvents,
  outcomesOfLine,
} from "../../../shared/telemetry/recent-outcomes.ts";
import type { ShardRecent } from "../../stubs/ledger-calls.ts";
import type { LedgerEvents } from "./ledger-events.ts";
import type { RecordLog } from "./record-log.ts";

const hourMs = 60 * minuteMs;
/** So many entries are read when the object woke: under load it does not sleep. */
const mostRead = 4_096;

type Ended = { readonly events: readonly Pick<RecordEvent, "fact">[]; readonly line: RunSummary | null };

const outcomesOf = ({ events, line }: Ended): RecentOutcome[] => [
  ...outcomesOfEvents(events),
  ...(line === null ? [] : outcomesOfLine(line)),
];

export class LedgerRecent {
  readonly #log: RecordLog;
  readonly #events: LedgerEvents;
  readonly #recent = new RecentOutcomes();
  /** Entries from this index on are added as they come; those before it are read once. */
  #begin: number | null = null;
  #reading: Promise<void> | null = null;
  #isPartial = false;

  constructor(log: RecordLog, events: LedgerEvents) {
    this.#log = log;
    this.#events = events;
  }

  /** Call it before each transaction that may add entries. */
  begin(): number {
    return (this.#begin ??= this.#log.size);
  }

  /**
   * Call it when the transaction is committed, with what was new in it. Returns whether something
   * failed.
   */
  add(stored: readonly Ended[], now: number): boolean {
    const outcomes = stored.flatMap(outcomesOf);
    this.#recent.add(outcomes, now);
    return outcomes.some(({ of, name, isFailed }) => isFailed || (of === "review" && (name === "expired" || name === "undeliverable")));
  }

  async read(now: number): Promise<ShardRecent> {
    this.#reading ??= this.#readEarlier(now).catch((error: unknown) => {
      this.#reading = null;
      throw error;
    });
    await this.#reading;
    const { isPartial, outcomes } = this.#recent.read(now);
    return { isPartial: isPartial || this.#isPartial, outcomes };
  }

  async #readEarlier(now: number): Promise<void> {
    const begin = this.begin();
    const since = this.#log.bundleFrom(now - hourMs) * tileWidth;
    const from = Math.max(since, begin - mostRead, this.#log.pruned);
    const entries: LogEntry[] = [];
    for (let next = from; next < begin;) {
      const read = await this.#events.from(next, begin - next);
      entries.push(...read.entries.filter(({ index }) => index < begin));
      if (read.next <= next) break;
      next = read.next;
    }
    this.#isPartial = from > since;
    // A run's line is in each of its entries from its end on.
    const ended = new Set<string>();
    for (const { run, events, line } of entries) {
      const isFirst = line !== null && line.endedAt !== null && !ended.has(run);
      if (isFirst) ended.add(run);
      this.#recent.add(outcomesOf({ events, line: isFirst ? line : null }), now);
    }
  }
}
