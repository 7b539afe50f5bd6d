// The adapter of each kind of content. A kind that is missing does not compile.

import type { Content, Form, FormAnswer, ToolCall, ToolResult } from "../../model/subject.ts";
import type { SamplingReply, SamplingRequest } from "../../model/sampling.ts";
import { formReply, formRequest } from "./form.ts";
import { messageReply, messageRequest } from "./message.ts";
import { type Part, fieldsBy } from "./part.ts";
import { toolCallRequest, toolCallResult } from "./tool-call.ts";

type Contents = {
  readonly request: SamplingRequest;
  readonly reply: SamplingReply;
  readonly toolCall: ToolCall;
  readonly toolResult: ToolResult;
  readonly form: Form;
  readonly formAnswer: FormAnswer;
};

const parts: { readonly [Kind in keyof Contents]: Part<Contents[Kind]> } = {
  request: messageRequest,
  reply: messageReply,
  toolCall: toolCallRequest,
  toolResult: toolCallResult,
  form: formRequest,
  formAnswer: formReply,
};

function kindOf(content: Content): keyof Contents {
  if (!("kind" in content)) return "reply";
  return content.kind === "chat" || content.kind === "embedding" ? "request" : content.kind;
}

export const partOf = <T extends Content>(content: T): Part<T> => parts[kindOf(content)] as Part<T>; // of the kind that `kindOf` found

/** Each editable field's text by its path, before any change. */
export const fieldsOf = <T extends Content>(content: T): Map<string, string> => fieldsBy(partOf(content).rewrite, content);
