// When several notices to one reviewer become one message, and what that message says of each
// review. No clock, no storage.

import type { Reviewer } from "../policy/evaluate.ts";
import type { NoticeFacts } from "./notice-line.ts";

/** One address gets so many single messages within a minute; further reviews come in a digest. */
const noticesAMinute = 5;
export const minuteMs = 60_000;

/** Notices that come within this time of the first waiting one are in the same digest. */
const gatheredMs = 10_000;
/** A review is in a digest this long before its deadline, where one may be sent. */
const beforeDeadlineMs = 60_000;

/** One review that waits for its reviewer, without its content. */
export type DigestEntry = {
  readonly reviewer: Reviewer;
  readonly facts: NoticeFacts;
  /** The reviewer's personal link to this review. */
  readonly url: string;
};

/**
 * Whether one more message may go to an address now. `sentAt`: when earlier ones went, Unix
 * milliseconds.
 */
export const maySend = (sentAt: readonly number[], now: number): boolean =>
  sentAt.filter((at) => now - at < minuteMs).length < noticesAMinute;

/**
 * When the next digest goes out: ten seconds after the first waiting notice and a minute after the
 * last digest; sooner where a deadline is near, but never within ten seconds of the last digest.
 * All times are Unix milliseconds.
 * @param lastAt When the last digest went, or null. `deadlineAt`: the earliest deadline among the
 *   waiting reviews.
 */
export function digestDueAt({ firstAt, lastAt, deadlineAt }: { firstAt: number; lastAt: number | null; deadlineAt: number }): number {
  const gathered = firstAt + gatheredMs;
  const regular = lastAt === null ? gathered : Math.max(gathered, lastAt + minuteMs);
  const urgent = Math.min(regular, Math.max(firstAt, deadlineAt - beforeDeadlineMs));
  return lastAt === null ? urgent : Math.max(urgent, lastAt + gatheredMs);
}
