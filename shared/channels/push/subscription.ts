// Reads the push subscription that a reviewer's browser gives: where messages for it are posted
// (RFC 8030) and what they are encrypted with (RFC 8291). The address is a client's word, and the
// gateway posts to it: it leads to a public host over https, and to nothing else.

import { isPrivateHost } from "../../address.ts";
import { isLoopbackHost } from "../../this-machine.ts";
import { fromBase64url } from "../../encoding.ts";

export type Subscription = {
  /** Where the browser's push service takes its messages. Whoever has it may not send any. */
  readonly endpoint: string;
  /** An uncompressed point on P-256, as base64url. */
  readonly p256dh: string;
  /** 16 bytes, as base64url. */
  readonly auth: string;
};

/** Longer than any push service's: WNS has about 600. */
const longestEndpoint = 2_000;
const pointLength = 65;
const uncompressed = 4;
const authLength = 16;

/**
 * The subscription, or null where the address or a key is none. Whether the point is on the curve
 * is not checked here.
 * @param publicUrl PUBLIC_URL: where it is a loopback address, so may be the push service's.
 */
export function parseSubscription({ endpoint, p256dh, auth }: Subscription, publicUrl: string): Subscription | null {
  const point = fromBase64url(p256dh);
  if (point?.length !== pointLength || point[0] !== uncompressed || fromBase64url(auth)?.length !== authLength) return null;
  const url = endpoint.length > longestEndpoint ? null : URL.parse(endpoint);
  return url !== null && mayPostTo(url, publicUrl) ? { endpoint: url.href, p256dh, auth } : null;
}

/** Asked again before each message: what is stored may be older than PUBLIC_URL. */
export function mayPostTo({ protocol, hostname, port, username, password, hash }: URL, publicUrl: string): boolean {
  if (username !== "" || password !== "" || hash !== "") return false;
  if (isLoopbackHost(hostname)) return isLoopbackHost(new URL(publicUrl).hostname) && (protocol === "http:" || protocol === "https:");
  return protocol === "https:" && port === "" && !isPrivateHost(hostname);
}
