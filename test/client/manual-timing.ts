// Clocks for tests: one that a test moves by hand, and one on which short waits are over at once.

import type { Timing } from "../../client/timing.ts";

/** Lets everything that is ready run. */
export const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

export class ManualTiming implements Timing {
  #now = 1_000_000;
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();
  /** Every wait that was begun, in milliseconds. */
  readonly waits: number[] = [];

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    this.waits.push(milliseconds);
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = (): void => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: this.#now + milliseconds, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", wake);
    });
  }

  get sleeping(): number {
    return this.#sleepers.size;
  }

  async advance(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await settle();
    for (;;) {
      const next = [...this.#sleepers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await settle();
    }
    this.#now = until;
    await settle();
  }
}

/**
 * Waits below 20 s (pauses between attempts) are over at once, longer ones (silence, deadlines)
 * never.
 */
export const hurried: Timing = {
  now: () => 0,
  random: () => 0,
  sleep: (milliseconds, signal) =>
    milliseconds < 20_000 || signal?.aborted === true
      ? Promise.resolve()
      : new Promise((resolve) => signal?.addEventListener("abort", () => resolve(), { once: true })),
};
