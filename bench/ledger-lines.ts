// Fills a stopped gateway's ledger: copies of the lines and events that it wrote itself, each under
// a run's id of its own.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunSummary } from "../shared/record/run-summary.ts";

type Values = Record<string, string | number | null>;

export type Filling = {
  /** Each line is so much older than the one before it. */
  readonly stepMs: number;
  /** What is another in the copy with this number. */
  readonly vary: (index: number, at: number) => Partial<RunSummary>;
};

const copies: Filling = { stepMs: 1_000, vary: () => ({}) };

/**
 * Adds lines until the shards together have `lines`. Each shard must have one of its own already.
 * Nothing is counted after it.
 */
export function fillLedger(objects: string, lines: number, filling: Filling = copies): void {
  const folder = join(objects, "LedgerObject");
  const files = readdirSync(folder).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
  for (const file of files) fillShard(join(folder, file), Math.ceil(lines / files.length), filling);
}

function fillShard(file: string, lines: number, { stepMs, vary }: Filling): void {
  const database = new DatabaseSync(file);
  try {
    const summary = database.prepare("SELECT * FROM summary ORDER BY created_at LIMIT 1").get() as Values | undefined;
    if (summary === undefined) return;
    const run = String(summary["run"]);
    const batches = database
      .prepare("SELECT run, first_seq, last_seq, last_at, line_at, events FROM event_batch WHERE run = ?")
      .all(run) as Values[];
    const { count } = database.prepare("SELECT COUNT(*) AS count FROM summary").get() as { count: number };
    const insert = (table: string, row: Values): ((values: Values) => void) => {
      const names = Object.keys(row);
      const statement = database.prepare(`INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`);
      return (values) => void statement.run(...names.map((name) => values[name] ?? null));
    };
    const addLine = insert("summary", summary);
    const hours = database.prepare("INSERT OR IGNORE INTO line_hour (hour, key, server, state) VALUES (?, ?, ?, ?)");
    const addBatches = batches.map((batch) => insert("event_batch", batch));
    database.exec("BEGIN");
    for (let index = count; index < lines; index += 1) {
      const name = `${run.slice(0, -10)}${index.toString(36).padStart(10, "0")}`;
      // Older than what the gateway wrote itself.
      const at = Number(summary["created_at"]) - index * stepMs;
      const copy = JSON.parse(String(summary["text"]).replaceAll(run, name)) as RunSummary; // written by the gateway
      const line: RunSummary = { ...copy, createdAt: at, endedAt: at, ...vary(index, at) };
      const { key, state, server, endedAt } = line;
      addLine({ run: name, created_at: at, ended_at: endedAt, key, state, server, text: JSON.stringify(line) });
      hours.run(Math.floor(at / 3_600_000), key, server ?? "", state);
      for (const [place, add] of addBatches.entries()) {
        const batch = batches[place];
        // The run's first batch alone has the time of its last event.
        add({ ...batch, run: name, last_at: batch?.["last_at"] == null ? null : at, line_at: at });
      }
    }
    for (const table of ["counted_to", "server_use", "usage_counted_to", "usage_hour", "usage_day"]) database.exec(`DELETE FROM ${table}`);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}
