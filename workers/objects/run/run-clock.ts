// A run's timers: deadlines, reminders and escalations of its reviews, the end of its key, and its
// own deletion.

import { type RunParts, type CurrentRun, cancelRun, reviewAt } from "./run-parts.ts";
import { RunOutbox, alarmWaitMs } from "./run-outbox.ts";
import { RunNotices } from "./run-notices.ts";
import { RunRequestor } from "./run-requestor.ts";
import { ParkedRequest } from "./parked-request.ts";
import { atMost } from "../at-most.ts";
import { settingsOf } from "../../platform/settings.ts";
import { appendToLedger } from "../../stubs/stubs.ts";
import { logEvent, errorClass } from "../../platform/log.ts";
import { backoffMs } from "../../../shared/backoff.ts";
import type { ScheduleKind } from "../../stubs/run-calls.ts";
import type { Gate } from "../../../shared/model/gate.ts";
import { openGate } from "../../../shared/run/lifecycle.ts";

/** The pauses before a failed row of the schedule is retried. */
const retry = { firstMs: 1_000, mostMs: 5 * 60_000 };

export type ClockParts = {
  readonly parts: RunParts;
  readonly outbox: RunOutbox;
  readonly notices: RunNotices;
  readonly requestor: RunRequestor;
  readonly parked: ParkedRequest;
};

export class RunClock {
  readonly #parts: RunParts;
  readonly #outbox: RunOutbox;
  readonly #notices: RunNotices;
  readonly #requestor: RunRequestor;
  readonly #parked: ParkedRequest;

  constructor({ parts, outbox, notices, requestor, parked }: ClockParts) {
    this.#parts = parts;
    this.#outbox = outbox;
    this.#notices = notices;
    this.#requestor = requestor;
    this.#parked = parked;
  }

  /** For the object's alarm: does everything that is due. */
  async ring(): Promise<void> {
    if (!this.#parts.store.exists()) return this.#forgetParked();
    if (await this.#forget()) return;
    this.#runSchedule();
    await atMost(alarmWaitMs, this.#outbox.drain());
    this.#parts.arm();
  }

  /**
   * When the alarm has work next, in Unix milliseconds: the schedule, the outbox, or deleting a
   * parked request. Null: never.
   */
  nextDue(): number | null {
    if (!this.#parts.store.exists()) return this.#parked.forgetAt();
    const times = [this.#parts.store.schedule.next(), this.#outbox.nextDue()].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** For a late alarm of a deleted run, or of a parked request that was never taken. */
  async #forgetParked(): Promise<void> {
    const forgetAt = this.#parked.forgetAt();
    if (forgetAt !== null && forgetAt > this.#parts.now()) this.#parts.arm();
    else await this.#parked.forget();
  }

  /** Deletes the run where its retention time is over; false where the run goes on. */
  async #forget(): Promise<boolean> {
    const now = this.#parts.now();
    let current: CurrentRun | null = null;
    try {
      current = this.#parts.current();
    } catch (error) {
      // A run that cannot be read can never end, and its content must not stay for that.
      if (!this.#parts.store.schedule.has("forget"))
        this.#parts.store.schedule.set("forget", now + settingsOf(this.#parts.env).retentionMs);
      if (!this.#parts.store.schedule.isForgetDue(now)) throw error;
    }
    if (!this.#parts.store.schedule.isForgetDue(now)) return false;
    if (current?.state.end === null) {
      // The run was unreadable for a while and is readable again.
      this.#parts.store.schedule.drop("forget");
      return false;
    }
    await this.#parts.store.deleteAll();
    if (current !== null) await this.#reportDeleted(current.input.id);
    return true;
  }

  /**
   * Tells the ledger that the run is deleted. Where that fails, the sweep asks the run once more
   * and finds nothing.
   */
  async #reportDeleted(run: string): Promise<void> {
    try {
      await appendToLedger(this.#parts.env, run, { events: [], summary: null, expected: { run, dueAt: null } });
    } catch (error) {
      logEvent("run.effectFailed", { effect: "record", error: errorClass(error) });
    }
  }

  #runSchedule(): void {
    const now = this.#parts.now();
    for (const { kind, attempts } of this.#parts.store.schedule.due(now)) {
      // An earlier row may have unscheduled it.
      if (!this.#parts.store.schedule.has(kind)) continue;
      try {
        this.#onTimer(kind, now);
      } catch (error) {
        // Each by itself: a failing row delays no other.
        logEvent("run.scheduleFailed", { clock: kind, attempt: attempts, error: errorClass(error) });
        this.#parts.store.schedule.postpone(kind, now + backoffMs(retry, attempts, this.#parts.random()));
      }
    }
  }

  /** For a due row of the schedule. Of several overdue reminders, one is sent. */
  #onTimer(kind: ScheduleKind, now: number): void {
    if (kind === "forget") return;
    if (kind === "requestor") {
      this.#parts.store.transaction(() => {
        this.#parts.store.schedule.drop("requestor");
        this.#requestor.notice(now);
      });
      return;
    }
    if (kind === "keyExpires") {
      this.#parts.store.transaction(() => {
        this.#parts.store.schedule.drop("keyExpires");
        cancelRun(this.#parts, "keyExpired");
      });
      return;
    }
    const gate: Gate = kind.endsWith(":request") ? "request" : "response";
    if (kind.startsWith("deadline")) {
      this.#parts.store.transaction(() => {
        this.#parts.store.schedule.drop(kind);
        this.#parts.apply({ kind: "deadline", gate }, now, [{ kind: "expired", gate }]);
      });
    } else if (kind.startsWith("escalate")) {
      this.#parts.store.transaction(() => {
        this.#parts.store.schedule.drop(kind);
        this.#parts.apply({ kind: "escalate", gate }, now, []);
      });
    } else {
      this.#parts.store.transaction(() => {
        for (const { kind: due } of this.#parts.store.schedule.due(now))
          if (due.startsWith("remind") && due.endsWith(`:${gate}`)) this.#parts.store.schedule.drop(due);
        const current = this.#parts.current();
        if (current === null || openGate(current.state) !== gate) return;
        this.#notices.tellAgain(current.input, reviewAt(current.state, gate), "reminder", now);
      });
      this.#parts.flush();
    }
  }
}
