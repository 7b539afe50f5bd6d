// What a review is about: every fact that the page, emails, Slack messages and webhooks say of it,
// without words.

import type { Evidence } from "../association/evidence.ts";
import type { Gate, Provenance } from "../model/gate.ts";
import type { NamedModel } from "../model/sampling.ts";
import { type ToolCall, toolName } from "../model/subject/tool-call.ts";
import { type SubjectKind, type SubjectRequest, isForm } from "../model/subject/subject.ts";
import type { RiskLevel, RiskNote } from "../policy/risk.ts";
import type { CallInReview, ReviewState, ReviewView, ShownModel } from "./view.ts";
import type { OwnWhy } from "./decision.ts";
import { vectorsIn } from "./vectors.ts";

/**
 * `sampling`: an MCP server asks. `toolCall`: a tool is to run, which is an action; all others go
 * to a model.
 */
export type RequestKind =
  | "sampling"
  | "text"
  | "translation"
  | "embedding"
  | "functionChoice"
  | "multimodal"
  /** A form in URL mode. */
  | "address"
  | Exclude<SubjectKind, "message">;

/**
 * How sure it is which client request is served: the relay's evidence, or the provenance where
 * there is none.
 */
export type AssociationConfidence = Provenance | Evidence;

/** Who answers, or has answered. A tool's run has no price and no model. */
export type Serving =
  | { readonly kind: "goesTo"; readonly models: readonly ShownModel[] }
  | { readonly kind: "answered"; readonly by: ShownModel | null; readonly realName: string; readonly stopReason: string | undefined }
  /** A reviewer wrote the reply in the model's place. */
  | { readonly kind: "written"; readonly by: string }
  /** Neither a model nor a tool: the review is all. */
  | { readonly kind: "nobody" }
  /** `differing`: of `ReviewCommon`. */
  | { readonly kind: "runs"; readonly call: ToolCall; readonly differing?: number }
  | { readonly kind: "ran"; readonly call: ToolCall; readonly isError: boolean };

export type ReviewFacts = {
  readonly requestKind: RequestKind;
  readonly gate: Gate;
  readonly isOpen: boolean;
  /** The request was not sent to a model and will not be. */
  readonly isUnsent: boolean;
  /** The review is open and the tool has not run. */
  readonly isAhead: boolean;
  readonly associationConfidence: AssociationConfidence;
  /** The rule's juror had people asked. Outside of its bounds they are asked as without it. */
  readonly isRaised: boolean;
  readonly serving: Serving;
  /** US dollars; null where there is no price, or none is known. */
  readonly cost: { readonly kind: "atMost" | "was"; readonly usd: number } | null;
  /** The model that was asked for by name; null at the response gate. */
  readonly namedModel: NamedModel | null;
  /** The form that the reply must have. */
  readonly replyForm: "json" | "jsonSchema" | null;
  /** Texts that become vectors, and their vectors; null for other kinds of request. */
  readonly embedding: { readonly texts: number; readonly vectors: ReturnType<typeof vectorsIn> } | null;
  /** The highest first. */
  readonly risks: readonly RiskNote[];
  /** The levels that occur, the highest first. */
  readonly riskCounts: readonly { readonly level: RiskLevel; readonly count: number }[];
  /** The reviewer who made the current version; null for version 1. */
  readonly editedBy: string | null;
  /** Unix milliseconds, and the time left when the view was made. */
  readonly deadline: { readonly at: number; readonly leftMs: number };
  /** Null where one approval is enough. */
  readonly quorum: { readonly needed: number; readonly votes: number } | null;
  /** Why this reviewer cannot approve; they may still deny. */
  readonly bar: OwnWhy | "voted" | null;
  /**
   * Whether the server or client is told the reason of a denial; null where the view does not say.
   */
  readonly reason: { readonly of: "server" | "client"; readonly isTold: boolean } | null;
};

const tasks: ReadonlyMap<string, RequestKind> = new Map([
  ["translation", "translation"],
  ["function_call", "functionChoice"],
  ["multimodal_generation", "multimodal"],
]);

/**
 * The kind of request decides first: a tool's run is an action whatever its requestor is called.
 */
export function requestKindOf({
  requestor,
  request,
}: {
  readonly requestor: ReviewView["requestor"];
  readonly request: SubjectRequest;
}): RequestKind {
  if (isForm(request) && request.url !== undefined) return "address";
  if (request.kind !== "chat") return request.kind;
  if (requestor.provenance !== "own") return "sampling";
  return tasks.get(requestor.name) ?? "text";
}

/** Whether an MCP server asks, and not the client itself. */
export const isFromServer = ({ requestKind }: Pick<ReviewFacts, "requestKind">): boolean =>
  requestKind === "sampling" || isQuestion({ requestKind });

