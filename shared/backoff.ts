// How long to wait before something that failed is tried again.

export type Backoff = { readonly firstMs: number; readonly mostMs: number };

/**
 * The wait doubles with each failure, up to the most; of that, half to the whole. With the jitter, what failed together does not come back
 * together; with half of it kept, something that is broken for good is not tried at the full rate.
 * @param failures how often it failed before, from 0.
 * @param random from 0 to 1.
 * @returns whole milliseconds, at least 1.
 */
export function backoffMs({ firstMs, mostMs }: Backoff, failures: number, random: number): number {
  const bound = Math.min(mostMs, firstMs * 2 ** failures);
  return Math.max(1, Math.round(bound * (0.5 + random / 2)));
}
