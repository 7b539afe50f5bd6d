// Whether a request comes from Slack: its signature over the raw bytes of the body. No clock, no
// storage, no parsing.
//
// https://docs.slack.dev/authentication/verifying-requests-from-slack: HMAC-SHA-256 of `v0:`, the
// timestamp, `:` and the body.

import { bytesToHex, concatBytes, equalBytes, hmacSha256, utf8ToBytes } from "../../encoding.ts";

/** Slack's bound on the age of a request, in both directions: a clock may be behind or ahead. */
const slackSkewSeconds = 300;

type SlackSigned = {
  /** The headers `X-Slack-Signature` and `X-Slack-Request-Timestamp`; null where absent. */
  readonly signature: string | null;
  readonly timestamp: string | null;
  /** The raw body. */
  readonly body: Uint8Array;
};

/**
 * True where `signed` was signed with `secret` at most 300 s from `now` (Unix milliseconds).
 * Refused: a signature that is not `v0=` and 64 lower-case hex digits, a timestamp that is not a
 * plain whole number, an empty secret.
 */
export function isSignedBySlack(secret: string, { signature, timestamp, body }: SlackSigned, now: number): boolean {
  if (secret === "" || signature === null || timestamp === null) return false;
  if (!/^v0=[0-9a-f]{64}$/.test(signature) || !/^(?:0|[1-9][0-9]{0,11})$/.test(timestamp)) return false;
  if (Math.abs(Math.floor(now / 1_000) - Number(timestamp)) > slackSkewSeconds) return false;
  return equalBytes(utf8ToBytes(signature), utf8ToBytes(slackSignature(secret, timestamp, body)));
}

/** The value of `X-Slack-Signature`. */
export const slackSignature = (secret: string, timestamp: string, body: Uint8Array): string =>
  `v0=${bytesToHex(hmacSha256(utf8ToBytes(secret), concatBytes(utf8ToBytes(`v0:${timestamp}:`), body)))}`;
