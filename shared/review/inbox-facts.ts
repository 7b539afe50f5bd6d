// What the inbox shows of a waiting review in its list: facts, of the content no more than a notice
// may show; and which reviews are alike.

import { digestOf } from "../encoding.ts";
import type { Gate } from "../model/gate.ts";
import { shapeDigest } from "../policy/grant.ts";
import { type RequestKind, type ReviewFacts, reviewFacts, servedBy } from "./review-facts.ts";
import { mayDecide } from "./permissions.ts";
import type { ReviewView, ToolCallView } from "./view.ts";

/** One waiting review of one reviewer. Names are cut: the review's page has them whole. */
export type InboxFacts = {
  readonly requestKind: RequestKind;
  readonly server: string;
  /** The API key's name. */
  readonly client: string;
  readonly name: string;
  /** Empty where nobody serves it. */
  readonly model: string;
  /** The policy's rule that asks. */
  readonly rule?: string;
  /** The beginning of the content, as far as the review's notices may show it. */
  readonly excerpt?: string;
  readonly risks: ReviewFacts["riskCounts"];
  readonly cost: ReviewFacts["cost"];
  readonly quorum: ReviewFacts["quorum"];
  /** Who has approved the current version. */
  readonly voters: readonly string[];
  readonly tools: number;
  readonly images: number;
  /** Absent where it has none. */
  readonly pdfs?: number;
  /** Who handed it to this reviewer. */
  readonly handedBy: string | null;
  /** Those on holiday for whom this reviewer is asked. */
  readonly standsInFor?: readonly string[];
  /** The rule's juror had people asked. */
  readonly isRaised?: true;
};

export type InboxEntry = {
  readonly gate: Gate;
  /** Unix milliseconds. */
  readonly deadlineAt: number;
  /** `alikeDigest`. */
  readonly alike: string;
  readonly warnings: number;
  /** One more approval is enough, of several. */
  readonly isLast: boolean;
  readonly facts: InboxFacts;
};

const longestName = 120;
const cut = (name: string): string => (name.length > longestName ? `${name.slice(0, longestName).toWellFormed()}…` : name);

/**
 * The entry of a review that waits for its reader; null where it does not: it is over, they left
 * it, or they have approved it. `excerpt`: `inboxExcerpt`.
 */
export function inboxEntry(view: ReviewView, excerpt: string | null = null): InboxEntry | null {
  if (!mayDecide(view) || (view.ownVote ?? null) !== null) return null;
  const facts = reviewFacts(view);
  const { server, client, name } = view.requestor;
  const { quorum } = facts;
  const pdfs = countIn(view, "pdf");
  return {
    gate: view.gate,
    deadlineAt: view.deadlineAt,
    alike: alikeDigest(view),
    warnings: facts.risks.length,
    isLast: quorum !== null && quorum.needed - quorum.votes === 1,
    facts: {
      requestKind: facts.requestKind,
      server: cut(server),
      client: cut(client),
      name: cut(name),
      model: cut(servedBy(facts)),
      rule: view.rule,
      ...(excerpt === null ? {} : { excerpt }),
      risks: facts.riskCounts,
      cost: facts.cost,
      quorum,
      voters: (view.votes ?? []).map(({ by }) => cut(by)),
      tools: view.subject === "message" ? (view.request.tools?.length ?? 0) : 0,
      images: countIn(view, "image"),
      ...(pdfs === 0 ? {} : { pdfs }),
      handedBy: view.handedBy == null ? null : cut(view.handedBy.by),
      ...(view.standsInFor === undefined ? {} : { standsInFor: view.standsInFor }),
      ...(facts.isRaised ? { isRaised: true as const } : {}),
    },
  };
}

const countIn = (view: ReviewView, kind: "image" | "pdf"): number =>
  view.subject === "message" ? view.request.messages.flatMap(({ content }) => content).filter(({ type }) => type === kind).length : 0;

/** The kinds of blocks in what came of it, where it has any. */
const kindsIn = ({ reply }: ReviewView): readonly string[] | null =>
  reply !== null && "content" in reply && Array.isArray(reply.content) ? reply.content.map(({ type }) => type).toSorted() : null;

/** A call before it is sent. One that answers its server stands alone: a row does not show that. */
export const isOfSeries = (view: ReviewView): view is ToolCallView =>
  view.subject === "toolCall" && view.gate === "request" && view.request.inputResponses === undefined;

/**
 * Equal for reviews that differ in what their messages say, and in nothing else that is sent or
 * that the policy decides: the gate, who asks for whom, the rule, the shape that a grant has
 * (`shapeDigest`), the longest reply, and at the response gate the model that answered. A form is
 * like no other: each has its own answer. Calls before they are sent are alike where they are of
 * one session: a page shows each in a row of its own.
 */
export function alikeDigest(view: ReviewView): string {
  const { server, client, owner, method, name, provenance } = view.requestor;
  if (isOfSeries(view)) return digestOf("countersign/inbox-series/v1", view.series ?? view.run);
  return digestOf("countersign/inbox-alike/v1", {
    gate: view.gate,
    requestor: { server, client, owner, method, name, provenance },
    rule: view.rule,
    quorum: view.quorum,
    ...(view.subject === "message"
      ? {
          shape: shapeDigest(
            view.request,
            view.models.map((model) => ({ model })),
          ),
          maxTokens: view.request.maxTokens,
          answeredBy: view.answeredBy?.id ?? null,
          written: view.written?.by ?? null,
        }
      : { shape: shapeDigest(view.request, []), ...(view.subject === "form" ? { run: view.run } : {}) }),
    kinds: kindsIn(view),
  });
}
