// Who is asked in place of reviewers on holiday. A stand-in is a person whom the rule lets a review
// be handed to, and never the one whose request it is; a stand-in who is asked anyway counts once.
// Where that leaves nobody, or too few for the quorum, whoever is on holiday is asked.

import { isRoom } from "../notice-channels.ts";
import { awayFrom, isAway } from "./availability.ts";
import { type GatePlan, type Reviewer, type StandIn, peopleOfPlan } from "./evaluate.ts";
import { isSamePerson } from "./person.ts";
import type { Policy, PolicyReviewer } from "./rules.ts";

/**
 * The end of the chain of holidays from this person; null where it leads back into itself, or to
 * nobody. `now`: Unix milliseconds.
 */
function endOfChain<Person extends Reviewer>(people: ReadonlyMap<string, Person>, person: Reviewer, now: number): Person | null {
  const seen = new Set([person.name]);
  let next = people.get(person.away?.to ?? "");
  while (next !== undefined && !seen.has(next.name)) {
    if (!isAway(next, now)) return next;
    seen.add(next.name);
    next = people.get(next.away?.to ?? "");
  }
  return null;
}

/**
 * The plan with stand-ins in place of those who are on holiday now. The owner's own part stays
 * theirs: what they confirm or answer themselves is nobody else's.
 */
export function withStandIns(policy: Policy, plan: GatePlan, now: number): GatePlan {
  const { owner, reviewers, escalate, handOverTo, quorum, selfApproval } = plan;
  // Most plans ask nobody, and most people are there.
  if (![...reviewers, ...(escalate?.to ?? [])].some(({ away }) => away !== undefined)) return plan;
  const people = new Map(
    Object.values(policy.reviewers)
      .flat()
      .map((each) => [each.name, each]),
  );
  const mayStandIn = new Set([...reviewers, ...(escalate?.to ?? []), ...handOverTo].map(({ name }) => name));
  const standInOf = (person: Reviewer): PolicyReviewer | null => {
    if (!isAway(person, now) || isSamePerson(owner, person.name)) return null;
    const end = endOfChain(people, person, now);
    return end === null || isRoom(end) || isSamePerson(owner, end.name) || !mayStandIn.has(end.name) ? null : end;
  };
  const standIns: StandIn[] = [];
  const able = (of: readonly Reviewer[]): number => of.filter(({ name }) => selfApproval || !isSamePerson(owner, name)).length;
  const replaced = (people: readonly Reviewer[], atLeast: number): readonly Reviewer[] => {
    const enough = Math.min(atLeast, able(people));
    let asked = people;
    for (const person of people) {
      const by = standInOf(person);
      const next = by === null ? asked : unique(asked.map((each) => (each.name === person.name ? by : each)));
      if (by === null || able(next) < enough) continue;
      asked = next;
      standIns.push({ reviewer: person.name, by: by.name });
    }
    return asked;
  };
  const asked = replaced(reviewers, quorum);
  const later = escalate === null ? null : { ...escalate, to: replaced(escalate.to, 1) };
  if (standIns.length === 0) return plan;
  const names = new Set(asked.map(({ name }) => name));
  return {
    ...plan,
    reviewers: asked,
    escalate: later,
    handOverTo: handOverTo.filter((each) => !names.has(each.name) && standInOf(each) === null),
    standIns,
  };
}

/**
 * Who stands in for those of `asked` who are on holiday now, of a review that waits already: by the
 * plan as it was made, among whose people the stand-in is. `asked`: names.
 */
export function standInsDuring(plan: GatePlan, asked: readonly string[], now: number): StandIn[] {
  const people = new Map(peopleOfPlan(plan).map((each) => [each.name, each]));
  return asked.flatMap((name) => {
    const person = people.get(name);
    if (person === undefined || !isAway(person, now) || isSamePerson(plan.owner, name)) return [];
    const end = endOfChain(people, person, now);
    return end === null || isRoom(end) || isSamePerson(plan.owner, end.name) ? [] : [{ reviewer: name, by: end.name }];
  });
}

/** When the next holiday of these people of the plan begins, after `now`; null where none does. */
export function nextHoliday(plan: GatePlan, asked: readonly string[], now: number): number | null {
  const begins = peopleOfPlan(plan).flatMap((person) => (asked.includes(person.name) ? (awayFrom(person) ?? []) : []));
  const later = begins.filter((at) => at > now);
  return later.length === 0 ? null : Math.min(...later);
}

const unique = (people: readonly Reviewer[]): readonly Reviewer[] =>
  people.filter(({ name }, i) => people.findIndex((each) => each.name === name) === i);
