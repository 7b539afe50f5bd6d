// Which gates a request must pass, who decides there, and by when. Rules only: grants,
// limits and budgets come elsewhere, and none of them allows what a rule refuses.

import { type Addresses, type NoticeChannel, isRoom } from "../notice-channels.ts";
import type { JudgedModel, JudgedRequest } from "../model/judged-request.ts";
import type { CallArguments } from "./argument-conditions.ts";
import type { Availability } from "./availability.ts";
import { type ConditionFacts, areMet, conditionFacts, isUnnamedSubject } from "./conditions.ts";
import type { Juror, JurorTerms } from "./juror.ts";
import { barsOwn, reviewerWhoIs } from "./own-requests.ts";
import { riskLevels } from "./risk.ts";
import { type Consequences, type Policy, canSignIn, everyoneIn, isForSignedIn, mayAsk, policySchema } from "./rules.ts";

export type Reviewer = Addresses &
  Availability & {
    /** Unique within a policy; what the record names. */
    readonly name: string;
    /** Channels in order; absent: all that have an address, at once. */
    readonly notify?: readonly NoticeChannel[] | undefined;
    /** BCP 47. */
    readonly language?: string | undefined;
  };

/**
 * One tool of one server, any tool of one server, or any server of an API key: each within the
 * next.
 */
export type Reach = "tool" | "server" | "key";
const reaches: readonly Reach[] = ["tool", "server", "key"];

/** Whether `narrow` is within `wide`, or equal to it. */
export const isWithin = (narrow: Reach, wide: Reach): boolean => reaches.indexOf(narrow) <= reaches.indexOf(wide);

/**
 * `refuse` also where it would have been refused because its owner is unknown. Its juror is not
 * asked, and lets nothing pass.
 */
type ShadowRuling = Pick<Consequences, "request" | "response" | "quorum"> & {
  readonly rule: string;
  readonly reviewers: readonly string[];
};

/** `by` is asked in place of `reviewer`, who is on holiday. */
export type StandIn = { readonly reviewer: string; readonly by: string };

/** The consequences of the rules that apply, with people in place of their names. */
export type GatePlan = Readonly<
  Omit<Consequences, "request" | "remindAtSeconds" | "reviewers" | "escalate" | "handOverTo" | "shadow" | "juror" | "confirm">
> & {
  readonly rule: string;
  /** It may open the request gate, within its bounds. */
  readonly juror?: Juror;
  readonly request: Exclude<Consequences["request"], "confirm">;
  /** The owner confirms: who is asked is the owner, and nobody else may decide. */
  readonly confirm?: true;
  /** Each approval needs an assertion of the reviewer's passkey; `identity` is then `signedIn`. */
  readonly passkey?: true;
  /** What a rule in shadow would have done. */
  readonly shadow?: ShadowRuling;
  readonly remindAtSeconds: readonly number[];
  /** In the policy's order, no name twice. */
  readonly reviewers: readonly Reviewer[];
  readonly escalate: { readonly afterSeconds: number; readonly to: readonly Reviewer[] } | null;
  /** Those who are not asked already. Empty where both gates are open. */
  readonly handOverTo: readonly Reviewer[];
  /** Absent where nobody who would be asked is on holiday. */
  readonly standIns?: readonly StandIn[];
  /** The reviewer who owns the API key; null where the owner is none of the policy's reviewers. */
  readonly owner: string | null;
};

/**
 * Everyone who may decide a run, each at a position that never changes: those who are asked, those
 * of the escalation, those it may be handed to. A link names its reviewer by this position, in one
 * byte.
 */
export function peopleOfPlan({ reviewers, escalate, handOverTo }: Pick<GatePlan, "reviewers" | "escalate" | "handOverTo">): Reviewer[] {
  const people = new Map<string, Reviewer>();
  for (const person of [...reviewers, ...(escalate?.to ?? []), ...handOverTo]) people.set(person.name, people.get(person.name) ?? person);
  return [...people.values()].slice(0, mostPeople);
}

const mostPeople = 256;

