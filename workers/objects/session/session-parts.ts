// What the parts of a SessionObject share: its tables, its clock and its one alarm.

import { errorClass, logEvent } from "../../platform/log.ts";
import type { Env } from "../../platform/env.ts";
import { SessionTables } from "./session-tables.ts";

export class SessionParts {
  readonly env: Env;
  readonly ctx: DurableObjectState;
  readonly #tables: SessionTables;
  readonly now: () => number;
  readonly random: () => number;
  #alarmAt: number | undefined;
  #unwritten: (() => void)[] = [];

  constructor(ctx: DurableObjectState, env: Env, now: () => number, random: () => number) {
    this.env = env;
    this.ctx = ctx;
    this.#tables = new SessionTables(ctx.storage);
    this.now = now;
    this.random = random;
  }

  /** Of the tables, with everything that was written after an answer. */
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
   * Writes as soon as the answer of this call is on its way, so that the caller does not wait for the platform to confirm the write. Whoever
   * reads the tables before that has it written first. An object that is reset before it is written has nothing of it.
   */
  writeAfterAnswer(write: () => void): void {
    this.#unwritten.push(write);
    if (this.#unwritten.length > 1) return;
    setTimeout(() => {
      try {
        this.#write();
      } catch (error) {
        logEvent("session.writeFailed", { error: errorClass(error) });
      }
    }, 0);
  }

  #write(): void {
    const writes = this.#unwritten;
    if (writes.length === 0) return;
    this.#unwritten = [];
    for (const write of writes) write();
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
