// What each revision of MCP has, for whoever carries its messages without reading them. Nothing else compares revisions.

import { type Features, features2025 } from "./mcp-2025/features.ts";

const features: Readonly<Record<string, Features>> = features2025;
const revisions = Object.keys(features).toSorted();

/**
 * The features of a revision. One that is not known has what the newest of those before it has (revisions are dates), or what the oldest
 * has: a revision is agreed on between client and server, and the relay carries also those that it does not speak.
 */
export const featuresOf = (revision: string): Features => {
  const known = revisions.findLast((each) => each <= revision) ?? revisions[0] ?? "";
  return features[known] ?? features2025["2024-11-05"];
};

/** Whether this very revision is known. */
export const isKnownRevision = (revision: unknown): revision is string => typeof revision === "string" && Object.hasOwn(features, revision);
