// A record of ten million requests beside one of a hundred thousand: what the console's pages take,
// in how many reads of R2 an old request is found, and what verifying all of it takes. Files of a
// folder take the place of R2. BENCH_LINES is another number than ten million. BENCH_RECORD is a
// folder that keeps the large record; one that has it already is measured as it is.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { signingKey } from "../../shared/sealed-id.ts";
import { recordShards } from "../../shared/record/shards.ts";
import { type Shown, days, pages, sendOwn, shown, signIn } from "../console-pages.ts";
import { fillRecord } from "../full-record.ts";
import { adminToken, linkKey } from "../gateway-on-workerd.ts";
import type { Settings } from "../options.ts";
import { type Findings, type Row, type Table, median } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured } from "../sampling-load.ts";
import type { Served } from "../workerd.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

const viewed = [
  ...pages,
  ["Requests of a server", "/requests?server=server-3"],
  ["Requests of a key that failed", "/requests?key=key_6&state=unanswered"],
  ["Requests by a word that none has", "/requests?q=nothing-has-this"],
] as const;

type Measured = {
  readonly lines: number;
  readonly pages: ReadonlyMap<string, readonly Shown[]>;
  readonly facts: ReadonlyMap<string, number>;
};

export async function size(rig: Rig, settings: Settings): Promise<Findings> {
  const counts = settings.short ? [6_400, 12_800] : [100_000, Number(process.env["BENCH_LINES"] ?? 10_000_000)];
  const measured: Measured[] = [];
  for (const lines of counts)
    measured.push(await measuredAt(rig, lines, settings, lines === counts.at(-1) ? process.env["BENCH_RECORD"] : undefined));
  return {
    measured: `${counts.map((count) => count.toLocaleString("en-US")).join(" and ")} requests of ${days} days in 16 shards; each page ${viewsOf(settings)} times, one after another`,
    tables: [pagesTable(measured), factsTable(measured)],
    notes: ["Reads are of bundles in R2. The memory of `verify-record` is the most that its process had."],
  };
}

const viewsOf = ({ rounds }: Settings): number => rounds * 3;

/** The ratio is of CPU: other work on the machine changes the time. */
function pagesTable(measured: readonly Measured[]): Table {
  const cpuOf = ({ pages: of }: Measured, name: string): number => mean((of.get(name) ?? []).map(({ cpu }) => cpu));
  const rows = viewed.map(([name]): Row => {
    const values = measured.flatMap((each): [string, number[]][] => [
      [`at${each.lines}`, (each.pages.get(name) ?? []).map(({ ms }) => ms)],
      [`cpu${each.lines}`, [cpuOf(each, name)]],
    ]);
    const [first, last] = [measured[0], measured.at(-1)];
    const ratio = first === undefined || last === undefined ? 1 : (cpuOf(last, name) + tickMs) / (cpuOf(first, name) + tickMs);
    return { labels: [name], values: { ...Object.fromEntries(values), ratio: [ratio] } };
  });
  const columns = measured.flatMap(({ lines }) => [
    { key: `at${lines}`, title: `${lines.toLocaleString("en-US")}: p50 ms`, digits: 0 },
    { key: `cpu${lines}`, title: "CPU ms", digits: 0 },
  ]);
  return { title: "The console's pages", labels: ["page"], columns: [...columns, { key: "ratio", title: "CPU ratio", digits: 2 }], rows };
}

/** So that a page without any has a ratio: the system counts CPU in steps of ten milliseconds. */
const tickMs = 1;
const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;

function factsTable(measured: readonly Measured[]): Table {
  const names = [...(measured[0]?.facts.keys() ?? [])];
  const rows = names.map((name) => ({
    labels: [name],
    values: Object.fromEntries(measured.map(({ facts, lines }) => [`at${lines}`, [facts.get(name) ?? 0]])),
  }));
  const columns = measured.map(({ lines }) => ({ key: `at${lines}`, title: lines.toLocaleString("en-US"), digits: 1 }));
  return { title: "The record", labels: ["what"], columns, rows };
}

type Filled = {
  /** Ids of requests of all ages. */
  readonly runs: readonly string[];
  readonly seconds: number;
  /** Until the objects had counted it, when they did. */
  readonly countedSeconds?: number;
};

