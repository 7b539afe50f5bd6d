// Posts one encrypted message to a browser's push service (RFC 8030), and reads of the answer what
// is to be done next.

import type { Subscription } from "../../../shared/channels/push/subscription.ts";
import type { NoticeError } from "../../../shared/notice-channels.ts";
import { exchange } from "../channel-exchange.ts";
import { encryptMessage } from "./message-encryption.ts";

/**
 * Every message has one of these lengths, whatever it says. Services take 4,096 bytes in all; some
 * that reach a phone by another service take less, and say 413.
 */
const paddedLength = 3_000;
const briefLength = 1_000;

export type PushAttempt =
  | { readonly kind: "taken" }
  /** The browser is no longer subscribed. */
  | { readonly kind: "gone" }
  /** `unknown`: the message may have arrived. */
  | { readonly kind: "again"; readonly why: NoticeError; readonly afterMs?: number; readonly unknown: boolean }
  | { readonly kind: "failed"; readonly why: NoticeError };

type Message = {
  readonly text: string;
  readonly brief: string | null;
  readonly topic: string;
  readonly ttlSeconds: number;
  /** The value of `Authorization`. */
  readonly authorization: string;
};

/** Where the message is too large for the service, the brief one is posted at once. */
export async function postMessage(subscription: Subscription, message: Message): Promise<PushAttempt> {
  const { text, brief } = message;
  const first = await postText(subscription, text, paddedLength, message);
  if (first.status !== 413 || brief === null) return attemptOf(first);
  return attemptOf(await postText(subscription, brief, briefLength, message));
}

type Answer = { readonly status: number | null; readonly afterMs?: number };

async function postText(
  { endpoint, ...keys }: Subscription,
  text: string,
  length: number,
  { topic, ttlSeconds, authorization }: Message,
): Promise<Answer> {
  const body = await encryptMessage(text, keys, length);
  const headers = {
    Authorization: authorization,
    "Content-Encoding": "aes128gcm",
    "Content-Type": "application/octet-stream",
    TTL: String(ttlSeconds),
    Topic: topic,
    Urgency: "high",
  };
  return (await exchange({ url: endpoint, method: "POST", headers, body })) ?? { status: null };
}

function attemptOf({ status, afterMs }: Answer): PushAttempt {
  const wait = afterMs === undefined ? {} : { afterMs };
  if (status === null) return { kind: "again", why: "unavailable", unknown: true };
  if (status >= 200 && status < 300) return { kind: "taken" };
  if (status === 404 || status === 410) return { kind: "gone" };
  if (status === 429) return { kind: "again", why: "rateLimited", ...wait, unknown: false };
  if (status >= 500 || status === 408) return { kind: "again", why: "unavailable", ...wait, unknown: status >= 500 };
  // A redirect is not followed.
  return { kind: "failed", why: status === 401 || status === 403 ? "unauthorized" : "invalid" };
}
