// The calls of a StopObject and their values. It imports no object.
//
// Several objects have the same stops, so that isolates that ask which there are do not all ask
// one. A stop is written to each.

import type { Operator } from "../../shared/record/record.ts";
import { digestOf } from "../../shared/encoding.ts";
import type { Stop, Stops, ToolStop } from "../../shared/policy/stops.ts";

export const stopShards = 4;

/**
 * For how long an isolate may go by what it was told, by its own clock, from before it asked. A
 * stop answers after this time.
 */
export const stopsKnownMs = 1_500;

/**
 * Of many stops of servers and keys, the oldest are kept: one beyond is refused. Of as many stops
 * of tools, the one that ends first ends with one more.
 */
export const mostStops = 1_000;

/** Names a reviewer's stop of a tool: a second one of the same is the same. */
export const toolStopId = ({ key, server, tool, session }: ToolStop): string =>
  digestOf("countersign/tool-stop/v1", { key, server, tool, session });

export type StoppedAt = { readonly stop: Stop; readonly at: number };

export interface StopCalls extends Rpc.DurableObjectBranded {
  stops(): Stops;
  /** The stops and when each was made, in Unix milliseconds, oldest first. */
  list(): StoppedAt[];
  /**
   * Stops. Twice is the same as once. False where there are `mostStops` already; everything can
   * always be stopped.
   * @param withdrawnBy Who stopped, for the one object that cancels every open run of what is
   *   stopped: from now on, until none is found.
   */
  stop(stop: Stop, withdrawnBy: Operator | "reviewer" | null): boolean;
  /** Lets it go on; false where it was not stopped. */
  resume(stop: Stop): boolean;
}
