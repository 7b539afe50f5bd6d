// The policy document: which gates a sampling request must pass, who decides there, and by when. A
// missing field has the careful value. A document that leaves a gate without a reviewer is refused.

import * as z from "zod";
import type { JsonObject } from "../encoding.ts";
import { jsonSchemaOf } from "../json/json-schema-of.ts";
import { err, ok, type Result } from "../result.ts";
import { isPrivateHost } from "../address.ts";
import { factsOf } from "../model/subject/subject.ts";
import { type NoticeChannel, channelFacts, isRoom, noticeChannelNames, roomWords } from "../notice-channels.ts";
import { alertsSchema } from "./alert-terms.ts";
import { awaySchema, quietHoursSchema, timeZoneSchema } from "./availability.ts";
import { conditionsOnlyOf, conditionsSchema } from "./conditions.ts";
import { type JurorTerms, jurorSchema } from "./juror.ts";
import { redactionSchema } from "./redaction-terms.ts";
import { drawnKey, nameKey } from "./person.ts";
import { pointerTo, issueAt, issuesOf, type Issue } from "../routing/issues.ts";
import type { IssueKey, IssuePhrase } from "../words/issues.ts";

/** A label that people read and the record has: no line breaks, no invisible characters. */
const label = z
  .string()
  .min(1)
  .max(80)
  .refine((value) => value.trim() === value && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value), "labelCharacters");

const addressSchema = (channel: NoticeChannel) => {
  const { address } = channelFacts(channel);
  return (address === "email" ? z.email().max(254) : z.string().regex(address.pattern, address.says)).optional();
};

const addresses = Object.fromEntries(noticeChannelNames.map((channel) => [channel, addressSchema(channel)])) as Readonly<
  Record<NoticeChannel, ReturnType<typeof addressSchema>>
>; // one of each name

const reviewer = z.strictObject({
  /** Unique in the document; what the record names. */
  name: label,
  ...addresses,
  /**
   * Channels in order: each is used where the one before it failed. Absent: every channel with an
   * address, at once.
   */
  notify: z.array(z.enum(noticeChannelNames)).min(1).max(noticeChannelNames.length).optional(),
  /** BCP 47. */
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,4}$/, "notLanguage")
    .optional(),
  /** IANA, such as Europe/Berlin. Absent: UTC. */
  timeZone: timeZoneSchema.optional(),
  /** A holiday: who else is asked instead. */
  away: awaySchema.optional(),
  /** Notices wait meanwhile; not those of an escalation. */
  quietHours: quietHoursSchema.optional(),
});

/** A reviewer with the groups that they are in, as a form has both. */
export const groupedReviewerSchema = reviewer.extend({ groups: z.array(label).min(1).max(50) });
export type GroupedReviewer = z.infer<typeof groupedReviewerSchema>;

const names = z.array(z.string().max(80)).max(50);
const seconds = z.int().min(1).max(604_800);

