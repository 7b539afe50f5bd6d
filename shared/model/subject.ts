// What is reviewed: a message of a model, a call of a tool, or a form. Each has a request, which a
// person may see and change before it goes on, and a reply, which a person may see and change
// before it is delivered.

import { anyObject, list, object, oneOf, tagged, text, type ReadOf } from "../json/fields.ts";
import { blockMembers, resultContents, type SamplingReply, type SamplingRequest } from "./sampling.ts";

/** An MCP server runs one of its tools with these arguments. */
export const toolCall = object({ kind: oneOf(["toolCall"]), server: text(), tool: text(), arguments: anyObject });

const { structuredContent, isError } = blockMembers.tool_result;
/** What a tool returned: `CallToolResult`, without what no client is shown. */
export const toolResult = object({
  kind: oneOf(["toolResult"]),
  content: list(tagged("type", resultContents)),
  structuredContent,
  isError,
});

/** An MCP server asks a person for values: `requestedSchema` of an elicitation in form mode. */
export const form = object({ kind: oneOf(["form"]), server: text(), message: text(), schema: anyObject });

/** What the person entered. */
export const formAnswer = object({ kind: oneOf(["formAnswer"]), content: anyObject });

export type ToolCall = ReadOf<typeof toolCall>;
export type ToolResult = ReadOf<typeof toolResult>;
export type Form = ReadOf<typeof form>;
export type FormAnswer = ReadOf<typeof formAnswer>;

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

export const isToolCall = (content: Content): content is ToolCall => "kind" in content && content.kind === "toolCall";

/** A tool as people read it: its server and its name there. */
export const toolName = ({ server, tool }: Pick<ToolCall, "server" | "tool">): string => `${server}/${tool}`;

/** What a model is asked for: chat and embeddings are messages. */
export const isMessage = (request: SubjectRequest): request is SamplingRequest => request.kind === "chat" || request.kind === "embedding";

export const subjectOf = (request: SubjectRequest): SubjectKind => (isMessage(request) ? "message" : request.kind);
