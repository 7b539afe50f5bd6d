// The one row of a run: its state, and all that changes with it. It decides nothing. Described in
// docs/storage-schema.md.
//
// Each column is JSON, read and parsed once while the object is awake and then kept in memory. A
// transaction writes the row once, at its end, whatever it changed; a change outside of one is
// written at once. What nobody misses is kept in memory alone until the next write: where the
// instance is gone before, it is done twice.

import type { Gate } from "../../../../shared/model/gate.ts";
import type { Attempt } from "../../../../shared/model/call.ts";
import type { ModelFacts } from "../../../../shared/run/present.ts";
import type { RequestRef } from "../../../../shared/run/run-input.ts";
import type { RunState } from "../../../../shared/run/lifecycle.ts";
import type { ShownVersion } from "../../../../shared/review/view.ts";
import type { LinkRow } from "../../../channels/channel.ts";
import type { ContentSeal } from "../../content-seal.ts";
import { type QueuedRow, asStored } from "./outbox-rows.ts";
import type { ScheduleRow } from "./schedule-rows.ts";

export type RunColumns = {
  readonly state: RunState | null;
  /** `last`: the newest id, which no other row gets. The rows by id, ascending. */
  readonly outbox: { readonly last: number; readonly rows: readonly QueuedRow[] };
  readonly schedule: readonly ScheduleRow[];
  readonly links: readonly LinkRow[];
  readonly versions: readonly (ShownVersion & { readonly gate: Gate })[];
  /** Of used nonces: the digest of the nonce, and of its form. */
  readonly nonces: readonly (readonly [string, string])[];
  readonly refs: readonly (RequestRef & { readonly session: string })[];
  readonly model: (ModelFacts & { readonly attempts?: readonly Attempt[] }) | null;
  readonly delivery: { readonly at: number; readonly to: number } | null;
  readonly requestor_gone: boolean;
  readonly shipped_seq: number;
};

type Name = keyof RunColumns;

const initial: RunColumns = {
  state: null,
  outbox: { last: 0, rows: [] },
  schedule: [],
  links: [],
  versions: [],
  nonces: [],
  refs: [],
  model: null,
  delivery: null,
  requestor_gone: false,
  shipped_seq: 0,
};

/** What reviewers wrote in a state: the reason of a denial, the note of a hand-over. */
const isWord = (name: string, value: unknown): value is string => (name === "reason" || name === "note") && typeof value === "string";
const stateWords = "run\0state";

export class RunRow {
  readonly #sql: SqlStorage;
  readonly #seal: ContentSeal;
  readonly #exists: () => boolean;
  /** As it was read; undefined: to be read. */
  #stored: Readonly<Partial<Record<Name, string | null>>> | undefined;
  #values: { [N in Name]?: RunColumns[N] } = {};
  readonly #changed = new Set<Name>();
  #isHeld = false;

  /** @param exists Whether there are tables. */
  constructor(sql: SqlStorage, seal: ContentSeal, exists: () => boolean) {
    this.#sql = sql;
    this.#seal = seal;
    this.#exists = exists;
  }

  /** For the store: what is in memory may differ from the table. */
  forget(): void {
    this.#stored = undefined;
    this.#values = {};
    this.#changed.clear();
  }

  get<N extends Name>(name: N): RunColumns[N] {
    const known: RunColumns[N] | undefined = this.#values[name];
    if (known !== undefined || !this.#exists()) return known ?? initial[name];
    this.#stored ??= this.#sql.exec<Record<Name, string | null>>("SELECT * FROM run").toArray()[0] ?? {};
    const text = this.#stored[name];
    const value = text == null ? initial[name] : (JSON.parse(text, this.#opened(name)) as RunColumns[N]); // written by `write`
    this.#values[name] = value;
    return value;
  }

  set<N extends Name>(name: N, value: RunColumns[N]): void {
    this.setLater(name, value);
    this.write();
  }

  /** The same, without a write of its own: it goes with the next one. */
  setLater<N extends Name>(name: N, value: RunColumns[N]): void {
    this.#values[name] = value;
    this.#changed.add(name);
  }

  /** Writes nothing before `work` is done. Inside a transaction. */
  hold<T>(work: () => T): T {
    this.#isHeld = true;
    try {
      return work();
    } finally {
      this.#isHeld = false;
    }
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Writes what has changed. */
  write(): void {
    if (this.#isHeld || this.#changed.size === 0 || !this.#exists()) return;
    const names = [...this.#changed];
    this.#sql.exec(
      `INSERT INTO run (one, ${names.join(", ")}) VALUES (1${", ?".repeat(names.length)}) ON CONFLICT (one) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
      ...names.map((name) => this.#textOf(name)),
    );
    this.#changed.clear();
  }

  #textOf(name: Name): string {
    if (name !== "outbox") return JSON.stringify(this.get(name), this.#sealed(name));
    const { last, rows } = this.get("outbox");
    return JSON.stringify({ last, rows: rows.map(asStored) });
  }

  readonly #sealed = (column: Name) => (name: string, value: unknown) =>
    column === "state" && isWord(name, value) ? this.#seal.sealText(value, stateWords) : value;

  readonly #opened = (column: Name) => (name: string, value: unknown) =>
    column === "state" && isWord(name, value) ? this.#seal.openText(value, stateWords) : value;
}