const gates = {
  /** `confirm`: the API key's owner decides, and nobody else. */
  request: z.enum(["review", "confirm", "allow", "refuse"]).default("review"),
  response: z.enum(["review", "allow"]).default("review"),
  quorum: z.int().min(1).max(50).default(1),
  selfApproval: z.boolean().default(true),
  deadlineSeconds: z.int().min(1).max(604_800).default(600),
  remindAtSeconds: z.array(seconds).max(10).default([]),
  escalate: z
    .strictObject({ afterSeconds: seconds, to: names.min(1) })
    .nullable()
    .default(null),
  noticeExcerpt: z.enum(["none", "start"]).default("none"),
  /**
   * Who counts as the reviewer: whoever holds the link that was sent to them, or nobody but who is
   * signed in to the reviewer's inbox.
   */
  identity: z.enum(["link", "signedIn"]).default("link"),
  /**
   * What an approval needs beside a press of its button. `passkey`: an assertion of the reviewer's
   * own, over what was shown and what they decide; and `identity` is `signedIn`.
   */
  confirm: z.enum(["button", "passkey"]).default("button"),
  tellReason: z.boolean().default(false),
  /** Whether `model` of a reply that a reviewer wrote is the reviewer's name, or only "human". */
  tellAuthor: z.boolean().default(false),
  grants: z.boolean().default(false),
  /**
   * The lowest risk of a reply that closes an open response gate, one opened by a grant included.
   * Null: no risk does.
   */
  replyRisk: z.enum(["low", "medium", "high"]).nullable().default(null),
  /** Whether a grant may be given and used where the served client request is only inferred. */
  grantsInferred: z.boolean().default(false),
  /**
   * The widest reach of a grant, and of a reply for an identical request: a tool, a server, or all
   * servers of the key.
   */
  boundTo: z.enum(["tool", "server", "key"]).default("tool"),
  context: z.enum(["none", "thisServer"]).default("none"),
  /**
   * Whether a request's timeout at the control endpoint includes the time of the review, or the
   * model's alone.
   */
  timeoutCoversReview: z.boolean().default(false),
  /**
   * Where the next model may cost more than is left of a budget: whether one after it that fits may
   * be asked, or the request is refused.
   */
  cheaperWithinBudget: z.boolean().default(false),
  /** A receipt goes with every answer, whoever decided. */
  receipt: z.boolean().default(false),
  /** To whom a reviewer may hand a review. Absent: to any reviewer; empty: to none. */
  handOverTo: names.optional(),
};

/**
 * A rule without `reviewers` asks those of `default`; one for tool calls that does not say
 * otherwise bars own requests.
 */
export const consequencesSchema = z.strictObject({
  ...gates,
  selfApproval: z.boolean().optional(),
  reviewers: names.min(1).optional(),
  /** The rule decides nothing: what it would have done is recorded, and later rules count. */
  shadow: z.boolean().default(false),
  /** Of tool calls: a model that is asked first. */
  juror: jurorSchema.nullable().default(null),
});
const byDefault = z.strictObject({ ...gates, reviewers: names.default([]) });

const host = z
  .string()
  .regex(/^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/, "hostName")
  .refine((value) => !isPrivateHost(value), "privateName");

export const policySchema = z.strictObject({
  version: z.int().nonnegative().default(0),
  rules: z
    .array(
      z
        .strictObject({
          name: label.refine((value) => value !== "default", "defaultsName"),
          when: conditionsSchema.default({}),
          then: consequencesSchema.prefault({}),
        })
        .transform(({ then, ...rule }) => ({
          ...rule,
          then: { ...then, selfApproval: then.selfApproval ?? factsOf(rule.when.subject ?? "message").selfApproval },
        })),
    )
    .max(500)
    .default([]),
  default: byDefault.prefault({}),
  /** Exact host names from which images that a request names by URL may be fetched. */
  imageHosts: z.array(host).max(200).default([]),
  reviewers: z.record(label, z.array(reviewer).max(50)).default({}),
  /** What is masked in requests, replies and notices. */
  redaction: redactionSchema(label),
  /** Who hears what of the gateway itself. Absent: nobody. */
  alerts: alertsSchema(names).optional(),
});

export type Policy = z.infer<typeof policySchema>;
type PolicyRule = Policy["rules"][number];
export type Consequences = PolicyRule["then"];
export type PolicyReviewer = z.infer<typeof reviewer>;

/** What an operator may write, for editors and for `docs/policy.md`. */
export const policyJsonSchema = (): JsonObject => jsonSchemaOf(policySchema);

/**
 * Reads a policy from parsed JSON. Refused, each with a pointer: what the schema refuses, names of
 * groups or people that do not exist, a group without people, a gate that needs review and names no
 * reviewer, a quorum above the number of people, reminders or an escalation at or after the
 * deadline, one person under two names, two names that look the same, a room or a person who cannot
 * sign in where the gate needs to know who decides, and a stand-in who is no other person.
 */
