// R2 is away for an hour while requests come at a steady pace: half of it R2 refuses what it is
// given, half of it R2 never answers. At its end the gateway is killed, and R2 is back when it
// starts again. Whether requests wait, whether the doctor says it, and whether all of them are in
// the record that R2 has then.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { recordShards } from "../../shared/record/shards.ts";
import { tileWidth } from "../../shared/record/log/tiles.ts";
import { adminToken } from "../gateway-on-workerd.ts";
import { isFailed, open } from "../load.ts";
import type { Settings } from "../options.ts";
import { type Findings, type Row, quantile } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured, sampling } from "../sampling-load.ts";
import type { Served } from "../workerd.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const connections = 4;
const perSecond = 40;
/** So often the doctor is asked. */
const askedEveryMs = 15_000;
/** What is answered is in its object by then. */
const writtenMs = 3_000;

type Phase = { readonly name: string; readonly bucket: "there" | "refusing" | "silent"; readonly minutes: number };
const admin = { headers: { Authorization: `Bearer ${adminToken}` } };

export async function away(rig: Rig, { short }: Settings): Promise<Findings> {
  const minutes = (count: number): number => (short ? 0.1 : count);
  const provider = await rig.provider();
  const load = configured(`http://127.0.0.1:${provider.port}`);
  const objects = join(rig.memory(), "objects");
  const bucket = join(rig.folder, "bucket");
  mkdirSync(bucket);
  const started = { objects, bucket, entry: "bench/workers/bucket-gateway.ts" };
  let served = await rig.gateway(load, started);
  const phases: readonly Phase[] = [
    { name: "R2 is there", bucket: "there", minutes: minutes(2) },
    { name: "R2 refuses", bucket: "refusing", minutes: minutes(30) },
    { name: "R2 is silent", bucket: "silent", minutes: minutes(30) },
  ];
  const facts = new Map<string, number>();
  const rows: Row[] = [];
  let answered = 0;
  const awayFrom = performance.now() + (phases[0]?.minutes ?? 0) * 60_000;
  for (const phase of phases) {
    await setBucket(served, phase.bucket);
    const asking = setInterval(() => void noteDoctor(served, awayFrom, facts), askedEveryMs);
    const { times, failed } = await paced(served.port, phase.minutes * 60_000);
    clearInterval(asking);
    answered += times.length - failed;
    rows.push(rowOf(phase.name, times, failed));
    console.error(`${phase.name}: ${times.length} requests, ${failed} failed, p50 ${quantile(times, 0.5).toFixed(1)} ms`);
  }
  await new Promise((resolve) => setTimeout(resolve, writtenMs));
  const ledgers = join(objects, "LedgerObject");
  facts.set("MiB in the fullest object", Math.max(...readdirSync(ledgers).map((file) => statSync(join(ledgers, file)).size)) / 2 ** 20);
  facts.set("bundles that R2 does not have", sumOf(await waitingBundles(served, bucket)));
  // `kill -9`; R2 is back for the next one.
  await served.stop();
  served = await rig.gateway(load, started);
  const back = performance.now();
  while (sumOf(await waitingBundles(served, bucket)) > 0) await new Promise((resolve) => setTimeout(resolve, 500));
  facts.set("seconds until R2 has them", (performance.now() - back) / 1_000);
  const { times, failed } = await paced(served.port, minutes(2) * 60_000);
  answered += times.length - failed;
  rows.push(rowOf("R2 is back", times, failed));
  await new Promise((resolve) => setTimeout(resolve, writtenMs));
  while (sumOf(await waitingBundles(served, bucket)) > 0) await new Promise((resolve) => setTimeout(resolve, 500));
  facts.set("the doctor says that R2 takes it all (1: yes)", Number(!(await saysBehind(served))));
  facts.set("requests that were answered", answered);
  facts.set("entries in the sixteen logs", sumOf(await sizes(served)));
  facts.set("requests in the sums", await counted(served));
  facts.set("entries that verify-record verified in the bucket", verified(bucket, await keyOf(served)));
  facts.set("entries in bundles that are not full yet", sumOf((await sizes(served)).map((size) => size % tileWidth)));
  await served.stop();
  return {
    measured: `${perSecond} requests a second on ${connections} connections`,
    tables: [
      {
        title: "Requests while R2 is away",
        labels: [""],
        columns: [
          { key: "minutes", title: "minutes", digits: 1 },
          { key: "requests", title: "requests", digits: 0 },
          { key: "failed", title: "failed", digits: 0 },
          { key: "p50", title: "p50 ms", digits: 1 },
          { key: "p99", title: "p99 ms", digits: 1 },
        ],
        rows: rows.map((row, index) => ({ ...row, values: { ...row.values, minutes: [phases[index]?.minutes ?? minutes(2)] } })),
      },
      {
        title: "The record",
        labels: ["what"],
        columns: [{ key: "value", title: "", digits: 1 }],
        rows: [...facts].map(([name, value]) => ({ labels: [name], values: { value: [value] } })),
      },
    ],
    notes: ["Where R2 is silent, a write that it was given has no answer until R2 is back. The gateway is killed before that."],
  };
}

