// One timer for everything that only slow work needs: a timer costs a request more than most of its
// steps, and most requests end before theirs.

export type Slow = {
  readonly afterMs: number;
  /** Resolves when the work has taken `afterMs`; never where it was over before. */
  readonly passed: Promise<void>;
};

/** Longer work counts as slow: a response that is not there by then begins without its answer. */
export const slowAfterMs = 250;

/** Begins now. `over` is to be called at the end of the work. */
export function beginWork(): Slow & { readonly over: () => void } {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, slowAfterMs);
  return { afterMs: slowAfterMs, passed, over: () => clearTimeout(timer) };
}

/**
 * Calls `then` `milliseconds` from now. With `slow`, which begins now, it may be a little later,
 * and costs nothing until that has passed. The result stops it.
 */
export function later(milliseconds: number, slow: Slow | undefined, then: () => void): () => void {
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
