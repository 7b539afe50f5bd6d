// What the pages of requests know of one by its line.

import type { KeyList } from "../../../endpoints/admin/answers/keys.ts";
import type { RunLine } from "../../../endpoints/admin/answers/run-line.ts";

/**
 * Whether a model answered, so that its tokens and its cost are known. What a failure cost is not.
 */
export const isCounted = ({ model, state, usage }: RunLine): boolean =>
  model !== null && (state !== "failed" || usage.inputTokens + usage.outputTokens > 0);

/** For how long people have, or had, the request: in milliseconds; null where nobody was asked. */
export function waitOf({ review, endedAt }: RunLine, now: number): number | null {
  if (review === null) return null;
  const isOpen = endedAt === null && review.votes < review.quorum;
  return review.waitedMs + (isOpen ? Math.max(0, now - Date.parse(review.askedAt)) : 0);
}

/** Names of keys by their ids, from GET /admin/keys. */
export type KeyNames = ReadonlyMap<string, string>;
export const keyNamesOf = ({ keys }: KeyList): KeyNames => new Map(keys.map(({ id, name }) => [id, name]));