const sumOf = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0);

const rowOf = (name: string, times: readonly number[], failed: number): Row => ({
  labels: [name],
  values: { requests: [times.length], failed: [failed], p50: [quantile(times, 0.5)], p99: [quantile(times, 0.99)] },
});

/** Each connection sends at its own times; what is late is sent at once. */
async function paced(port: number, ms: number): Promise<{ readonly times: readonly number[]; readonly failed: number }> {
  const times: number[] = [];
  let failed = 0;
  const stepMs = (1_000 / perSecond) * connections;
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const exchange = await open(port);
      for (let due = begun + (connection / connections) * stepMs; due < begun + ms; due += stepMs) {
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
        const since = performance.now();
        const { text } = await exchange.send(sampling(connection));
        times.push(performance.now() - since);
        if (isFailed(text)) failed += 1;
      }
      exchange.close();
    }),
  );
  return { times, failed };
}

async function setBucket({ port }: Served, state: Phase["bucket"]): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/bench/bucket`, { method: "POST", body: state });
}

async function saysBehind({ port }: Served): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/doctor`, { ...admin, method: "POST" });
  return (await answer.text()).includes("recordBehind");
}

async function noteDoctor(served: Served, awayFrom: number, facts: Map<string, number>): Promise<void> {
  const name = "minutes until the doctor says it";
  if (!facts.has(name) && (await saysBehind(served)) && !facts.has(name)) facts.set(name, (performance.now() - awayFrom) / 60_000);
}

const perShard = <T>(of: (shard: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: recordShards }, (_, shard) => of(shard)));

const checkpoint = ({ port }: Served, shard: number): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}/record/${shard}/checkpoint`, admin);
const sizeIn = (note: string): number => Number(note.split("\n")[1]);
const keyOf = async (served: Served): Promise<string> => (await checkpoint(served, 0)).headers.get("Countersign-Record-Key") ?? "";

/** Entries of each log. */
const sizes = (served: Served): Promise<number[]> =>
  perShard(async (shard) => {
    const answer = await checkpoint(served, shard);
    if (!answer.ok) throw new Error(`checkpoint ${shard}: ${answer.status} ${await answer.text()}`);
    return sizeIn(await answer.text());
  });

/** Full bundles of each log that are not in the bucket. */
async function waitingBundles(served: Served, bucket: string): Promise<number[]> {
  return (await sizes(served)).map((size, shard) => {
    const file = join(bucket, "record", String(shard), "checkpoint");
    return Math.floor(size / tileWidth) - (existsSync(file) ? sizeIn(readFileSync(file, "utf8")) / tileWidth : 0);
  });
}

async function counted({ port }: Served): Promise<number> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/admin/usage`, admin);
    const { isComplete, total } = (await answer.json()) as Usage; // GET /admin/usage says so
    if (isComplete) return sumOf(Object.values(total.outcomes));
  }
}
type Usage = { readonly isComplete: boolean; readonly total: { readonly outcomes: Readonly<Record<string, number>> } };

/** Throws where anything does not hold. */
function verified(bucket: string, key: string): number {
  if (!existsSync(join(bucket, "record"))) return 0;
  const printed = execFileSync(process.execPath, ["scripts/verify-record.ts", "--bucket", bucket, "--key", key], {
    cwd: root,
    encoding: "utf8",
  });
  return [...printed.matchAll(/(\d+) verified/g)].reduce((sum, [, count]) => sum + Number(count), 0);
}
