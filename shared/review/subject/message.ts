// A sampling request and a model's reply as they are reviewed.

import { fits } from "../../json/fields.ts";
import {
  type Message,
  type PdfBlock,
  type ReplyBlock,
  type SaidBlock,
  type SamplingReply,
  type SamplingRequest,
  type ToolDefinition,
  samplingReply,
  samplingRequest,
} from "../../model/sampling.ts";
import { walkResultContent } from "../../model/subject/tool-call.ts";
import { type Walk, blanking } from "../../model/subject/walk.ts";
import { type Part, fieldsBy } from "./part.ts";

const rewritePdf = (pdf: PdfBlock, path: string, rewrite: Walk): PdfBlock =>
  pdf.name === undefined ? pdf : { ...pdf, name: rewrite.fixedText(`${path}/name`, pdf.name) };

function rewriteBlock(block: SaidBlock, path: string, rewrite: Walk): SaidBlock {
  switch (block.type) {
    case "text":
      return { ...block, text: rewrite.text(`${path}/text`, block.text) };
    case "tool_use":
      return { ...block, input: rewrite.object(`${path}/input`, block.input) };
    case "tool_result": {
      const content = block.content.map((each, k) => walkResultContent(each, `${path}/content/${k}`, rewrite));
      if (block.structuredContent === undefined) return { ...block, content };
      return { ...block, content, structuredContent: rewrite.object(`${path}/structuredContent`, block.structuredContent) };
    }
    case "image":
    case "audio":
      return block;
  }
}

function rewriteTool(tool: ToolDefinition, path: string, rewrite: Walk): ToolDefinition {
  const { description, ...rest } = tool;
  const text = description === undefined ? undefined : rewrite.optionalText(`${path}/description`, description);
  return text === undefined ? rest : { ...rest, description: text };
}

/** The request with each editable field rewritten, in the page's order. */
function rewriteRequest(request: SamplingRequest, rewrite: Walk): SamplingRequest {
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

const rewriteMessages = (messages: readonly Message[], rewrite: Walk): Message[] =>
  messages.map((message, i) => ({
    ...message,
    content: message.content.map((block, j) => {
      const path = `/messages/${i}/content/${j}`;
      return block.type === "pdf" ? rewritePdf(block, path, rewrite) : rewriteBlock(block, path, rewrite);
    }),
  }));

function rewriteReplyBlock(block: ReplyBlock, path: string, rewrite: Walk): ReplyBlock {
  if (block.type === "text") return { ...block, text: rewrite.text(`${path}/text`, block.text) };
  if (block.type === "tool_use" || block.type === "tool_result") return rewriteBlock(block, path, rewrite);
  return block;
}

/** The reply with each text and each tool input rewritten. */
const rewriteReply = (reply: SamplingReply, rewrite: Walk): SamplingReply => ({
  ...reply,
  content: reply.content.map((block, i) => rewriteReplyBlock(block, `/content/${i}`, rewrite)),
});

/** Stop sequences as one field: removing the first of three is one change, not three. */
function withStopsTogether(request: SamplingRequest): Map<string, string> {
  const fields = new Map([...fieldsBy(rewriteRequest, request)].filter(([path]) => !path.startsWith("/stopSequences/")));
  const { stopSequences } = request;
  if (stopSequences !== undefined) fields.set("/stopSequences", stopSequences.map((stop) => JSON.stringify(stop)).join("\n"));
  return fields;
}

const withoutStops = (request: SamplingRequest): SamplingRequest => (request.kind === "chat" ? { ...request, stopSequences: [] } : request);

export const messageRequest: Part<SamplingRequest> = {
  rewrite: rewriteRequest,
  fits: (value) => fits(samplingRequest, value),
  mayBeEmptied: false,
  invalid: "invalidRequest",
  compared: (request) => ({ fields: withStopsTogether(request), rest: rewriteRequest(withoutStops(request), blanking) }),
};

export const messageReply: Part<SamplingReply> = {
  rewrite: rewriteReply,
  fits: (value) => fits(samplingReply, value),
  mayBeEmptied: true,
  invalid: "invalidReply",
};
