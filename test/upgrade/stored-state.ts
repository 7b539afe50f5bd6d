// What a gateway stored, as one file: its folder with KV and the objects' databases. The file is
// old when it is opened, so the times of what waits in it are moved, as version 1 has them.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Zippable, unzipSync, zipSync } from "fflate";

/** What was stored, for those who look for it again. */
export type StoredState = {
  /** An API key, and its id. */
  readonly key: string;
  readonly keyId: string;
  /** Runs by what became of them, or by the gate at which they wait. */
  readonly runs: Readonly<Record<"answered" | "approved" | "request" | "response", string>>;
};

const manifest = "state.json";

const dayMs = 24 * 3_600_000;

/** By table: what makes the rows of an object that has it last so long. */
const lasting = (until: number): Readonly<Record<string, readonly string[]>> => ({
  run: [
    `UPDATE run SET state = json_replace(state, '$.reviews.request.deadlineAt', ${until}, '$.reviews.response.deadlineAt', ${until})
     WHERE json_extract(state, '$.end') IS NULL`,
    `UPDATE run SET schedule = (SELECT json_group_array(json_set(value, '$.dueAt', ${until})) FROM json_each(schedule)),
       links = (SELECT json_group_array(json_set(value, '$.expiresAtSeconds', ${Math.floor(until / 1_000)})) FROM json_each(links))`,
  ],
  sampling: [
    `UPDATE sampling SET at = ${until}, lease_until = ${until}`,
    `UPDATE sampling SET settled_at = ${until} WHERE state = 'durable' AND settled_at IS NOT NULL`,
  ],
  originating: [`UPDATE originating SET last_at = ${until}`],
  identical: [`UPDATE identical SET expires_at = ${until}`],
  event_batch: [`UPDATE event_batch SET last_at = ${until} WHERE last_at IS NOT NULL`],
  summary: [`UPDATE summary SET text = json_replace(text, '$.deadlineAt', ${until})`],
  notice: [`UPDATE notice SET text = json_replace(text, '$.link.expiresAtSeconds', ${Math.floor(until / 1_000)})`],
});

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const databasesIn = (folder: string): string[] => filesIn(folder).filter((path) => path.endsWith(".sqlite"));

function inDatabase(path: string, work: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(path);
  work(database);
  database.close();
}

/** The folder of a gateway that has stopped, as a file. */
export function pack(folder: string, state: StoredState, file: string): void {
  for (const path of databasesIn(folder)) inDatabase(path, (database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  const files: Zippable = { [manifest]: Buffer.from(JSON.stringify(state, null, 2)) };
  for (const path of filesIn(folder).filter((each) => !/-(?:wal|shm)$/.test(each)))
    files[relative(folder, path).replaceAll("\\", "/")] = readFileSync(path);
  writeFileSync(file, zipSync(files, { level: 9 }));
}

/** Into the folder of a gateway that is to start: what waits there waits for another day. */
export function unpack(file: string, folder: string): StoredState {
  for (const [name, bytes] of Object.entries(unzipSync(readFileSync(file)))) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
  }
  const changes = lasting(Date.now() + dayMs);
  for (const path of databasesIn(folder))
    inDatabase(path, (database) => {
      const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
      for (const { name } of tables) for (const change of changes[String(name)] ?? []) database.exec(change);
    });
  return JSON.parse(readFileSync(join(folder, manifest), "utf8")) as StoredState; // written by pack
}
