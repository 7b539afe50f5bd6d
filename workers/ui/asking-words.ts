// The words of the page that depend on what is asked: an MCP server's sampling request, a client's own task at the control door,
// or a tool that is to run. Words only; those of a sampling request are in review-words.ts.

import { type Asking, askingOf, askingWords, asksWords } from "../../shared/channels/asking.ts";
import type { GrantOffer, ReviewView, RunProgress } from "../../shared/review/view.ts";
import type { Origin } from "./outside-text.tsx";
import { progressWords, reviewWords as words } from "./review-words.ts";

type GateWords = Readonly<
  Record<"lead" | "stillHere" | "content" | "closedContent" | "approve" | "approveTo" | "exactly" | "exactlyOne" | "notSent", string>
>;

/** A run is an action: it cannot be taken back, and holding back its result does not undo it. */
const run: Readonly<Record<ReviewView["gate"], GateWords>> = {
  request: {
    lead: "Nothing has run yet. If you approve, this runs: it is an action, and not a question to a model. Read it, change it if you like, and decide.",
    stillHere: "Nothing has run yet. Once it is approved, it runs: it is an action, and not a question to a model.",
    content: "What would run",
    closedContent: "What was to run",
    approve: "Approve and run",
    approveTo: "Approve and run {model}",
    exactly:
      "If you approve, this runs: version {version} as it stands on this page{changes}, on the server you chose first, and on the next only if that one fails.",
    exactlyOne:
      "If you approve, this runs: version {version} as it stands on this page{changes}, on this server only. Changed arguments are checked against the tool’s schema once more before.",
    notSent: "Denying runs nothing.",
  },
  response: {
    lead: "It has run. Nothing of its result has been delivered yet. Read it, change it if you like, and decide.",
    stillHere: "It has run. Nothing of its result has been delivered yet.",
    content: "What would be delivered",
    closedContent: "The result",
    approve: "Approve and deliver",
    approveTo: "Approve and deliver to {server}",
    exactly: "Approving delivers version {version} of the result as it stands on this page{changes}.",
    exactlyOne: "Approving delivers version {version} of the result as it stands on this page{changes}.",
    notSent: "Denying delivers it nowhere. It does not undo what the tool did.",
  },
};

/** Vectors cannot be changed. */
const vectors: GateWords = {
  ...words.response,
  lead: "Nothing has been delivered yet. Look at it, and decide.",
  closedContent: "The vectors",
  exactly: "Approving delivers these vectors, as they came.",
  exactlyOne: "Approving delivers these vectors, as they came.",
};

/** The words of this view's gate. `approveTo` has a place {model} at the request gate, {server} at the response gate. */
export function gateWords(view: ReviewView): GateWords {
  const asking = askingOf(view);
  if (asking === "function") return run[view.gate];
  if (view.gate === "request") return words.request;
  return asking === "embedding" ? vectors : { ...words.response, exactlyOne: words.response.exactly };
}

/** The page's heading, which names nobody. */
export function titleOf(view: ReviewView, isOpen: boolean): string {
  const { title, closedTitle } = askingWords[askingOf(view)];
  return (isOpen ? title : closedTitle)[view.gate];
}

/** Who asks for what. `{server}`, `{client}`, `{method}` and `{name}` are places. */
export function asksOf(view: ReviewView, isOpen: boolean): { readonly label: string; readonly sentence: string } {
  const asking = askingOf(view);
  // A sampling request's label says half of its sentence.
  if (asking === "sampling") return { label: "Asked by", sentence: askingWords.sampling.asks.replace("Asked by ", "") };
  return { label: "Who asks", sentence: asksWords(view, isOpen) };
}

/** What else has to be known before anything is approved. */
export const noticeOf = (view: ReviewView): string | null =>
  askingOf(view) === "functionChoice"
    ? "What the model chooses is handed to the client, or runs on the server where it is registered. Each such run is asked about where the policy says so, by itself."
    : null;

