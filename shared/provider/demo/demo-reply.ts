// The built-in provider that answers without a model and says so. Deterministic: the same request
// always gets the same reply.
//
// A token here is up to eight letters or digits, or one other character, with the white space
// before it.

import type { ModelCall } from "../model-call.ts";
import { ok, type Result } from "../../result.ts";
import type { Block, ReplyBlock, SamplingRequest, ToolDefinition } from "../../model/sampling.ts";
import type { ModelReply, Note, ProviderError, Usage } from "../../model/call.ts";
import { minimalArguments, minimalValue } from "./demo-arguments.ts";
import { finishReply, firstStop } from "../reply.ts";

export const demoModelName = "countersign-demo";

/** How much of the last user text the reply repeats, in code points. */
const echoLength = 160;

/**
 * The demo's reply, exactly within `maxTokens` and `stopSequences`. With `toolChoice: "required"`
 * it calls the first tool with arguments by its schema, until the last message has tool results;
 * otherwise it answers in text, or, with a `responseFormat`, in JSON. JSON that does not fit
 * `maxTokens` is an error, as from any model.
 */
export function answerDemo(call: ModelCall): Result<ModelReply, ProviderError> {
  const { request } = call;
  const inputTokens = tokensIn(
    [request.systemPrompt ?? "", ...request.messages.flatMap((message) => message.content.map(textOf))].join(" "),
  );
  const draft = toolToCall(request) ?? textReply(request);
  const usage: Usage = { inputTokens, outputTokens: draft.outputTokens };
  const finished = finishReply(call, { content: draft.content, model: demoModelName, stopReason: draft.stopReason, usage });
  if (!finished.ok) return finished;
  // The draft is within the limits already, so that only the stop reason of an emulated stop could
  // change here.
  const { reply, notes } = finished.value;
  return ok({ ...finished.value, reply: { ...reply, stopReason: draft.stopReason }, notes: [...demoNotes(request), ...notes] });
}

/** The sampling parameters, which the demo leaves out. */
const demoNotes = (request: SamplingRequest): Note[] =>
  (["temperature", "topP", "topK"] as const)
    .filter((field) => request[field] !== undefined)
    .map((field) => ({ kind: "omitted", field, why: "The demo always gives the same reply: there is nothing to sample from." }));

/** A reply's text in the pieces that the demo streams: one for each token. */
export const demoDeltas = (text: string): readonly string[] => text.match(token) ?? [];

type DemoDraft = { readonly content: readonly ReplyBlock[]; readonly stopReason: string; readonly outputTokens: number };

function toolToCall(request: SamplingRequest): DemoDraft | undefined {
  const tool: ToolDefinition | undefined = request.tools?.[0];
  const answered = request.messages.at(-1)?.content.some((block) => block.type === "tool_result") === true;
  if (request.toolChoice !== "required" || tool === undefined || answered) return undefined;
  const input = minimalArguments(tool.inputSchema);
  const outputTokens = tokensIn(`${tool.name} ${JSON.stringify(input)}`);
  // A tool call cannot be cut.
  if (outputTokens > request.maxTokens) return { content: [], stopReason: "maxTokens", outputTokens: request.maxTokens };
  return { content: [{ type: "tool_use", id: "demo_call_1", name: tool.name, input }], stopReason: "toolUse", outputTokens };
}

function textReply(request: SamplingRequest): DemoDraft {
  const whole = jsonText(request) ?? sentence(request);
  const at = firstStop(whole, request.stopSequences ?? []);
  const text = whole.slice(0, at);
  const tokens = text.match(token) ?? [];
  const kept = tokens.slice(0, request.maxTokens);
  const long = kept.length < tokens.length;
  const stopReason = long ? "maxTokens" : at === undefined ? "endTurn" : "stopSequence";
  return { content: [{ type: "text", text: long ? kept.join("") : text }], stopReason, outputTokens: kept.length };
}

