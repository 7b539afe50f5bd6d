// Adds what the gateway answers, and our extensions to sampling, to the capabilities in a client's
// `initialize`; all other bytes stay. Sources: `ClientCapabilities` in the schema of each 2025
// revision; 2025-11-25 added `sampling.tools` and tasks.

import { isObject, type Members } from "../../shared/json/values.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { answeredHere, clientDoes, declaring } from "../../shared/relay/answered-here.ts";
import type { InputMethod } from "../../shared/relay/rounds.ts";
import type { SamplingSettings } from "../../shared/relay/sampling-settings.ts";
import { ourExtensions } from "../../shared/wire/extension-keys.ts";
import { objectIn } from "../rpc-messages.ts";
import { declaringEdits } from "./capability-edits.ts";
import { edited, memberIn, withMembers } from "../../shared/json/spans.ts";

/**
 * Who answers sampling. `fulfil`: the gateway. `forward`: the client, or none where it has no
 * sampling. `fallback`: the client, and the gateway where the client has none or answers with an
 * error.
 */
export type Mode = SamplingSettings["mode"];

export type DeclareOptions = {
  readonly mode: Mode;
  /** Who answers forms, as `mode` says it of sampling. */
  readonly elicitation: Mode;
  readonly tools: boolean;
  readonly tasks: boolean;
};

/** The capabilities that the client has, and those that were declared to the server. */
export type Declared = {
  /** Whether the client has sampling of its own. */
  readonly clientSamples: boolean;
  /** What the gateway answers in the client's place. */
  readonly here: readonly InputMethod[];
  /** Whether the client has tasks of its own, which `tasks/…` may be about. */
  readonly clientTasks: boolean;
  readonly clientLists: boolean;
  /** Whether sampling as a task was declared to the server. */
  readonly samplingTasks: boolean;
};

export const NOTHING_DECLARED: Declared = { clientSamples: false, here: [], clientTasks: false, clientLists: false, samplingTasks: false };

/** The stdio command has no context to add to a request. */
const NO_CONTEXT = { context: false };

/** @param line The line of the `initialize` request, whose `params` are given beside it. */
export function declareAnswers(
  line: Uint8Array,
  params: Members,
  options: DeclareOptions,
): { readonly line: Uint8Array; readonly declared: Declared } {
  const parsed = params as JsonObject; // from JSON.parse
  const own = objectIn(params, "capabilities");
  const does = clientDoes(parsed);
  const here = answeredHere(options, does);
  const now = objectIn(declaring(parsed, { ...options, ...NO_CONTEXT }, here), "capabilities");
  // The stdio command lists its sampling tasks, which the relay over HTTP does not.
  const withTasks = now["tasks"] === own["tasks"] ? {} : { tasks: { list: {}, ...objectIn(now, "tasks") } };
  const declared: Declared = {
    clientSamples: does.clientSamples,
    here,
    clientTasks: isObject(own["tasks"]),
    clientLists: isObject(objectIn(own, "tasks")["list"]),
    samplingTasks: isObject(objectIn(objectIn(objectIn(now, "tasks"), "requests"), "sampling")["createMessage"]),
  };
  if (here.length === 0) return { line, declared };
  const paramsAt = memberIn(line, "params");
  if (paramsAt === undefined) return { line, declared };
  const capabilitiesAt = isObject(params["capabilities"]) ? memberIn(line, "params", "capabilities") : undefined;
  const names = ["sampling", "elicitation"].filter((name) => now[name] !== own[name]);
  const ours = { ...Object.fromEntries(names.map((name) => [name, now[name]])), ...withTasks };
  // In an unknown revision there may be no experimental capabilities.
  const isExtended = now["experimental"] !== own["experimental"];
  const edits =
    capabilitiesAt === undefined
      ? withMembers(line, paramsAt, { capabilities: { ...ours, ...(isExtended ? { experimental: ourExtensions } : {}) } })
      : isExtended
        ? declaringEdits(line, capabilitiesAt, ours)
        : withMembers(line, capabilitiesAt, ours);
  return { line: edited(line, edits), declared };
}
