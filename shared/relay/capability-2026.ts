// How sampling is declared to a server of revision 2026-07-28, with each request. Source:
// `ClientCapabilities` of its schema.

import type { JsonObject } from "../encoding.ts";
import { objectOf } from "../json/values.ts";
import { ourExtensions } from "../wire/extension-keys.ts";
import type { SamplingSettings } from "./sampling-settings.ts";

/** What the gateway adds to a client's capabilities where it answers sampling. */
type AddedCapabilities = { readonly sampling: JsonObject; readonly experimental: JsonObject };

/**
 * The `sampling` that the gateway answers for, and its extensions beside the client's own
 * experimental capabilities.
 */
export const samplingCapabilities = (
  { tools, context }: Pick<SamplingSettings, "tools" | "context">,
  client: JsonObject,
): AddedCapabilities => ({
  sampling: { ...(tools ? { tools: {} } : {}), ...(context ? { context: {} } : {}) },
  experimental: { ...objectOf(client["experimental"]), ...ourExtensions },
});
