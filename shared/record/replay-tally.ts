// The sum of replayed requests: by effect, by rule, by reviewer, and by server and tool with
// examples. Sums of pages add up to the sum of all.

import * as z from "zod";
import { type Replayed, type ReplayedRequest, type Ruling, type Unknown, effects, replay, unknowns } from "./policy-replay.ts";
import type { Policy } from "../policy/rules.ts";

const count = z.int().nonnegative();
const beforeAndAfter = z.strictObject({ before: count, after: count });
const text = z.string().max(1_000);

const groupSchema = z.strictObject({
  effect: z.enum(effects),
  server: text,
  tool: text,
  /** The rules that decided, and would decide. */
  ruleBefore: text,
  ruleAfter: text,
  requests: count,
  /** Of these, how many ended with a denial by a person. */
  denied: count,
  /** Ids of some of them, the newest first. */
  examples: z.array(z.string().max(128)).max(3),
});
export type ReplayGroup = z.infer<typeof groupSchema>;

export const tallySchema = z.strictObject({
  requests: count,
  /** For how many a person is asked for sure. */
  asked: beforeAndAfter,
  effects: z.record(z.enum(effects), count),
  /** Requests of which it cannot be told. */
  unknown: z.record(z.enum(unknowns), count),
  notByRules: count,
  /** Requests whose effect is not `same`. */
  groups: z.array(groupSchema).max(300),
  /** Requests with an effect that is not `same`, and whose group found no room. */
  ungrouped: count,
  /** How many requests a rule decided, or would have decided if it were not in shadow. */
  rules: z.array(z.strictObject({ rule: text, ...beforeAndAfter.shape })).max(1_100),
  /**
   * Of how many requests a reviewer is asked. `ifWarned`: only where the reply has warnings; not in
   * the others.
   */
  reviewers: z.array(z.strictObject({ reviewer: text, asked: beforeAndAfter, ifWarned: beforeAndAfter })).max(1_100),
});
export type ReplayTally = z.infer<typeof tallySchema>;

const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>; // each of the names

export const noReplay: ReplayTally = {
  requests: 0,
  asked: { before: 0, after: 0 },
  effects: zeros(effects),
  unknown: zeros(unknowns),
  notByRules: 0,
  groups: [],
  ungrouped: 0,
  rules: [],
  reviewers: [],
};

const mostGroups = 300;
const mostNames = 1_100;
const mostExamples = 3;
/** A tool may have any name. */
const longestName = 512;

type Side = "before" | "after";

/** The sum of some requests under another policy. */
export function replayAll(policy: Policy, requests: readonly ReplayedRequest[]): ReplayTally {
  const sum = new Sum();
  for (const request of requests) sum.add(request, replay(policy, request));
  return sum.tally();
}

/** The sum of two sums. `one` is of the newer requests: its examples come first. */
export function addTallies(one: ReplayTally, other: ReplayTally): ReplayTally {
  const sum = new Sum();
  sum.addTally(one);
  sum.addTally(other);
  return sum.tally();
}

class Sum {
  #requests = 0;
  #notByRules = 0;
  #ungrouped = 0;
  #asked: Readonly<Record<Side, number>> = { before: 0, after: 0 };
  readonly #effects = zeros(effects);
  readonly #unknown = zeros(unknowns);
  readonly #groups = new Map<string, ReplayGroup>();
  readonly #rules = new Map<string, ReplayTally["rules"][number]>();
  readonly #reviewers = new Map<string, ReplayTally["reviewers"][number]>();

