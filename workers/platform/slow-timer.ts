// One timer for everything that only slow work needs: a timer costs a request more than most of its
// steps, and most requests end before theirs.

export type SlowTimer = {
  readonly afterMs: number;
  /** Resolves when the work has taken `afterMs`; never where the timer was cancelled before. */
  readonly passed: Promise<void>;
};

/** Longer work counts as slow: a response that is not there by then begins without its answer. */
export const slowAfterMs = 250;

/** Begins now. `cancel` is to be called at the end of the work. */
export function startSlowTimer(): SlowTimer & { readonly cancel: () => void } {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, slowAfterMs);
  return { afterMs: slowAfterMs, passed, cancel: () => clearTimeout(timer) };
}

/**
 * Calls `then` `milliseconds` from now. With `slow`, which begins now, it may be a little later,
 * and costs nothing until that has passed. The result stops it.
 */
export function later(milliseconds: number, slow: SlowTimer | undefined, then: () => void): () => void {
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  if (slow === undefined || milliseconds <= slow.afterMs) timer = setTimeout(then, milliseconds);
  else
    void slow.passed.then(() => {
      if (!stopped) timer = setTimeout(then, milliseconds - slow.afterMs);
    });
  return () => {
    stopped = true;
    if (timer !== undefined) clearTimeout(timer);
  };
}
