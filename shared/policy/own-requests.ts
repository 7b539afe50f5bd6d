// Where a rule bars people from approving their own requests (`selfApproval: false`), it has to be known whose they are: the owner
// of the API key has to be a reviewer of the policy. Without that the rule would bar nobody.

import { isRoom } from "../notice-channels.ts";
import type { Conditions } from "./conditions.ts";
import { matchesGlob } from "./glob.ts";
import { nameKey } from "./person.ts";
import { mayAsk, type Consequences, type Policy, type PolicyReviewer } from "./rules.ts";

/** What a rule judges a key by. */
export type OwnedKey = {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly scopes: readonly ("sampling" | "control")[];
  readonly servers?: readonly string[] | undefined;
  readonly models?: readonly string[] | undefined;
};

/**
 * The reviewer who is meant by a key's `owner`: by name or by email address, compared in full, with compatibility forms, case and
 * white space at the ends left out. Null for everybody else, a group and a room among them, which are no persons.
 */
export function reviewerWhoIs(policy: Policy, owner: string | null | undefined): PolicyReviewer | null {
  if (owner === null || owner === undefined) return null;
  const key = nameKey(owner);
  const people = Object.values(policy.reviewers).flat();
  return (
    people.find((person) => !isRoom(person) && [person.name, person.email].some((each) => each !== undefined && nameKey(each) === key)) ??
    null
  );
}

/**
 * The name of the first rule, or "default", that bars own requests, could apply to a request of this key, and could not tell whose
 * request it is; null where there is none. When unsure whether a rule applies, it does.
 */
export function ruleWithoutOwner(policy: Policy, key: OwnedKey): string | null {
  if (reviewerWhoIs(policy, key.owner) !== null) return null;
  for (const { name, when, then } of policy.rules) {
    if (!couldApply(when, key)) continue;
    if (barsOwn(then)) return name;
    if (appliesToAll(when, key)) return null;
  }
  return barsOwn(policy.default) ? "default" : null;
}

/** Whether somebody is asked by this rule, or may be, and must not be the one whose request it is. */
export const barsOwn = (then: Pick<Consequences, "selfApproval" | "request" | "response" | "replyRisk">): boolean =>
  !then.selfApproval && mayAsk(then);

const couldApply = (when: Conditions, { name, scopes, servers, models }: OwnedKey): boolean =>
  (when.key === undefined || matchesGlob(when.key, name)) &&
  couldBe(when.server, servers) &&
  couldBe(when.model, models) &&
  (when.provenance === undefined || scopes.includes(when.provenance === "own" ? "control" : "sampling"));

const couldBe = (glob: string | undefined, names: readonly string[] | undefined): boolean =>
  glob === undefined || names === undefined || names.some((name) => matchesGlob(glob, name));

/** Every request of this key that comes so far is one of the rule's: those after it are never reached. */
const appliesToAll = ({ key: _fits, server, ...others }: Conditions, { servers }: OwnedKey): boolean =>
  Object.values(others).every((condition) => condition === undefined) &&
  (server === undefined || (servers !== undefined && servers.every((name) => matchesGlob(server, name))));