export function parsePolicy(value: unknown): Result<Policy, Issue[]> {
  const parsed = policySchema.safeParse(value);
  if (!parsed.success) return err(issuesOf(parsed.error.issues));
  const policy = parsed.data;
  const issues = [...peopleIssues(policy)];
  issues.push(...gateIssues(policy, policy.default, ["default"]));
  if (policy.default.request === "confirm") issues.push(issueAt("/default/request", "confirmsCalls"));
  for (const [index, rule] of policy.rules.entries()) {
    if (policy.rules.findIndex(({ name }) => name === rule.name) !== index)
      issues.push(issueAt(pointerTo(["rules", index, "name"]), "ruleTwice"));
    issues.push(...subjectIssues(rule.when, index), ...confirmIssues(rule, index), ...jurorIssues(rule, index));
    issues.push(
      ...gateIssues(policy, { ...rule.then, reviewers: rule.then.reviewers ?? policy.default.reviewers }, ["rules", index, "then"]),
    );
  }
  issues.push(...redactionIssues(policy), ...alertIssues(policy));
  return issues.length === 0 ? ok(policy) : err(issues);
}

/** A condition that is never about the rule's subject would make a rule that never applies. */
function subjectIssues(when: PolicyRule["when"], index: number): Issue[] {
  const only = (of: "message" | "toolCall", said: IssueKey): Issue[] =>
    conditionsOnlyOf(of)
      .filter((name) => when[name] !== undefined)
      .map((name) => issueAt(pointerTo(["rules", index, "when", name]), said));
  const { subject = "message" } = when;
  return [
    ...(subject === "toolCall" ? [] : only("toolCall", "onlyOfCalls")),
    ...(subject === "message" ? [] : only("message", "onlyOfMessages")),
  ];
}

/** What says who else decides, where only the owner does. */
function confirmIssues({ when, then }: PolicyRule, index: number): Issue[] {
  if (then.request !== "confirm") return [];
  const at = (member: string, said: IssueKey): Issue => issueAt(pointerTo(["rules", index, "then", member]), said);
  const { subject = "message" } = when;
  const others = [
    ...(then.reviewers === undefined ? [] : ["reviewers"]),
    ...(then.quorum === 1 ? [] : ["quorum"]),
    ...(then.escalate === null ? [] : ["escalate"]),
    ...((then.handOverTo ?? []).length === 0 ? [] : ["handOverTo"]),
  ];
  return [...(subject === "message" ? [at("request", "confirmsCalls")] : []), ...others.map((member) => at(member, "ownerConfirms"))];
}

/** A juror that could do nothing, and bounds of one that lets nothing pass. */
function jurorIssues({ when, then: { juror, request } }: PolicyRule, index: number): Issue[] {
  if (juror === null) return [];
  const at = (said: IssueKey, ...members: string[]): Issue[] => [issueAt(pointerTo(["rules", index, "then", "juror", ...members]), said)];
  if (when.subject !== "toolCall") return at("onlyOfCalls");
  if (request === "refuse") return at("jurorOfRefused");
  if (request === "allow") return juror.mayPass === undefined ? [] : at("jurorOfAllowed", "mayPass");
  return juror.mayPass === undefined ? at("jurorWithoutBounds") : [];
}

/**
 * The people behind names of groups or of single reviewers, in the given order, each once;
 * undefined for a name that is neither. A group's name stands for the group.
 */
function peopleOf(policy: Policy, name: string): readonly PolicyReviewer[] | undefined {
  if (Object.hasOwn(policy.reviewers, name)) return policy.reviewers[name];
  for (const people of Object.values(policy.reviewers)) {
    const person = people.find((each) => each.name === name);
    if (person !== undefined) return [person];
  }
  return undefined;
}

export function everyoneIn(policy: Policy, references: readonly string[]): PolicyReviewer[] {
  const people = new Map<string, PolicyReviewer>();
  for (const reference of references)
    for (const person of peopleOf(policy, reference) ?? []) people.set(person.name, people.get(person.name) ?? person);
  return [...people.values()];
}

