// What operators have stopped. Each of several objects has all of it (`stopShards`); one of them
// cancels the runs of what is stopped.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import type { Stop, Stops, ToolStop } from "../../shared/policy/stops.ts";
import type { Operator } from "../../shared/record/record.ts";
import type { Env } from "../platform/env.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { RunsQuery } from "../stubs/ledger-calls.ts";
import { toolStopId, type StopCalls, type StoppedAt, mostStops, stopsKnownMs } from "../stubs/stop-calls.ts";
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
type WithdrawalRow = { name: string; stop: JsonOf<Stop>; since: number; by_operator: JsonOf<Operator | null>; attempts: number };

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

  stop(stop: Stop, withdrawnBy: Operator | "reviewer" | null): boolean {
    const [now, text] = [this.now(), jsonOf(stop)];
    const stops = this.list().map((each) => each.stop);
    const tools = stops.filter((each) => each.scope === "tool");
    const isKnown = stops.some((each) => nameOf(each) === nameOf(stop));
    const isOfTool = stop.scope === "tool";
    if (!isKnown && !isOfTool && stop.scope !== "everything" && stops.length - tools.length >= mostStops) return false;
    this.ctx.storage.transactionSync(() => {
      if (isOfTool) for (const old of replaced(tools, stop, now)) this.#delete(nameOf(old));
      this.sql.exec("INSERT OR IGNORE INTO stop (name, stop, at) VALUES (?, ?, ?)", nameOf(stop), text, now);
      if (withdrawnBy === null) return;
      this.sql.exec(
        "INSERT OR REPLACE INTO withdrawal (name, stop, since, by_operator, attempts, due_at) VALUES (?, ?, ?, ?, 0, ?)",
        nameOf(stop),
        text,
        now,
        jsonOf(withdrawnBy === "reviewer" ? null : withdrawnBy),
        now,
      );
    });
    this.#stops = this.#read();
    this.#alarm.arm();
    return true;
  }

  resume(stop: Stop): boolean {
    const gone = this.#delete(nameOf(stop));
    this.sql.exec("DELETE FROM withdrawal WHERE name = ?", nameOf(stop));
    this.#stops = this.#read();
    return gone;
  }

  #delete(name: string): boolean {
    return this.sql.exec("DELETE FROM stop WHERE name = ? RETURNING 1", name).toArray().length > 0;
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
  async #withdrawIn(shard: number, stop: Stop, by: Operator | null): Promise<number> {
    const server = "server" in stop ? { server: stop.server } : {};
    const of = "key" in stop ? { ...server, key: stop.key } : server;
    const only = stop.scope === "tool" ? jsonOf(stop) : null;
    let after: Pick<RunsQuery, "after"> = {};
    let cancelled = 0;
    for (;;) {
      const query: RunsQuery = { state: "open", limit: portion, ...of, ...after };
      const { lines, stoppedAt } = readJsonOf(await ledgerStub(this.env, shard).runs(query));
      const done = await Promise.all(lines.map(({ run }) => runStub(this.env, run).cancel("stopped", by, only)));
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
      tools: stops.flatMap((stop) => (stop.scope === "tool" ? [stop] : [])),
    };
  }
}

/** Those of tools that are over, the same one, and one more where there are too many. */
function replaced(tools: readonly ToolStop[], stop: ToolStop, now: number): readonly ToolStop[] {
  const live = tools.filter((each) => each.until > now && nameOf(each) !== nameOf(stop)).toSorted((a, b) => b.until - a.until);
  return tools.filter((each) => !live.slice(0, mostStops - 1).includes(each));
}

function nameOf(stop: Stop): string {
  switch (stop.scope) {
    case "everything":
      return stop.scope;
    case "server":
      return `server ${stop.server}`;
    case "key":
      return `key ${stop.key}`;
    case "tool":
      return `tool ${toolStopId(stop)}`;
    default:
      return stop satisfies never;
  }
}
