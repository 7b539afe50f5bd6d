// Which of the client's requests a sampling request serves that came through the relay, and how that was found. No clock, no storage.
//
// Servers say it by the response stream that they ask on (basic/transports, "Sending Messages to the Server") or by the task that they
// name (basic/utilities/tasks, "Related Task Metadata"). Most servers in use do neither: they ask on the stand-alone stream. Then the
// client's requests in flight are all that there is to go by, and the result is an inference that may be wrong.

import { objectOf } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import type { RequestId } from "../wire/json-rpc.ts";
import { RELATED_TASK_META } from "../wire/mcp-2025/tasks.ts";
import { type Result, err, ok } from "../result.ts";
import type { Evidence } from "./evidence.ts";

/** A request of the client's: what a server asks while it handles it is sampled for it. */
export type Originating = {
  readonly id: RequestId;
  readonly method: string;
  readonly name: string;
  /** As JSON, cut; only where they may be added to what is asked. */
  readonly arguments?: string;
  /** The client wants it run as a task. */
  readonly asTask?: true;
};

/** What a server may sample for. */
const samplingMethods = ["tools/call", "resources/read", "prompts/get"] as const;

/** A request that may be sampled for. */
export type SampledFor = Originating & { readonly method: (typeof samplingMethods)[number] };

export const maySample = (request: Originating): request is SampledFor => samplingMethods.some((each) => each === request.method);

/** The setting of a server's entry. */
export type AssociationSetting = "auto" | "strict" | "inFlight";

/** What is known of where a sampling request belongs. */
export type Signs = {
  /** The request on whose response stream it came, or that the task runs for whose result that stream brings; null for any other stream. */
  readonly stream: Originating | null;
  /** The task that it names: the request that this task runs for, or `unknown`; null where it names none. */
  readonly task: Originating | "unknown" | null;
  /** The client's requests in flight, newest first. */
  readonly inFlight: readonly Originating[];
};

export type Unassociated = "noOriginatingRequest" | "nothingShown" | "noneInFlight" | "severalInFlight";

/** The request that is served and how that was found, or why none can be told. */
export function associationOf(
  setting: AssociationSetting,
  { stream, task, inFlight }: Signs,
): Result<{ readonly originating: SampledFor; readonly evidence: Evidence }, Unassociated> {
  if (stream !== null && maySample(stream)) return ok({ originating: stream, evidence: "responseStream" });
  if (task !== null && task !== "unknown" && maySample(task)) return ok({ originating: task, evidence: "namedTask" });
  // The server did show which request it serves, and that one may not be sampled for.
  if (stream !== null) return err("noOriginatingRequest");
  if (setting === "strict") return err("nothingShown");
  // A task may ask before the answer that tells of it has come: its request is one of those that asked for a task then.
  const [newest, ...others] = inFlight.filter(maySample).filter(({ asTask }) => task === null || asTask === true);
  if (newest === undefined) return err("noneInFlight");
  if (others.length === 0) return ok({ originating: newest, evidence: "onlyInFlight" });
  return setting === "inFlight" ? ok({ originating: newest, evidence: "newestInFlight" }) : err("severalInFlight");
}

/** The task that a sampling request names in its `_meta`, or null. */
export function namedTask(params: JsonObject | null): string | null {
  const meta = objectOf(params?.["_meta"]);
  const task = objectOf(meta?.[RELATED_TASK_META])?.["taskId"];
  return typeof task === "string" ? task : null;
}