async function measuredAt(rig: Rig, lines: number, settings: Settings, kept?: string): Promise<Measured> {
  const provider = await rig.provider();
  const load = configured(`http://127.0.0.1:${provider.port}`);
  const objects = join(kept ?? rig.memory(), "objects");
  const bucket = join(kept ?? rig.folder, `bucket-${lines}`);
  mkdirSync(bucket, { recursive: true });
  const started = { objects, bucket, entry: "bench/workers/bucket-gateway.ts" };
  const list = join(kept ?? rig.folder, `filled-${lines}.json`);
  if (!existsSync(list)) {
    const before = await rig.gateway(load, started);
    await sendOwn(before.port, 400);
    await before.stop();
    const since = performance.now();
    const stepMs = (days * 86_400_000) / lines;
    const runs = await fillRecord({ objects, bucket, keys: [signingKey(linkKey)], lines, stepMs, now: Date.now() });
    writeFileSync(list, JSON.stringify({ runs, seconds: (performance.now() - since) / 1_000 } satisfies Filled));
  }
  const filled = JSON.parse(readFileSync(list, "utf8")) as Filled; // written above
  const { runs, seconds } = filled;
  const facts = new Map<string, number>([["seconds to write it", seconds]]);
  const served = await rig.gateway(load, started);
  const woken = performance.now();
  const session = await signIn(served.port);
  const view = (page: string): Promise<Shown> => shown(served, page, session);
  await view("/stops");
  await until(() => isCounted(served));
  await until(() => isPublished(bucket));
  const countedSeconds = filled.countedSeconds ?? (performance.now() - woken) / 1_000;
  facts.set("seconds until the objects have counted it", countedSeconds);
  writeFileSync(list, JSON.stringify({ ...filled, countedSeconds } satisfies Filled));
  const times = new Map<string, Shown[]>();
  for (const [name, page] of viewed) {
    const reads = await readsOf(served);
    const own: Shown[] = [];
    for (let round = 0; round < viewsOf(settings); round += 1) own.push(await view(page));
    times.set(name, own);
    if (name === "Overview, 30 days") facts.set("reads for the sums of 30 days", (await readsOf(served)) - reads);
    if (name === "Requests") facts.set("reads for the page of requests", (await readsOf(served)) - reads);
  }
  console.error(`${lines} requests: pages`, Object.fromEntries([...times].map(([name, own]) => [name, median(own.map(({ ms }) => ms))])));
  await lookUp(served, runs, facts);
  console.error(`${lines} requests:`, Object.fromEntries(facts));
  await verify(bucket, served, facts);
  const files = readdirSync(bucket, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  facts.set("files in the bucket", files.length);
  const bytes = files.map((each) => statSync(join(each.parentPath, each.name)).size);
  facts.set("bytes in the bucket for an entry", bytes.reduce((sum, each) => sum + each, 0) / lines);
  const stored = readdirSync(join(objects, "LedgerObject")).map((name) => statSync(join(objects, "LedgerObject", name)).size);
  facts.set("bytes in the objects for an entry", stored.reduce((sum, each) => sum + each, 0) / lines);
  await served.stop();
  return { lines, pages: times, facts };
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 500));
}

/** Each of the sixteen logs has its checkpoint. */
const isPublished = (bucket: string): boolean =>
  Array.from({ length: recordShards }, (_, shard) => join(bucket, "record", String(shard), "checkpoint")).every((file) => existsSync(file));

const admin = { headers: { Authorization: `Bearer ${adminToken}` } };

/** The next call counts some more, and the objects' alarms the rest. */
async function isCounted({ port }: Served): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/usage`, admin);
  return ((await answer.json()) as { readonly isComplete: boolean }).isComplete; // GET /admin/usage says so
}

async function readsOf({ port }: Served): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/bench/bucket`);
  return ((await answer.json()) as { readonly reads: number }).reads; // the bench's own Worker
}

/** Requests of all ages by their ids, each once. */
async function lookUp(served: Served, runs: readonly string[], facts: Map<string, number>): Promise<void> {
  const times: number[] = [];
  const reads: number[] = [];
  for (const run of runs) {
    const before = await readsOf(served);
    const since = performance.now();
    const answer = await fetch(`http://127.0.0.1:${served.port}/admin/runs/${run}`, admin);
    if (!answer.ok) throw new Error(`${run}: ${answer.status} ${await answer.text()}`);
    await answer.text();
    times.push(performance.now() - since);
    reads.push((await readsOf(served)) - before);
  }
  facts.set("a request by its id: p50 ms", median(times));
  facts.set("a request by its id: reads, median", median(reads));
  facts.set("a request by its id: reads, most", Math.max(...reads));
}

async function verify(bucket: string, { port }: Served, facts: Map<string, number>): Promise<void> {
  const key = (await fetch(`http://127.0.0.1:${port}/record/0/checkpoint`, admin)).headers.get("Countersign-Record-Key") ?? "";
  console.error(`verify-record --bucket ${bucket} --key ${key}`);
  const since = performance.now();
  const child = spawn(process.execPath, ["scripts/verify-record.ts", "--bucket", bucket, "--key", key], { cwd: root });
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  let mostKib = 0;
  const watching = setInterval(() => (mostKib = Math.max(mostKib, peakKib(child.pid ?? 0))), 200);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearInterval(watching);
  if (code !== 0) throw new Error(`verify-record ended with ${String(code)}: ${printed}`);
  facts.set("verify-record: seconds", (performance.now() - since) / 1_000);
  facts.set("verify-record: MiB", mostKib / 1_024);
  const entries = [...printed.matchAll(/(\d+) verified/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  facts.set("verify-record: entries verified", entries);
}

/** From Linux's /proc; 0 where the process has ended. */
function peakKib(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
