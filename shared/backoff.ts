// How long to wait before a retry.

export type Backoff = { readonly firstMs: number; readonly mostMs: number };

/**
 * The wait doubles with each failure, up to `mostMs`; the result is from half of that to all of it,
 * at random. The jitter keeps requests that failed together from being retried together; the fixed
 * half keeps a permanent failure from being retried at the full rate.
 * @param failures how often it failed before, from 0.
 * @param random from 0 to 1.
 * @returns whole milliseconds, at least 1.
 */
export function backoffMs({ firstMs, mostMs }: Backoff, failures: number, random: number): number {
  const bound = Math.min(mostMs, firstMs * 2 ** failures);
  return Math.max(1, Math.round(bound * (0.5 + random / 2)));
}
