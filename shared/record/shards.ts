// The record is sixteen logs, and a run's id says which of them has it.

export const recordShards = 16;

/** Ids are random, so that the logs grow alike. */
export function recordShardOf(id: string): number {
  let sum = 0;
  for (let i = 0; i < id.length; i += 1) sum = (sum * 31 + id.charCodeAt(i)) >>> 0;
  return sum % recordShards;
}
