// A run's timers: deadlines, reminders and escalations of its reviews, the end of its key, and its
// own deletion.

import { type RunDeps, type CurrentRun, cancelRun, reviewAt } from "../run-deps.ts";
import { RunOutbox, alarmWaitMs } from "./run-outbox.ts";
import type { NoticeQueue } from "../notices/notice-queue.ts";
import type { RunRelease } from "../act/run-release.ts";
import { RunRequestor } from "../begin/run-requestor.ts";
import { ParkedRequest } from "../tables/parked-request.ts";
import { atMost } from "../../at-most.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { appendToLedger } from "../../../stubs/stubs.ts";
import { logEvent, errorClass } from "../../../platform/log.ts";
import { backoffMs } from "../../../../shared/backoff.ts";
import type { ScheduleKind } from "../../../stubs/run-calls.ts";
import type { Gate } from "../../../../shared/model/gate.ts";
import { nextHoliday, standInsDuring } from "../../../../shared/policy/stand-ins.ts";
import { openGate } from "../../../../shared/run/lifecycle.ts";

/** The pauses before a failed row of the schedule is retried. */
const retry = { firstMs: 1_000, mostMs: 5 * 60_000 };

type ClockDeps = {
  readonly deps: RunDeps;
  readonly outbox: RunOutbox;
  readonly notices: NoticeQueue;
  readonly requestor: RunRequestor;
  readonly release: RunRelease;
  readonly parked: ParkedRequest;
};

export class RunClock {
  readonly #deps: RunDeps;
  readonly #outbox: RunOutbox;
  readonly #notices: NoticeQueue;
  readonly #requestor: RunRequestor;
  readonly #release: RunRelease;
  readonly #parked: ParkedRequest;

  constructor({ deps, outbox, notices, requestor, release, parked }: ClockDeps) {
    this.#deps = deps;
    this.#outbox = outbox;
    this.#notices = notices;
    this.#requestor = requestor;
    this.#release = release;
    this.#parked = parked;
  }

