// A thread of `full-record.ts`: fills some of the logs with its share of the requests, in the order
// of time, and posts the ids that the benchmark asks for.

import { randomFillSync } from "node:crypto";
import { parentPort, workerData } from "node:worker_threads";
import { toBase64url } from "../shared/encoding.ts";
import { recordShardOf } from "../shared/record/shards.ts";
import { type SigningKeys, newRunBytes, runIdOf } from "../shared/sealed-id.ts";
import { filling } from "./console-pages.ts";
import { ShardLog } from "./shard-log.ts";

export type Portion = {
  /** The objects' files of the logs that are filled. */
  readonly files: readonly string[];
  readonly half: { readonly number: number; readonly of: number };
  readonly bucket: string;
  readonly keys: SigningKeys;
  /** Of all threads, the newest of them now. */
  readonly lines: number;
  readonly stepMs: number;
  readonly now: number;
};

/** Requests follow one another in a thread for so many, so that each has all kinds of them. */
const inTurn = 97;

function fill({ files, half, bucket, keys, lines, stepMs, now }: Portion): string[] {
  const shards = new Map(
    files.map((file) => {
      const shard = new ShardLog(file, bucket);
      return [shard.number, shard];
    }),
  );
  const { vary } = filling(lines, stepMs);
  const sample: string[] = [];
  for (let index = 0; index < lines; index += 1) {
    if (Math.floor(index / inTurn) % half.of !== half.number) continue;
    const at = now - (lines - index) * stepMs;
    const isSampled = index % Math.ceil(lines / 100) === 0;
    const { run, shard } = newIn(shards, () => (isSampled ? runIdOf(keys, newRunBytes(at, random(16))) : likeId(at)));
    const line = { endedAt: at + 5, ...vary(index, at) };
    shard.add(run, at, line);
    if (isSampled && line.endedAt !== null) sample.push(run);
    if (shard.isFull) shard.closeBundle();
    if (index % 1_000_000 === 0) console.error(`${index.toLocaleString("en-US")} of ${lines.toLocaleString("en-US")} entries`);
  }
  for (const shard of shards.values()) shard.finish();
  return sample;
}

/** An id whose log is one of these. */
function newIn(shards: ReadonlyMap<number, ShardLog>, newId: () => string): { readonly run: string; readonly shard: ShardLog } {
  for (;;) {
    const run = newId();
    const shard = shards.get(recordShardOf(run));
    if (shard !== undefined) return { run, shard };
  }
}

/** As long as an id, with the time where an id has it. Only the sampled ones are asked for. */
const likeId = (at: number): string => `run_${toBase64url(new Uint8Array([0, ...newRunBytes(at, random(16)), ...random(16)]))}`;

const pool = new Uint8Array(65_536);
let used = pool.length;

/** Of a pool: a call for each few bytes took a third of the time. */
function random(length: number): Uint8Array {
  if (used + length > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += length;
  return pool.slice(used - length, used);
}

parentPort?.postMessage(fill(workerData as Portion), []); // of `full-record.ts`
