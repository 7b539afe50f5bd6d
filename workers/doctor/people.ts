// Checks the reviewers: whether those whom each rule asks, or escalates to, can be reached by a
// channel that is set up, and can sign in where a rule wants that.

import { everyoneIn, isForSignedIn, type Policy, type PolicyReviewer } from "../../shared/policy/rules.ts";
import { type DoctorPhrase, joined } from "../../shared/words/doctor.ts";
import type { PhraseValue } from "../../shared/words/text.ts";
import { pointerTo } from "../../shared/routing/issues.ts";
import { channelDoctors, channelsFor, openChannels } from "../channels/registry.ts";
import { isSignInSetUp } from "../channels/sign-in-ways.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import { type Check, type Title, good, howToSet, listed, fix, note } from "./check.ts";

type Gate = {
  readonly name: DoctorPhrase;
  readonly quorum: number;
  readonly asked: readonly PolicyReviewer[];
  readonly later: readonly PolicyReviewer[];
  readonly isForSignedIn: boolean;
};
type Finding = { readonly state: "note" | "fix"; readonly gate: DoctorPhrase; readonly wrong: PhraseValue };

const title: Title = { key: "reviewers" };

export function peopleChecks(env: Env, policy: Policy): readonly Check[] {
  const gates = gatesOf(policy);
  const alerted = everyoneIn(policy, policy.alerts?.to ?? []);
  const asked = gates.flatMap((gate) => [...gate.asked, ...gate.later]);
  const unset = [...unsetChecks(env, policy, [...asked, ...alerted]), ...alertChecks(env, policy, alerted)];
  if (gates.length === 0) return [note(title, "nobodyAsked"), ...unset];
  if (settingsOf(env).publicUrl === undefined) return [fix(title, "noPublicUrl"), ...unset];
  const findings = gates.flatMap((gate) => findingsOf(env, policy, gate));
  const people = new Set(gates.flatMap(({ asked, later }) => [...asked, ...later].map(({ name }) => name))).size;
  if (findings.length > 0) return [...grouped(findings), ...unset];
  return [good(title, people === 1 ? "reviewerReached" : { key: "reviewersReached", values: { n: people } }), ...unset];
}

/** Whether reviewers can sign in, where rules want them to be. */
export async function signInChecks(env: Env, policy: Policy): Promise<readonly Check[]> {
  const gates = gatesOf(policy).filter((gate) => gate.isForSignedIn);
  if (gates.length === 0 || (await isSignInSetUp(env, Date.now(), (work) => void work.catch(() => {})))) return [];
  return grouped(gates.map(({ name }) => ({ state: "fix", gate: name, wrong: { key: "noSignIn" } })));
}

/** Whether those who are to hear of what is wrong can be reached: the outbox sends nothing. */
function alertChecks(env: Env, policy: Policy, people: readonly PolicyReviewer[]): Check[] {
  if (policy.alerts === undefined) return [];
  const missing = people.filter((person) => channelsFor(person, openChannels(env)).first.every(({ name }) => name === "outbox"));
  const reached = people.length - missing.length;
  const alerts: Title = { key: "alerts" };
  if (missing.length === 0) return [good(alerts, { key: "alertsReach", values: { n: reached } })];
  const says = joined(
    "sentences",
    missing.slice(0, 3).map((person) => remedy(policy, person)),
  );
  return [
    reached === 0
      ? fix(alerts, { key: "alertsReachNobody", values: { remedies: says } })
      : note(alerts, { key: "alertsReachSome", values: { reached, remedies: says } }),
  ];
}

/**
 * For health, which everyone can read: whether reviews reach people, without a name of a rule or a
 * person. Without PUBLIC_URL its own issue says so.
 */
export function reachIssues(env: Env, policy: Policy): DoctorPhrase[] {
  if (settingsOf(env).publicUrl === undefined) return [];
  const gates = gatesOf(policy);
  const unreached = gates.filter(({ asked }) => !asked.some((person) => isReached(env, person)));
  if (unreached.length === 0) return [];
  return [{ key: unreached.length === gates.length ? "noneReached" : "someNotReached" }];
}

