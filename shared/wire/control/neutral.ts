// From an envelope to the neutral request of the pipeline: one for each task. A reviewer sees all
// of it, so whatever the gateway adds to a prompt is added here and nowhere later.

import type { ChatRequest, EmbeddingRequest, ToolDefinition } from "../../model/sampling.ts";
import type { ControlTask, Envelope, Turn } from "./envelope.ts";
import { jsonSentence } from "../json-sentence.ts";
import { joinPrompt, namedModelOf } from "../asked.ts";

type OfType<T extends ControlTask["type"]> = Extract<ControlTask, { type: T }>;
type EnvelopeOf<T extends ControlTask["type"]> = Pick<Envelope, "model" | "context"> & { readonly task: OfType<T> };

type ImageBytes = { readonly data: string; readonly mimeType: string };

/**
 * The turns before this one: those stored for the session, and those of the request, oldest first.
 */
type Before = { readonly history: readonly Turn[] };

/** A model that chooses a function writes its arguments and little else. */
const choiceTokens = 2_048;

/**
 * Text or multimodal generation: the history as it is, then the images and the prompt as one user
 * message. System messages, wherever they stand, are joined to the system prompt in order;
 * `response_format: json` adds a sentence to its end.
 */
export function generationRequest(
  { task, model, context }: EnvelopeOf<"text_generation" | "multimodal_generation">,
  { history, images = [] }: Before & { readonly images?: readonly ImageBytes[] },
): ChatRequest {
  const wantsJson = task.responseFormat === "json";
  const systemPrompt = systemPromptOf(context.systemPrompt, history, wantsJson ? jsonSentence : undefined);
  return {
    kind: "chat",
    ...namedModelOf(model),
    messages: [
      ...messagesOf(history),
      {
        role: "user",
        content: [...images.map(({ data, mimeType }) => ({ type: "image" as const, data, mimeType })), { type: "text", text: task.prompt }],
      },
    ],
    ...(systemPrompt !== undefined && { systemPrompt }),
    maxTokens: task.maxTokens,
    ...(task.temperature !== undefined && { temperature: task.temperature }),
    ...(task.topP !== undefined && { topP: task.topP }),
    ...(task.topK !== undefined && { topK: task.topK }),
    ...(task.stop !== undefined && { stopSequences: [...task.stop] }),
    ...(wantsJson && { responseFormat: { type: "json" as const } }),
  };
}

/** One message for each text, in order, and one vector for each in the reply. */
export const embeddingRequest = ({ task, model }: EnvelopeOf<"embedding">): EmbeddingRequest => ({
  kind: "embedding",
  ...namedModelOf(model),
  messages: task.texts.map((text) => ({ role: "user", content: [{ type: "text", text }] })),
});

/** A model chooses one or more of the functions, for the prompt or the history. */
export function choiceRequest({ task, model, context }: EnvelopeOf<"function_call">, { history }: Before): ChatRequest {
  const systemPrompt = systemPromptOf(context.systemPrompt, history);
  return {
    kind: "chat",
    ...namedModelOf(model),
    messages: [
      ...messagesOf(history),
      ...(task.prompt === undefined ? [] : [{ role: "user" as const, content: [{ type: "text" as const, text: task.prompt }] }]),
    ],
    ...(systemPrompt !== undefined && { systemPrompt }),
    maxTokens: choiceTokens,
    tools: task.functions.map(toTool),
    toolChoice: "required",
  };
}

/** A tool's schema must have `type`; the parser has refused any other than this. */
const toTool = ({ name, description, parameters }: OfType<"function_call">["functions"][number]): ToolDefinition => ({
  name,
  ...(description !== undefined && { description }),
  inputSchema: { ...parameters, type: "object" },
});

function messagesOf(history: readonly Turn[]): ChatRequest["messages"] {
  return history.flatMap(({ role, content }) => (role === "system" ? [] : [{ role, content: [{ type: "text", text: content }] }]));
}

const systemPromptOf = (own: string | undefined, history: readonly Turn[], last?: string): string | undefined =>
  joinPrompt([own, ...history.flatMap(({ role, content }) => (role === "system" ? [content] : [])), last]);
