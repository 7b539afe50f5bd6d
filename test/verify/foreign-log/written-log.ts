// A log that the product's own code writes into a folder: the RecordLog of a shard over Node's
// SQLite, with the folder in place of R2.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { entryTexts } from "../../../shared/record/log/entry.ts";
import { signCheckpoint } from "../../../shared/record/log/checkpoint.ts";
import { ledgerSchema } from "../../../workers/objects/schema/ledger-schema.ts";
import { signerOf } from "../../shared/record/log/reference-log.ts";
import "../../../workers/platform/hashing.ts";

type Signer = ReturnType<typeof signerOf>;

type Tree = Parameters<typeof signCheckpoint>[0];
/** What is used here of a RecordLog. */
type Log = {
  readonly size: number;
  readonly add: (texts: readonly string[], now: number, lineAt: number | null) => number;
  readonly write: (now: number) => void;
  readonly publish: (most: number, sign: (tree: Tree) => Promise<string>) => Promise<void>;
};
// By its address: its types are the Workers', which exclude Node's.
const { RecordLog } = (await import(new URL("../../../workers/objects/ledger/record-log.ts", import.meta.url).href)) as {
  readonly RecordLog: new (sql: object, bucket: () => object, shard: string) => Log;
};

function sqlOf(database: DatabaseSync): object {
  const exec = (statement: string, ...values: SQLInputValue[]) => {
    const rows = database.prepare(statement).all(...values);
    return { toArray: () => rows, one: () => rows[0] };
  };
  return { exec };
}

function bucketOf(folder: string, onPut: (key: string) => void): object {
  const put = async (key: string, value: string | ArrayBuffer | Uint8Array): Promise<void> => {
    onPut(key);
    mkdirSync(dirname(join(folder, key)), { recursive: true });
    writeFileSync(join(folder, key), typeof value === "string" ? value : new Uint8Array(value));
  };
  // Nothing is read: the rows stay.
  const get = async (): Promise<null> => null;
  const remove = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) rmSync(join(folder, key), { force: true });
  };
  return { get, put, delete: remove };
}

/** Request `n` of the log, as an entry. */
export const textsOf = (n: number): string[] =>
  entryTexts({
    run: `run_${n}`,
    events: [{ seq: 1, at: n, fact: { kind: "finished", outcome: "completed" } }],
    line: null,
  });

export class WrittenLog {
  /** The files that the last growth wrote, in their order. */
  written: string[] = [];
  readonly #log: Log;
  readonly #signer: Signer;

  constructor(folder: string, shard: number, signer: Signer) {
    const database = new DatabaseSync(":memory:");
    for (const statement of ledgerSchema.tables) database.exec(statement);
    const bucket = bucketOf(folder, (key) => this.written.push(key));
    this.#log = new RecordLog(sqlOf(database), () => bucket, String(shard));
    this.#signer = signer;
  }

  /** Adds so many requests, and publishes all bundles that are full then. */
  async grow(requests: number): Promise<void> {
    const { size } = this.#log;
    this.written = [];
    for (let n = size; n < size + requests; n += 1) {
      this.#log.add(textsOf(n), n, null);
      if (n % 100 === 0) this.#log.write(n);
    }
    this.#log.write(size + requests);
    const { key, sign } = this.#signer;
    await this.#log.publish(Number.MAX_SAFE_INTEGER, (tree) => signCheckpoint(tree, key, sign));
  }
}
