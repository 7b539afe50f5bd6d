// Checks the reviewers: whether those whom each rule asks, or escalates to, can be reached by a
// channel that is set up.

import { everyoneIn, type Policy, type PolicyReviewer } from "../../shared/policy/rules.ts";
import { once } from "../../shared/once.ts";
import { pointerTo } from "../../shared/routing/issues.ts";
import { channelDoctors, channelsFor, openChannels } from "../channels/registry.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { type Check, good, howToSet, listed, fix, note } from "./check.ts";

type Gate = {
  readonly name: string;
  readonly quorum: number;
  readonly asked: readonly PolicyReviewer[];
  readonly later: readonly PolicyReviewer[];
};
type Finding = { readonly state: "note" | "fix"; readonly gate: string; readonly wrong: string };

export function peopleChecks(env: Env, policy: Policy): readonly Check[] {
  const gates = gatesOf(policy);
  const unset = unsetChecks(env, policy, gates);
  if (gates.length === 0)
    return [note("reviewers", "No rule of the policy asks a reviewer: every request is approved automatically or refused."), ...unset];
  if (settingsOf(env).publicUrl === undefined)
    return [fix("reviewers", "No reviewer can be reached without PUBLIC_URL, because review links begin with it: set it first."), ...unset];
  const findings = gates.flatMap((gate) => findingsOf(env, policy, gate));
  const people = new Set(gates.flatMap(({ asked, later }) => [...asked, ...later].map(({ name }) => name))).size;
  const fine = people === 1 ? "The one reviewer in the policy can be reached." : `All ${people} reviewers in the policy can be reached.`;
  return [...(findings.length === 0 ? [good("reviewers", fine)] : grouped(findings)), ...unset];
}

/**
 * For health, which everyone can read: whether reviews reach people, without a name of a rule or a
 * person. Without PUBLIC_URL its own issue says so.
 */
export function reachIssues(env: Env, policy: Policy): string[] {
  if (settingsOf(env).publicUrl === undefined) return [];
  const gates = gatesOf(policy);
  const unreached = gates.filter(({ asked }) => !asked.some((person) => isReached(env, person)));
  if (unreached.length === 0) return [];
  return [
    unreached.length === gates.length
      ? "No channel reaches any reviewer, so each review ends at once as undeliverable: set up a channel, and write reviewers with an address for it in the policy"
      : "No channel reaches the reviewers of some rules, so their reviews end at once as undeliverable: `npm run doctor` names them",
  ];
}

/** The rules that ask a reviewer, and the default. */
function gatesOf(policy: Policy): Gate[] {
  const rules = policy.rules.map(({ name, then }) => ({
    name: `rule "${name}"`,
    then: { ...then, reviewers: then.reviewers ?? policy.default.reviewers },
  }));
  return [...rules, { name: "the default", then: policy.default }].flatMap(({ name, then }) =>
    then.request === "refuse" || (then.request === "allow" && then.response === "allow")
      ? []
      : [{ name, quorum: then.quorum, asked: everyoneIn(policy, then.reviewers), later: everyoneIn(policy, then.escalate?.to ?? []) }],
  );
}

function findingsOf(env: Env, policy: Policy, { name, quorum, asked, later }: Gate): Finding[] {
  const unreached = (people: readonly PolicyReviewer[]): PolicyReviewer[] => people.filter((person) => !isReached(env, person));
  const [missing, missingLater] = [unreached(asked), unreached(later)];
  const findings: Finding[] = [];
  const find = (state: Finding["state"], what: string, people: readonly PolicyReviewer[]): void => {
    findings.push({
      state,
      gate: name,
      wrong: `${what}. ${people
        .slice(0, 3)
        .map((person) => remedy(policy, person))
        .join(". ")}`,
    });
  };
  const reached = asked.length - missing.length;
  if (reached === 0) find("fix", `no channel reaches ${named(missing)}, so a review there fails at once`, missing);
  else if (reached < quorum) find("fix", `the quorum is ${quorum}, and only ${reached} can be reached, not ${named(missing)}`, missing);
  else if (missing.length > 0) find("note", `${reached} can be reached, ${named(missing)} cannot`, missing);
  if (missingLater.length > 0) {
    const none = missingLater.length === later.length;
    find(
      none ? "fix" : "note",
      `${none ? "the escalation reaches nobody, not" : "the escalation does not reach"} ${named(missingLater)}`,
      missingLater,
    );
  }
  return findings;
}

/** Chooses channels as a run does. */
function isReached(env: Env, person: PolicyReviewer): boolean {
  const { first, then } = channelsFor(person, openChannels(env));
  return first.length + then.length > 0;
}

/** A name that is an email address is not shown; the text has its pointer into the policy. */
const named = (people: readonly PolicyReviewer[]): string =>
  listed(
    people.map(({ name }) => (name.includes("@") ? "a reviewer" : name)),
    5,
  );

/** It takes the runtime 20 ms to make. */
const anyOf = once(() => new Intl.ListFormat("en-GB", { type: "disjunction" }));

/** Which addresses the reviewer has, and what the gateway lacks to use them. */
function remedy(policy: Policy, person: PolicyReviewer): string {
  const who = `${named([person])} (${placeOf(policy, person)} of the policy)`;
  const ways = channelDoctors.flatMap(({ name, doctor }) => {
    const address = person[name];
    return address === undefined || person.notify?.includes(name) === false ? [] : [doctor.remedy(address)];
  });
  return ways.length === 0
    ? `${who} has no address: add ${anyOf().format(channelDoctors.map(({ doctor }) => doctor.address))}, and set up that channel`
    : `${who} has ${ways.join("; or ")}`;
}

function placeOf(policy: Policy, { name }: PolicyReviewer): string {
  for (const [group, people] of Object.entries(policy.reviewers)) {
    const index = people.findIndex((person) => person.name === name);
    if (index >= 0) return pointerTo(["reviewers", group, index]);
  }
  return "/reviewers";
}

/** One line for each finding, with every rule that it applies to. */
function grouped(findings: readonly Finding[]): Check[] {
  const groups = new Map<string, { readonly finding: Finding; readonly gates: string[] }>();
  for (const finding of findings) {
    const key = `${finding.state} ${finding.wrong}`;
    const group = groups.get(key) ?? { finding, gates: [] };
    group.gates.push(finding.gate);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ finding: { state, wrong }, gates }) => {
    const text = `${listed(gates, 5)}: ${wrong}.`;
    return { check: "reviewers", state, text: text.charAt(0).toUpperCase() + text.slice(1) };
  });
}

/** Addresses of reviewers that need variables of their own, none of which is set. */
function unsetChecks(env: Env, policy: Policy, gates: readonly Gate[]): Check[] {
  const people = gates.flatMap(({ asked, later }) => [...asked, ...later]);
  return channelDoctors.flatMap(({ name: channel, doctor }) => {
    const users = new Map<string, PolicyReviewer>();
    for (const person of people) {
      const address = person[channel];
      if (address !== undefined) users.set(address, users.get(address) ?? person);
    }
    return [...users].flatMap(([address, person]) => {
      const missing = doctor.unset?.(env, address) ?? null;
      if (missing === null) return [];
      const at = `${placeOf(policy, person)}/${channel}`;
      const how = howToSet(env, missing.variables);
      return [
        fix(missing.check, `${at} of the policy names it, and neither of its variables is set: ${how}; or remove it from the policy.`),
      ];
    });
  });
}
