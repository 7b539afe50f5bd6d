// A service that takes notices by HTTP at an address of the operator's: which are set up, which
// addresses are safe, and what its answer means for a notice.

import { isLoopbackHost } from "../../shared/this-machine.ts";
import type { Env } from "../platform/env.ts";
import { lookupIn } from "../platform/lookup.ts";
import type { DeliveryResult } from "./channel.ts";
import type { Exchanged } from "./channel-exchange.ts";

/**
 * The names of the services of which any variable is set, sorted.
 * @param variable Of a variable's name; its first group is the service's.
 */
export const namesSet = (env: Env, variable: RegExp): string[] =>
  [
    ...new Set(
      Object.keys(env).flatMap((key) => {
        const name = variable.exec(key)?.[1];
        return name === undefined || (lookupIn(env)(key)?.trim() ?? "") === "" ? [] : [name];
      }),
    ),
  ].sort();

/**
 * What an answer's status means for a notice, where the service says it by HTTP alone. A redirect
 * is not followed, and 410 is for good.
 */
export function deliveryOf(answer: Exchanged | undefined, receipt: string | null = null): DeliveryResult {
  if (answer === undefined) return { kind: "again", why: "unavailable" };
  const { status, afterMs } = answer;
  const wait = afterMs === undefined ? {} : { afterMs };
  if (status >= 200 && status < 300) return { kind: "sent", receipt };
  if (status === 429) return { kind: "again", why: "rateLimited", ...wait };
  if (status >= 500 || status === 408) return { kind: "again", why: "unavailable", ...wait };
  if (status === 401 || status === 403) return { kind: "failed", why: "unauthorized" };
  return { kind: "failed", why: status === 404 || status === 410 || status < 400 ? "notFound" : "invalid" };
}

/**
 * Whether notices may go to this address by its scheme: https; http only between a gateway and a
 * service of one machine, which have no certificate.
 */
export function isSafeService({ protocol, hostname }: URL, { PUBLIC_URL }: Pick<Env, "PUBLIC_URL">): boolean {
  const ownHost = URL.parse(PUBLIC_URL ?? "")?.hostname;
  return protocol === "https:" || (protocol === "http:" && ownHost !== undefined && isLoopbackHost(ownHost) && isLoopbackHost(hostname));
}

/** Such an address without a user name, a password or a fragment. */
export function serviceAddress(text: string, env: Pick<Env, "PUBLIC_URL">): URL | null {
  const url = URL.parse(text);
  return url !== null && isSafeService(url, env) && url.username === "" && url.password === "" && url.hash === "" ? url : null;
}
