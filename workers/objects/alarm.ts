// An object's one alarm: set for the earliest work that its tables have, and set again where it was lost.
//
// The platform delivers an alarm at least once, tries a handler that throws six times more, and then drops the alarm for good. So the
// handler here does not throw while it can set the alarm again, and the object looks for its alarm whenever it wakes.

import { type Backoff, backoffMs } from "../../shared/backoff.ts";
import { type LogEvent, errorClass, logEvent } from "../platform/log.ts";

/** The pauses before an alarm that failed comes again. */
const retry: Backoff = { firstMs: 1_000, mostMs: 5 * 60_000 };
/** The platform has dropped an alarm that is overdue for so long. */
const lostAfterMs = 60_000;

export type AlarmParts = {
  readonly storage: Pick<DurableObjectStorage, "getAlarm" | "setAlarm">;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** When the tables have work next, in Unix milliseconds; null where they have none. */
  readonly nextDue: () => number | null;
  /** The event that is logged where the work fails. */
  readonly failed: LogEvent;
};

export class ObjectAlarm {
  readonly #parts: AlarmParts;
  #failures = 0;

  constructor(parts: AlarmParts) {
    this.#parts = parts;
  }

  /** Sets the alarm for the earliest work; leaves it as it is where there is none. */
  arm(): void {
    const at = this.#parts.nextDue();
    if (at !== null) void this.#parts.storage.setAlarm(at);
  }

  /**
   * Sets the alarm again where none is set, or one that is long overdue. For the object's constructor and for calls that only read: it writes
   * nothing where the alarm is there, and never throws.
   */
  async restore(): Promise<void> {
    try {
      const set = await this.#parts.storage.getAlarm();
      if (set !== null && set > this.#parts.now() - lostAfterMs) return;
      const at = this.#parts.nextDue();
      if (at !== null) await this.#parts.storage.setAlarm(Math.max(at, this.#parts.now()));
    } catch (error) {
      // Where the alarm cannot be written either, the next wake tries again.
      await this.#retryAfter(error).catch(() => {});
    }
  }

  /**
   * Does the work of an alarm. An error is logged by its class, and the alarm is set again, later each time.
   * Throws where the alarm cannot be written either: then the platform's own retries are left.
   */
  async ring(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
      this.#failures = 0;
    } catch (error) {
      await this.#retryAfter(error);
    }
  }

  async #retryAfter(error: unknown): Promise<void> {
    logEvent(this.#parts.failed, { attempt: this.#failures, error: errorClass(error) });
    const wait = backoffMs(retry, this.#failures, this.#parts.random());
    this.#failures += 1;
    await this.#parts.storage.setAlarm(this.#parts.now() + wait);
  }
}
