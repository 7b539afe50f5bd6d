// Many requests that wait for a person at once: whether their objects sleep, what each stores, and whether each gets its decision.

import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pause } from "../../local-gateway.ts";
import { countedEntry, countsOf } from "../counted.ts";
import type { Settings } from "../options.ts";
import type { Column, Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured } from "../sampling-load.ts";
import { waitAndDecide } from "../waiting.ts";
import type { Served } from "../workerd.ts";

const columns: readonly Column[] = [
  { key: "waiting", title: "waiting at once", digits: 0 },
  { key: "awake", title: "run objects awake", digits: 0 },
  { key: "runBytes", title: "bytes stored for each, in its object", digits: 0 },
  { key: "allBytes", title: "in all objects", digits: 0 },
  { key: "rows", title: "rows for each, in its object", digits: 1 },
  { key: "decided", title: "decided", digits: 0 },
  { key: "lost", title: "lost", digits: 0 },
  { key: "openedSeconds", title: "all open after s", digits: 0 },
  { key: "decisionsPerSecond", title: "decisions a second", digits: 0 },
];

/** workerd puts an object to sleep that had nothing to do for ten seconds. The full run waits longer than any other timer of the gateway's. */
const quietMs = { full: 90_000, short: 1_000 };

/** One round: it takes minutes, and what it measures is counted. */
export async function waiting(rig: Rig, { short }: Settings): Promise<Findings> {
  const count = short ? 40 : 10_000;
  const provider = await rig.provider();
  const { routing } = configured(`http://127.0.0.1:${provider.port}`).documents;
  const objects = join(rig.memory(), "objects");
  const gateway = await rig.gateway({ documents: { routing: routing ?? {} }, keys: {} }, { entry: countedEntry, objects });
  let stored = { runBytes: Number.NaN, allBytes: Number.NaN, rows: Number.NaN };
  let madeBefore = 0;
  const waited = await waitAndDecide(
    { url: `http://127.0.0.1:${gateway.port}` },
    {
      count,
      alone: Math.min(count / 4, 100),
      pace: withinOpenFiles(gateway, count),
      whileWaiting: async () => {
        console.error(`${count} wait; pausing, so that their objects may sleep`);
        await pause(short ? quietMs.short : quietMs.full);
        stored = storedIn(objects, count);
        madeBefore = (await countsOf(gateway)).made["RunObject"] ?? 0;
      },
    },
  );
  const madeAgain = ((await countsOf(gateway)).made["RunObject"] ?? 0) - madeBefore;
  return {
    measured: "Counted once.",
    tables: [
      {
        title: "Requests that wait for a person",
        labels: [],
        columns,
        rows: [
          {
            labels: [],
            values: {
              waiting: [count],
              // Each is called for its page: an object that slept is made again for that, and one that was awake is not.
              awake: [Math.max(0, count - madeAgain)],
              runBytes: [stored.runBytes],
              allBytes: [stored.allBytes],
              rows: [stored.rows],
              decided: [waited.callers - waited.lost],
              lost: [waited.lost],
              openedSeconds: [waited.openedMs / 1000],
              decisionsPerSecond: [waited.decisionsPerSecond],
            },
          },
        ],
      },
    ],
    ...(waited.reasons.length > 0 ? { notes: [`Lost: ${waited.reasons.join("; ")}.`] } : {}),
  };
}

/**
 * Waits while workerd has nearly as many files open as it may: a caller's socket is one, and the database of an object in memory is three,
 * until ten seconds after its last work.
 */
function withinOpenFiles({ process: { pid = 0 } }: Served, count: number): () => Promise<void> {
  const limit = Number(/Max open files +(\d+)/.exec(readFileSync(`/proc/${pid}/limits`, "utf8"))?.[1] ?? Number.POSITIVE_INFINITY);
  if (limit < count * 1.5)
    throw new Error(`workerd may have ${limit} files open, too few for ${count} callers: ulimit -n ${count * 2}, and run it again`);
  const openFiles = (): number => readdirSync(`/proc/${pid}/fd`).length;
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls % 50 !== 1) return;
    while (openFiles() > limit - 4_000) await pause(250);
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
