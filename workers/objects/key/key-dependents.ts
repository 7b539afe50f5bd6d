// What depends on a key: its open runs, cached replies, conversations and calls of the relay. Each
// is added before it sends or keeps anything, and ended when the key is revoked.
//
// Part of the KeyObject, which alone writes here. Ending one is committed before it is attempted,
// is retried until it is done, and may run twice.

import type { Dependent } from "../../stubs/key-calls.ts";
import { type Backoff, backoffMs } from "../../../shared/backoff.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { AlarmDeps, ObjectAlarm } from "../alarm.ts";
import { runStub } from "../../stubs/stubs.ts";

const retry: Backoff = { firstMs: 1_000, mostMs: 60_000 };
/** How many are ended at the same time. */
const portion = 50;

export class KeyDependents {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #deps: Pick<AlarmDeps, "now" | "random">;
  readonly #alarm: Pick<ObjectAlarm, "arm">;

  constructor(env: Env, sql: SqlStorage, deps: Pick<AlarmDeps, "now" | "random">, alarm: Pick<ObjectAlarm, "arm">) {
    this.#env = env;
    this.#sql = sql;
    this.#deps = deps;
    this.#alarm = alarm;
  }

  /** @param until Unix milliseconds, when it expires by itself; null: until it is dropped. */
  add({ kind, name }: Dependent, until: number | null, now: number): void {
    this.#sql.exec("DELETE FROM dependent WHERE until <= ? AND due_at IS NULL", now);
    this.#sql.exec("INSERT OR REPLACE INTO dependent (kind, name, until, attempts, due_at) VALUES (?, ?, ?, 0, NULL)", kind, name, until);
  }

  drop({ kind, name }: Dependent): void {
    this.#sql.exec("DELETE FROM dependent WHERE kind = ? AND name = ?", kind, name);
  }

  /** Inside the transaction that revokes the key: queues the end of every dependent. */
  queueAll(now: number): void {
    this.#sql.exec("UPDATE dependent SET attempts = 0, due_at = ?", now);
    this.#alarm.arm();
  }

  /** For the object's alarm and for a revocation: ends what is due. */
  async endDue(): Promise<void> {
    for (let due = this.#due(); due.length > 0; due = this.#due()) await Promise.all(due.map((each) => this.#attempt(each)));
  }

  async #attempt({ attempts, ...dependent }: Dependent & { readonly attempts: number }): Promise<void> {
    const { now, random } = this.#deps;
    // Before the attempt, so that one that is cut off is retried.
    this.#sql.exec(
      "UPDATE dependent SET attempts = attempts + 1, due_at = ? WHERE kind = ? AND name = ?",
      now() + backoffMs(retry, attempts, random()),
      dependent.kind,
      dependent.name,
    );
    try {
      await this.#end(dependent);
      this.drop(dependent);
    } catch (error) {
      logEvent("key.endFailed", { what: dependent.kind, attempt: attempts, error: errorClass(error) });
    }
  }

  async #end({ kind, name }: Dependent): Promise<void> {
    switch (kind) {
      case "run":
        await runStub(this.#env, name).cancel("keyRevoked");
        return;
      case "cache":
        return this.#env.CACHE.get(this.#env.CACHE.idFromString(name)).keyRevoked();
      case "conversation":
        return this.#env.CONVERSATION.get(this.#env.CONVERSATION.idFromString(name)).keyRevoked();
      case "call":
        return this.#env.CALL.get(this.#env.CALL.idFromString(name)).keyRevoked();
      case "bridge":
        return this.#env.BRIDGE.get(this.#env.BRIDGE.idFromString(name)).keyRevoked();
      default:
        return kind satisfies never;
    }
  }

  #due(): (Dependent & { readonly attempts: number })[] {
    return this.#sql
      .exec<Dependent & { readonly attempts: number }>(
        "SELECT kind, name, attempts FROM dependent WHERE due_at <= ? LIMIT ?",
        this.#deps.now(),
        portion,
      )
      .toArray();
  }

  nextDue(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT MIN(due_at) AS at FROM dependent").one().at;
  }
}