/** One person has one name and one address of each channel, because the quorum counts names. */
function peopleIssues(policy: Policy): Issue[] {
  const issues: Issue[] = [];
  const described = new Map<string, string>();
  const owners = new Map<string, string>();
  const drawn = new Map<string, string>();
  const everyone = Object.values(policy.reviewers).flat();
  const emails = new Map(everyone.flatMap(({ name, email }) => (email === undefined ? [] : [[nameKey(email), nameKey(name)] as const])));
  for (const [group, people] of Object.entries(policy.reviewers)) {
    if (people.length === 0) issues.push(issueAt(pointerTo(["reviewers", group]), "noReviewers"));
    const inGroup = new Set<string>();
    for (const [index, person] of people.entries()) {
      const at = (member: string, said: IssueKey | IssuePhrase): number =>
        issues.push(issueAt(pointerTo(["reviewers", group, index, ...member.split("/")]), said));
      const key = nameKey(person.name);
      const description = JSON.stringify([
        person.name,
        ...noticeChannelNames.map((channel) => person[channel]),
        person.notify,
        person.language,
        person.timeZone,
        person.away,
        person.quietHours,
      ]);
      if (inGroup.has(key)) at("name", "twiceInGroup");
      else if ((described.get(key) ?? description) !== description) at("name", "describedDifferently");
      if ((drawn.get(drawnKey(person.name)) ?? key) !== key) at("name", "looksSame");
      // An API key's owner is a name or an email address.
      if ((emails.get(key) ?? key) !== key) at("name", "othersEmail");
      if (Object.hasOwn(policy.reviewers, person.name)) at("name", "groupsName");
      if (person.notify !== undefined) {
        if (new Set(person.notify).size !== person.notify.length) at("notify", "channelTwice");
        const without = person.notify.find((channel) => person[channel] === undefined);
        if (without !== undefined) at("notify", { key: "noSuchAddress", values: { channel: without } });
      }
      const standIn = person.away === undefined ? null : everyone.find(({ name }) => name === person.away?.to);
      if (isRoom(person) && person.away !== undefined) at("away", "roomAway");
      else if (standIn !== null && (standIn === undefined || isRoom(standIn) || standIn.name === person.name)) at("away/to", "noStandIn");
      inGroup.add(key);
      described.set(key, description);
      drawn.set(drawnKey(person.name), key);
      // The owner of an address gets the links of every reviewer who has it.
      for (const member of noticeChannelNames) {
        const address = channelFacts(member).isSwitch === true ? undefined : person[member]?.toLowerCase();
        if (address === undefined) continue;
        if ((owners.get(`${member} ${address}`) ?? key) !== key) at(member, "othersAddress");
        owners.set(`${member} ${address}`, key);
      }
    }
  }
  return issues;
}

/** What says whether people are asked; a juror may have them asked. */
export type AskingTerms = Pick<Consequences, "request" | "response" | "replyRisk"> & { readonly juror?: object | null | undefined };

/** Whether a reviewer is asked by such a rule, or may be because of the reply's risk. */
export const mayAsk = ({ request, response, replyRisk, juror = null }: AskingTerms): boolean =>
  request !== "refuse" && (request !== "allow" || response === "review" || replyRisk !== null || juror !== null);

/**
 * Rules are named in the record, and in markers; who may lift has a name that the record can give.
 */
function redactionIssues(policy: Policy): Issue[] {
  const { rules, mayLift } = policy.redaction;
  const issues: Issue[] = [];
  for (const [index, { name }] of rules.entries())
    if (rules.findIndex((each) => each.name === name) !== index)
      issues.push(issueAt(pointerTo(["redaction", "rules", index, "name"]), "ruleTwice"));
  for (const [index, reference] of mayLift.entries()) {
    const people = peopleOf(policy, reference);
    const at = (said: IssueKey): number => issues.push(issueAt(pointerTo(["redaction", "mayLift", index]), said));
    if (people === undefined) at("notReviewer");
    else if (people.some(isRoom)) at("roomLifts");
  }
  return issues;
}

