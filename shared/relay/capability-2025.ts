// How sampling is declared to a server in each 2025 revision, and whether the gateway or the client
// answers it. Sources: `ClientCapabilities` of each revision's schema; 2025-11-25 added
// `sampling.tools` and tasks.

import { objectOf } from "../json/values.ts";
import type { JsonObject } from "../encoding.ts";
import { ourExtensions } from "../wire/extension-keys.ts";
import { featuresOf, isKnownRevision } from "../wire/mcp-features.ts";
import type { SamplingSettings } from "./sampling-settings.ts";

/** Whether the client itself declared sampling in its `initialize`. */
export const declaresSampling = (params: JsonObject | null): boolean => objectOf(objectOf(params?.["capabilities"])?.["sampling"]) !== null;

/** Whether the gateway answers the sampling of this session. */
export function isOurs(mode: SamplingSettings["mode"], clientSamples: boolean): boolean {
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
 * Whether a client's error to a sampling request says that it cannot sample. -1 says that its user
 * rejected the request (client/sampling, "Error Handling"), which the gateway does not override.
 */
export const isDeclined = (code: unknown): boolean => code !== -1;

/** Whether the gateway answers a request that the client declines. */
export const mayFallBack = (mode: SamplingSettings["mode"], clientSamples: boolean): boolean => mode === "fallback" && clientSamples;

/**
 * The params of `initialize` for the server: with sampling and our extensions to it declared, where
 * the gateway answers it; everything else as it came. Tools and tasks are declared only where the
 * entry says so and the requested revision has them; listing tasks only where the client itself
 * can, because the gateway has no such list.
 */
export function withSampling(params: JsonObject, server: Pick<SamplingSettings, "tools" | "tasks" | "context">): JsonObject {
  const capabilities = objectOf(params["capabilities"]) ?? {};
  const asked = params["protocolVersion"];
  // For an unknown revision only sampling itself is declared. Every known one has experimental
  // capabilities.
  const has = isKnownRevision(asked) ? featuresOf(asked) : null;
  const sampling = {
    ...(server.tools && has?.samplingTools ? { tools: {} } : {}),
    ...(server.context && has?.samplingTools ? { context: {} } : {}),
  };
  const tasks = objectOf(capabilities["tasks"]);
  const requests = objectOf(tasks?.["requests"]);
  const withTasks =
    server.tasks && has?.tasks ? { tasks: { cancel: {}, ...tasks, requests: { ...requests, sampling: { createMessage: {} } } } } : {};
  const experimental = has === null ? {} : { experimental: { ...objectOf(capabilities["experimental"]), ...ourExtensions } };
  return { ...params, capabilities: { ...capabilities, sampling, ...experimental, ...withTasks } };
}
