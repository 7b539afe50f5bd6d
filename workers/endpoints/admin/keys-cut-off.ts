// The keys that a new policy would refuse: where nobody may approve their own request, a key needs
// an owner that is a reviewer.

import { ruleWithoutOwner } from "../../../shared/policy/own-requests.ts";
import { type Policy, parsePolicy } from "../../../shared/policy/rules.ts";
import type { Env } from "../../platform/env.ts";
import { acceptedKeys } from "../../stores/keys.ts";
import type { KeyCutOff } from "./answers/documents.ts";

/**
 * The keys that this policy would refuse because they have no owner, and the current policy does
 * not.
 */
export async function keysThatWouldEnd(env: Env, current: Policy, document: unknown): Promise<KeyCutOff[]> {
  const next = parsePolicy(document);
  if (!next.ok) return [];
  return (await acceptedKeys(env, Date.now())).flatMap((key) => {
    const rule = ruleWithoutOwner(next.value, key);
    if (rule === null || ruleWithoutOwner(current, key) !== null) return [];
    return [{ id: key.id, name: key.name, owner: key.owner ?? null, rule }];
  });
}
