// The words of the page that depend on the kind of request: an MCP server's sampling request, a
// client's own task at the control endpoint, or a tool that is to run.

import { asksWords } from "../../shared/channels/fact-words.ts";
import type { Words } from "../../shared/channels/words/words.ts";
import { type ReviewFacts, requestKindOf, isFromServer } from "../../shared/review/review-facts.ts";
import type { GrantOffer, ReviewView } from "../../shared/review/view.ts";
import type { Origin } from "./outside-text.tsx";

/** Who asks for what. `{server}`, `{client}`, `{method}` and `{name}` are placeholders. */
export function asksOf(
  facts: Pick<ReviewFacts, "requestKind" | "isAhead">,
  { page, review }: Words,
): { readonly label: string; readonly sentence: string } {
  // A sampling request's label says half of its sentence.
  if (isFromServer(facts)) return { label: page.askedBy, sentence: page.samplingAsks };
  return { label: page.whoAsks, sentence: asksWords(facts, review) };
}

/** The steps of the run, of which the gate is the first or the last. */
export const stepsOf = ({ requestKind }: Pick<ReviewFacts, "requestKind">, { review: { kinds } }: Words): readonly string[] => {
  const { asked, served, answered } = kinds[requestKind].steps;
  return [asked, ...(served === undefined ? [] : [served]), answered];
};

/** What became of the run, for a reviewer who opens a decided review. */
export function progressOf(view: ReviewView, { page, review }: Words): string {
  if (view.progress === "responseReview" && (view.written ?? null) !== null) return page.written.inReview;
  if (view.isUnclaimed === true) return page.unclaimed;
  return review.kinds[requestKindOf(view)].progress[view.progress];
}

/** Who wrote each part of the content. */
export type Origins = {
  readonly request: Origin;
  readonly systemPrompt: Origin;
  readonly assistant: Origin;
  readonly reply: Origin;
};

export function originsOf(view: ReviewView, { page }: Words): Origins {
  const { outside } = page;
  const requestKind = requestKindOf(view);
  const { server, client, name } = view.requestor;
  const by = view.written?.by;
  const message = view.subject === "message" ? view : null;
  const names = { server, client, name, by: by ?? "", model: message?.answeredBy?.id ?? message?.reply?.model ?? "" };
  const hasOurs = message?.request.responseFormat !== undefined;
  const of = (sentence: string): Origin => ({ sentence, names });
  const answer = by === undefined ? outside.model : page.written.from;
  if (isFromServer({ requestKind })) {
    return {
      request: of(outside.server),
      // The sentences that ask for the format are ours; the rest is the server's.
      systemPrompt: of(hasOurs ? outside.serverAndUs : outside.server),
      assistant: of(outside.serverAsAssistant),
      reply: of(answer),
    };
  }
  return {
    request: of(outside.client),
    // A translation's prompt, and the sentence that asks for JSON, are ours; the rest of the system
    // prompt is the client's.
    systemPrompt: of(hasOurs ? outside.clientAndUs : outside.client),
    assistant: of(outside.clientAsAssistant),
    reply: of(requestKind === "toolCall" ? outside.tool : answer),
  };
}

/** The words of "Allow later requests" by who asks. */
export function grantWords(
  { requestKind, gate }: Pick<ReviewFacts, "requestKind" | "gate">,
  { page }: Words,
): {
  readonly lead: string;
  readonly shape: string;
  readonly scopes: Readonly<Record<GrantOffer["scopes"][number], string>>;
} {
  const { lead, shape, scopes } = page.grant;
  if (isFromServer({ requestKind })) return { lead: lead[gate], shape: shape[gate], scopes };
  if (requestKind !== "toolCall") return { lead: lead[gate], shape: shape[gate], scopes: page.clientGrant };
  const { runGrant } = page;
  return {
    lead: gate === "request" ? runGrant.lead : lead.response,
    shape: runGrant.shape[gate],
    scopes: { ...page.clientGrant, ...runGrant.scopes },
  };
}
