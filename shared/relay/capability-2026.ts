// How sampling is declared to a server of revision 2026-07-28, with each request. Source: `ClientCapabilities` of its schema.

import type { JsonObject } from "../encoding.ts";
import type { SamplingSettings } from "./sampling-settings.ts";

/** The `sampling` capability that the gateway answers for. */
export const samplingCapability = ({ tools, context }: Pick<SamplingSettings, "tools" | "context">): JsonObject => ({
  ...(tools ? { tools: {} } : {}),
  ...(context ? { context: {} } : {}),
});
