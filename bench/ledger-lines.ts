// Fills a stopped gateway's ledger: copies of an entry that it wrote itself, each under a run's id
// of its own. Their tree is not computed: nothing here asks for it.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { RunSummary } from "../shared/record/run-summary.ts";

const entriesInBundle = 256;

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
    const row = database.prepare("SELECT at, entries FROM log_batch WHERE entries LIKE '%\"whole\":true%' ORDER BY first LIMIT 1").get() as
      | { readonly at: number; readonly entries: string }
      | undefined;
    const model = row?.entries.split("\n").find((text) => text.includes('"whole":true'));
    if (row === undefined || model === undefined) return;
    const { run, line: own } = JSON.parse(model) as { readonly run: string; readonly line: RunSummary }; // written by the gateway
    const spans = database.prepare("INSERT OR IGNORE INTO line_span (unit, n, key, server, state) VALUES (?, ?, ?, ?, ?)");
    const batch = database.prepare("INSERT INTO log_batch (first, last, at, entries) VALUES (?, ?, ?, ?)");
    // Those that wait have a row of their own.
    const open = database.prepare(
      "INSERT INTO summary (run, created_at, ended_at, key, state, server, text) VALUES (?, ?, NULL, ?, ?, ?, ?)",
    );
    const tile = database.prepare(
      "INSERT INTO log_tile (level, n, hash, last_at, lines, min_at, peak_at) VALUES (0, ?, zeroblob(32), ?, 256, ?, ?)",
    );
    database.exec("BEGIN");
    for (const table of ["log_batch", "log_tile", "log_entry", "log_state"]) database.exec(`DELETE FROM ${table}`);
    for (let first = 0; first < lines; first += entriesInBundle) {
      const texts: string[] = [];
      const times: number[] = [];
      for (let index = first; index < Math.min(first + entriesInBundle, lines); index += 1) {
        // The last one is as old as what the gateway wrote itself.
        const at = row.at - (lines - 1 - index) * stepMs;
        const line = { ...own, createdAt: at, endedAt: at, ...vary(index, at) };
        const name = `${run.slice(0, -10)}${index.toString(36).padStart(10, "0")}`;
        const { key, state, server } = line;
        const isOpen = line.endedAt === null;
        if (isOpen) open.run(name, at, key, state, server, JSON.stringify({ ...line, run: name }));
        texts.push(
          JSON.stringify({ ...(JSON.parse(model) as object), run: name, line: { ...line, run: name }, whole: isOpen ? undefined : true }),
        );
        for (const unit of [1, 24, 768]) spans.run(unit, Math.floor(at / 3_600_000 / unit), key, server ?? "", state);
        times.push(at);
      }
      const last = first + texts.length - 1;
      const [begun = 0, ended = 0] = [times[0], times.at(-1)];
      batch.run(first, last, ended, texts.join("\n"));
      if (texts.length === entriesInBundle) tile.run(first / entriesInBundle, ended, begun, ended);
    }
    for (const table of ["counted_to", "server_use", "usage_counted_to", "usage_hour", "usage_day"]) database.exec(`DELETE FROM ${table}`);
    database.exec("COMMIT");
  } finally {
    database.close();
  }
}
