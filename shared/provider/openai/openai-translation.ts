// Our neutral call as parameters of Chat Completions (OpenAI's and every compatible server's), and
// its answer as a neutral reply. No network, no key.

import { isObject, parseJson, type Members } from "../../json/values.ts";
import type { ModelCall } from "../model-call.ts";
import type OpenAI from "openai";
import { err, type Result } from "../../result.ts";
import type {
  Message,
  PdfBlock,
  ReplyBlock,
  SamplingRequest,
  ToolDefinition,
  ToolResultBlock,
  ToolUseBlock,
} from "../../model/sampling.ts";
import type { Model } from "../../routing/table.ts";
import type { AnswerFault, ModelReply, Note, ProviderError, Usage } from "../../model/call.ts";
import { brokenAnswer } from "../provider-error.ts";
import { audioFormat, imageType } from "../../model/media.ts";
import { countedUsage, isCount, isJsonObject } from "../narrow.ts";
import { mayUseTools, metadataFor, stopSequencesFor, temperatureFor, toolsFor, topKFor, topPFor } from "../parameters.ts";
import { finishReply } from "../reply.ts";
import { resultParts, type ResultPart } from "../tool-result.ts";
import { toolNames, toolUseIds, type WireNames } from "../wire-names.ts";

/**
 * `top_k` is no parameter of OpenAI's; only servers that the routing table names for it get one.
 */
type OpenAIParams = OpenAI.ChatCompletionCreateParamsNonStreaming & { top_k?: number };
type MessageParam = OpenAI.ChatCompletionMessageParam;
type Part = OpenAI.ChatCompletionContentPart;

/**
 * The parameters for one call of `POST /chat/completions`, and what the protocol let us change or
 * leave out. The request must be one that `cannotCarry` lets through. A tool result becomes one
 * `tool` message of text; its images and sounds follow in a user message after all results, which
 * names the call they belong to.
 */
export function toOpenAI(call: ModelCall): { params: OpenAIParams; notes: Note[] } {
  const { request, candidate } = call;
  const { model } = candidate;
  const notes: Note[] = [];
  const temperature = temperatureFor(request, model, 2, notes);
  const topP = topPFor(request, model, false, notes);
  const topK = topKFor(request, model.takes?.includes("topK") === true && !model.omits.includes("topK"), notes);
  const format = formatFor(request, model, notes);
  const stop = stopSequencesFor(request, model, { most: 4, takes: (sequence) => sequence !== "" }, notes);
  const metadata = metadataFor(request, model, notes);
  const { tools, choice } = toolsFor(request, model, notes);
  const names = toolNames(request);
  const ids = toolUseIds(request);
  const params: OpenAIParams = {
    model: model.name,
    messages: [
      ...(request.systemPrompt ? [{ role: "system" as const, content: request.systemPrompt }] : []),
      ...request.messages.flatMap((message) => messagesOf(message, names, ids)),
    ],
    [model.tokenField]: request.maxTokens,
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(topK === undefined ? {} : { top_k: topK }),
    ...(format === undefined ? {} : { response_format: format }),
    ...(stop === undefined ? {} : { stop }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toolOf(tool, names)) }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(tools.length > 0 && request.parallelToolCalls !== undefined ? { parallel_tool_calls: request.parallelToolCalls } : {}),
    ...(model.reasoningEffort === undefined ? {} : { reasoning_effort: model.reasoningEffort }),
  };
  return { params, notes };
}

/**
 * The `response_format` that makes the API answer in JSON. Not strict: that takes a part of JSON
 * Schema only, and the reply is checked in any case. Without a schema the API refuses a request
 * that nowhere says "JSON", which a reviewer's edit may have removed.
 */
function formatFor(request: SamplingRequest, model: Model, notes: Note[]): OpenAIParams["response_format"] {
  const format = request.responseFormat;
  if (format === undefined) return undefined;
  const omit = (why: string): undefined => {
    notes.push({ kind: "omitted", field: "responseFormat", why: `${why} The reply is checked to be JSON all the same.` });
  };
  if (model.omits.includes("responseFormat")) return omit("This model's API cannot be told to answer in JSON.");
  if (format.schema !== undefined) return { type: "json_schema", json_schema: { name: "reply", schema: format.schema, strict: false } };
  return saysJson(request) ? { type: "json_object" } : omit("The API takes this only for a request that says JSON, and this one does not.");
}