/**
 * The plan for a request: the first rule that matches, for each model on the list, and of these the
 * strictest.
 *
 * Failover may send the request to any model on the list, so each is judged as if it were the only
 * one. Where all of them match one rule, that rule is the plan. Where they match several:
 * - A refusal of one refuses the request (`judge` takes refused models off the list beforehand).
 * - A gate is open only if it is open for all: a rule that allows a cheap model never carries an
 *   expensive one past a reviewer, or past the second one.
 * - The people and times are those of the strictest rule: refuse, then both gates closed, then one,
 *   then the larger quorum, then the earlier rule. A response gate that the reply's risk may close
 *   counts as closed.
 * - The quorum is the largest of the rules that close a gate. Where the strictest rule's people are
 *   too few, the others' are asked too.
 * - What loosens (`selfApproval`, `tellReason`, `tellAuthor`, `grants`, `grantsInferred`,
 *   `boundTo`, `context`, `noticeExcerpt`, `cheaperWithinBudget`) must be so in all.
 */
export function evaluatePolicy(policy: Policy, request: JudgedRequest, given?: CallArguments): GatePlan {
  const common = conditionFacts(request, given);
  const ids = request.models.length === 0 ? [undefined] : [...new Set(request.models.map(({ id }) => id))];
  const outcomes = [...new Set(ids.map((id) => firstMatch(policy, common, id)))]
    .map((index) => outcomeAt(policy, index, request))
    .sort(strictestFirst);
  const [strictest, ...others] = outcomes;
  if (strictest === undefined) throw new Error("evaluatePolicy: no outcome");
  const all = (isTrue: (outcome: Outcome) => boolean): boolean => outcomes.every(isTrue);
  const { gate } = strictest;
  const selfApproval = all(({ gate }) => gate.selfApproval);
  const quorum = Math.max(1, ...outcomes.filter((outcome) => closedGates(outcome) > 0).map((outcome) => outcome.gate.quorum));
  const identity = outcomes.some(({ gate }) => isForSignedIn(gate)) ? "signedIn" : "link";
  const isByPasskey = outcomes.some(({ gate }) => gate.confirm === "passkey");
  // Where it counts who decides, a room such as a Slack channel may not.
  const known = (people: Reviewer[]): Reviewer[] => {
    if (identity === "signedIn") return people.filter(canSignIn);
    return quorum > 1 || !selfApproval ? people.filter((each) => !isRoom(each)) : people;
  };
  const first = peopleAsked(strictest, others);
  const theirs = known(everyoneIn(policy, first));
  const asked =
    theirs.length >= quorum ? theirs : known(everyoneIn(policy, [...first, ...others.flatMap((other) => other.gate.reviewers)]));
  return {
    rule: strictest.rule,
    // A call has one outcome.
    ...(strictest.juror === null || others.length > 0 ? {} : { juror: strictest.juror }),
    ...(outcomes.some(({ isConfirmed }) => isConfirmed) ? { confirm: true } : {}),
    ...(isByPasskey ? { passkey: true } : {}),
    request: gate.request === "refuse" ? "refuse" : all(({ gate }) => gate.request === "allow") ? "allow" : "review",
    response: all(({ gate }) => gate.response === "allow") ? "allow" : "review",
    replyRisk: riskLevels.find((level) => outcomes.some(({ gate }) => gate.replyRisk === level)) ?? null,
    reviewers: asked,
    quorum,
    selfApproval,
    owner: reviewerWhoIs(policy, request.keyOwner)?.name ?? null,
    deadlineSeconds: gate.deadlineSeconds,
    remindAtSeconds: [...new Set(gate.remindAtSeconds)].sort((a, b) => a - b),
    escalate: gate.escalate === null ? null : { afterSeconds: gate.escalate.afterSeconds, to: known(everyoneIn(policy, gate.escalate.to)) },
    noticeExcerpt: all(({ gate }) => gate.noticeExcerpt === "start") ? "start" : "none",
    identity,
    tellReason: all(({ gate }) => gate.tellReason),
    tellAuthor: all(({ gate }) => gate.tellAuthor),
    grants: !isByPasskey && all(({ gate }) => gate.grants),
    grantsInferred: all(({ gate }) => gate.grantsInferred),
    boundTo: reaches.find((reach) => outcomes.some(({ gate }) => gate.boundTo === reach)) ?? "tool",
    context: all(({ gate }) => gate.context === "thisServer") ? "thisServer" : "none",
    timeoutCoversReview: outcomes.some(({ gate }) => gate.timeoutCoversReview),
    cheaperWithinBudget: all(({ gate }) => gate.cheaperWithinBudget),
    receipt: outcomes.some(({ gate }) => gate.receipt),
    handOverTo: outcomes.some(({ gate }) => mayAsk(gate)) ? known(handOverCandidates(policy, gate.handOverTo, asked)) : [],
  };
}

