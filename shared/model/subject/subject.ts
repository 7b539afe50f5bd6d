// What is reviewed: a message of a model, a call of a tool, or a form. Each has a request, which a
// person may see and change before it goes on, and a reply, which a person may see and change
// before it is delivered.

import type { SamplingReply, SamplingRequest } from "../sampling.ts";
import type { Field } from "../../json/fields.ts";
import { type Form, type FormAnswer, form, formAnswer, walkForm, walkFormAnswer } from "./form.ts";
import { type ToolCall, type ToolResult, toolCall, toolResult, walkToolCall, walkToolResult } from "./tool-call.ts";
import type { Walk } from "./walk.ts";

/** Each kind of subject with its request and its reply. */
export type Subjects = {
  readonly message: { readonly request: SamplingRequest; readonly reply: SamplingReply };
  readonly toolCall: { readonly request: ToolCall; readonly reply: ToolResult };
  readonly form: { readonly request: Form; readonly reply: FormAnswer };
};
export type SubjectKind = keyof Subjects;

type SubjectFacts = {
  /**
   * What is done between its reviews. `model`, `tool`: it is called, a tool also by whoever asks.
   * `answer`: nothing; what a person enters is its reply. `caller`: whoever asks does it
   * themselves, and nothing of it comes back.
   */
  readonly act: "model" | "tool" | "answer" | "caller";
  /** The method of MCP that asks for it; null where its request says that, or none does. */
  readonly method: string | null;
  /** Its owner approves their own, where the rule does not say who may. */
  readonly selfApproval: boolean;
};

/** What is to be known of each kind wherever it is held. */
const subjects = {
  message: { act: "model", method: null, selfApproval: true },
  // Who reviews a call is another person than the one who makes it.
  toolCall: { act: "tool", method: "tools/call", selfApproval: false },
  form: { act: "answer", method: "elicitation/create", selfApproval: true },
} as const satisfies Readonly<Record<SubjectKind, SubjectFacts>>;
export const subjectKinds = Object.keys(subjects) as readonly SubjectKind[]; // its own names

export const factsOf = (kind: SubjectKind): SubjectFacts => subjects[kind];

export type SubjectRequest = Subjects[SubjectKind]["request"];
export type SubjectReply = Subjects[SubjectKind]["reply"];

/** What whoever asks may do themselves, once it is approved. */
export type Releasable = {
  [Kind in SubjectKind]: (typeof subjects)[Kind]["act"] extends "tool" | "caller" ? Subjects[Kind]["request"] : never;
}[SubjectKind];

/**
 * One version of what is sent: the request, and the ids of the models that it may go to, in order;
 * none where no model answers it.
 */
export type RequestVersion = { readonly request: SubjectRequest; readonly models: readonly string[] };

/** One part of a subject: what an edit, a warning or a mask is about. */
export type Content = SubjectRequest | SubjectReply;

/** What a model is asked for: chat and embeddings are messages. */
export const isMessage = (request: SubjectRequest): request is SamplingRequest => request.kind === "chat" || request.kind === "embedding";

export const isForm = (request: SubjectRequest): request is Form => request.kind === "form";

export const isToolCall = (request: SubjectRequest): request is ToolCall => request.kind === "toolCall";

export const subjectOf = (request: SubjectRequest): SubjectKind => (isMessage(request) ? "message" : request.kind);

export function isReleasableKind(kind: SubjectKind): boolean {
  const { act } = factsOf(kind);
  return act === "tool" || act === "caller";
}

export const isReleasable = (request: SubjectRequest): request is Releasable => isReleasableKind(subjectOf(request));

/** The contents of every subject but messages: a walk knows all of their places. */
export type Plain = Exclude<Content, Subjects["message"]["request" | "reply"]>;

/** What the words for a place depend on. */
export type ContentKind = SubjectRequest["kind"] | Plain["kind"];

type PlainOf<Kind extends Plain["kind"]> = Extract<Plain, { readonly kind: Kind }>;

type ContentAdapter<Kind extends Plain["kind"]> = {
  readonly schema: Field<PlainOf<Kind>>;
  readonly walk: (content: PlainOf<Kind>, walk: Walk) => PlainOf<Kind>;
  /** It is what came of a request. */
  readonly isReply: boolean;
  /** What an excerpt calls its texts. */
  readonly source: string;
  readonly of: PlainSubject;
};

/** Every subject but messages. */
type PlainSubject = Exclude<SubjectKind, "message">;

const contents = {
  toolCall: { schema: toolCall, walk: walkToolCall, isReply: false, source: "arguments", of: "toolCall" },
  toolResult: { schema: toolResult, walk: walkToolResult, isReply: true, source: "result", of: "toolCall" },
  form: { schema: form, walk: walkForm, isReply: false, source: "form", of: "form" },
  formAnswer: { schema: formAnswer, walk: walkFormAnswer, isReply: true, source: "answer", of: "form" },
} as const satisfies { readonly [Kind in Plain["kind"]]: ContentAdapter<Kind> };

export type PlainSource = (typeof contents)[Plain["kind"]]["source"];

export const isPlain = (content: Content): content is Plain => "kind" in content && isPlainKind(content.kind);

const isPlainKind = (kind: ContentKind): kind is Plain["kind"] => kind in contents;

/** The subject that a content of this kind is of; null of a message's. */
export const plainSubjectOf = (kind: ContentKind): PlainSubject | null => (isPlainKind(kind) ? contents[kind].of : null);

export const adapterOf = ({ kind }: Plain) => contents[kind];

/** The content with what the walk returns at each of its places. */
export const walkPlain = <T extends Plain>(content: T, walk: Walk): T =>
  (contents[content.kind].walk as (content: Plain, walk: Walk) => Plain)(content, walk) as T; // the walk of its own kind