const saysJson = ({ systemPrompt = "", messages }: SamplingRequest): boolean =>
  [systemPrompt, ...messages.flatMap(({ content }) => content.map((block) => (block.type === "text" ? block.text : "")))].some((text) =>
    /json/i.test(text),
  );

const toolOf = (tool: ToolDefinition, names: WireNames): OpenAI.ChatCompletionFunctionTool => ({
  type: "function",
  function: {
    name: names.to(tool.name),
    ...(tool.description === undefined ? {} : { description: tool.description }),
    parameters: tool.inputSchema,
  },
});

function messagesOf(message: Message, names: WireNames, ids: WireNames): MessageParam[] {
  if (message.role === "assistant") return [assistantOf(message, names, ids)];
  const tools: MessageParam[] = [];
  const parts: Part[] = [];
  for (const block of message.content) {
    if (block.type === "tool_result") {
      const { text, media } = resultOf(block, ids.to(block.toolUseId));
      tools.push({ role: "tool", tool_call_id: ids.to(block.toolUseId), content: text });
      parts.push(...media);
    } else if (block.type === "pdf") parts.push(fileOf(block));
    else if (block.type !== "tool_use") parts.push(partOf(block));
  }
  const only = parts.length === 1 ? parts[0] : undefined;
  if (parts.length === 0) return tools;
  // Some compatible servers take a plain text only.
  return [...tools, { role: "user", content: only?.type === "text" ? only.text : parts }];
}