/** The people in the gate's `handOverTo`, or, where it is absent, everyone in the document. */
function handOverCandidates(policy: Policy, references: readonly string[] | undefined, asked: readonly Reviewer[]): Reviewer[] {
  const names = new Set(asked.map(({ name }) => name));
  return everyoneIn(policy, references ?? Object.keys(policy.reviewers)).filter(({ name }) => !names.has(name));
}

/**
 * The models whose first matching rule does not refuse the request. The cost condition is judged
 * over the whole list.
 */
export function permittedModels(policy: Policy, request: JudgedRequest, given?: CallArguments): ReadonlySet<string> {
  const common = conditionFacts(request, given);
  const isPermitted = ({ id }: JudgedModel): boolean =>
    outcomeAt(policy, firstMatch(policy, common, id), request).gate.request !== "refuse";
  return new Set(request.models.filter(isPermitted).map(({ id }) => id));
}

/** `models`: those that may be asked, in order. */
type Judgement =
  | { readonly kind: "gates"; readonly gates: GatePlan; readonly models: readonly string[] }
  /**
   * By a rule; or `ownerUnknown`: it bars people from approving their own requests, and it is not
   * known whose this is.
   */
  | { readonly kind: "refused"; readonly rule: string; readonly why: "policyRefused" | "ownerUnknown" };

/**
 * What the rules make of a request. It is refused only where they refuse it for every model. A rule
 * in shadow changes nothing of that: what it would have done stands beside it.
 * @param given The arguments of a tool's call.
 */
export function judge(policy: Policy, request: JudgedRequest, given?: CallArguments): Judgement {
  const judgement = judgeBy({ ...policy, rules: policy.rules.filter(({ then }) => !then.shadow) }, request, given);
  if (judgement.kind === "refused") return judgement;
  const shadow = shadowOf(policy, request, given);
  return shadow === null ? judgement : { ...judgement, gates: { ...judgement.gates, shadow } };
}

/** What would have been if all rules counted; null where no rule in shadow would have decided. */
function shadowOf(policy: Policy, request: JudgedRequest, given: CallArguments | undefined): ShadowRuling | null {
  const inShadow = policy.rules.filter(({ then }) => then.shadow).map(({ name }) => name);
  if (inShadow.length === 0) return null;
  const judgement = judgeBy(policy, request, given);
  const rule = judgement.kind === "refused" ? judgement.rule : judgement.gates.rule;
  if (!inShadow.includes(rule)) return null;
  if (judgement.kind === "refused") return { rule, request: "refuse", response: "allow", quorum: 0, reviewers: [] };
  const { request: asked, confirm, response, quorum, reviewers } = judgement.gates;
  return { rule, request: confirm === true ? "confirm" : asked, response, quorum, reviewers: reviewers.map(({ name }) => name) };
}

