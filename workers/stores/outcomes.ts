// What fails now: what all shards of the record have of the last hour. One call to each shard,
// which costs it no row.

import { readJsonOf } from "../../shared/json/json-of.ts";
import { type OutcomesNow, outcomesNow } from "../../shared/telemetry/recent-outcomes.ts";
import type { Env } from "../platform/env.ts";
import { isolateState } from "../platform/isolate.ts";
import { ledgerShards, ledgerStub } from "../stubs/stubs.ts";
import { documentsOf } from "./documents.ts";

/** `isPartial`: there was more than is told apart. */
type Outcomes = OutcomesNow & { readonly isPartial: boolean };

/** @throws Where a shard or the routing table cannot be read. */
export async function outcomesOf(env: Env, now: number, background: (work: Promise<unknown>) => void): Promise<Outcomes> {
  const [{ routing }, shards] = await Promise.all([
    documentsOf(env, now, background),
    Promise.all(Array.from({ length: ledgerShards }, async (_, shard) => readJsonOf(await ledgerStub(env, shard).recent()))),
  ]);
  const providers = new Map(routing.models.map(({ id, provider }) => [id, provider]));
  const all = outcomesNow(
    shards.flatMap(({ outcomes }) => outcomes),
    (model) => providers.get(model),
  );
  return { ...all, isPartial: shards.some(({ isPartial }) => isPartial) };
}

/** So long an answer to whoever asks for health is used again: it costs a call to each shard. */
const keptMs = 10_000;
type Known = { at: number; failing: number };
const known = isolateState((): Known => ({ at: 0, failing: 0 }));

/**
 * How many providers fail now, for health, which everybody may ask. Where that cannot be read,
 * none: what cannot be read has issues of its own.
 */
export async function failingProviders(env: Env, now: number, background: (work: Promise<unknown>) => void): Promise<number> {
  const kept = known(env);
  if (Math.abs(now - kept.at) >= keptMs) {
    // At once, so that of many who ask at the same time one costs the calls.
    kept.at = now;
    kept.failing = await outcomesOf(env, now, background).then(
      ({ providers }) => providers.filter(({ isFailing }) => isFailing).length,
      () => 0,
    );
  }
  return kept.failing;
}
