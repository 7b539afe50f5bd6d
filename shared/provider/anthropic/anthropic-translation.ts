// Our neutral call as parameters of Anthropic's Messages API, and its answer as a neutral reply. No
// network, no key.

import { isObject, type Members } from "../../json/values.ts";
import type { ModelCall } from "../model-call.ts";
import type Anthropic from "@anthropic-ai/sdk";
import { err, type Result } from "../../result.ts";
import type { Block, Message, ReplyBlock, ToolChoice, ToolDefinition, ToolResultBlock } from "../../model/sampling.ts";
import type { AnswerFault, ModelReply, Note, ProviderError, Usage } from "../../model/call.ts";
import { isBlank } from "../provider-rules.ts";
import { brokenAnswer } from "../provider-error.ts";
import { type ParamBlock, type Prompt, withCacheBreakpoints } from "./cache-breakpoints.ts";
import { imageType } from "../../model/media.ts";
import { countedUsage, isCount, isJsonObject } from "../narrow.ts";
import { mayUseTools, metadataFor, stopSequencesFor, temperatureFor, toolsFor, topKFor, topPFor } from "../parameters.ts";
import { finishReply } from "../reply.ts";
import { resultParts, type ResultPart } from "../tool-result.ts";
import { toolNames, toolUseIds, type WireNames } from "../wire-names.ts";

type MediaParam = Anthropic.TextBlockParam | Anthropic.ImageBlockParam;

/**
 * Sampling parameters exist in API version 2023-06-01 only: a call that has one must be sent as
 * that version.
 */
type Sampling = { temperature?: number; top_p?: number; top_k?: number };
export type AnthropicParams = Anthropic.MessageCreateParamsNonStreaming & Sampling;

const samplingParameters: readonly (keyof Sampling)[] = ["temperature", "top_p", "top_k"];

/**
 * What is sent as `anthropic-version`: the version of the types that these parameters have, or the
 * last that knows sampling parameters.
 */
export const anthropicVersion = (params: object): string =>
  samplingParameters.some((name) => name in params) ? "2023-06-01" : "2026-10-21";

/**
 * The parameters for one call of `POST /v1/messages`, and what the protocol let us change or leave
 * out. The request must be one that `cannotCarry` lets through. Consecutive messages of one role
 * stay as they are: the API joins them itself.
 */
export function toAnthropic(call: ModelCall): { params: AnthropicParams; notes: Note[] } {
  const { request, candidate } = call;
  const { model } = candidate;
  const notes: Note[] = [];
  const temperature = temperatureFor(request, model, 1, notes);
  // Of the models that still take sampling parameters, the newer ones refuse these two together.
  const topP = topPFor(request, model, temperature !== undefined, notes);
  const topK = topKFor(request, !model.omits.includes("topK"), notes);
  const stop = stopSequencesFor(request, model, { most: Infinity, takes: (sequence) => sequence.trim() !== "" }, notes);
  const metadata = metadataFor(request, model, notes);
  const { tools, choice } = toolsFor(request, model, notes);
  const effort = efforts.find((word) => word === model.reasoningEffort);
  const names = toolNames(request);
  const ids = toolUseIds(request);
  const prompt: Prompt = {
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toolOf(tool, names)) }),
    ...(request.systemPrompt?.trim() ? { system: request.systemPrompt } : {}),
    messages: request.messages.map((message, index) => ({
      role: message.role,
      content: contentOf(message, index === request.messages.length - 1, names, ids),
    })),
  };
  const params: AnthropicParams = {
    model: model.name,
    max_tokens: request.maxTokens,
    ...(model.promptCache ? withCacheBreakpoints(prompt) : prompt),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(stop === undefined ? {} : { stop_sequences: stop }),
    ...(metadata === undefined ? {} : { metadata }),
    ...toolChoiceOf(choice, tools.length > 0 && request.parallelToolCalls === false),
    ...(model.thinking === undefined ? {} : { thinking: { type: model.thinking } }),
    // `output_config.format` is not sent for a `responseFormat`: it has no JSON without a schema,
    // takes a part of JSON Schema only, and answers the rest with 400. The system prompt asks for
    // the JSON, and the reply is checked like every provider's.
    ...(effort === undefined ? {} : { output_config: { effort } }),
  };
  return { params, notes };
}

/** The API has the limit to one tool call as a part of the choice. */
function toolChoiceOf(choice: ToolChoice | undefined, isSingle: boolean): Pick<AnthropicParams, "tool_choice"> {
  const single = isSingle ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined) return isSingle ? { tool_choice: { type: "auto", ...single } } : {};
  return { tool_choice: choice === "none" ? { type: choice } : { type: choice === "required" ? "any" : choice, ...single } };
}

/**
 * The efforts that this API knows; the table's others (`none`, `minimal`) belong to other APIs and
 * are not sent.
 */
const efforts = ["low", "medium", "high", "xhigh", "max"] as const;

const toolOf = (tool: ToolDefinition, names: WireNames): Anthropic.Tool => ({
  name: names.to(tool.name),
  ...(tool.description === undefined ? {} : { description: tool.description }),
  input_schema: { ...tool.inputSchema, type: "object" },
});

/**
 * Leaves out blank text, which the API refuses beside other blocks, and white space at the end of
 * the last assistant message.
 */