/** Who is told is somebody whom the policy knows. */
const alertIssues = (policy: Policy): Issue[] =>
  (policy.alerts?.to ?? []).flatMap((reference, index) =>
    peopleOf(policy, reference) === undefined ? [issueAt(pointerTo(["alerts", "to", index]), "notReviewer")] : [],
  );

const mostPeople = 200;

/** Whether nobody counts as the reviewer but who is signed in to the reviewer's inbox. */
export const isForSignedIn = ({ identity, confirm }: Pick<Consequences, "identity"> & { readonly confirm?: unknown }): boolean =>
  identity === "signedIn" || confirm === "passkey";

/** An inbox belongs to a person with an email address. */
export const canSignIn = (each: Pick<PolicyReviewer, NoticeChannel>): boolean => each.email !== undefined && !isRoom(each);

type AskingGate = Policy["default"] & AskingTerms & { readonly juror?: JurorTerms | null };

function gateIssues(policy: Policy, gate: AskingGate, path: readonly PropertyKey[]): Issue[] {
  const issues: Issue[] = [];
  const at = (members: readonly PropertyKey[], said: IssueKey | IssuePhrase): number =>
    issues.push(issueAt(pointerTo([...path, ...members]), said));
  const known = (references: readonly string[], members: readonly PropertyKey[]): void => {
    for (const [index, reference] of references.entries())
      if (peopleOf(policy, reference) === undefined) at([...members, index], "notReviewer");
  };
  known(gate.reviewers, ["reviewers"]);
  if (gate.escalate !== null) {
    known(gate.escalate.to, ["escalate", "to"]);
    if (gate.escalate.afterSeconds >= gate.deadlineSeconds) at(["escalate", "afterSeconds"], "notBeforeDeadline");
  }
  known(gate.handOverTo ?? [], ["handOverTo"]);
  for (const [index, moment] of gate.remindAtSeconds.entries())
    if (moment >= gate.deadlineSeconds) at(["remindAtSeconds", index], "notBeforeDeadline");
  // Who is asked about a confirmation is the owner of the key.
  if (isForSignedIn(gate) && gate.noticeExcerpt === "start") at(["noticeExcerpt"], "excerptSignedOut");
  // Each request wants an assertion of its own: nothing that was allowed before stands for one.
  if (gate.confirm === "passkey" && gate.grants) at(["grants"], "passkeyGrants");
  if (gate.confirm === "passkey" && gate.juror?.mayPass !== undefined) at(["juror", "mayPass"], "passkeyJuror");
  if (!mayAsk(gate) || gate.request === "confirm") return issues;
  const asked = everyoneIn(policy, [...gate.reviewers, ...(gate.escalate?.to ?? [])]);
  const anonymous = asked.find(isRoom);
  const needsPeople = gate.quorum > 1 ? "quorum" : gate.selfApproval ? (isForSignedIn(gate) ? "identity" : null) : "selfApproval";
  if (anonymous !== undefined && needsPeople !== null)
    at([needsPeople], { key: "needsPeople", values: { name: anonymous.name, room: roomWords(anonymous) ?? "" } });
  const unable = isForSignedIn(gate) ? asked.find((each) => !isRoom(each) && !canSignIn(each)) : undefined;
  if (unable !== undefined) at(["identity"], { key: "needsSignIn", values: { name: unable.name } });
  const people = everyoneIn(policy, gate.reviewers).length;
  if (people === 0) at(["reviewers"], "namesNobody");
  // A link names its reviewer in one byte.
  else if (people > mostPeople) at(["reviewers"], { key: "manyPeople", values: { n: String(people), most: String(mostPeople) } });
  else if (gate.quorum > people) at(["quorum"], { key: "largeQuorum", values: { n: String(people) } });
  return issues;
}
