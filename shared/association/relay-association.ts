// Which of the client's requests a sampling request that came through the relay serves, and the
// evidence for it. No clock, no storage.
//
// Servers show it by the response stream on which they send the request (basic/transports, "Sending
// Messages to the Server") or by the task that they name (basic/utilities/tasks, "Related Task
// Metadata"). Most servers in use do neither and send it on the stand-alone stream. Then only the
// client's requests in flight are known, and the result is an inference that may be wrong.

import { objectOf } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import type { RequestId } from "../wire/json-rpc.ts";
import { RELATED_TASK_META } from "../wire/mcp-2025/tasks.ts";
import { type Result, err, ok } from "../result.ts";
import type { Evidence } from "./evidence.ts";

/** A client's request: the server may sample for it while it handles it. */
export type Originating = {
  readonly id: RequestId;
  readonly method: string;
  readonly name: string;
  /** As JSON, cut; present only where they may be added to the sampling request. */
  readonly arguments?: string;
  /** The client wants it run as a task. */
  readonly asTask?: true;
};

/**
 * Whether a server may sample for a request of the client: for any but those about a task, which
 * another request began.
 */
export const maySample = ({ method }: Originating): boolean => !method.startsWith("tasks/");

const inFlightMethods: ReadonlySet<string> = new Set(["tools/call", "resources/read", "prompts/get", "resources/subscribe"]);

/**
 * Whether a request in flight counts for sampling that shows no request: those whose handlers do
 * work. A list or a ping beside a call would only leave open which of the two it is.
 */
export const countsInFlight = ({ method }: Originating): boolean => inFlightMethods.has(method);

/** The setting of a server's entry. */
export type AssociationSetting = "auto" | "strict" | "inFlight";

/** What shows which client request a sampling request serves. */
export type Signs = {
  /**
   * The request on whose response stream it came, or whose task's result that stream carries; null
   * for any other stream.
   */
  readonly stream: Originating | null;
  /**
   * The request of the task that it names, or `unknown` where no such task is known; null where it
   * names none.
   */
  readonly task: Originating | "unknown" | null;
  /** The client's requests in flight, newest first. */
  readonly inFlight: readonly Originating[];
};

type Unassociated = "unknownTask" | "nothingShown" | "noneInFlight" | "severalInFlight";

/** The client request that is served and the evidence, or why it cannot be determined. */
export function associationOf(
  setting: AssociationSetting,
  { stream, task, inFlight }: Signs,
): Result<{ readonly originating: Originating; readonly evidence: Evidence }, Unassociated> {
  if (stream !== null && maySample(stream)) return ok({ originating: stream, evidence: "responseStream" });
  if (task !== null && task !== "unknown" && maySample(task)) return ok({ originating: task, evidence: "namedTask" });
  // The server showed which request it serves, and that one may not be sampled for.
  if (stream !== null) return err("unknownTask");
  if (setting === "strict") return err("nothingShown");
  // A task may sample before the response that names it has arrived; its request is then one of
  // those that asked for a task.
  const [newest, ...others] = inFlight.filter(countsInFlight).filter(({ asTask }) => task === null || asTask === true);
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