/** The rules that ask a reviewer, and the default. */
function gatesOf(policy: Policy): Gate[] {
  const rules = policy.rules.map(({ name, then }) => ({
    name: { key: "rule", values: { name } } as const,
    then: { ...then, reviewers: then.reviewers ?? policy.default.reviewers },
  }));
  return [...rules, { name: { key: "theDefault" } as const, then: policy.default }].flatMap(({ name, then }) =>
    then.request === "refuse" || (then.request === "allow" && then.response === "allow")
      ? []
      : [
          {
            name,
            quorum: then.quorum,
            asked: everyoneIn(policy, then.reviewers),
            later: everyoneIn(policy, then.escalate?.to ?? []),
            isForSignedIn: isForSignedIn(then),
          },
        ],
  );
}

function findingsOf(env: Env, policy: Policy, { name, quorum, asked, later }: Gate): Finding[] {
  const unreached = (people: readonly PolicyReviewer[]): PolicyReviewer[] => people.filter((person) => !isReached(env, person));
  const [missing, missingLater] = [unreached(asked), unreached(later)];
  const findings: Finding[] = [];
  const find = (state: Finding["state"], what: DoctorPhrase, people: readonly PolicyReviewer[]): void => {
    const remedies = people.slice(0, 3).map((person) => remedy(policy, person));
    findings.push({ state, gate: name, wrong: joined("sentences", [what, ...remedies]) });
  };
  const reached = asked.length - missing.length;
  const people = named(missing);
  if (reached === 0) find("fix", { key: "reachesNobody", values: { people } }, missing);
  else if (reached < quorum) find("fix", { key: "belowQuorum", values: { quorum, reached, people } }, missing);
  else if (missing.length > 0) find("note", { key: "someReached", values: { reached, people } }, missing);
  if (missingLater.length > 0) {
    const none = missingLater.length === later.length;
    const key = none ? "escalatesToNobody" : "escalatesToSome";
    find(none ? "fix" : "note", { key, values: { people: named(missingLater) } }, missingLater);
  }
  return findings;
}

/** Chooses channels as a run does. */
function isReached(env: Env, person: PolicyReviewer): boolean {
  const { first, then } = channelsFor(person, openChannels(env));
  return first.length + then.length > 0;
}

/** A name that is an email address is not shown; the text has its pointer into the policy. */
const named = (people: readonly PolicyReviewer[]): PhraseValue =>
  listed(
    people.map(({ name }) => (name.includes("@") ? { key: "aReviewer" } : name)),
    5,
  );

/** Which addresses the reviewer has, and what the gateway lacks to use them. */
function remedy(policy: Policy, person: PolicyReviewer): DoctorPhrase {
  const who: DoctorPhrase = { key: "at", values: { name: named([person]), pointer: placeOf(policy, person) } };
  const ways = channelDoctors.flatMap(({ name, doctor }) => {
    const address = person[name];
    return address === undefined || person.notify?.includes(name) === false ? [] : [doctor.remedy(address)];
  });
  const addresses = { anyOf: channelDoctors.map(({ name }) => name) };
  return ways.length === 0
    ? { key: "hasNoAddress", values: { who, addresses } }
    : { key: "hasAddress", values: { who, ways: joined("either", ways) } };
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
  const groups = new Map<string, { readonly finding: Finding; readonly gates: DoctorPhrase[] }>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.state, finding.wrong]);
    const group = groups.get(key) ?? { finding, gates: [] };
    group.gates.push(finding.gate);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ finding: { state, wrong }, gates }) => {
    const check = (state === "fix" ? fix : note)(title, { key: "ofRules", values: { rules: listed(gates, 5), finding: wrong } });
    return { ...check, text: check.text.charAt(0).toUpperCase() + check.text.slice(1) };
  });
}

/** Addresses of reviewers that need variables of their own, none of which is set. */
function unsetChecks(env: Env, policy: Policy, people: readonly PolicyReviewer[]): Check[] {
  return channelDoctors.flatMap(({ name: channel, doctor }) => {
    const users = new Map<string, PolicyReviewer>();
    for (const person of people) {
      const address = person[channel];
      if (address !== undefined) users.set(address, users.get(address) ?? person);
    }
    return [...users].flatMap(([address, person]) => {
      const missing = doctor.unset?.(env, address) ?? null;
      if (missing === null) return [];
      const values = { pointer: `${placeOf(policy, person)}/${channel}`, how: howToSet(env, missing.variables) };
      return [fix({ name: missing.check }, { key: "unsetAddress", values })];
    });
  });
}
