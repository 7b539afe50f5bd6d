// What the cron trigger does: looks for what should have been done and was not, because an alarm
// was lost where nobody came since.
//
// A run's object tells the ledger with each part of its record when it has something to do next.
// Whatever is overdue there is asked to do it; what it says is taken down, so that the next tick
// goes on behind it.

import type { Expected } from "./stubs/ledger-calls.ts";
import { backoffMs } from "../shared/backoff.ts";
import type { Env } from "./platform/env.ts";
import { errorClass, logEvent } from "./platform/log.ts";
import { lookForAlerts } from "./stores/look-for-alerts.ts";
import { configStub, ledgerShards, ledgerStub, runStub } from "./stubs/stubs.ts";

/** An object that is on its way to what is due is left alone. */
const graceMs = 2 * 60_000;
/** So many runs of each of the ledger's shards in one tick. */
const mostOfShard = 12;
/**
 * A run that could not be asked is asked again after about this, and holds up no other until then.
 */
const again = { firstMs: 15 * 60_000, mostMs: 15 * 60_000 };

type Sweeping = { readonly now: number; readonly random: () => number };

/** What the cron trigger calls. */
export const scheduled = (_: ScheduledController, env: Env): Promise<void> => sweep(env, { now: Date.now(), random: Math.random });

/**
 * One tick. It never throws, may overlap with another, and does nothing that an alarm would not do.
 */
async function sweep(env: Env, sweeping: Sweeping): Promise<void> {
  const shards = Array.from({ length: ledgerShards }, (_, shard) => shard);
  const background = (work: Promise<unknown>): void => void work.catch(() => {});
  await Promise.all([
    quietly(() => configStub(env).sweep()),
    lookForAlerts(env, sweeping.now, background),
    ...shards.map((shard) => quietly(() => sweepShard(env, shard, sweeping))),
  ]);
}

async function sweepShard(env: Env, shard: number, { now, random }: Sweeping): Promise<void> {
  const ledger = ledgerStub(env, shard);
  const overdue = await ledger.overdue(now - graceMs, mostOfShard);
  await Promise.all(
    overdue.map(async (each) => {
      const dueAt = await lookAfter(env, each, now + backoffMs(again, 0, random()));
      await ledger.lookedAfter(each, dueAt);
    }),
  );
}

/** When the run has something to do next; `otherwise` where it cannot be asked. */
async function lookAfter(env: Env, { run }: Expected, otherwise: number): Promise<number | null> {
  try {
    return await runStub(env, run).sweep();
  } catch (error) {
    logEvent("sweep.failed", { run, error: errorClass(error) });
    return otherwise;
  }
}

async function quietly(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    logEvent("sweep.failed", { error: errorClass(error) });
  }
}
