// A reviewer stops the calls of a tool: those that wait are cancelled, and later ones refused,
// before the caller of the denied call hears of it.

import type { Json } from "../../../../shared/encoding.ts";
import { type Stoppable, type ToolStop, stopsTool } from "../../../../shared/policy/stops.ts";
import type { Env } from "../../../platform/env.ts";
import { stopsKnownMs } from "../../../stubs/stop-calls.ts";
import { eachStopShard } from "../../../stubs/stubs.ts";
import type { RunStore, StoredInput } from "../tables/run-store.ts";
import { callIn } from "./last-call.ts";

/** The run's call as stops know it; undefined where it is about something else. */
export function stoppableCall(store: RunStore, { requestRef, sessionless }: StoredInput): Stoppable["call"] {
  const call = callIn(store);
  return call === null ? undefined : { tool: call.tool, session: sessionless === true ? null : requestRef.session };
}

export const isStoppedBy = (stop: ToolStop, store: RunStore, input: StoredInput, now: number): boolean =>
  stopsTool(stop, { key: input.key.id, server: input.requestor.server, call: stoppableCall(store, input) }, now);

/** In the transaction of the denial, and before it: the caller is told in the same chain. */
export const queueStop = ({ outbox }: RunStore, stop: ToolStop, isOver: boolean, now: number): void =>
  outbox.queue("stop", "answer", { stop: { ...stop }, isOver }, now);

/** Stops, or lets go on. Done when no isolate goes by what it knew before. */
export async function performStop(env: Env, detail: Json): Promise<void> {
  const { stop, isOver } = detail as { readonly stop: ToolStop; readonly isOver: boolean }; // written by `queueStop`
  await eachStopShard(env, (shard, number) => (isOver ? shard.resume(stop) : shard.stop(stop, number === 0 ? "reviewer" : null)));
  if (!isOver) await new Promise((resolve) => setTimeout(resolve, stopsKnownMs));
}