function judgeBy(policy: Policy, request: JudgedRequest, given: CallArguments | undefined): Judgement {
  const permitted = permittedModels(policy, request, given);
  const mayServe = permitted.size === 0 ? request.models : request.models.filter(({ id }) => permitted.has(id));
  const models = request.isOnce ? mayServe.slice(0, 1) : mayServe;
  const gates = evaluatePolicy(policy, { ...request, models }, given);
  if (gates.request === "refuse") return { kind: "refused", rule: gates.rule, why: "policyRefused" };
  // It is unknown whom to bar, or to ask. A grant or a second approval would not make up for that.
  if ((gates.confirm === true || barsOwn(gates)) && gates.owner === null) return { kind: "refused", rule: gates.rule, why: "ownerUnknown" };
  return { kind: "gates", gates, models: models.map(({ id }) => id) };
}

/** Whether it depends on a call's arguments which rule applies, and they are not known. */
export function restsOnArguments({ rules }: Policy, request: JudgedRequest): boolean {
  const facts = conditionFacts(request);
  const first = rules.find(({ when: { arguments: _unknown, ...others }, then }) => !then.shadow && areMet(others, facts, undefined));
  return first?.when.arguments !== undefined;
}

type Outcome = {
  readonly position: number;
  readonly rule: string;
  readonly gate: Omit<Policy["default"], "request"> & Pick<GatePlan, "request">;
  /** Only the owner of the key decides. */
  readonly isConfirmed: boolean;
  readonly juror: Juror | null;
};

/** What no rule is about and nobody asked to review: a client's call, and a server's form. */
const unreviewed = policySchema.parse({ default: { request: "allow", response: "allow" } }).default;

/**
 * A rule's missing fields have the schema's careful defaults; only its missing people come from
 * `default`. A confirmation asks the owner of the key alone.
 */
function outcomeAt(policy: Policy, position: number, { subject, keyOwner }: JudgedRequest): Outcome {
  const rule = policy.rules[position];
  const byDefault = isUnnamedSubject(subject) ? policy.default : unreviewed;
  const then = rule === undefined ? byDefault : { ...rule.then, reviewers: rule.then.reviewers ?? policy.default.reviewers };
  const juror = jurorOf(rule?.then);
  const named = { position, rule: rule?.name ?? "default", juror };
  // What the rule allows is asked about, unless its juror lets it pass.
  const request = then.request === "allow" && juror !== null ? "review" : then.request;
  if (request !== "confirm") return { ...named, gate: { ...then, request }, isConfirmed: false };
  const owner = reviewerWhoIs(policy, keyOwner);
  const alone = { reviewers: owner === null ? [] : [owner.name], quorum: 1, selfApproval: true, escalate: null, handOverTo: [] };
  return { ...named, gate: { ...then, ...alone, request: "review" }, isConfirmed: true };
}

function jurorOf(then: { readonly juror: JurorTerms | null; readonly request: Consequences["request"] } | undefined): Juror | null {
  if (then === undefined || then.juror === null) return null;
  const { mayPass, ...terms } = then.juror;
  if (then.request === "allow") return { ...terms, bounds: null };
  return mayPass === undefined ? null : { ...terms, bounds: mayPass };
}

/** A response gate that the reply's risk may close counts as closed. */
const closedGates = ({ gate }: Outcome): number =>
  gate.request === "refuse" ? 3 : Number(gate.request === "review") + Number(gate.response === "review" || gate.replyRisk !== null);

const strictestFirst = (a: Outcome, b: Outcome): number =>
  closedGates(b) - closedGates(a) || b.gate.quorum - a.gate.quorum || a.position - b.position;

/**
 * Where one rule closes the request gate and another only the response gate, both gates are closed
 * and the people of both are asked.
 */
const peopleAsked = (strictest: Outcome, others: readonly Outcome[]): string[] => {
  const { gate } = strictest;
  if (closedGates(strictest) !== 1) return [...gate.reviewers];
  const opposite = others.filter((other) => closedGates(other) === 1 && other.gate.request !== gate.request);
  return [strictest, ...opposite].flatMap((outcome) => outcome.gate.reviewers);
};

/** The position of the first rule that matches, or the number of rules for the default. */
function firstMatch(policy: Policy, facts: ConditionFacts, model: string | undefined): number {
  const position = policy.rules.findIndex(({ when }) => areMet(when, facts, model));
  return position === -1 ? policy.rules.length : position;
}
