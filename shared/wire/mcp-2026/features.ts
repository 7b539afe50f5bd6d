// What revision 2026-07-28 has. Sources: its schema and changelog.

import type { Features } from "../mcp-2025/features.ts";

/** Tasks are an extension with requests of their own, and no stream is resumed. */
export const features2026: Features = { samplingTools: true, tasks: false, versionHeader: true, emptyEvents: false, urlElicitation: true };