/** Whether a person answers, and nobody else. */
export const isQuestion = ({ requestKind }: Pick<ReviewFacts, "requestKind">): boolean =>
  requestKind === "form" || requestKind === "address";

/** The names of the models that may answer, in order, or of the tool that runs; none for a form. */
export function answerersOf(view: ReviewView): string[] {
  if (view.subject === "toolCall") return [toolName(view.request)];
  return view.subject === "message" ? view.models.map(({ id }) => id) : [];
}

export type OpenState = Extract<ReviewState, { kind: "open" | "voted" }>;

/** Whether a reviewer may still decide it. */
export const isOpen = (state: ReviewState): state is OpenState => state.kind === "open" || state.kind === "voted";

/** Whether the review is open and the tool has not run. */
export const isAhead = (view: Pick<ReviewView, "gate" | "state" | "subject">): boolean =>
  isOpen(view.state) && !(view.gate === "response" && view.subject === "toolCall");

/** What is known of the call, where the review is about one. */
export const callIn = (view: ReviewView): CallInReview => (view.subject === "toolCall" ? view : {});

function isAskedByJuror(view: ReviewView): boolean {
  const { raised } = callIn(view);
  return raised !== undefined && raised.why !== "outOfBounds";
}

const levels = ["high", "medium", "low"] as const satisfies readonly RiskLevel[];

export function reviewFacts(view: ReviewView): ReviewFacts {
  const { gate, state, requestor, quorum } = view;
  const requestKind = requestKindOf(view);
  const open = isOpen(state);
  const risks = levels.flatMap((level) => view.risks.filter((risk) => risk.level === level));
  const message = view.subject === "message" ? view : null;
  const format = message?.request.responseFormat;
  return {
    requestKind,
    gate,
    isOpen: open,
    isUnsent: gate === "request" && !open && state.kind !== "approved",
    isAhead: isAhead(view),
    associationConfidence: requestor.evidence ?? requestor.provenance,
    isRaised: isAskedByJuror(view),
    serving: servingOf(view),
    cost: costOf(view),
    namedModel: gate === "request" ? (message?.request.namedModel ?? null) : null,
    replyForm: format === undefined ? null : format.schema === undefined ? "json" : "jsonSchema",
    embedding:
      message?.request.kind === "embedding"
        ? { texts: message.request.messages.length, vectors: message.reply === null ? [] : vectorsIn(message.reply) }
        : null,
    risks,
    riskCounts: levels.flatMap((level) => {
      const count = risks.filter((risk) => risk.level === level).length;
      return count === 0 ? [] : [{ level, count }];
    }),
    editedBy: view.versions.find(({ version }) => version === view.version)?.by ?? null,
    deadline: { at: view.deadlineAt, leftMs: view.deadlineAt - view.now },
    quorum: quorum > 1 ? { needed: quorum, votes: state.kind === "voted" ? state.votes : 0 } : null,
    bar:
      view.mayApprove === false
        ? gate === "response" && view.written?.by === view.reviewer
          ? "ownReply"
          : "ownRequest"
        : (view.ownVote ?? null) !== null
          ? "voted"
          : null,
    reason: view.tellReason === undefined ? null : { of: isFromServer({ requestKind }) ? "server" : "client", isTold: view.tellReason },
  };
}

function servingOf(view: ReviewView): Serving {
  const { gate } = view;
  if (view.subject === "toolCall") {
    const { request: call, reply, differing } = view;
    const since = differing === undefined ? {} : { differing };
    return gate === "request" ? { kind: "runs", call, ...since } : { kind: "ran", call, isError: reply?.isError === true };
  }
  if (view.subject !== "message") return { kind: "nobody" };
  const { models, answeredBy, reply, written = null } = view;
  if (written !== null) return { kind: "written", by: written.by };
  if (gate === "request") return { kind: "goesTo", models };
  return { kind: "answered", by: answeredBy, realName: reply?.model ?? "", stopReason: reply?.stopReason };
}

function costOf(view: ReviewView): ReviewFacts["cost"] {
  if (view.subject !== "message") return null;
  const { gate, worstCostUsd, costUsd, written = null } = view;
  if (written !== null) return { kind: "was", usd: 0 };
  if (gate === "request") return { kind: "atMost", usd: worstCostUsd };
  return costUsd === null ? null : { kind: "was", usd: costUsd };
}

/**
 * Who answers, in a word: a model's id, a tool or a person. `chosen`: the model that is chosen on
 * the page.
 */
export const servedBy = ({ serving }: ReviewFacts, chosen?: string): string => {
  switch (serving.kind) {
    case "goesTo":
      return serving.models.find(({ id }) => id === chosen)?.id ?? serving.models[0]?.id ?? "";
    case "runs":
    case "ran":
      return toolName(serving.call);
    case "nobody":
      return "";
    case "written":
      return serving.by;
    case "answered":
      return serving.by?.id ?? serving.realName;
  }
};