  add({ run, state }: ReplayedRequest, replayed: Replayed): void {
    if (replayed.kind === "unknown") return this.#addUnknown(replayed.why, replayed.count);
    this.#requests += replayed.kind === "judged" ? 1 : replayed.count;
    if (replayed.kind === "notByRules") {
      this.#notByRules += replayed.count;
      return;
    }
    const { effect, before, after, server, tool } = replayed;
    this.#effects[effect] += 1;
    this.#addRuling("before", before);
    this.#addRuling("after", after);
    if (effect === "same") return;
    const denied = state === "rejected" ? 1 : 0;
    const names = { server: server.slice(0, longestName), tool: tool.slice(0, longestName) };
    this.#addGroup({ effect, ...names, ruleBefore: before.rule, ruleAfter: after.rule, requests: 1, denied, examples: [run] });
  }

  #addUnknown(why: Unknown, requests: number): void {
    this.#requests += requests;
    this.#unknown[why] += requests;
  }

  #addRuling(side: Side, ruling: Ruling): void {
    for (const rule of [ruling.rule, ruling.shadow]) if (rule !== undefined) this.#addRule({ rule, before: 0, after: 0, [side]: 1 });
    if (ruling.kind === "refused") return;
    const { prompt, reply } = ruling.asking;
    if (prompt === 0 && reply === 0) return;
    const none = { before: 0, after: 0 };
    const one = { ...none, [side]: 1 };
    const isSure = prompt === 2 || reply === 2;
    if (isSure) this.#asked = plus(this.#asked, one);
    for (const reviewer of ruling.reviewers) this.#addReviewer({ reviewer, asked: isSure ? one : none, ifWarned: isSure ? none : one });
  }

  #addRule({ rule, before, after }: ReplayTally["rules"][number]): void {
    const known = this.#rules.get(rule) ?? { rule, before: 0, after: 0 };
    this.#rules.set(rule, { rule, before: known.before + before, after: known.after + after });
  }

  #addReviewer({ reviewer, asked, ifWarned }: ReplayTally["reviewers"][number]): void {
    const none = { before: 0, after: 0 };
    const known = this.#reviewers.get(reviewer) ?? { reviewer, asked: none, ifWarned: none };
    this.#reviewers.set(reviewer, { reviewer, asked: plus(known.asked, asked), ifWarned: plus(known.ifWarned, ifWarned) });
  }

  #addGroup(group: ReplayGroup): void {
    const { effect, server, tool, ruleBefore, ruleAfter } = group;
    const key = JSON.stringify([effect, server, tool, ruleBefore, ruleAfter]);
    const known = this.#groups.get(key);
    if (known === undefined && this.#groups.size >= mostGroups) this.#ungrouped += group.requests;
    else if (known === undefined) this.#groups.set(key, group);
    else {
      const examples = [...known.examples, ...group.examples].slice(0, mostExamples);
      this.#groups.set(key, { ...known, requests: known.requests + group.requests, denied: known.denied + group.denied, examples });
    }
  }

  addTally(tally: ReplayTally): void {
    this.#requests += tally.requests;
    this.#asked = plus(this.#asked, tally.asked);
    this.#notByRules += tally.notByRules;
    this.#ungrouped += tally.ungrouped;
    for (const effect of effects) this.#effects[effect] += tally.effects[effect];
    for (const why of unknowns) this.#unknown[why] += tally.unknown[why];
    for (const group of tally.groups) this.#addGroup(group);
    for (const rule of tally.rules) this.#addRule(rule);
    for (const reviewer of tally.reviewers) this.#addReviewer(reviewer);
  }

  tally(): ReplayTally {
    return {
      requests: this.#requests,
      asked: this.#asked,
      effects: { ...this.#effects },
      unknown: { ...this.#unknown },
      notByRules: this.#notByRules,
      groups: [...this.#groups.values()],
      ungrouped: this.#ungrouped,
      rules: [...this.#rules.values()].slice(0, mostNames),
      reviewers: [...this.#reviewers.values()].slice(0, mostNames),
    };
  }
}

const plus = (one: Readonly<Record<Side, number>>, other: Readonly<Record<Side, number>>): Record<Side, number> => ({
  before: one.before + other.before,
  after: one.after + other.after,
});
