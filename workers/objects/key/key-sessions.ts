// The sessions of a key, counted: how many there may be at once.
//
// Part of the KeyObject, which alone writes here. A session has its row before it may begin, and
// loses it only when it was ended or says that it is gone: so there are never more than counted.
// Rows are checked after a time, so that one whose session never began, or went without telling,
// does not keep its place.

import type { Limits } from "../../../shared/policy/limits.ts";
import type { BeginAnswer } from "../../stubs/key-calls.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { sessionById } from "../../stubs/stubs.ts";
import type { AlarmDeps, ObjectAlarm } from "../alarm.ts";

/** A session that may begin does so within this time, or asks again. */
const leaveMs = 60_000;
/** The first check: by then it has begun or will not. */
const firstCheckMs = 2 * leaveMs;
/** The next ones; a session that is used no more is gone after two days. */
const checkEveryMs = 12 * 3_600_000;
/** It is unknown when a session goes. */
const retryMs = 60_000;
/** How many are checked at the same time, and in one alarm. */
const portion = 50;
const portionsInAlarm = 20;

export class KeySessions {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #now: () => number;
  readonly #alarm: Pick<ObjectAlarm, "arm">;
  #count: number;
  /** The alarm is set for the first check: that of a later session comes later. */
  #isArmed = false;

  constructor(env: Env, sql: SqlStorage, { now }: Pick<AlarmDeps, "now">, alarm: Pick<ObjectAlarm, "arm">) {
    this.#env = env;
    this.#sql = sql;
    this.#now = now;
    this.#alarm = alarm;
    this.#count = this.#sql.exec<{ count: number }>("SELECT COUNT(*) AS count FROM live_session").one().count;
  }

  /** Counts the session, once however often it is asked for. */
  begin(id: string, limits: Pick<Limits, "sessions">): Exclude<BeginAnswer, { kind: "revoked" }> {
    const now = this.#now();
    const begun = { kind: "begun", until: now + leaveMs } as const;
    const [known] = this.#sql.exec<Row>("SELECT id, check_at FROM live_session WHERE id = ?", id).toArray();
    if (known !== undefined && known.check_at > begun.until) return begun;
    if (known === undefined && this.#count >= limits.sessions)
      return { kind: "refused", limit: "sessions", max: limits.sessions, retryAfterMs: retryMs };
    // Not checked while it may begin: a check that is under way has found that it has not begun
    // yet, and changes nothing.
    this.#sql.exec("INSERT OR REPLACE INTO live_session (id, check_at) VALUES (?, ?)", id, now + firstCheckMs);
    if (known === undefined) this.#count += 1;
    if (!this.#isArmed) this.#alarm.arm();
    this.#isArmed = true;
    return begun;
  }

  /** The session was ended, and its name cannot begin another for two days. */
  ended(id: string): void {
    this.#drop("DELETE FROM live_session WHERE id = ? RETURNING 1", id);
  }

  nextDue(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT MIN(check_at) AS at FROM live_session").one().at;
  }

  /** For the object's alarm: gives back the places of sessions that are gone. */
  async checkDue(): Promise<void> {
    this.#isArmed = false;
    for (let portions = 0; portions < portionsInAlarm; portions += 1) {
      const due = this.#sql.exec<Row>("SELECT id, check_at FROM live_session WHERE check_at <= ? LIMIT ?", this.#now(), portion).toArray();
      if (due.length === 0) return;
      await Promise.all(due.map((row) => this.#check(row)));
    }
  }

  async #check({ id, check_at: was }: Row): Promise<void> {
    const alive = await sessionById(this.#env, id)
      .isAlive()
      .catch((error: unknown) => {
        logEvent("key.checkFailed", { error: errorClass(error) });
        return true;
      });
    // Not where it was asked for again meanwhile.
    if (alive) this.#sql.exec("UPDATE live_session SET check_at = ? WHERE id = ? AND check_at = ?", this.#now() + checkEveryMs, id, was);
    else this.#drop("DELETE FROM live_session WHERE id = ? AND check_at = ? RETURNING 1", id, was);
  }

  #drop(statement: string, ...values: (string | number)[]): void {
    this.#count -= this.#sql.exec(statement, ...values).toArray().length;
  }
}

type Row = { readonly id: string; readonly check_at: number };
