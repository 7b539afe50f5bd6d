// What a shard's requests came to, by hour and by day, and each day's by server, model and key: so
// that a page reads a few rows and not every line. A request costs no row for it: lines are counted
// many at a time, and a batch changes the rows of its hours and days.

import { type JsonOf, jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import {
  type Breakdown,
  type CountedLine,
  type Dimension,
  boundedBreakdown,
  breakdownOf,
  countedLines,
  dimensions,
  mostFirst,
  noBreakdown,
  summedBreakdowns,
} from "../../../shared/record/usage-breakdown.ts";
import { type UsageSum, refusals, summedUsage } from "../../../shared/record/usage.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { UsageAt, UsageBetween } from "../../stubs/ledger-calls.ts";
import { LedgerCounter } from "./ledger-counter.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Hours are kept for the last days alone, days as long as lines. */
const hoursKeptMs = 32 * dayMs;
/** Names of servers, models and keys that are told apart in a day, and in an answer. */
const mostNamesOfDay = 200;
const mostNamesInAnswer = 1_000;

/** `all`: everything of the day. */
type OfDay = "all" | Dimension;
type SumOf<Of extends OfDay> = Of extends "all" ? UsageSum : Breakdown;
type DayRow<Of extends OfDay> = { readonly day: number; readonly text: JsonOf<SumOf<Of>> };

export class LedgerUsage {
  readonly #sql: SqlStorage;
  readonly counter: LedgerCounter;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.counter = new LedgerCounter(sql, "usage_counted_to", (lines) => this.#count(countedLines(lines)));
  }

  /**
   * A flood has so many refusals more than its line had before. Call it in the same transaction.
   */
  flooded(line: RunSummary, more: number): void {
    if (more > 0 && this.counter.hasPassed(line)) this.#count([{ line, usage: refusals(more) }]);
  }

  #count(lines: readonly CountedLine[]): void {
    for (const [hour, ofHour] of Map.groupBy(lines, ({ line }) => Math.floor(line.createdAt / hourMs))) this.#addToHour(hour, ofHour);
    for (const [day, ofDay] of Map.groupBy(lines, ({ line }) => Math.floor(line.createdAt / dayMs))) {
      const all = this.#dayText(day, "all");
      this.#writeDay(day, "all", summedUsage([...(all === null ? [] : [readJsonOf(all)]), ...ofDay.map(({ usage }) => usage)]));
      for (const dimension of dimensions) {
        const text = this.#dayText(day, dimension);
        const before = text === null ? noBreakdown : readJsonOf(text);
        this.#writeDay(day, dimension, boundedBreakdown(summedBreakdowns([before, breakdownOf(ofDay, dimension)]), mostNamesOfDay));
      }
    }
  }

  #addToHour(hour: number, lines: readonly CountedLine[]): void {
    const [before] = this.#sql.exec<{ text: JsonOf<UsageSum> }>("SELECT text FROM usage_hour WHERE hour = ?", hour).toArray();
    const sum = summedUsage([...(before === undefined ? [] : [readJsonOf(before.text)]), ...lines.map(({ usage }) => usage)]);
    this.#sql.exec("INSERT OR REPLACE INTO usage_hour (hour, text) VALUES (?, ?)", hour, jsonOf(sum));
  }

  #dayText<Of extends OfDay>(day: number, of: Of): DayRow<Of>["text"] | null {
    return (
      this.#sql.exec<Pick<DayRow<Of>, "text">>(`SELECT text FROM usage_day WHERE dimension = ? AND day = ?`, of, day).toArray()[0]?.text ??
      null
    );
  }

  #writeDay<Of extends OfDay>(day: number, of: Of, value: SumOf<Of>): void {
    this.#sql.exec(`INSERT OR REPLACE INTO usage_day (day, dimension, text) VALUES (?, ?, ?)`, day, of, jsonOf(value));
  }

  /** Of each hour that began in this time and has any, in their order. */
  hours({ since, until }: UsageBetween): UsageAt[] {
    return this.#sql
      .exec<{ hour: number; text: JsonOf<UsageSum> }>(
        "SELECT hour, text FROM usage_hour WHERE hour >= ? AND hour < ? ORDER BY hour",
        since / hourMs,
        until / hourMs,
      )
      .toArray()
      .map(({ hour, text }) => [hour * hourMs, readJsonOf(text)]);
  }

  /** The same of days, in UTC. */
  days(between: UsageBetween): UsageAt[] {
    return this.#dayTexts("all", between).map(({ day, text }) => [day * dayMs, readJsonOf(text)]);
  }

  /** All days that began in this time together. */
  by(dimension: Dimension, between: UsageBetween): Breakdown {
    const days = this.#dayTexts(dimension, between).map(({ text }) => readJsonOf(text));
    return boundedBreakdown(mostFirst(summedBreakdowns(days)), mostNamesInAnswer);
  }

  #dayTexts<Of extends OfDay>(of: Of, { since, until }: UsageBetween): DayRow<Of>[] {
    return this.#sql
      .exec<DayRow<Of>>(
        `SELECT day, text FROM usage_day WHERE dimension = ? AND day >= ? AND day < ? ORDER BY day`,
        of,
        since / dayMs,
        until / dayMs,
      )
      .toArray();
  }

  /**
   * Deletes days before this, and hours that are older than they are kept, at most so many rows;
   * returns how many.
   */
  deleteOld(before: number, now: number, most: number): number {
    const hours = this.#sql
      .exec(
        "DELETE FROM usage_hour WHERE hour IN (SELECT hour FROM usage_hour WHERE hour < ? LIMIT ?) RETURNING 1",
        (now - hoursKeptMs) / hourMs,
        most,
      )
      .toArray().length;
    const days = this.#sql
      .exec(
        `DELETE FROM usage_day WHERE (dimension, day) IN (SELECT dimension, day FROM usage_day WHERE day < ? LIMIT ?) RETURNING 1`,
        Math.floor(before / dayMs),
        most - hours,
      )
      .toArray().length;
    return hours + days;
  }

  isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM usage_day LIMIT 1").toArray().length === 0;
  }
}
