// What a client's `initialize` becomes on its way to the server: the same bytes, with our sampling among the capabilities.
// Sources: `ClientCapabilities` in the schema of each 2025 revision; 2025-11-25 added `sampling.tools` and tasks.

import { isObject, type Members } from "../../shared/json/values.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { declaresSampling, isOurs, withSampling } from "../../shared/relay/capability-2025.ts";
import type { Server } from "../../shared/relay/servers.ts";
import { objectIn } from "../rpc-messages.ts";
import { edited, memberOf, withMembers } from "./json-spans.ts";

/**
 * Who answers sampling. `fulfil`: always the gateway. `forward`: the client's own, or nobody. `fallback`: the client's own;
 * the gateway where the client has none, or answers with an error.
 */
export type Mode = Server["mode"];

export type DeclareOptions = { readonly mode: Mode; readonly tools: boolean; readonly tasks: boolean };

/** What the server was told that its client can do, and what the client said itself. */
export type Declared = {
  /** Whether the client has sampling of its own. */
  readonly clientSamples: boolean;
  /** Whether the client has tasks of its own, which `tasks/…` may be about. */
  readonly clientTasks: boolean;
  /** Whether the client lists its tasks. */
  readonly clientLists: boolean;
  /** Whether sampling as a task was declared to the server. */
  readonly samplingTasks: boolean;
};

export const NOTHING_DECLARED: Declared = { clientSamples: false, clientTasks: false, clientLists: false, samplingTasks: false };

/** Nothing here knows what could be added to a request. */
const NO_CONTEXT = { context: false };

/** @param line The line of the `initialize` request, whose `params` are given beside it. */
export function declareSampling(
  line: Uint8Array,
  params: Members,
  { mode, tools, tasks }: DeclareOptions,
): { readonly line: Uint8Array; readonly declared: Declared } {
  const parsed = params as JsonObject; // It comes from JSON.parse.
  const own = objectIn(params, "capabilities");
  const clientSamples = declaresSampling(parsed);
  const answersHere = isOurs(mode, clientSamples);
  const now = answersHere ? objectIn(withSampling(parsed, { ...NO_CONTEXT, tools, tasks }), "capabilities") : own;
  // Sampling's tasks are listed here, where the relay over HTTP has no list of them.
  const withTasks = now["tasks"] === own["tasks"] ? {} : { tasks: { list: {}, ...objectIn(now, "tasks") } };
  const declared: Declared = {
    clientSamples,
    clientTasks: isObject(own["tasks"]),
    clientLists: isObject(objectIn(own, "tasks")["list"]),
    samplingTasks: isObject(objectIn(objectIn(objectIn(now, "tasks"), "requests"), "sampling")["createMessage"]),
  };
  if (!answersHere) return { line, declared };
  const paramsAt = memberOf(line, { from: 0, to: line.length }, "params");
  if (paramsAt === undefined) return { line, declared };
  const capabilitiesAt = isObject(params["capabilities"]) ? memberOf(line, paramsAt, "capabilities") : undefined;
  const ours = { sampling: now["sampling"], ...withTasks };
  const edits =
    capabilitiesAt === undefined ? withMembers(line, paramsAt, { capabilities: ours }) : withMembers(line, capabilitiesAt, ours);
  return { line: edited(line, edits), declared };
}
