// How sampling is declared to a server in each 2025 revision, and who answers it.
// Sources: `ClientCapabilities` of each revision's schema; 2025-11-25 added `sampling.tools` and tasks.

import type { JsonObject } from "../encoding.ts";
import type { Server } from "./servers.ts";

/** The revisions that this codec knows. */
export const revisions2025 = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

const objectOf = (value: unknown): JsonObject | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null; // parsed from JSON

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
  const isLatest = params["protocolVersion"] === "2025-11-25";
  const sampling = { ...(server.tools && isLatest ? { tools: {} } : {}), ...(server.context && isLatest ? { context: {} } : {}) };
  const tasks = objectOf(capabilities["tasks"]);
  const requests = objectOf(tasks?.["requests"]);
  const withTasks =
    server.tasks && isLatest ? { tasks: { cancel: {}, ...tasks, requests: { ...requests, sampling: { createMessage: {} } } } } : {};
  return { ...params, capabilities: { ...capabilities, sampling, ...withTasks } };
}
