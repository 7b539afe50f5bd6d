// Who may come to decide a run, how each came to its review, and whom a channel still reaches.

import type { Gate } from "../../../../shared/model/gate.ts";
import type { LinkChannel } from "../../../../shared/notice-channels.ts";
import { type Reviewer, peopleOfPlan } from "../../../../shared/policy/evaluate.ts";
import { quietUntil } from "../../../../shared/policy/availability.ts";
import { canSignIn, isForSignedIn } from "../../../../shared/policy/rules.ts";
import { isSamePerson } from "../../../../shared/policy/person.ts";
import { type Review, ownBar } from "../../../../shared/review/decision.ts";
import { type RunState, openGate } from "../../../../shared/run/lifecycle.ts";
import type { LinkRow } from "../../../channels/channel.ts";
import { channelsFor, openChannels } from "../../../channels/registry.ts";
import { inboxLink } from "../../../stubs/run-calls.ts";
import type { CurrentRun, RunDeps } from "../run-deps.ts";
import type { StoredInput } from "../tables/run-store.ts";

/** How a reviewer came to a gate: by a link of a channel, or signed in to their inbox. */
export type ReviewAccess = { readonly gate: Gate; readonly reviewer: number; readonly channel: LinkChannel | "inbox" };

/** The current run, with a reviewer of it and how they came to its review. */
export type ReviewerOfRun<Link = ReviewAccess> = CurrentRun & { readonly link: Link; readonly reviewer: Reviewer };
/** The same by a link of a channel. */
export type LinkOfRun = ReviewerOfRun<LinkRow>;

/** Whether the link's reviewer is to decide now. */
export const isAsked = ({ state, link: { gate, revokedAt }, reviewer: { name } }: LinkOfRun): boolean =>
  openGate(state) === gate && revokedAt === null && state.reviews[gate]?.reviewers.includes(name) === true;

/** Whether this person decides, or once did, about this gate. */
export const wasAsked = ({ reviews }: RunState, gate: Gate, name: string): boolean =>
  reviews[gate]?.reviewers.includes(name) === true || reviews[gate]?.left.some(({ reviewer }) => reviewer === name) === true;

/**
 * Until when notices to a link's reviewer wait, in Unix milliseconds; null where they do not. The
 * outbox disturbs nobody.
 */
export const noticesWaitUntil = ({ link, reviewer }: Pick<LinkOfRun, "link" | "reviewer">, now: number): number | null =>
  link.channel === "outbox" ? null : quietUntil(reviewer, now);

export class RunReviewers {
  readonly #deps: Pick<RunDeps, "env" | "store" | "current">;
  #people: readonly Reviewer[] | null = null;

  constructor(deps: Pick<RunDeps, "env" | "store" | "current">) {
    this.#deps = deps;
  }

  /**
   * Everybody who may come to decide this run; a link names its reviewer by the index in this list.
   */
  people({ gatePolicy }: StoredInput): readonly Reviewer[] {
    this.#people ??= peopleOfPlan(gatePolicy);
    return this.#people;
  }

  /** The people of these names, with their indexes. */
  named(input: StoredInput, names: readonly string[]): [number, Reviewer][] {
    return [...this.people(input).entries()].filter(([, { name }]) => names.includes(name));
  }

  /**
   * Names of the people to whom a review can be handed over: a channel reaches them, they were not
   * asked first, and the policy does not bar them as its owner.
   */
  handOverCandidates(input: StoredInput): string[] {
    const channels = openChannels(this.#deps.env);
    const { gatePolicy } = input;
    const asked = new Set(gatePolicy.reviewers.map(({ name }) => name));
    return this.people(input)
      .filter(({ name }) => !asked.has(name) && (gatePolicy.selfApproval || !isSamePerson(gatePolicy.owner, name)))
      .filter((each) => channelsFor(each, channels).first.length > 0)
      .map(({ name }) => name);
  }

  /**
   * Names of the people whom an operator can have asked as well: the rule names them, a channel
   * reaches them, and they may approve. Not who is asked, or left the decision to others.
   */
  askable(input: StoredInput, review: Review): string[] {
    const channels = openChannels(this.#deps.env);
    const known = new Set([...review.reviewers, ...review.left.map(({ reviewer }) => reviewer)]);
    return this.people(input)
      .filter((each) => !known.has(each.name) && ownBar(review, each.name) === null && channelsFor(each, channels).first.length > 0)
      .map(({ name }) => name);
  }

  /** Names of the reviewers whom no channel reaches: each has failed for good, or there is none. */
  unreached(input: StoredInput, review: Review): string[] {
    const links = this.links(input, review.gate).filter(({ link }) => link.notice !== "failed");
    return review.reviewers.filter((name) => links.every(({ reviewer }) => reviewer.name !== name));
  }

  /** The live links of a gate, each with its reviewer. */
  links(input: StoredInput, gate: Gate): { readonly link: LinkRow; readonly reviewer: Reviewer }[] {
    const people = this.people(input);
    return this.#deps.store.links(gate).flatMap((link) => {
      const reviewer = people[link.reviewer];
      return reviewer === undefined ? [] : [{ link, reviewer }];
    });
  }

  /** A link by its id, revoked ones too; null where there is none. */
  link(id: string): LinkOfRun | null {
    const current = this.#deps.current();
    const link = current === null ? null : this.#deps.store.link(id);
    const reviewer = current === null || link === null ? undefined : this.people(current.input)[link.reviewer];
    return current === null || link === null || reviewer === undefined ? null : { ...current, link, reviewer };
  }

  /** The same for a link that opens this gate to this reviewer. */
  linkAt(gate: Gate, index: number, id: string): LinkOfRun | null {
    const found = this.openingLink(gate, id);
    return found?.link.reviewer === index ? found : null;
  }

  /**
   * A link that opens this gate; null also for a revoked one, and where nobody decides who is not
   * signed in: there a link is no more than a way to tell its reviewer.
   */
  openingLink(gate: Gate, id: string): LinkOfRun | null {
    const found = this.link(id);
    if (found === null || found.link.revokedAt !== null || found.link.gate !== gate) return null;
    return isForSignedIn(found.input.gatePolicy) ? null : found;
  }

  /** As `linkAt`, and for `inboxLink`: a reviewer who was ever asked at this gate. */
  access({ gate, reviewer: index, link }: { readonly gate: Gate; readonly reviewer: number; readonly link: string }): ReviewerOfRun | null {
    if (link !== inboxLink) return this.linkAt(gate, index, link);
    const current = this.#deps.current();
    const reviewer = current === null ? undefined : this.people(current.input)[index];
    if (current === null || reviewer === undefined || !wasAsked(current.state, gate, reviewer.name)) return null;
    return { ...current, link: { gate, reviewer: index, channel: "inbox" }, reviewer };
  }

  /** `RunCalls.ownersGate`. The owner has to be able to sign in to an inbox. */
  ownersGate(): Gate | null {
    const current = this.#deps.current();
    const gate = current === null ? null : openGate(current.state);
    const review = current === null || gate === null ? null : current.state.reviews[gate];
    if (current === null || review?.selfApproval !== true) return null;
    const { owner } = current.input.key;
    const isOwner = (each: Reviewer): boolean => canSignIn(each) && isSamePerson(owner, each.name);
    const deciding = review.reviewers.filter((name) => review.left.every(({ reviewer }) => reviewer !== name));
    return this.named(current.input, deciding).some(([, each]) => isOwner(each)) ? gate : null;
  }
}