function jsonText(request: SamplingRequest): string | undefined {
  const format = request.responseFormat;
  if (format === undefined) return undefined;
  const text = sentence(request);
  return JSON.stringify(format.schema === undefined ? { demo: true, text } : minimalValue(format.schema, text));
}

function sentence(request: SamplingRequest): string {
  const blocks = request.messages.flatMap((message) => message.content);
  const results = request.messages.at(-1)?.content.filter((block) => block.type === "tool_result") ?? [];
  const last = results.length > 0 ? results : (request.messages.findLast((message) => message.role === "user")?.content ?? []);
  const characters = [...last.map(textOf).join(" ").replaceAll(/\s+/g, " ").trim()];
  const echo = characters.slice(0, echoLength).join("");
  return [
    "This is the gateway's built-in demo, not a model.",
    `It received ${amount(request.messages.length, "message")}${media(blocks)}${(request.tools?.length ?? 0) > 0 ? ` and ${amount(request.tools?.length ?? 0, "tool")}` : ""}.`,
    echo === ""
      ? `The last ${results.length > 0 ? "tool result" : "user message"} holds no text.`
      : `The last ${results.length > 0 ? "tool result" : "user text"} begins: "${echo}"${characters.length > echoLength ? " (cut)" : ""}.`,
  ].join(" ");
}

const amount = (number: number, what: string): string => `${number} ${what}${number === 1 ? "" : "s"}`;

function media(blocks: readonly Block[]): string {
  const parts = blocks.flatMap((block): { readonly type: string }[] => (block.type === "tool_result" ? block.content : [block]));
  const images = parts.filter((part) => part.type === "image").length;
  const sounds = parts.filter((part) => part.type === "audio").length;
  const pdfs = parts.filter((part) => part.type === "pdf").length;
  const named = [
    ...(images > 0 ? [amount(images, "image")] : []),
    ...(sounds > 0 ? [amount(sounds, "audio clip")] : []),
    ...(pdfs > 0 ? [amount(pdfs, "PDF")] : []),
  ];
  return named.length === 0 ? "" : ` with ${named.join(" and ")}`;
}

function textOf(block: Block): string {
  if (block.type === "text") return block.text;
  if (block.type === "tool_result") return block.content.map((part) => (part.type === "text" ? part.text : "")).join(" ");
  return "";
}

const token = /\s*(?:[\p{L}\p{N}]{1,8}|[^\s\p{L}\p{N}])|\s+$/gu;
const tokensIn = (text: string): number => text.match(token)?.length ?? 0;

/** The number of a demo vector's members. */
export const demoDimensions = 64;

/**
 * One vector of length 1 for each text, the same for the same text: a count of its words and letter
 * triples, so that texts with words in common are nearer to each other. `usage` counts the demo's
 * own tokens.
 */
export function embedDemo(texts: readonly string[]): { vectors: number[][]; usage: Usage } {
  return {
    vectors: texts.map(vectorOf),
    usage: { inputTokens: texts.reduce((sum, text) => sum + tokensIn(text), 0), outputTokens: 0 },
  };
}

function vectorOf(text: string): number[] {
  const vector = Array.from({ length: demoDimensions }, () => 0);
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const features = [
    ...words,
    ...words.flatMap((word) => Array.from({ length: Math.max(0, word.length - 2) }, (_, at) => word.slice(at, at + 3))),
  ];
  for (const feature of features) {
    const hash = fnv(feature);
    const at = hash % demoDimensions;
    vector[at] = (vector[at] ?? 0) + (hash & 0x8000_0000 ? -1 : 1);
  }
  const length = Math.hypot(...vector);
  // A text without words, or one whose features cancel out, still has a direction.
  if (length === 0) return vector.map((_, at) => (at === fnv(text) % demoDimensions ? 1 : 0));
  return vector.map((value) => value / length);
}

/** FNV-1a, 32 bits, over UTF-16 units. */
function fnv(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193) >>> 0;
  return hash;
}
