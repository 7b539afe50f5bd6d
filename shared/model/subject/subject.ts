// What is reviewed: a message of a model, a call of a tool, or a form. Each has a request, which a
// person may see and change before it goes on, and a reply, which a person may see and change
// before it is delivered.

import type { SamplingReply, SamplingRequest } from "../sampling.ts";
import { type Form, type FormAnswer, walkForm, walkFormAnswer } from "./form.ts";
import { type ToolCall, type ToolResult, walkToolCall, walkToolResult } from "./tool-call.ts";
import type { Walk } from "./walk.ts";

/** Each kind of subject with its request and its reply. */
export type Subjects = {
  readonly message: { readonly request: SamplingRequest; readonly reply: SamplingReply };
  readonly toolCall: { readonly request: ToolCall; readonly reply: ToolResult };
  readonly form: { readonly request: Form; readonly reply: FormAnswer };
};
export type SubjectKind = keyof Subjects;
export type SubjectRequest = Subjects[SubjectKind]["request"];
export type SubjectReply = Subjects[SubjectKind]["reply"];

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

/** The contents of every subject but messages: a walk knows all of their places. */
export type Plain = Exclude<Content, Subjects["message"]["request" | "reply"]>;

/** What the words for a place depend on. */
export type ContentKind = SubjectRequest["kind"] | Plain["kind"];

type PlainOf<Kind extends Plain["kind"]> = Extract<Plain, { readonly kind: Kind }>;
const walks: { readonly [Kind in Plain["kind"]]: (content: PlainOf<Kind>, walk: Walk) => PlainOf<Kind> } = {
  toolCall: walkToolCall,
  toolResult: walkToolResult,
  form: walkForm,
  formAnswer: walkFormAnswer,
};

export const isPlain = (content: Content): content is Plain => "kind" in content && content.kind in walks;

/** The content with what the walk returns at each of its places. */
export const walkPlain = <T extends Plain>(content: T, walk: Walk): T =>
  (walks[content.kind] as (content: Plain, walk: Walk) => Plain)(content, walk) as T; // the walk of its own kind
