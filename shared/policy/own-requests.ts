// Where a rule bars people from approving their own requests (`selfApproval: false`), or has them
// confirm these, the owner of the API key has to be a reviewer of the policy: otherwise it is not
// known whose request it is, and the rule would bar or ask nobody.

import type { KeyScope } from "../model/gate.ts";
import type { JudgedSubject } from "../model/judged-request.ts";
import { isReleasableKind, subjectKinds } from "../model/subject/subject.ts";
import { isRoom } from "../notice-channels.ts";
import { type Conditions, isAbout, isUnnamedSubject } from "./conditions.ts";
import { matchesGlob } from "./glob.ts";
import { nameKey } from "./person.ts";
import { type AskingTerms, type Consequences, type Policy, type PolicyReviewer, mayAsk } from "./rules.ts";

type OwnedKey = {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly scopes: readonly KeyScope[];
  readonly servers?: readonly string[] | undefined;
  readonly models?: readonly string[] | undefined;
};

/**
 * The reviewer that a key's `owner` names, by name or email address, compared in full by `nameKey`.
 * Null for any other owner; groups and rooms are not people.
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
 * The name of the first rule, or "default", that needs to know the owner and may apply to a request
 * of this key, whose owner is unknown; null where there is none. When unsure whether a rule
 * applies, it does.
 */
export function ruleWithoutOwner(policy: Policy, key: OwnedKey): string | null {
  if (reviewerWhoIs(policy, key.owner) !== null) return null;
  return subjectsOf(key).reduce<string | null>((found, subject) => found ?? ruleFor(policy, key, subject), null);
}

/** Of what a key of these scopes may make. */
const subjectsOf = ({ scopes }: OwnedKey): readonly JudgedSubject[] => [
  "message",
  ...(scopes.includes("control") ? (["function"] as const) : []),
  ...(scopes.includes("sampling") ? subjectKinds.filter((kind) => kind !== "message") : []),
];

function ruleFor(policy: Policy, key: OwnedKey, subject: JudgedSubject): string | null {
  for (const { name, when, then } of policy.rules) {
    if (then.shadow || !isAbout(when, subject) || !couldApply(when, key, subject)) continue;
    if (needsOwner(then)) return name;
    if (appliesToAll(when, key)) return null;
  }
  return isUnnamedSubject(subject) && needsOwner(policy.default) ? "default" : null;
}

/** Whether a reviewer is or may be asked by this rule and must not be the request's owner. */
export const barsOwn = (then: AskingTerms & Pick<Consequences, "selfApproval">): boolean => !then.selfApproval && mayAsk(then);

/** Whether a rule asks the owner or bars them, and refuses what has no owner whom it knows. */
export const needsOwner = (then: AskingTerms & Pick<Consequences, "selfApproval"> & { readonly shadow?: boolean }): boolean =>
  then.shadow !== true && (then.request === "confirm" || barsOwn(then));

/** Whether it may be observed at the relay, or brought to /approvals. */
const mayBeBrought = (subject: JudgedSubject): boolean => subject !== "function" && isReleasableKind(subject);

const couldApply = (when: Conditions, { name, scopes, servers, models }: OwnedKey, subject: JudgedSubject): boolean =>
  (when.key === undefined || matchesGlob(when.key, name)) &&
  couldBe(when.server, servers) &&
  couldBe(when.model, models) &&
  (when.provenance === undefined ||
    mayBeBrought(subject) ||
    scopes.some((scope) => (scope === "sampling") === (when.provenance !== "own")));

const couldBe = (glob: string | undefined, names: readonly string[] | undefined): boolean =>
  glob === undefined || names === undefined || names.some((name) => matchesGlob(glob, name));

/**
 * Whether the rule applies to all of its subject that this key makes, so that later rules are never
 * reached.
 */
const appliesToAll = ({ key: _fits, subject: _about, server, ...others }: Conditions, { servers }: OwnedKey): boolean =>
  Object.values(others).every((condition) => condition === undefined) &&
  (server === undefined || (servers !== undefined && servers.every((name) => matchesGlob(server, name))));
