// Checks where the record's log goes: to R2, and whether that takes it; or, without a bucket, how
// long its objects will do.

import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import type { LogStatus, WitnessProblem } from "../stubs/ledger-calls.ts";
import { ledgerShards, ledgerStub } from "../stubs/stubs.ts";
import { type Check, fix, good, note } from "./check.ts";

const mostBytes = 10 * 1024 ** 3;
const dayMs = 24 * 3_600_000;
/** A bundle that is full and not in R2 for so long is not on its way any more. */
const onItsWayMs = 10 * 60_000;
/** What is fuller is nothing to be told of in passing. */
const fullShare = 0.8;

const title = { key: "record" } as const;

export async function recordChecks(env: Env, now: number): Promise<readonly Check[]> {
  const shards = await Promise.all(Array.from({ length: ledgerShards }, async (_, shard) => ledgerStub(env, shard).logStatus()));
  const { witness } = settingsOf(env);
  return [storedCheck(shards, now), ...(witness === undefined ? [] : [witnessCheck(shards, witness.key !== undefined)])];
}

const witnessWords = {
  unknownLog: "witnessUnknownLog",
  otherKey: "witnessUnknownLog",
  notContinued: "witnessNotContinued",
  ahead: "witnessAhead",
  uncosigned: "witnessUncosigned",
  away: "recordUnwitnessed",
  unsigned: "witnessUnsigned",
} as const satisfies Record<WitnessProblem, string>;

/** What may be tampering is said first. */
const gravest: readonly WitnessProblem[] = ["notContinued", "ahead", "uncosigned", "otherKey", "unknownLog", "unsigned", "away"];

function witnessCheck(shards: readonly LogStatus[], isKeyKnown: boolean): Check {
  const problem = gravest.find((each) => shards.some(({ witnessProblem }) => witnessProblem === each));
  if (problem !== undefined) return fix(title, witnessWords[problem]);
  return isKeyKnown ? good(title, "recordWitnessed") : note(title, "recordUnkept");
}

function storedCheck(shards: readonly LogStatus[], now: number): Check {
  const share = Math.max(...shards.map(({ bytes }) => bytes)) / mostBytes;
  const percent = String(Math.ceil(share * 100));
  if (shards.every(({ hasBucket }) => hasBucket)) {
    const isBehind = shards.some(({ unpublishedSince }) => unpublishedSince !== null && now - unpublishedSince > onItsWayMs);
    return isBehind ? fix(title, { key: "recordBehind", values: { percent } }) : good(title, "recordStored");
  }
  const days = Math.min(
    ...shards.map(({ bytes, since }) => (since === null ? Infinity : ((mostBytes - bytes) / bytes) * ((now - since) / dayMs))),
  );
  const isKnown = shards.some(({ since }) => since !== null && now - since > dayMs);
  const says = isKnown
    ? ({ key: "recordInObjectsFor", values: { percent, days: String(Math.floor(days)) } } as const)
    : ({ key: "recordInObjects", values: { percent } } as const);
  return share > fullShare ? fix(title, says) : note(title, says);
}