  /** For the object's alarm: does everything that is due. */
  async ring(): Promise<void> {
    if (!this.#deps.store.exists()) return this.#forgetParked();
    if (await this.#forget()) return;
    this.#runSchedule();
    await atMost(alarmWaitMs, this.#outbox.drain());
    this.#deps.arm();
  }

  /**
   * When the alarm has work next, in Unix milliseconds: the schedule, the outbox, or deleting a
   * parked request. Null: never.
   */
  nextDue(): number | null {
    if (!this.#deps.store.exists()) return this.#parked.forgetAt();
    const times = [this.#deps.store.schedule.next(), this.#outbox.nextDue()].filter((at) => at !== null);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** For a late alarm of a deleted run, or of a parked request that was never taken. */
  async #forgetParked(): Promise<void> {
    const forgetAt = this.#parked.forgetAt();
    if (forgetAt !== null && forgetAt > this.#deps.now()) this.#deps.arm();
    else await this.#parked.forget();
  }

  /** Deletes the run where its retention time is over; false where the run goes on. */
  async #forget(): Promise<boolean> {
    const now = this.#deps.now();
    let current: CurrentRun | null = null;
    try {
      current = this.#deps.current();
    } catch (error) {
      // A run that cannot be read can never end, and its content must not stay for that.
      if (!this.#deps.store.schedule.has("forget")) this.#deps.store.schedule.set("forget", now + settingsOf(this.#deps.env).retentionMs);
      if (!this.#deps.store.schedule.isForgetDue(now)) throw error;
    }
    if (!this.#deps.store.schedule.isForgetDue(now)) return false;
    if (current?.state.end === null) {
      // The run was unreadable for a while and is readable again.
      this.#deps.store.schedule.drop("forget");
      return false;
    }
    await this.#deps.store.deleteAll();
    if (current !== null) await this.#reportDeleted(current.input.id);
    return true;
  }

  /**
   * Tells the ledger that the run is deleted. Where that fails, the sweep asks the run once more
   * and finds nothing.
   */
  async #reportDeleted(run: string): Promise<void> {
    try {
      await appendToLedger(this.#deps.env, run, { events: [], summary: null, expected: { run, dueAt: null } });
    } catch (error) {
      logEvent("run.effectFailed", { effect: "record", error: errorClass(error) });
    }
  }

  #runSchedule(): void {
    const now = this.#deps.now();
    for (const { kind, attempts } of this.#deps.store.schedule.due(now)) {
      // An earlier row may have unscheduled it.
      if (!this.#deps.store.schedule.has(kind)) continue;
      try {
        this.#onTimer(kind, now);
      } catch (error) {
        // Each by itself: a failing row delays no other.
        logEvent("run.scheduleFailed", { clock: kind, attempt: attempts, error: errorClass(error) });
        this.#deps.store.schedule.postpone(kind, now + backoffMs(retry, attempts, this.#deps.random()));
      }
    }
  }

  /**
   * The holiday of somebody who is asked has begun: who stands in is asked too. Whoever is away
   * keeps their link, and may still decide.
   */
  #askStandIns(gate: Gate, now: number): void {
    const current = this.#deps.current();
    if (current === null || openGate(current.state) !== gate) return;
    const { input, state } = current;
    const { gatePolicy } = input;
    const review = reviewAt(state, gate);
    const { reviewers, votes, deadlineAt } = review;
    const next = nextHoliday(gatePolicy, reviewers, now);
    if (next !== null && next < deadlineAt) this.#deps.store.schedule.set(`away:${gate}`, next);
    const waitedFor = reviewers.filter((name) => votes.every(({ reviewer }) => reviewer !== name));
    const askable = this.#deps.reviewers.askable(input, review);
    const standIns = standInsDuring(gatePolicy, waitedFor, now).filter(({ by }) => askable.includes(by));
    if (standIns.length === 0) return;
    const names = [...new Set(standIns.map(({ by }) => by))];
    this.#deps.apply({ kind: "askMore", gate, reviewers: names }, now, [
      { kind: "askedAlso", gate, reviewers: names, why: "standIn", standIns },
    ]);
  }

  /** For a due row of the schedule. Of several overdue reminders, one is sent. */
  #onTimer(kind: ScheduleKind, now: number): void {
    if (kind === "forget") return;
    if (kind === "requestor") {
      this.#deps.store.transaction(() => {
        this.#deps.store.schedule.drop("requestor");
        this.#requestor.notice(now);
      });
      return;
    }
    if (kind === "keyExpires") {
      this.#deps.store.transaction(() => {
        this.#deps.store.schedule.drop("keyExpires");
        cancelRun(this.#deps, "keyExpired");
      });
      return;
    }
    if (kind === "claim") {
      this.#deps.store.transaction(() => {
        this.#deps.store.schedule.drop("claim");
        this.#release.lost();
        cancelRun(this.#deps, "caller");
      });
      return;
    }
    const gate: Gate = kind.endsWith(":request") ? "request" : "response";
    if (kind.startsWith("deadline")) {
      this.#deps.store.transaction(() => {
        this.#deps.store.schedule.drop(kind);
        this.#deps.apply({ kind: "deadline", gate }, now, [{ kind: "expired", gate }]);
      });
    } else if (kind.startsWith("escalate")) {
      this.#deps.store.transaction(() => {
        this.#deps.store.schedule.drop(kind);
        this.#deps.apply({ kind: "escalate", gate }, now, []);
      });
    } else if (kind.startsWith("away")) {
      this.#deps.store.transaction(() => {
        this.#deps.store.schedule.drop(kind);
        this.#askStandIns(gate, now);
      });
    } else {
      this.#deps.store.transaction(() => {
        for (const { kind: due } of this.#deps.store.schedule.due(now))
          if (due.startsWith("remind") && due.endsWith(`:${gate}`)) this.#deps.store.schedule.drop(due);
        const current = this.#deps.current();
        if (current === null || openGate(current.state) !== gate) return;
        this.#notices.tellAgain(current.input, reviewAt(current.state, gate), "reminder", now);
      });
      this.#deps.flush();
    }
  }
}
