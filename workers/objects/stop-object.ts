// What operators have stopped. Each of several objects has all of it (`stopShards`); one of them
// cancels the runs of what is stopped.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import type { Stop, Stops } from "../../shared/policy/stops.ts";
import type { Operator } from "../../shared/record/record.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { RunsQuery } from "../stubs/ledger-calls.ts";
import { type StopCalls, type StoppedAt, mostStops, stopsKnownMs } from "../stubs/stop-calls.ts";
import { ledgerShards, ledgerStub, runStub } from "../stubs/stubs.ts";
import type { ObjectAlarm } from "./alarm.ts";
import { stopSchema } from "./schema/stop-schema.ts";
import { StoredObject } from "./stored-object.ts";

/** By then the ledger has every run that began before the stop was known everywhere. */
const lastLookMs = stopsKnownMs + 10_000;
const nextLookMs = 1_000;
const retry: Backoff = { firstMs: 1_000, mostMs: 60_000 };
/** Runs of one shard of the ledger that are cancelled at once. */
const portion = 50;

type StopRow = { name: string; stop: JsonOf<Stop>; at: number };
type WithdrawalRow = { name: string; stop: JsonOf<Stop>; since: number; by_operator: JsonOf<Operator>; attempts: number };

export class StopObject extends StoredObject implements StopCalls {
  readonly #alarm: ObjectAlarm;
  #stops: Stops;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env, stopSchema);
    this.tables.create();
    this.#stops = this.#read();
    this.#alarm = this.alarmFor({
      nextDue: () => this.sql.exec<{ at: number | null }>("SELECT MIN(due_at) AS at FROM withdrawal").one().at,
      failed: "stop.alarmFailed",
    });
    void this.#alarm.restore();
  }

  stops(): Stops {
    return this.#stops;
  }

  list(): StoppedAt[] {
    return this.#rows().map(({ stop, at }) => ({ stop: readJsonOf(stop), at }));
  }

  stop(stop: Stop, withdrawnBy: Operator | null): boolean {
    const rows = this.#rows();
    const isKnown = rows.some(({ name }) => name === nameOf(stop));
    if (!isKnown && stop.scope !== "everything" && rows.length >= mostStops) return false;
    const [now, text] = [this.now(), jsonOf(stop)];
    this.ctx.storage.transactionSync(() => {
      this.sql.exec("INSERT OR IGNORE INTO stop (name, stop, at) VALUES (?, ?, ?)", nameOf(stop), text, now);
      if (withdrawnBy === null) return;
      this.sql.exec(
        "INSERT OR REPLACE INTO withdrawal (name, stop, since, by_operator, attempts, due_at) VALUES (?, ?, ?, ?, 0, ?)",
        nameOf(stop),
        text,
        now,
        jsonOf(withdrawnBy),
        now,
      );
    });
    this.#stops = this.#read();
    this.#alarm.arm();
    return true;
  }

  resume(stop: Stop): boolean {
    const gone = this.sql.exec("DELETE FROM stop WHERE name = ? RETURNING 1", nameOf(stop)).toArray().length > 0;
    this.sql.exec("DELETE FROM withdrawal WHERE name = ?", nameOf(stop));
    this.#stops = this.#read();
    return gone;
  }

  override async alarm(): Promise<void> {
    await this.#alarm.ring(async () => {
      const due = this.sql.exec<WithdrawalRow>(
        "SELECT name, stop, since, by_operator, attempts FROM withdrawal WHERE due_at <= ?",
        this.now(),
      );
      await Promise.all(due.toArray().map((row) => this.#withdrawAll(row)));
      this.#alarm.arm();
    });
  }

  /**
   * One look at every open run. It is the last where none was found, and every run of before the
   * stop is known.
   */
  async #withdrawAll(row: WithdrawalRow): Promise<void> {
    const startedAt = this.now();
    const stop = readJsonOf(row.stop);
    const by = readJsonOf(row.by_operator);
    const shards = Array.from({ length: ledgerShards }, (_, shard) => shard);
    try {
      const found = await Promise.all(shards.map((shard) => this.#withdrawIn(shard, stop, by)));
      const isLast = found.every((count) => count === 0) && startedAt >= row.since + lastLookMs;
      if (isLast) this.sql.exec("DELETE FROM withdrawal WHERE name = ? AND since = ?", row.name, row.since);
      else this.#again(row, nextLookMs);
    } catch (error) {
      logEvent("stop.withdrawFailed", { attempt: row.attempts, error: errorClass(error) });
      this.#again(row, backoffMs(retry, row.attempts, this.random()));
    }
  }

  #again({ name, since, attempts }: WithdrawalRow, afterMs: number): void {
    this.sql.exec(
      "UPDATE withdrawal SET attempts = ?, due_at = ? WHERE name = ? AND since = ?",
      attempts + 1,
      this.now() + afterMs,
      name,
      since,
    );
  }

  /** Cancels the open runs in one shard of the ledger; how many there were. */
  async #withdrawIn(shard: number, stop: Stop, by: Operator): Promise<number> {
    const of = stop.scope === "server" ? { server: stop.server } : stop.scope === "key" ? { key: stop.key } : {};
    let after: Pick<RunsQuery, "after"> = {};
    let cancelled = 0;
    for (;;) {
      const query: RunsQuery = { state: "open", limit: portion, ...of, ...after };
      const { lines, stoppedAt } = readJsonOf(await ledgerStub(this.env, shard).runs(query));
      const done = await Promise.all(lines.map(({ run }) => runStub(this.env, run).cancel("stopped", by)));
      cancelled += done.filter(Boolean).length;
      if (stoppedAt === null) return cancelled;
      after = { after: stoppedAt };
    }
  }

  #rows(): StopRow[] {
    return this.sql.exec<StopRow>("SELECT name, stop, at FROM stop ORDER BY at, name").toArray();
  }

  #read(): Stops {
    const stops = this.list().map(({ stop }) => stop);
    return {
      everything: stops.some(({ scope }) => scope === "everything"),
      servers: stops.flatMap((stop) => (stop.scope === "server" ? [stop.server] : [])),
      keys: stops.flatMap((stop) => (stop.scope === "key" ? [stop.key] : [])),
    };
  }
}

const nameOf = (stop: Stop): string =>
  stop.scope === "everything" ? "everything" : stop.scope === "server" ? `server ${stop.server}` : `key ${stop.key}`;
