// The log of a shard of the record: entries in the order in which they came, the Merkle tree over
// them, and their way into R2.
//
// One row holds what one call brought. Full bundles of 256 entries go to R2 with the tree's tiles,
// in files that never change; the newest of them stay here too. R2 is never waited for: while it is
// away, or where there is none, the log grows here. Twice is the same as once: a file is written
// again with the same bytes, and where the tree ends follows from the rows.

import { equalBytes, fromUtf8, toBase64url, utf8ToBytes } from "../../../shared/encoding.ts";
import { bundleBytes, readBundle } from "../../../shared/record/log/bundle.ts";
import { type SubtreeReader, type Tree, consistencyProof, inclusionProof, leafHash, rootAt } from "../../../shared/record/log/merkle.ts";
import type { TreeHead } from "../../../shared/record/record.ts";
import { emptyEntry, entriesOf } from "../../../shared/record/log/entry.ts";
import {
  type Tile,
  hashOfNodes,
  partialTilesOf,
  readTilePath,
  subtreeReader,
  tileBytes,
  tileIn,
  tilePath,
  tileWidth,
} from "../../../shared/record/log/tiles.ts";

/** Most UTF-16 code units of a row, of at most three bytes each: the platform limits it to 2 MB. */
const longestRow = 500_000;
/** So many bundles stay in the object when R2 has them. */
const bundlesKept = 64;
/** So many bundles that were read from R2 are in memory. */
const bundlesRead = 8;

export type LogBucket = Pick<R2Bucket, "get" | "put" | "delete">;

/** Lines that stand in the log alone, of one bundle. */
export type BundleLines = { readonly n: number; readonly lines: number; readonly minAt: number | null; readonly peakAt: number | null };

type State = {
  readonly shard: string;
  readonly origin: string | null;
  readonly stored: number;
  readonly pruned: number;
  readonly counted: number;
};

/** What is not stored yet, of the append that goes on. */
type Open = { size: number; leaves: Uint8Array[]; lines: number; minAt: number | null; peakAt: number | null };

export class RecordLog {
  readonly #sql: SqlStorage;
  readonly #bucketOf: () => LogBucket | null;
  readonly #shard: string;
  #open: Open | null = null;
  #added: string[] = [];
  #lastAt: number | null = null;
  #state: State | null = null;
  readonly #read = new Map<number, Promise<string[]>>();

  /** @param shard The log's folder in R2. */
  constructor(sql: SqlStorage, bucket: () => LogBucket | null, shard: string) {
    this.#sql = sql;
    this.#bucketOf = bucket;
    this.#shard = shard;
  }

