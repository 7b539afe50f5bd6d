// What the parts of a SessionObject share: its tables, its clock and its one alarm.

import { errorClass, logEvent } from "../../platform/log.ts";
import type { Env } from "../../platform/env.ts";
import type { AlarmDeps } from "../alarm.ts";
import { ContentSeal } from "../content-seal.ts";
import type { ObjectTables } from "../object-tables.ts";
import { SessionNames } from "./session-names.ts";
import { SessionTables } from "./session-tables.ts";

export class SessionDeps {
  readonly env: Env;
  readonly ctx: DurableObjectState;
  readonly #tables: SessionTables;
  readonly now: () => number;
  readonly random: () => number;
  readonly names = new SessionNames(() => (this.tables.exist ? this.sql : null));
  #alarmAt: number | undefined;
  #unwritten: (() => void)[] = [];

  constructor(ctx: DurableObjectState, env: Env, tables: ObjectTables, { now, random }: Pick<AlarmDeps, "now" | "random">) {
    this.env = env;
    this.ctx = ctx;
    this.#tables = new SessionTables(ctx.storage, tables, new ContentSeal(env, ctx.id.toString()));
    this.now = now;
    this.random = random;
  }

  /** The storage, with every write that waited for its response. */
  get sql(): SqlStorage {
    this.#write();
    return this.ctx.storage.sql;
  }

  /** As `sql`. */
  get tables(): SessionTables {
    this.#write();
    return this.#tables;
  }

  /**
   * Writes right after the response of this call, which then does not wait until the platform has
   * confirmed the write. A read of the tables before that writes first. A reset of the object
   * before that loses the write. One that fails is logged, and holds up no other.
   */
  writeAfterAnswer(write: () => void): void {
    this.#unwritten.push(write);
    if (this.#unwritten.length > 1) return;
    setTimeout(() => {
      while (this.#unwritten.length > 0) {
        try {
          this.#write();
        } catch (error) {
          logEvent("session.writeFailed", { error: errorClass(error) });
        }
      }
    }, 0);
  }

  #write(): void {
    const writes = this.#unwritten;
    if (writes.length === 0) return;
    this.#unwritten = [];
    try {
      for (let write = writes.shift(); write !== undefined; write = writes.shift()) write();
    } finally {
      this.#unwritten = [...writes, ...this.#unwritten];
    }
  }

  /** The alarm has come: none is set. */
  alarmCame(): void {
    this.#alarmAt = undefined;
  }

  /** Sets the object's one alarm to `at`, unless it is set to an earlier time. */
  alarmBy(at: number): void {
    if (this.#alarmAt !== undefined && this.#alarmAt <= at) return;
    // After a restart only the tables have an earlier time.
    const known = this.#alarmAt === undefined ? this.tables.nextDue() : null;
    this.#alarmAt = Math.min(at, known ?? at);
    void this.ctx.storage.setAlarm(this.#alarmAt);
  }
}
