// One log of a stopped gateway's record, filled as its object would have done: entries in the order
// of time, the tree over them, bundles and tiles in the bucket's folder, and the tables that point
// to them. The last bundle is left to the gateway: it publishes it and signs the checkpoint.

import { hash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import type { RecordEvent } from "../shared/record/record.ts";
import { bundleBytes } from "../shared/record/log/bundle.ts";
import { type Tile, hashOfNodes, tileBytes, tilePath, tileWidth } from "../shared/record/log/tiles.ts";
import type { RunSummary } from "../shared/record/run-summary.ts";
import { recordShardOf } from "../shared/record/shards.ts";
import "../workers/platform/hashing.ts";

/** As many as the object keeps (`record-log.ts`). */
const bundlesKept = 64;
const hourMs = 3_600_000;

/** The hash of an entry in the tree, of the text. */
const leafOf = (text: string): Uint8Array => hash("sha256", `\0${text}`, "buffer");

type Model = { readonly events: readonly Omit<RecordEvent, "run">[]; readonly line: RunSummary };

type KeptBundle = { readonly n: number; readonly at: number; readonly texts: readonly string[]; readonly leaves: readonly Uint8Array[] };

export class ShardLog {
  readonly number: number;
  readonly #database: DatabaseSync;
  readonly #model: Model;
  readonly #bucket: string;
  /** By level: what is not in a full tile yet. */
  readonly #hashes: Uint8Array[][] = [[]];
  #texts: string[] = [];
  #times: number[] = [];
  /** Bundles that stay in the object. */
  readonly #kept: KeptBundle[] = [];
  #bundles = 0;
  #peakAt: number | null = null;
  #hour = 0;
  readonly #inHour = new Set<string>();

  constructor(file: string, bucket: string) {
    this.#database = new DatabaseSync(file);
    const [row] = this.#database.prepare("SELECT entries FROM log_batch WHERE entries LIKE '%\"whole\":true%' LIMIT 1").all() as {
      readonly entries: string;
    }[];
    const text = row?.entries.split("\n").find((each) => each.includes('"whole":true'));
    if (text === undefined) throw new Error("ShardLog: a shard has no request that was answered at once");
    const model = JSON.parse(text) as Model & { readonly run: string }; // written by the gateway
    this.#model = model;
    this.number = recordShardOf(model.run);
    this.#bucket = join(bucket, "record", String(this.number));
    this.#database.exec("BEGIN");
    for (const table of ["_cf_METADATA", "log_batch", "log_tile", "log_entry", "log_state", "summary", "line_span", "metric_sums"])
      this.#database.exec(`DELETE FROM ${table}`);
    for (const table of ["counted_to", "server_use", "usage_counted_to", "usage_hour", "usage_day"])
      this.#database.exec(`DELETE FROM ${table}`);
  }

  get isFull(): boolean {
    return this.#texts.length === tileWidth;
  }

  /** What waits has a row of its own; the others are whole in the log. */
  add(run: string, at: number, change: Partial<RunSummary>): void {
    const line = { ...this.#model.line, run, createdAt: at, ...change };
    const isOpen = line.endedAt === null;
    const events = this.#model.events.map((event) => ({ ...event, at }));
    const text = JSON.stringify({ run, events, line, ...(isOpen ? {} : { whole: true }) });
    if (isOpen) this.#writeOpen(line, events.length);
    else this.#times.push(at);
    this.#texts.push(text);
    this.#hashes[0]?.push(leafOf(text));
    this.#noteHour(line);
  }

  #writeOpen({ run, createdAt, key, state, server, ...line }: RunSummary, events: number): void {
    const index = this.#bundles * tileWidth + this.#texts.length;
    const text = JSON.stringify({ run, createdAt, key, state, server, ...line });
    this.#run("INSERT INTO summary (run, created_at, ended_at, key, state, server, text) VALUES (?, ?, NULL, ?, ?, ?, ?)", [
      run,
      createdAt,
      key,
      state,
      server,
      text,
    ]);
    this.#run("INSERT INTO log_entry (run, first_seq, last_seq, first, last, line_at) VALUES (?, 1, ?, ?, ?, ?)", [
      run,
      events,
      index,
      index,
      createdAt,
    ]);
  }

  #noteHour({ createdAt, key, server, state }: RunSummary): void {
    const hour = Math.floor(createdAt / hourMs);
    if (hour !== this.#hour) this.#inHour.clear();
    this.#hour = hour;
    const noted = JSON.stringify([key, server, state]);
    if (this.#inHour.has(noted)) return;
    this.#inHour.add(noted);
    for (const unit of [1, 24, 768])
      this.#run("INSERT OR IGNORE INTO line_span (unit, n, key, server, state) VALUES (?, ?, ?, ?, ?)", [
        unit,
        Math.floor(hour / unit),
        key,
        server ?? "",
        state,
      ]);
  }

  readonly #statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();

  #run(statement: string, values: readonly (string | number | null | Uint8Array)[]): void {
    const prepared = this.#statements.get(statement) ?? this.#database.prepare(statement);
    this.#statements.set(statement, prepared);
    prepared.run(...values);
  }

  /** The bundle before this one goes to the bucket: the last one is left to the gateway. */
  closeBundle(): void {
    const before = this.#kept.at(-1);
    const at = Math.max(...this.#times, 0);
    this.#peakAt = Math.max(this.#peakAt ?? 0, at);
    this.#kept.push({ n: this.#bundles, at: this.#peakAt, texts: this.#texts, leaves: this.#hashes[0] ?? [] });
    if (this.#kept.length > bundlesKept) this.#kept.shift();
    this.#closeTiles(0, { lines: this.#times.length, minAt: Math.min(...this.#times) });
    this.#bundles += 1;
    this.#texts = [];
    this.#times = [];
    if (before !== undefined) this.#publish(before);
  }

  #closeTiles(level: number, of: { readonly lines: number; readonly minAt: number } | null): void {
    const hashes = this.#hashes[level] ?? [];
    if (hashes.length < tileWidth) return;
    const hash = hashOfNodes(hashes);
    const n = Math.floor(this.#bundles / tileWidth ** level);
    this.#run("INSERT INTO log_tile (level, n, hash, last_at, lines, min_at, peak_at) VALUES (?, ?, ?, ?, ?, ?, ?)", [
      level,
      n,
      hash,
      of === null ? null : this.#peakAt,
      of?.lines ?? null,
      of?.minAt ?? null,
      of === null ? null : this.#peakAt,
    ]);
    // The tile of this bundle's own hashes is written with the bundle.
    if (level > 0) this.#write({ level, index: n, width: tileWidth }, tileBytes(hashes));
    this.#hashes[level] = [];
    (this.#hashes[level + 1] ??= []).push(hash);
    this.#closeTiles(level + 1, null);
  }

  #publish({ n, texts, leaves }: KeptBundle): void {
    this.#write({ level: 0, index: n, width: tileWidth }, tileBytes(leaves));
    this.#write({ level: "entries", index: n, width: tileWidth }, gzipSync(bundleBytes(texts.map((text) => Buffer.from(text)))));
  }

  #write(tile: Tile, bytes: Uint8Array): void {
    const file = join(this.#bucket, tilePath(tile));
    if (tile.index % 1_000 === 0) mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }

  finish(): void {
    const insert = "INSERT INTO log_batch (first, last, at, entries) VALUES (?, ?, ?, ?)";
    const tail = { n: this.#bundles, at: Math.max(this.#peakAt ?? 0, ...this.#times), texts: this.#texts };
    for (const { n, at, texts } of [...this.#kept, tail])
      if (texts.length > 0) this.#run(insert, [n * tileWidth, n * tileWidth + texts.length - 1, at, texts.join("\n")]);
    this.#run("INSERT INTO log_state (one, shard, origin, stored, pruned, counted) VALUES (1, ?, NULL, ?, 0, 0)", [
      String(this.number),
      Math.max(this.#bundles - 1, 0),
    ]);
    this.#database.exec("COMMIT");
    this.#database.close();
  }
}
