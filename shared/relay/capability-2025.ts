// How sampling is declared to a server in each 2025 revision, and who answers it.
// Sources: `ClientCapabilities` of each revision's schema; 2025-11-25 added `sampling.tools` and tasks.

import { objectOf } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import { featuresOf, isKnownRevision } from "../wire/mcp-features.ts";
import type { Server } from "./servers.ts";

/** Whether the client itself declared sampling in its `initialize`. */
export const declaresSampling = (params: JsonObject | null): boolean => objectOf(objectOf(params?.["capabilities"])?.["sampling"]) !== null;

/** Whether sampling of this session is ours to answer. */
export function isOurs(mode: Server["mode"], clientSamples: boolean): boolean {
  switch (mode) {
    case "fulfil":
      return true;
    case "forward":
      return false;
    case "fallback":
      return !clientSamples;
    default:
      return mode satisfies never;
  }
}

/**
 * Whether a client's error to a sampling request says that it cannot, and not that its user said no: -1 is a person's answer
 * (client/sampling, "Error Handling"), and nobody asks again over their head.
 */
export const isDeclined = (code: unknown): boolean => code !== -1;

/** Whether a request that the client declines is ours after all. */
export const mayFallBack = (mode: Server["mode"], clientSamples: boolean): boolean => mode === "fallback" && clientSamples;

/**
 * The params of `initialize` as the server is to get them: with sampling declared, where we answer it; everything else as it
 * came. Tools and tasks are declared only where the entry says so and the asked revision has them; listing tasks only where the
 * client itself can, for nobody here has a list of ours.
 */
export function withSampling(params: JsonObject, server: Pick<Server, "tools" | "tasks" | "context">): JsonObject {
  const capabilities = objectOf(params["capabilities"]) ?? {};
  const asked = params["protocolVersion"];
  // Of a revision that is not known here nothing is declared but sampling itself.
  const has = isKnownRevision(asked) ? featuresOf(asked) : null;
  const sampling = {
    ...(server.tools && has?.samplingTools ? { tools: {} } : {}),
    ...(server.context && has?.samplingTools ? { context: {} } : {}),
  };
  const tasks = objectOf(capabilities["tasks"]);
  const requests = objectOf(tasks?.["requests"]);
  const withTasks =
    server.tasks && has?.tasks ? { tasks: { cancel: {}, ...tasks, requests: { ...requests, sampling: { createMessage: {} } } } } : {};
  return { ...params, capabilities: { ...capabilities, sampling, ...withTasks } };
}
