// The policy of a fresh checkout: both gates closed, one reviewer, who is reached through the outbox only.

import { parsePolicy, type Policy } from "./rules.ts";

const document = {
  version: 1,
  rules: [],
  default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
  imageHosts: [],
  reviewers: { everyone: [{ name: "Local reviewer" }] },
};

/** The default policy, parsed as any other would be; a fault in it is a fault of the code. */
export function defaultPolicy(): Policy {
  const parsed = parsePolicy(document);
  if (!parsed.ok) throw new Error(`the default policy: ${parsed.error.map(({ pointer, message }) => `${pointer} ${message}`).join("; ")}`);
  return parsed.value;
}
