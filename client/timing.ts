// The clock, timers and random numbers, so that tests can replace them.

export type Timing = {
  /** Unix milliseconds. The wall clock, because a person's deadline is on it too. */
  now(): number;
  /** Resolves after the time has passed, or at once when the signal is aborted. Never rejects. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to, and without, 1. */
  random(): number;
};

export const platformTiming: Timing = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, milliseconds);
      signal?.addEventListener("abort", done);
    }),
};

/**
 * The pause before the next attempt, in milliseconds: doubles from half a second up to 15 s, less a
 * random part of up to half, so that hosts that lost the same gateway do not reconnect together.
 * @param failures The number of failures in a row before the one that this pause follows, from 0.
 */
export function backoffMilliseconds(failures: number, timing: Timing): number {
  const most = Math.min(15_000, 500 * 2 ** Math.min(failures, 10));
  return most / 2 + (most / 2) * timing.random();
}

/**
 * The work's result, or "late" where it took longer or was aborted. The work goes on: the caller
 * has to end it.
 */
export async function within<T>(work: Promise<T>, milliseconds: number, timing: Timing, signal?: AbortSignal): Promise<T | "late"> {
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([stop.signal, signal]);
  try {
    return await Promise.race([work, timing.sleep(milliseconds, either).then(() => "late" as const)]);
  } finally {
    stop.abort();
  }
}
