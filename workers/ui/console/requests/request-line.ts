// A request as GET /admin/runs and GET /admin/runs/{id} have it.

import type { Tokens } from "../../../../shared/model/call.ts";
import type { Cause } from "../../../../shared/record/cause.ts";
import type { LineState } from "../../../../shared/record/record.ts";
import type { ReviewLine } from "../../../../shared/record/run-summary.ts";

export type RequestLine = {
  readonly id: string;
  readonly state: LineState;
  readonly server: string | null;
  readonly tool: string | null;
  readonly key: string;
  readonly model: string | null;
  readonly at: string;
  readonly endedAt: string | null;
  readonly causeFacts: Cause | null;
  readonly rule: string | null;
  readonly review: (Omit<ReviewLine, "askedAt"> & { readonly askedAt: string }) | null;
  readonly usage: Tokens & { readonly costUsd: number };
};

/**
 * Whether a model answered, so that its tokens and its cost are known. What a failure cost is not.
 */
export const isCounted = ({ model, state, usage }: RequestLine): boolean =>
  model !== null && (state !== "failed" || usage.inputTokens + usage.outputTokens > 0);

/** For how long people have, or had, the request: in milliseconds; null where nobody was asked. */
export function waitOf({ review, endedAt }: RequestLine, now: number): number | null {
  if (review === null) return null;
  const isOpen = endedAt === null && review.votes < review.quorum;
  return review.waitedMs + (isOpen ? Math.max(0, now - Date.parse(review.askedAt)) : 0);
}

/** Names of keys by their ids, from GET /admin/keys. */
export type KeyNames = ReadonlyMap<string, string>;
export type KeyList = { readonly keys: readonly { readonly id: string; readonly name: string }[] };
export const keyNamesOf = ({ keys }: KeyList): KeyNames => new Map(keys.map(({ id, name }) => [id, name]));
