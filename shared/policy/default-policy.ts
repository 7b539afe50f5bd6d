// The policy of a fresh checkout: both gates closed, and one reviewer, reached through the outbox
// only.

import { parsePolicy, type Policy } from "./rules.ts";

const document = {
  version: 1,
  rules: [],
  default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
  imageHosts: [],
  reviewers: { everyone: [{ name: "Local reviewer" }] },
};

/** Parsed as any other policy. An error in it is an error of the code. */
export function defaultPolicy(): Policy {
  const parsed = parsePolicy(document);
  if (!parsed.ok) throw new Error(`the default policy: ${parsed.error.map(({ pointer, message }) => `${pointer} ${message}`).join("; ")}`);
  return parsed.value;
}