  get #bucket(): LogBucket | null {
    return this.#bucketOf();
  }

  /** How many entries there are, those of the append that goes on among them. */
  get size(): number {
    return this.#opened().size;
  }

  /** The first entries up to this index are deleted. */
  get pruned(): number {
    return this.state().pruned;
  }

  state(): State {
    this.#state ??= this.#sql.exec<State>("SELECT shard, origin, stored, pruned, counted FROM log_state").toArray()[0] ?? {
      shard: this.#shard,
      origin: null,
      stored: 0,
      pruned: 0,
      counted: 0,
    };
    return this.#state;
  }

  setState(change: Partial<State>): void {
    const { shard, origin, stored, pruned, counted } = (this.#state = { ...this.state(), ...change });
    this.#sql.exec(
      "INSERT OR REPLACE INTO log_state (one, shard, origin, stored, pruned, counted) VALUES (1, ?, ?, ?, ?, ?)",
      shard,
      origin,
      stored,
      pruned,
      counted,
    );
  }

  /** A transaction was undone: what is in memory may differ from the tables. */
  undone(): void {
    this.#open = null;
    this.#state = null;
    this.#added = [];
    this.#lastAt = null;
  }

  #opened(): Open {
    if (this.#open !== null) return this.#open;
    const bundles = this.#fullTiles(0);
    const [last] = this.#sql
      .exec<{ peakAt: number | null }>("SELECT peak_at AS peakAt FROM log_tile WHERE level = 0 AND n = ?", bundles - 1)
      .toArray();
    const texts = this.#rowsFrom(bundles * tileWidth).flatMap(({ entries }) => entries.split("\n"));
    const leaves = texts.map((text) => leafHash(utf8ToBytes(text)));
    const open: Open = { size: bundles * tileWidth + leaves.length, leaves, lines: 0, minAt: null, peakAt: last?.peakAt ?? null };
    for (const { whole, line } of entriesOf(texts, 0)) if (whole === true && line !== null) this.#countLine(open, line.createdAt);
    this.#open = open;
    return open;
  }

  #countLine(open: Open, at: number): void {
    open.lines += 1;
    open.minAt = Math.min(open.minAt ?? at, at);
    open.peakAt = Math.max(open.peakAt ?? at, at);
  }

  #fullTiles(level: number): number {
    const { n } = this.#sql.exec<{ n: number | null }>("SELECT MAX(n) AS n FROM log_tile WHERE level = ?", level).one();
    return n === null ? 0 : n + 1;
  }

  #rowsFrom(first: number): { first: number; entries: string }[] {
    return this.#sql
      .exec<{ first: number; entries: string }>("SELECT first, entries FROM log_batch WHERE first >= ? ORDER BY first", first)
      .toArray();
  }

  /**
   * Adds an entry, given as its texts. Returns the index of the first. Call it in a transaction,
   * and `write` at its end.
   * @param lineAt when its request came, where its line stands in the log alone.
   */
  add(texts: readonly string[], now: number, lineAt: number | null): number {
    const open = this.#opened();
    const first = open.size;
    if (lineAt !== null) this.#countLine(open, lineAt);
    for (const text of texts) {
      this.#added.push(text);
      open.leaves.push(leafHash(utf8ToBytes(text)));
      open.size += 1;
      // A bundle's rows are its own, so that they are read and deleted with it.
      if (open.leaves.length === tileWidth) {
        this.write(now);
        this.#closeBundle(open);
      }
    }
    return first;
  }

  #closeBundle(open: Open): void {
    const n = open.size / tileWidth - 1;
    this.#writeTile(0, n, hashOfNodes(open.leaves), open);
    for (let level = 1, width = tileWidth; open.size % (width *= tileWidth) === 0; level += 1) {
      const above = open.size / width - 1;
      this.#writeTile(level, above, hashOfNodes(this.#tiles(level - 1, above * tileWidth)), null);
    }
    open.leaves = [];
    open.lines = 0;
    open.minAt = null;
  }

  #writeTile(level: number, n: number, hash: Uint8Array, of: Open | null): void {
    this.#sql.exec(
      "INSERT INTO log_tile (level, n, hash, last_at, lines, min_at, peak_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      level,
      n,
      hash,
      of === null ? null : this.#newestAt(),
      of?.lines ?? null,
      of?.minAt ?? null,
      of?.peakAt ?? null,
    );
  }

  /** The hashes of up to 256 tiles from this one on. */
  #tiles(level: number, first: number): Uint8Array[] {
    return this.#sql
      .exec<{ hash: ArrayBuffer }>("SELECT hash FROM log_tile WHERE level = ? AND n >= ? ORDER BY n LIMIT ?", level, first, tileWidth)
      .toArray()
      .map(({ hash }) => new Uint8Array(hash));
  }

  #newestAt(): number {
    this.#lastAt ??=
      this.#sql.exec<{ at: number }>("SELECT at FROM log_batch ORDER BY first DESC LIMIT 1").toArray()[0]?.at ??
      this.#sql.exec<{ at: number | null }>("SELECT MAX(last_at) AS at FROM log_tile WHERE level = 0").one().at ??
      0;
    return this.#lastAt;
  }

  /**
   * Fills the bundle at the end with entries that say nothing, where its first one arrived before
   * then: so that a quiet log gets into R2, and is deleted in time. Call it in a transaction.
   */
  fill(before: number, now: number): void {
    const { leaves } = this.#opened();
    const [first] = this.#sql
      .exec<{ at: number }>("SELECT at FROM log_batch WHERE first >= ? ORDER BY first LIMIT 1", this.bundles * tileWidth)
      .toArray();
    if (first !== undefined && first.at < before)
      this.add(
        Array.from({ length: tileWidth - leaves.length }, () => emptyEntry),
        now,
        null,
      );
  }

  /** Stores what was added, in as few rows as may be. */
  write(now: number): void {
    if (this.#added.length === 0) return;
    const at = (this.#lastAt = Math.max(this.#newestAt(), now));
    let first = this.#opened().size - this.#added.length;
    for (let rest = this.#added; rest.length > 0;) {
      let [count, units] = [0, 0];
      while (count < rest.length && (count === 0 || units + (rest[count]?.length ?? 0) < longestRow)) {
        units += (rest[count]?.length ?? 0) + 1;
        count += 1;
      }
      const entries = rest.slice(0, count).join("\n");
      this.#sql.exec("INSERT INTO log_batch (first, last, at, entries) VALUES (?, ?, ?, ?)", first, first + count - 1, at, entries);
      rest = rest.slice(count);
      first += count;
    }
    this.#added = [];
  }

  /** Texts of entries, from `from` to before `to`; fewer where they are no longer in the object. */
  stored(from: number, to: number): string[] {
    const rows = this.#sql
      .exec<{ first: number; entries: string }>(
        "SELECT first, entries FROM log_batch WHERE first >= COALESCE((SELECT MAX(first) FROM log_batch WHERE first <= ?1), ?1) AND first < ?2 ORDER BY first",
        from,
        to,
      )
      .toArray();
    const begin = rows[0]?.first ?? 0;
    if (begin > from) return [];
    return rows.flatMap(({ entries }) => entries.split("\n")).slice(from - begin, to - begin);
  }

  /** The same, from R2 where they are no longer in the object. Throws where they are nowhere. */
  async texts(from: number, to: number): Promise<string[]> {
    const stored = this.stored(from, to);
    if (stored.length >= to - from) return stored;
    const found: string[] = [];
    for (let n = Math.floor(from / tileWidth); n * tileWidth < to; n += 1) {
      const begin = Math.max(from, n * tileWidth);
      const end = Math.min(to, (n + 1) * tileWidth);
      const here = this.stored(begin, end);
      found.push(...(here.length >= end - begin ? here : (await this.#bundle(n)).slice(begin - n * tileWidth, end - n * tileWidth)));
    }
    return found;
  }

  #bundle(n: number): Promise<string[]> {
    let bundle = this.#read.get(n);
    if (bundle === undefined) {
      bundle = this.#fromBucket(tilePath({ level: "entries", index: n, width: tileWidth })).then((bytes) => {
        const entries = bytes === null ? undefined : readBundle(bytes);
        if (entries === undefined) throw new Error("RecordLog: a bundle is missing");
        return entries.map((entry) => fromUtf8(entry));
      });
      const [oldest] = this.#read.keys();
      if (this.#read.size >= bundlesRead && oldest !== undefined) this.#read.delete(oldest);
      this.#read.set(n, bundle);
      bundle.catch(() => this.#read.delete(n));
    }
    return bundle;
  }

  #keyOf(path: string): string {
    return `record/${this.state().shard}/${path}`;
  }

  async #fromBucket(path: string): Promise<Uint8Array | null> {
    const object = (await this.#bucket?.get(this.#keyOf(path))) ?? null;
    if (object === null) return null;
    const isCompressed = object.httpMetadata?.contentEncoding === "gzip";
    const body = isCompressed ? object.body.pipeThrough(new DecompressionStream("gzip")) : object.body;
    return new Uint8Array(await new Response(body).arrayBuffer());
  }

  /** The hashes of a tile of this tree, from the tables or R2. */
  async #hashes({ level, index, width }: Tile): Promise<Uint8Array[] | null> {
    if (level === "entries") return null;
    const here = level === 0 ? [] : this.#tiles(level - 1, index * tileWidth);
    if (here.length >= width) return here.slice(0, width);
    if (level > 0) return null;
    const first = index * tileWidth;
    return (await this.texts(first, first + width)).map((text) => leafHash(utf8ToBytes(text)));
  }

  #subtrees(): SubtreeReader {
    return subtreeReader(async (tile) => {
      const hashes = await this.#hashes(tile);
      if (hashes === null) throw new Error("RecordLog: a tile is missing");
      return hashes;
    }, this.size);
  }

  /** The tree as it is, or was when it had so many entries. */
  async tree(size = this.size): Promise<Tree> {
    return { size, root: await rootAt(this.#subtrees(), size) };
  }

  /** That the tree of this size goes on from the one that had so many entries. */
  proofFrom(from: number, size: number): Promise<Uint8Array[]> {
    return consistencyProof(this.#subtrees(), from, size);
  }

  /** Whether the tree goes on from this one; what is pruned cannot be told. */
  async hasHad({ size, root }: TreeHead): Promise<boolean> {
    return size < this.pruned || (size <= this.size && toBase64url((await this.tree(size)).root) === root);
  }

  /**
   * The first of these entries that is not what the tree has, or whose full bundle is not. Those
   * that are pruned are passed over.
   */
  async firstChanged(indexes: readonly number[]): Promise<number | null> {
    const { leaves } = this.#opened();
    const newest = this.bundles;
    const bundles = new Map<number, boolean>();
    for (const index of indexes) {
      if (index < this.pruned) continue;
      const n = Math.floor(index / tileWidth);
      const expected = n < newest ? undefined : leaves[index % tileWidth];
      if (expected === undefined && !bundles.has(n)) bundles.set(n, await this.#isBundleWhole(n));
      const [text = ""] = expected === undefined ? [] : this.stored(index, index + 1);
      if (expected === undefined ? bundles.get(n) !== true : !equalBytes(leafHash(utf8ToBytes(text)), expected)) return index;
    }
    return null;
  }

  async #isBundleWhole(n: number): Promise<boolean> {
    const [hash] = this.#tiles(0, n);
    const texts = await this.texts(n * tileWidth, (n + 1) * tileWidth);
    return (
      hash !== undefined && texts.length === tileWidth && equalBytes(hashOfNodes(texts.map((text) => leafHash(utf8ToBytes(text)))), hash)
    );
  }

  /** The text of an entry, its hash, and the hashes that lead from it to the root of this tree. */
  async entry(index: number, size: number): Promise<{ readonly text: string; readonly leaf: Uint8Array; readonly path: Uint8Array[] }> {
    const [text = ""] = await this.texts(index, index + 1);
    return { text, leaf: leafHash(utf8ToBytes(text)), path: await inclusionProof(this.#subtrees(), index, size) };
  }

  async file(path: string): Promise<Uint8Array | null> {
    const tile = readTilePath(path);
    if (tile === undefined) return null;
    const { level, index, width } = tile;
    const isThere = (tileIn(this.size, level, index)?.width ?? 0) >= width;
    const end = (index + 1) * tileWidth ** (level === "entries" ? 1 : level + 1);
    if (!isThere || (width === tileWidth && end <= this.pruned)) return null;
    if (level !== "entries") {
      const hashes = await this.#hashes(tile);
      return hashes === null ? null : tileBytes(hashes);
    }
    const first = index * tileWidth;
    if (first < this.pruned) return null;
    return bundleBytes((await this.texts(first, first + width)).map((text) => utf8ToBytes(text)));
  }

  /** Full bundles that are not in R2 yet; 0 where there is none to put them into. */
  get unpublished(): number {
    return this.#bucket === null ? 0 : this.bundles - this.#firstToPublish;
  }

  /** When the first of them was full; null where there are none. */
  get unpublishedSince(): number | null {
    return this.unpublished === 0 ? null : this.bundleAt(this.#firstToPublish);
  }

  /** How many entries there are in full bundles, and in R2 where there is one. */
  get closed(): number {
    return (this.#bucket === null ? this.bundles : this.#firstToPublish) * tileWidth;
  }

  /** What was away from R2 for as long as entries are kept is deleted by now. */
  get #firstToPublish(): number {
    return Math.max(this.state().stored, this.pruned / tileWidth);
  }

  /** Without R2 nothing leaves the object. */
  get hasBucket(): boolean {
    return this.#bucket !== null;
  }

  /**
   * Writes full bundles to R2 with their tiles, at most so many, and then the checkpoint of them;
   * drops the rows of older ones. Where R2 fails it throws, and the next call goes on.
   * @param sign The checkpoint of this tree.
   */
  async publish(most: number, sign: (tree: Tree) => Promise<string>): Promise<void> {
    const bucket = this.#bucket;
    if (bucket === null) return;
    const from = this.#firstToPublish;
    const to = Math.min(from + most, this.bundles);
    for (let n = from; n < to; n += 1) await this.#publishBundle(n);
    if (to > from) {
      const tree = await this.tree(to * tileWidth);
      // Most of the tree's edge is what the last checkpoint had, and there.
      const there = new Set(partialTilesOf(this.state().stored * tileWidth).map(tilePath));
      for (const tile of partialTilesOf(tree.size))
        if (!there.has(tilePath(tile))) await this.#put(tilePath(tile), (await this.#hashes(tile)) ?? []);
      await this.#putNote("checkpoint", await sign(tree));
      this.setState({ stored: to });
    }
    this.#drop();
  }

  async #publishBundle(n: number): Promise<void> {
    const first = n * tileWidth;
    const entries = this.stored(first, first + tileWidth).map((text) => utf8ToBytes(text));
    if (entries.length < tileWidth) throw new Error("RecordLog: a bundle is not whole");
    const path = tilePath({ level: "entries", index: n, width: tileWidth });
    const body = new Blob([bundleBytes(entries)]).stream().pipeThrough(new CompressionStream("gzip"));
    await this.#bucket?.put(this.#keyOf(path), await new Response(body).arrayBuffer(), {
      httpMetadata: { contentType: "application/octet-stream", contentEncoding: "gzip" },
    });
    await this.#put(
      tilePath({ level: 0, index: n, width: tileWidth }),
      entries.map((entry) => leafHash(entry)),
    );
    // Tiles above that this bundle completes.
    for (let level = 1, width = tileWidth; (first + tileWidth) % (width *= tileWidth) === 0; level += 1) {
      const tile = { level, index: (first + tileWidth) / width - 1, width: tileWidth };
      await this.#put(tilePath(tile), (await this.#hashes(tile)) ?? []);
      // Its parts, of each earlier checkpoint one: whoever wants one takes the full tile.
      const parts = Array.from({ length: tileWidth - 1 }, (_, n) => this.#keyOf(tilePath({ ...tile, width: n + 1 })));
      await this.#bucket?.delete(parts);
    }
  }

  async #put(path: string, hashes: readonly Uint8Array[]): Promise<void> {
    await this.#bucket?.put(this.#keyOf(path), tileBytes(hashes), { httpMetadata: { contentType: "application/octet-stream" } });
  }

  async #putNote(name: "checkpoint" | "cosigned", note: string): Promise<void> {
    await this.#bucket?.put(this.#keyOf(name), note, { httpMetadata: { contentType: "text/plain; charset=utf-8" } });
  }

  /** Writes to R2 a checkpoint with a witness's signature. */
  keepCosigned(note: string): Promise<void> {
    return this.#putNote("cosigned", note);
  }

  /** Rows that R2 has and that nobody has to count any more. */
  #drop(): void {
    const { stored, counted } = this.state();
    const end = Math.min(stored - bundlesKept, Math.floor(counted / tileWidth)) * tileWidth;
    if (end > 0) this.#sql.exec("DELETE FROM log_batch WHERE first < ?", end);
  }

  /** The next bundle to delete, where all of it arrived before then. */
  oldBundle(before: number): number | null {
    const n = this.pruned / tileWidth;
    const rows = this.#sql.exec("SELECT 1 FROM log_tile WHERE level = 0 AND n = ? AND last_at < ?", n, before).toArray();
    return rows.length > 0 && this.state().counted >= (n + 1) * tileWidth ? n : null;
  }

  /**
   * Deletes the oldest bundle, here and in R2; the tree goes on. `index`: deletes what else is
   * known of these entries.
   */
  async prune(n: number, transaction: (work: () => void) => void, index: (texts: readonly string[]) => void): Promise<void> {
    const first = n * tileWidth;
    // After a crash in between, the file may be gone already.
    const texts = await this.texts(first, first + tileWidth).catch(() => []);
    await this.#bucket?.delete((["entries", 0] as const).map((level) => this.#keyOf(tilePath({ level, index: n, width: tileWidth }))));
    transaction(() => {
      index(texts);
      this.#sql.exec("DELETE FROM log_batch WHERE first < ?", first + tileWidth);
      this.setState({ pruned: first + tileWidth });
    });
    this.#read.delete(n);
  }

  /** When the first entry arrived that is in the object; null where none is. */
  get since(): number | null {
    return this.#sql.exec<{ at: number }>("SELECT at FROM log_batch ORDER BY first LIMIT 1").toArray()[0]?.at ?? null;
  }

  get isEmpty(): boolean {
    return this.size === this.pruned;
  }

  /** When the last entry of a bundle arrived; null where there is no such bundle. */
  bundleAt(n: number): number | null {
    return this.#sql.exec<{ at: number }>("SELECT last_at AS at FROM log_tile WHERE level = 0 AND n = ?", n).toArray()[0]?.at ?? null;
  }

  /**
   * The bundles with lines of their own, from this one down, the newest first: those whose first
   * line came at `until` or before. `peakBefore`: when the last line of all bundles before it came.
   */
  bundlesBefore(n: number, until: number, most: number): (BundleLines & { readonly peakBefore: number | null })[] {
    return this.#sql
      .exec<BundleLines & { peakBefore: number | null }>(
        `SELECT n, lines, min_at AS minAt, peak_at AS peakAt,
             (SELECT peak_at FROM log_tile AS before WHERE before.level = 0 AND before.n = log_tile.n - 1) AS peakBefore FROM log_tile
           WHERE level = 0 AND n < ? AND n >= ? AND min_at <= ? ORDER BY n DESC LIMIT ?`,
        n,
        this.pruned / tileWidth,
        until,
        most,
      )
      .toArray();
  }

  /** When the last line of all bundles before this one came; null where there is none. */
  peakBefore(n: number): number | null {
    return (
      this.#sql.exec<{ at: number | null }>("SELECT peak_at AS at FROM log_tile WHERE level = 0 AND n = ?", n - 1).toArray()[0]?.at ?? null
    );
  }

  /** The first bundle that has an entry of this time or later; the next one where none has. */
  bundleFrom(at: number): number {
    const [row] = this.#sql
      .exec<{ n: number }>("SELECT n FROM log_tile WHERE level = 0 AND last_at >= ? ORDER BY last_at, n LIMIT 1", at)
      .toArray();
    return row?.n ?? Math.floor(this.size / tileWidth);
  }

  /** Bundles that are full, and the lines of the newest entries, which are in none. */
  get bundles(): number {
    return Math.floor(this.size / tileWidth);
  }

  get tail(): Omit<BundleLines, "n"> {
    const { lines, minAt, peakAt } = this.#opened();
    return { lines, minAt, peakAt };
  }
}
