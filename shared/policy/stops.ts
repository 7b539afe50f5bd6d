// What is stopped: by operators everything, or what is of some MCP servers and API keys; by
// reviewers the calls of one tool. A stop is for now, and is taken back.

import type { StopScope } from "../model/call.ts";

/** `servers`: by name; `keys`: by id. */
export type Stops = {
  readonly everything: boolean;
  readonly servers: readonly string[];
  readonly keys: readonly string[];
  readonly tools: readonly ToolStop[];
};

/**
 * A reviewer's: a key's calls of one tool, in one session (its object's id). Null: in all of them,
 * since the denied call had none.
 */
export type ToolStop = {
  readonly scope: "tool";
  readonly key: string;
  readonly server: string;
  readonly tool: string;
  readonly session: string | null;
  /** The reviewer's name. */
  readonly by: string;
  /** Unix milliseconds, exclusive. */
  readonly until: number;
};

/** One thing that is stopped, or let go on. */
export type Stop =
  | { readonly scope: "everything" }
  | { readonly scope: "server"; readonly server: string }
  | { readonly scope: "key"; readonly key: string }
  | ToolStop;

/** What a stop may be for; `call`: of which tool, in which session. */
export type Stoppable = {
  readonly server: string;
  readonly key: string;
  readonly call?: Pick<ToolStop, "tool" | "session"> | undefined;
};

/** What a reviewer's stop is of. */
export type StopReach = "session" | "key";

/** A session ends by itself; a key may have many, and goes on sooner. */
const lastsMs: Readonly<Record<StopReach, number>> = { session: 24 * 3_600_000, key: 3_600_000 };

export const reachOf = ({ session }: Pick<ToolStop, "session">): StopReach => (session === null ? "key" : "session");

/** @param now Unix milliseconds. */
export const toolStopFrom = (of: Omit<ToolStop, "scope" | "until">, now: number): ToolStop => ({
  scope: "tool",
  ...of,
  until: now + lastsMs[reachOf(of)],
});

/** Whether one of the stops is for this; the widest of them. */
export function stoppedBy({ everything, servers, keys, tools }: Stops, of: Stoppable, now: number): StopScope | null {
  if (everything) return "everything";
  if (servers.includes(of.server)) return "server";
  if (keys.includes(of.key)) return "key";
  return tools.some((stop) => stopsTool(stop, of, now)) ? "tool" : null;
}

/** Whether a reviewer's stop is for this call. */
export const stopsTool = (stop: ToolStop, { server, key, call }: Stoppable, now: number): boolean =>
  call !== undefined &&
  now < stop.until &&
  stop.key === key &&
  stop.server === server &&
  stop.tool === call.tool &&
  (stop.session === null || stop.session === call.session);
