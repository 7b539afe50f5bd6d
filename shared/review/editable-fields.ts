// Every field of a request or a reply that a reviewer may change, each under its JSON pointer. One
// walk serves the form, the edits and the differences, so that all of them know the same fields.

import type { JsonObject } from "../encoding.ts";
import type { Message, ReplyBlock, SamplingReply, SamplingRequest, ToolDefinition, ToolResultBlock } from "../model/sampling.ts";

type Block = Message["content"][number];
type ResultContent = ToolResultBlock["content"][number];

/** What the walk puts in place of each field. `undefined` leaves the field out. */
export type Rewrite = {
  text(path: string, value: string): string;
  optionalText(path: string, value: string): string | undefined;
  object(path: string, value: JsonObject): JsonObject;
  /** A limit in tokens. */
  limit(path: string, value: number): number;
  number(path: string, value: number): number | undefined;
};

function rewriteResultContent(content: ResultContent, path: string, rewrite: Rewrite): ResultContent {
  if (content.type === "text") return { ...content, text: rewrite.text(`${path}/text`, content.text) };
  if (content.type === "resource" && "text" in content.resource) {
    return { ...content, resource: { ...content.resource, text: rewrite.text(`${path}/resource/text`, content.resource.text) } };
  }
  return content;
}

function rewriteBlock(block: Block, path: string, rewrite: Rewrite): Block {
  switch (block.type) {
    case "text":
      return { ...block, text: rewrite.text(`${path}/text`, block.text) };
    case "tool_use":
      return { ...block, input: rewrite.object(`${path}/input`, block.input) };
    case "tool_result": {
      const content = block.content.map((each, k) => rewriteResultContent(each, `${path}/content/${k}`, rewrite));
      if (block.structuredContent === undefined) return { ...block, content };
      return { ...block, content, structuredContent: rewrite.object(`${path}/structuredContent`, block.structuredContent) };
    }
    case "image":
    case "audio":
      return block;
  }
}

function rewriteTool(tool: ToolDefinition, path: string, rewrite: Rewrite): ToolDefinition {
  const { description, ...rest } = tool;
  const text = description === undefined ? undefined : rewrite.optionalText(`${path}/description`, description);
  return text === undefined ? rest : { ...rest, description: text };
}

/** The request with each editable field rewritten, in the page's order. */
export function rewriteRequest(request: SamplingRequest, rewrite: Rewrite): SamplingRequest {
  if (request.kind !== "chat") return { ...request, messages: rewriteMessages(request.messages, rewrite) };
  const { systemPrompt, temperature, stopSequences, tools, ...rest } = request;
  const prompt = systemPrompt === undefined ? undefined : rewrite.optionalText("/systemPrompt", systemPrompt);
  const messages = rewriteMessages(request.messages, rewrite);
  const newTools = tools?.map((tool, i) => rewriteTool(tool, `/tools/${i}`, rewrite));
  const maxTokens = rewrite.limit("/maxTokens", request.maxTokens);
  const degree = temperature === undefined ? undefined : rewrite.number("/temperature", temperature);
  const stops = stopSequences?.flatMap((stop, i) => rewrite.optionalText(`/stopSequences/${i}`, stop) ?? []);
  return {
    ...rest,
    messages,
    maxTokens,
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    ...(degree === undefined ? {} : { temperature: degree }),
    // A list that the reviewer emptied is left out; a list that was empty before stays.
    ...(stops === undefined || (stops.length === 0 && stopSequences?.length !== 0) ? {} : { stopSequences: stops }),
    ...(newTools === undefined ? {} : { tools: newTools }),
  };
}

const rewriteMessages = (messages: readonly Message[], rewrite: Rewrite): Message[] =>
  messages.map((message, i) => ({
    ...message,
    content: message.content.map((block, j) => rewriteBlock(block, `/messages/${i}/content/${j}`, rewrite)),
  }));

function rewriteReplyBlock(block: ReplyBlock, path: string, rewrite: Rewrite): ReplyBlock {
  if (block.type === "text") return { ...block, text: rewrite.text(`${path}/text`, block.text) };
  if (block.type === "tool_use" || block.type === "tool_result") return rewriteBlock(block, path, rewrite);
  return block;
}

/** The reply with each text and each tool input rewritten. */
export const rewriteReply = (reply: SamplingReply, rewrite: Rewrite): SamplingReply => ({
  ...reply,
  content: reply.content.map((block, i) => rewriteReplyBlock(block, `/content/${i}`, rewrite)),
});

/** An object as the JSON text that a form has for editing. */
export const objectText = (value: JsonObject): string => JSON.stringify(value, null, 2);

function collector(fields: Map<string, string>): Rewrite {
  const keep =
    <T extends string | number | JsonObject>(show: (value: T) => string) =>
    (path: string, value: T): T => {
      fields.set(path, show(value));
      return value;
    };
  const text = keep<string>((value) => value);
  const number = keep<number>(String);
  return { text, optionalText: text, object: keep<JsonObject>(objectText), limit: number, number };
}

/** Each editable field's text by its path, before any change. */
export function requestFields(request: SamplingRequest): Map<string, string> {
  const fields = new Map<string, string>();
  rewriteRequest(request, collector(fields));
  return fields;
}

/** The same for a reply. */
export function replyFields(reply: SamplingReply): Map<string, string> {
  const fields = new Map<string, string>();
  rewriteReply(reply, collector(fields));
  return fields;
}

/** The list positions in a pointer, counted from one. */
export const ordinalsIn = (path: string): number[] => [...path.matchAll(/\/(\d+)/g)].map((match) => Number(match[1]) + 1);