function assistantOf(message: Message, names: WireNames, ids: WireNames): MessageParam {
  const texts = message.content.flatMap((block) => (block.type === "text" ? [{ type: "text" as const, text: block.text }] : []));
  const calls = message.content.flatMap((block) =>
    block.type === "tool_use"
      ? [
          {
            id: ids.to(block.id),
            type: "function" as const,
            function: { name: names.to(block.name), arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  const first = texts[0];
  return {
    role: "assistant",
    content: first === undefined ? null : texts.length === 1 ? first.text : texts,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** The API has no field for a failed tool, so the text says it. */
function resultOf(result: ToolResultBlock, id: string): { text: string; media: Part[] } {
  const parts = resultParts(result);
  const media = parts.filter((part) => part.type !== "text");
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const lines = [
    ...(result.isError === true ? ["The tool reported an error."] : []),
    ...texts,
    ...(media.length === 0 ? [] : [`${media.length} attachment(s) of this result follow in the next user message.`]),
  ];
  return {
    text: lines.join("\n"),
    media: media.length === 0 ? [] : [{ type: "text", text: `Attachments of the result of tool call ${id}:` }, ...media.map(partOf)],
  };
}

function partOf(part: ResultPart): Part {
  if (part.type === "text") return { type: "text", text: part.text };
  if (part.type === "image") {
    const type = imageType(part.mimeType);
    if (type !== undefined) return { type: "image_url", image_url: { url: `data:${type};base64,${part.data}` } };
  } else {
    const format = audioFormat(part.mimeType);
    if (format !== undefined) return { type: "input_audio", input_audio: { data: part.data, format } };
  }
  throw new Error("toOpenAI: content that cannotCarry refuses");
}

/** The API refuses a file without a name. */
const fileOf = ({ data, name = "document.pdf" }: PdfBlock): Part => ({
  type: "file",
  file: { file_data: `data:application/pdf;base64,${data}`, filename: name },
});

const stopReasons = new Map([
  ["stop", "endTurn"],
  ["length", "maxTokens"],
  ["tool_calls", "toolUse"],
]);

/**
 * The neutral reply in a parsed answer with status 200, or a `brokenAnswer`: no choice, an error in
 * its place, a tool call without tools or whose arguments are not a JSON object, a stop for tools
 * without any, an empty reply that does not say why. A refusal is what the model said: its text,
 * with the stop reason "refusal". Never throws.
 */
export function fromOpenAI(response: unknown, call: ModelCall): Result<ModelReply, ProviderError> {
  if (!isObject(response)) return err(brokenAnswer("notJson"));
  if (isObject(response["error"])) return err(brokenAnswer("errorInSuccess"));
  const usage = usageOf(response["usage"]);
  const broken = (detail?: AnswerFault) => err(brokenAnswer(detail, usage));
  const choice: unknown = Array.isArray(response["choices"]) ? response["choices"][0] : undefined;
  if (!isObject(choice) || !isObject(choice["message"])) return broken();
  const finish = choice["finish_reason"];
  if (isObject(choice["error"]) || finish === "error") return broken("errorInSuccess");
  const { content, refusal, tool_calls: calls } = choice["message"];
  const texts = textsOf(content);
  if (texts === undefined) return broken();
  const refused = typeof refusal === "string" && refusal !== "";
  const blocks: ReplyBlock[] = [...texts, ...(refused ? [refusal] : [])].map((text) => ({ type: "text", text }));
  const names = toolNames(call.request);
  for (const entry of Array.isArray(calls) ? calls : []) {
    const use = isObject(entry) && mayUseTools(call.request) ? readCall(entry, names) : undefined;
    if (use === undefined) return broken("toolArguments");
    blocks.push(use);
  }
  const uses = blocks.some((block) => block.type === "tool_use");
  if (!uses && finish === "tool_calls") return broken("empty");
  if (blocks.length === 0 && typeof finish !== "string") return broken("empty");
  const { model } = response;
  return finishReply(call, {
    content: blocks,
    model: typeof model === "string" && model !== "" ? model : call.candidate.model.name,
    ...stopReasonOf(finish, choice["stop_reason"], { uses, refused }, call.request),
    ...(usage === undefined ? {} : { usage }),
  });
}

/**
 * `stop` means the end of the turn or a stop sequence; only a server that adds `stop_reason` with
 * the sequence (vLLM) tells which. A reply with tool calls stopped for them, whatever its
 * `finish_reason`: forced calls and some compatible servers have `stop`.
 */
function stopReasonOf(
  finish: unknown,
  matched: unknown,
  found: { readonly uses: boolean; readonly refused: boolean },
  request: SamplingRequest,
): { stopReason?: string } {
  if (found.uses && (finish === "stop" || typeof finish !== "string")) return { stopReason: "toolUse" };
  if (typeof finish !== "string") return {};
  if (finish === "stop" && found.refused) return { stopReason: "refusal" };
  if (finish === "stop" && typeof matched === "string" && request.stopSequences?.includes(matched)) return { stopReason: "stopSequence" };
  return { stopReason: stopReasons.get(finish) ?? finish };
}

/**
 * The texts of `content`: a text, nothing, or (some compatible servers) a list of parts, of which
 * thinking is not the reply.
 */
export function textsOf(content: unknown): string[] | undefined {
  if (content === null || content === undefined || content === "") return [];
  if (typeof content === "string") return [content];
  if (!Array.isArray(content)) return undefined;
  const texts: string[] = [];
  for (const part of content) {
    if (!isObject(part)) return undefined;
    if (part["type"] === "thinking" || part["type"] === "reasoning") continue;
    if (part["type"] !== "text" || typeof part["text"] !== "string") return undefined;
    texts.push(part["text"]);
  }
  return texts;
}

/**
 * Arguments are JSON text; nothing at all stands for no arguments, and some compatible servers send
 * the object itself.
 */
function readCall(entry: Members, names: WireNames): ToolUseBlock | undefined {
  const { id, function: called } = entry;
  if (!isObject(called) || typeof called["name"] !== "string" || called["name"] === "") return undefined;
  const given = called["arguments"];
  const input = typeof given === "string" ? (given.trim() === "" ? {} : parseJson(given)) : (given ?? {});
  if (!isJsonObject(input)) return undefined;
  return { type: "tool_use", id: typeof id === "string" ? id : "", name: names.from(called["name"]), input };
}

/** Tokens read from and written to a cache are part of `prompt_tokens`. */
export function usageOf(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = usage;
  if (!isCount(input) || !isCount(output)) return undefined;
  const { cached_tokens: read, cache_write_tokens: written } = isObject(details) ? details : {};
  return countedUsage(input, output, { read, written });
}