/** What is folded away at the response gate. */
export const promptWords = (view: ReviewView): string =>
  ({ function: "What ran", embedding: "The approved texts" } as Partial<Record<Asking, string>>)[askingOf(view)] ?? words.response.prompt;

export const hiddenWords = (view: ReviewView): string =>
  askingOf(view) === "function"
    ? "This result was denied. It is not shown any more, and it was delivered nowhere. What the tool did is not undone."
    : words.response.hidden;

/** Who hears of the reason of a "no". */
export function reasonHint(view: ReviewView): string {
  const { decide } = words;
  if (view.tellReason === undefined) return decide.reasonUnsaid;
  if (askingOf(view) === "sampling") return view.tellReason ? decide.reasonTold : decide.reasonKept;
  return view.tellReason ? decide.reasonToldClient : decide.reasonKeptClient;
}

const clientProgress: Readonly<Partial<Record<RunProgress, string>>> = {
  rejected: "The client was told that the request was denied.",
  expired: "The client was told that nobody decided in time.",
  failed: "The client was told that it could not be carried out.",
};

const runProgress: Readonly<Partial<Record<RunProgress, string>>> = {
  generating: "The tool runs now.",
  responseReview: "The tool has run; its result waits for its own review.",
  completed: "The result was delivered.",
};

/** What became of the run, for somebody who opens a decided review. */
export function progressOf(view: ReviewView): string {
  const asking = askingOf(view);
  if (asking === "sampling") return progressWords[view.progress];
  const own = asking === "function" ? { ...clientProgress, ...runProgress } : clientProgress;
  return own[view.progress] ?? progressWords[view.progress];
}

/** Whose words the parts of the content are. */
export type Origins = {
  readonly request: Origin;
  readonly systemPrompt: Origin;
  readonly assistant: Origin;
  readonly requestEdited: Origin;
  readonly reply: Origin;
  readonly replyEdited: Origin;
};

export function originsOf(view: Pick<ReviewView, "asker" | "request">): Origins {
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
    // A translation's prompt, and the sentence that asks for JSON, are ours; what a client put beside them is not.
    systemPrompt: view.request.responseFormat === undefined ? outside.client : outside.clientAndUs,
    // A tool use that is to run was said by no model.
    assistant: asking === "function" ? outside.client : outside.clientAsAssistant,
    requestEdited: outside.clientEdited,
    ...(asking === "function" ? { reply: outside.tool, replyEdited: outside.editedTool } : ofModel),
  };
}

/** What "Also allow later requests" says where it is a client that asks. */
export function grantWords(view: ReviewView): {
  readonly lead: string;
  readonly shape: string;
  readonly scopes: Readonly<Record<GrantOffer["scopes"][number], string>>;
} {
  const { lead, shape, scopes } = words.grant;
  const asking = askingOf(view);
  const own = {
    session: "in this session, {name} from {client} itself",
    tool: "{name} from {client} itself",
    server: "anything from {client} itself",
    key: "anything from {client}, whoever asks",
  };
  if (asking === "sampling") return { lead: lead[view.gate], shape: shape[view.gate], scopes };
  if (asking !== "function") return { lead: lead[view.gate], shape: shape[view.gate], scopes: own };
  return {
    lead: view.gate === "request" ? grantRun.lead : lead.response,
    shape: grantRun.shape[view.gate],
    scopes: {
      ...own,
      session: "in this session, {name} on {server}",
      tool: "{name} on {server} for {client}",
      server: "any tool of {server} for {client}",
    },
  };
}

const grantRun = {
  lead: "What you allow here runs without anybody being asked. It counts together with Approve only, and only where you have changed nothing.",
  shape: {
    request:
      "“Any like this” is the same tool with any other arguments, in at most 1,000 characters or two and a half times as many as here.",
    response: "“Any like this” is the result of the same tool, run with any arguments.",
  },
} as const;
