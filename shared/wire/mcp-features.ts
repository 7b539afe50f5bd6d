// What each revision of MCP has, for the relay, which carries messages without decoding them.
// Nothing else compares revisions.

import { type Features, features2025 } from "./mcp-2025/features.ts";
import { features2026 } from "./mcp-2026/features.ts";
import { revision2026 } from "./mcp-2026/meta-keys.ts";

const features: Readonly<Record<string, Features>> = { ...features2025, [revision2026]: features2026 };
const revisions = Object.keys(features).toSorted();

/**
 * The features of a revision. An unknown one has those of the newest before it (revisions are
 * dates), or of the oldest: client and server agree on the revision, and the relay also carries
 * those that the gateway does not speak.
 */
export const featuresOf = (revision: string): Features => {
  const known = revisions.findLast((each) => each <= revision) ?? revisions[0] ?? "";
  return features[known] ?? features2025["2024-11-05"];
};

/** Whether this very revision is known. */
export const isKnownRevision = (revision: unknown): revision is string => typeof revision === "string" && Object.hasOwn(features, revision);
