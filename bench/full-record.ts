// Fills a stopped gateway's record with requests of genuine ids. Sums are left to the objects. Two
// threads have a half of the logs each, since a log needs nothing of the others.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import type { Portion } from "./full-record-thread.ts";

const threads = 2;

type FullRecord = Omit<Portion, "files" | "half"> & {
  /** Each shard must have a request of its own already: the others are copies of it. */
  readonly objects: string;
};

/** Adds entries in the order of time; returns an id of each hundredth part. */
export async function fillRecord({ objects, ...portion }: FullRecord): Promise<string[]> {
  const folder = join(objects, "LedgerObject");
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  // With no alarm from before, an object that wakes sets one for the bundle that it has to publish.
  const alarms = new DatabaseSync(join(folder, "metadata.sqlite"));
  alarms.exec("DELETE FROM _cf_ALARM");
  alarms.close();
  const sampled = Array.from({ length: threads }, (_, number) => {
    const own = files.filter((_file, index) => index % threads === number).map((file) => join(folder, file));
    return filledBy({ ...portion, files: own, half: { number, of: threads } });
  });
  return (await Promise.all(sampled)).flat();
}

const filledBy = (portion: Portion): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(new URL("full-record-thread.ts", import.meta.url), { workerData: portion });
    thread.on("message", (sample: string[]) => resolve(sample)); // the thread's own word
    thread.on("error", reject);
    thread.on("exit", (code) => reject(new Error(`fillRecord: a thread ended with ${code}`)));
  });
