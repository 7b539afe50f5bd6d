// An object's one alarm: set for the earliest work that its tables have, and set again where it was
// lost.
//
// The platform delivers an alarm at least once, tries a handler that throws six times more, and
// then drops the alarm for good. So the handler here does not throw while it can set the alarm
// again, and the object looks for its alarm whenever it wakes.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import { type LogEvent, errorClass, logEvent } from "../platform/log.ts";

/** The pauses before an alarm that failed comes again. */
const retry: Backoff = { firstMs: 1_000, mostMs: 5 * 60_000 };
/** The platform has dropped an alarm that is overdue for so long. */
const lostAfterMs = 60_000;

export type AlarmDeps = {
  readonly storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** When the tables have work next, in Unix milliseconds; null where they have none. */
  readonly nextDue: () => number | null;
  /**
   * An alarm that is set less than so much earlier than needed stays: it finds nothing due and sets
   * itself again, and writing it costs more. Absent: each time is written. Who gives it calls
   * `forget` where a transaction is rolled back.
   */
  readonly earlyMs?: number;
  /** The event that is logged where the work fails. */
  readonly failed: LogEvent;
};

export class ObjectAlarm {
  readonly #deps: AlarmDeps;
  #failures = 0;
  /** When the alarm is set for; null where that is not known. */
  #setAt: number | null = null;

  constructor(deps: AlarmDeps) {
    this.#deps = deps;
  }

  /**
   * Sets the alarm for the earliest work; leaves it as it is where there is none, and where it is
   * set for a little earlier.
   */
  arm(): void {
    const at = this.#deps.nextDue();
    if (at === null || this.#isSetFor(at)) return;
    void this.#set(at);
  }

  #isSetFor(at: number): boolean {
    const { now, earlyMs = 0 } = this.#deps;
    return this.#setAt !== null && this.#setAt > now() && this.#setAt <= at && at - this.#setAt < earlyMs;
  }

  #set(at: number): Promise<void> {
    this.#setAt = at;
    return this.#deps.storage.setAlarm(at);
  }

  /**
   * A transaction was rolled back, or all was deleted: when the alarm is set for is no longer
   * known.
   */
  forget(): void {
    this.#setAt = null;
  }

  /**
   * Sets the alarm again where none is set, or one that is long overdue. For the object's
   * constructor and for calls that only read: it writes nothing where the alarm is there, and never
   * throws.
   */
  async restore(): Promise<void> {
    try {
      const set = await this.#deps.storage.getAlarm();
      this.#setAt ??= set;
      if (set !== null && set > this.#deps.now() - lostAfterMs) return;
      const at = this.#deps.nextDue();
      if (at !== null) await this.#set(Math.max(at, this.#deps.now()));
    } catch (error) {
      // Where the alarm cannot be written either, the next wake tries again.
      await this.#retryAfter(error).catch(() => {});
    }
  }

  /**
   * Does the work of an alarm. An error is logged by its class, and the alarm is set again, later
   * each time. Throws where the alarm cannot be written either: then the platform's own retries are
   * left.
   */
  async ring(work: () => void | Promise<void>): Promise<void> {
    this.#setAt = null;
    try {
      await work();
      this.#failures = 0;
    } catch (error) {
      await this.#retryAfter(error);
    }
  }

  async #retryAfter(error: unknown): Promise<void> {
    logEvent(this.#deps.failed, { attempt: this.#failures, error: errorClass(error) });
    const wait = backoffMs(retry, this.#failures, this.#deps.random());
    this.#failures += 1;
    await this.#set(this.#deps.now() + wait);
  }
}
