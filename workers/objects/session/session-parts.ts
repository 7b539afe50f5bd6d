// What the parts of a SessionObject share: its tables, its clock and its one alarm.

import type { Env } from "../../platform/env.ts";
import { SessionTables } from "./session-tables.ts";

export class SessionParts {
  readonly env: Env;
  readonly ctx: DurableObjectState;
  readonly sql: SqlStorage;
  readonly tables: SessionTables;
  readonly now: () => number;
  readonly random: () => number;
  #alarmAt: number | undefined;

  constructor(ctx: DurableObjectState, env: Env, now: () => number, random: () => number) {
    this.env = env;
    this.ctx = ctx;
    this.sql = ctx.storage.sql;
    this.tables = new SessionTables(ctx.storage);
    this.now = now;
    this.random = random;
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
