// The relay of the 2025 revisions, for an object that is a client of it. Objects import no
// endpoint, so the Worker's app hands it in when it is loaded.

import type { Env } from "../platform/env.ts";
import type { KeyRecord } from "../stores/keys.ts";

/** One request to the relay, of a client that was let in. */
export type InsideVisit = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  /** The server's name in the servers document. */
  readonly server: string;
  /** The client's own credential for the server, where the entry passes it on. */
  readonly authorization: string | null;
  /** Aborts when the key ends. */
  readonly over: AbortSignal;
};

type InsideRelay = (visit: InsideVisit, request: Request) => Promise<Response>;

let relay: InsideRelay | null = null;

export function handInRelay(given: InsideRelay): void {
  relay = given;
}

export const insideRelay: InsideRelay = (visit, request) => {
  if (relay === null) throw new Error("insideRelay: the app has not handed it in");
  return relay(visit, request);
};
