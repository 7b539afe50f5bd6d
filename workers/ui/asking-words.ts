// The words of the page that depend on the kind of request: an MCP server's sampling request, a client's own task at the control endpoint,
// or a tool that is to run.

import { asksWords, gateWords as sharedGateWords } from "../../shared/channels/fact-words.ts";
import { pageWords as words } from "../../shared/channels/words/words.ts";
import { type Asking, type ReviewFacts, askingOf } from "../../shared/review/review-facts.ts";
import type { GrantOffer, ReviewView, RunProgress } from "../../shared/review/view.ts";
import type { Origin } from "./outside-text.tsx";

type GateWords = Readonly<
  Record<"lead" | "stillHere" | "content" | "closedContent" | "approve" | "approveTo" | "exactly" | "exactlyOne" | "notSent", string>
>;

/** The words of this review's gate. `approveTo` has a placeholder {model} at the request gate, {server} at the response gate. */
export function gateWords({ asking, gate }: Pick<ReviewFacts, "asking" | "gate">): GateWords {
  const { lead, ...shared } = sharedGateWords({ asking, gate });
  const own = { lead: `${lead} ${words.readAndDecide}`, stillHere: lead, ...shared };
  if (asking === "function") return { ...own, ...words.run[gate] };
  if (asking !== "embedding" || gate === "request") return { ...own, ...words[gate] };
  return { ...own, ...words.response, ...words.vectors, lead: `${lead} ${words.vectors.lookAndDecide}` };
}

/** Who asks for what. `{server}`, `{client}`, `{method}` and `{name}` are placeholders. */
export function asksOf(facts: Pick<ReviewFacts, "asking" | "isAhead">): { readonly label: string; readonly sentence: string } {
  // A sampling request's label says half of its sentence.
  if (facts.asking === "sampling") return { label: words.askedBy, sentence: words.samplingAsks };
  return { label: words.whoAsks, sentence: asksWords(facts) };
}

/** What a reviewer has to know before approving, or null. */
export const noticeOf = ({ asking }: Pick<ReviewFacts, "asking">): string | null =>
  asking === "functionChoice" ? words.functionChoiceNotice : null;

const prompts: Readonly<Partial<Record<Asking, string>>> = { function: words.run.response.prompt, embedding: words.vectors.prompt };

/** The heading of the prompt, which is folded at the response gate. */
export const promptWords = ({ asking }: Pick<ReviewFacts, "asking">): string => prompts[asking] ?? words.response.prompt;

export const hiddenWords = ({ asking }: Pick<ReviewFacts, "asking">): string =>
  asking === "function" ? words.run.response.hidden : words.response.hidden;

/** What became of the run, for a reviewer who opens a decided review. */
export function progressOf(view: ReviewView): string {
  const asking = askingOf(view);
  const own: Partial<Record<RunProgress, string>> =
    asking === "sampling" ? {} : asking === "function" ? { ...words.clientProgress, ...words.runProgress } : words.clientProgress;
  return own[view.progress] ?? words.progress[view.progress];
}

/** Who wrote each part of the content. */
export type Origins = {
  readonly request: Origin;
  readonly systemPrompt: Origin;
  readonly assistant: Origin;
  readonly requestEdited: Origin;
  readonly reply: Origin;
  readonly replyEdited: Origin;
};

export function originsOf(view: Pick<ReviewView, "requestor" | "request">): Origins {
  const asking = askingOf(view);
  const { outside } = words;
  const ofModel = { reply: outside.model, replyEdited: outside.editedReply };
  if (asking === "sampling") {
    return {
      request: outside.server,
      systemPrompt: outside.server,
      assistant: outside.serverAsAssistant,
      requestEdited: outside.edited,
      ...ofModel,
    };
  }
  return {
    request: outside.client,
    // A translation's prompt, and the sentence that asks for JSON, are ours; the rest of the system prompt is the client's.
    systemPrompt: view.request.responseFormat === undefined ? outside.client : outside.clientAndUs,
    // No model wrote a tool use that is to run.
    assistant: asking === "function" ? outside.client : outside.clientAsAssistant,
    requestEdited: outside.clientEdited,
    ...(asking === "function" ? { reply: outside.tool, replyEdited: outside.editedTool } : ofModel),
  };
}

/** The words of "Also allow later requests" by who asks. */
export function grantWords({ asking, gate }: Pick<ReviewFacts, "asking" | "gate">): {
  readonly lead: string;
  readonly shape: string;
  readonly scopes: Readonly<Record<GrantOffer["scopes"][number], string>>;
} {
  const { lead, shape, scopes } = words.grant;
  if (asking === "sampling") return { lead: lead[gate], shape: shape[gate], scopes };
  if (asking !== "function") return { lead: lead[gate], shape: shape[gate], scopes: words.clientGrant };
  const { runGrant } = words;
  return {
    lead: gate === "request" ? runGrant.lead : lead.response,
    shape: runGrant.shape[gate],
    scopes: { ...words.clientGrant, ...runGrant.scopes },
  };
}