function contentOf(message: Message, last: boolean, names: WireNames, ids: WireNames): ParamBlock[] {
  const filled = message.content.filter((block) => !isBlank(block));
  const blocks = filled.flatMap((block): ParamBlock[] => blockOf(block, names, ids));
  // The API wants all results first: media of failed results, and any other block, follow them.
  const results = blocks.filter((block) => block.type === "tool_result");
  const ordered = results.length === 0 ? blocks : [...results, ...blocks.filter((block) => block.type !== "tool_result")];
  const end = ordered.at(-1);
  if (last && message.role === "assistant" && end?.type === "text")
    return [...ordered.slice(0, -1), { type: "text", text: end.text.trimEnd() }];
  return ordered;
}

function blockOf(block: Block, names: WireNames, ids: WireNames): ParamBlock[] {
  switch (block.type) {
    case "tool_use":
      return [{ type: "tool_use", id: ids.to(block.id), name: names.to(block.name), input: block.input }];
    case "tool_result":
      return resultOf(block, ids.to(block.toolUseId));
    case "pdf": {
      const { data, name: title } = block;
      const source = { type: "base64" as const, media_type: "application/pdf" as const, data };
      return [{ type: "document", source, ...(title === undefined ? {} : { title }) }];
    }
    default:
      return [mediaOf(block)];
  }
}

/**
 * A failed result may have text only (the API answers 400 otherwise): its images follow the
 * results, after a line that names the call.
 */
function resultOf(result: ToolResultBlock, id: string): ParamBlock[] {
  const parts = resultParts(result).filter((part) => !isBlank(part));
  const failed = result.isError === true;
  const inside = failed ? parts.filter((part) => part.type === "text") : parts;
  const outside = failed ? parts.filter((part) => part.type !== "text") : [];
  return [
    {
      type: "tool_result",
      tool_use_id: id,
      ...(inside.length === 0 ? {} : { content: inside.map(mediaOf) }),
      ...(result.isError === undefined ? {} : { is_error: result.isError }),
    },
    ...(outside.length === 0 ? [] : [{ type: "text" as const, text: `Images of the result of tool call ${id}:` }, ...outside.map(mediaOf)]),
  ];
}

function mediaOf(part: ResultPart): MediaParam {
  if (part.type === "text") return { type: "text", text: part.text };
  const type = part.type === "image" ? imageType(part.mimeType) : undefined;
  if (type === undefined) throw new Error("toAnthropic: content that cannotCarry refuses");
  return { type: "image", source: { type: "base64", media_type: type, data: part.data } };
}

const stopReasons = new Map([
  ["end_turn", "endTurn"],
  ["stop_sequence", "stopSequence"],
  ["max_tokens", "maxTokens"],
  ["tool_use", "toolUse"],
]);

/**
 * The neutral reply in a parsed answer with status 200, or a `brokenAnswer`: no message, a block
 * that we do not know (leaving it out would deliver something else than was said), a tool use
 * without tools or without arguments, a stop for tools without any, an empty reply that does not
 * say why it is empty. Thinking is not part of the reply. Never throws.
 */
export function fromAnthropic(response: unknown, call: ModelCall): Result<ModelReply, ProviderError> {
  if (!isObject(response)) return err(brokenAnswer("notJson"));
  if (isObject(response["error"])) return err(brokenAnswer("errorInSuccess"));
  const { content, model, stop_reason: stop } = response;
  const usage = usageOf(response["usage"]);
  const broken = (detail?: AnswerFault) => err(brokenAnswer(detail, usage));
  if (response["type"] !== "message" || !Array.isArray(content)) return broken();
  const names = toolNames(call.request);
  const blocks: ReplyBlock[] = [];
  for (const block of content) {
    if (!isObject(block)) return broken();
    if (block["type"] === "thinking" || block["type"] === "redacted_thinking") continue;
    const read = readBlock(block, names);
    if (read === undefined) return broken(block["type"] === "tool_use" ? "toolArguments" : undefined);
    if (read.type === "tool_use" && !mayUseTools(call.request)) return broken();
    blocks.push(read);
  }
  if (stop === "tool_use" && !blocks.some((block) => block.type === "tool_use")) return broken("empty");
  if (blocks.length === 0 && typeof stop !== "string") return broken("empty");
  return finishReply(call, {
    content: blocks,
    model: typeof model === "string" && model !== "" ? model : call.candidate.model.name,
    ...(typeof stop === "string" ? { stopReason: stopReasons.get(stop) ?? stop } : {}),
    ...(usage === undefined ? {} : { usage }),
  });
}

function readBlock(block: Members, names: WireNames): ReplyBlock | undefined {
  const { type, text, id, name, input } = block;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string" || !isJsonObject(input)) return undefined;
  return { type: "tool_use", id, name: names.from(name), input };
}

/**
 * All input tokens, also those written to and read from a cache: their price differs, but they are
 * input.
 */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const { input_tokens: input, output_tokens: output, cache_creation_input_tokens: written, cache_read_input_tokens: read } = usage;
  if (!isCount(input) || !isCount(output)) return undefined;
  const total = input + (isCount(written) ? written : 0) + (isCount(read) ? read : 0);
  return countedUsage(total, output, { read, written });
}
