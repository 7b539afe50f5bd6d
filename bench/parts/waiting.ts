// Many requests that wait for a person at once: whether their objects sleep, what each stores, and
// whether each gets its decision.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pause } from "../../scripts/local-gateway.ts";
import { countedEntry, countsOf } from "../counted.ts";
import type { Settings } from "../options.ts";
import type { Column, Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured } from "../sampling-load.ts";
import { waitAndDecide } from "../waiting.ts";
import type { Served } from "../workerd.ts";

const columns: readonly Column[] = [
  { key: "waiting", title: "waiting at once", digits: 0 },
  { key: "held", title: "callers on a connection", digits: 0 },
  { key: "awake", title: "run objects awake", digits: 0 },
  { key: "runBytes", title: "bytes stored for each, in its object", digits: 0 },
  { key: "allBytes", title: "in all objects", digits: 0 },
  { key: "rows", title: "rows for each, in its object", digits: 1 },
  { key: "decided", title: "decided", digits: 0 },
  { key: "lost", title: "lost", digits: 0 },
  { key: "openedSeconds", title: "all open after s", digits: 0 },
  { key: "decisionsPerSecond", title: "decisions a second", digits: 0 },
];

/**
 * workerd puts an object to sleep that had nothing to do for ten seconds. The full run waits longer
 * than any other timer of the gateway's.
 */
const quietMs = { full: 90_000, short: 1_000 };

/** One round: it takes minutes, and what it measures is counted. */
export async function waiting(rig: Rig, { short }: Settings): Promise<Findings> {
  const count = short ? 40 : 10_000;
  const provider = await rig.provider();
  const { routing } = configured(`http://127.0.0.1:${provider.port}`).documents;
  const objects = join(rig.memory(), "objects");
  const gateway = await rig.gateway({ documents: { routing: routing ?? {} }, keys: {} }, { entry: countedEntry, objects });
  // In a short run half of them, so that both ways are taken.
  const held = short ? count / 2 : heldWithin(gateway, count);
  let stored = { runBytes: Number.NaN, allBytes: Number.NaN, rows: Number.NaN };
  const waited = await waitAndDecide(
    { url: `http://127.0.0.1:${gateway.port}` },
    {
      count,
      alone: Math.min(count / 4, 100),
      held,
      pace: withinOpenFiles(gateway),
      whileWaiting: async () => {
        console.error(`${count} wait; pausing, so that their objects may sleep`);
        await pause(short ? quietMs.short : quietMs.full);
        stored = storedIn(objects, count);
        await countsOf(gateway, true);
      },
    },
  );
  // Each was called for its page and its decision.
  const { called, awake } = await countsOf(gateway);
  const figures: Record<string, number> = {
    waiting: count,
    held,
    awake: awake + count - called,
    ...stored,
    decided: waited.callers - waited.lost,
    lost: waited.lost,
    openedSeconds: waited.openedMs / 1000,
    decisionsPerSecond: waited.decisionsPerSecond,
  };
  const values = Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, [figure]]));
  return {
    measured: "Counted once.",
    tables: [{ title: "Requests that wait for a person", labels: [], columns, rows: [{ labels: [], values }] }],
    notes: [
      "Callers that hold no connection asked for a task and fetch its result after the decision; how many hold one is bounded by the open files that this machine allows a process.",
      ...(waited.reasons.length > 0 ? [`Lost: ${waited.reasons.join("; ")}.`] : []),
    ],
  };
}

const openFilesLimit = ({ process: { pid = 0 } }: Served): number =>
  Number(/Max open files +(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1] ?? Number.POSITIVE_INFINITY);

/** Open files that are left for objects and for the reviewers' browsers. */
const otherFiles = 6_000;

/** How many callers can hold a connection: in workerd each has two files open. */
const heldWithin = (served: Served, count: number): number =>
  Math.max(0, Math.min(count, Math.floor((openFilesLimit(served) - otherFiles) / 2)));

/**
 * Waits while workerd has nearly as many files open as it may. The database of an object in memory
 * is three, until ten seconds after its last work.
 */
function withinOpenFiles(served: Served): () => Promise<void> {
  const most = openFilesLimit(served) - otherFiles / 3;
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % 50 !== 1) return;
    while (readdirSync(`/proc/${served.process.pid ?? 0}/fd`).length > most) await pause(250);
  };
}

const sample = 50;

/** For each of `count` runs, from the objects' files. */
function storedIn(objects: string, count: number): { runBytes: number; allBytes: number; rows: number } {
  const filesOf = (folder: string): string[] =>
    readdirSync(join(objects, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.sqlite(-wal)?$/.test(name))
      .map((name) => join(objects, folder, name));
  const bytesOf = (files: readonly string[]): number => files.reduce((sum, file) => sum + statSync(file).size, 0);
  const databases = filesOf("RunObject").filter((file) => file.endsWith(".sqlite") && !file.endsWith("metadata.sqlite"));
  const some = databases.slice(0, sample);
  return {
    runBytes: some.reduce((sum, file) => sum + pagesOf(file).bytes, 0) / some.length,
    allBytes: bytesOf(readdirSync(objects).flatMap(filesOf)) / count,
    rows: some.reduce((sum, file) => sum + pagesOf(file).rows, 0) / some.length,
  };
}

/** As the runtime counts an object's storage: the pages of its database. */
function pagesOf(file: string): { bytes: number; rows: number } {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const number = (sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[];
    return {
      bytes: number("PRAGMA page_count") * number("PRAGMA page_size"),
      rows: tables.reduce((sum, { name }) => sum + number(`SELECT COUNT(*) FROM "${name}"`), 0),
    };
  } finally {
    database.close();
  }
}
