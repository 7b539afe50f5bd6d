// What is done to every provider's reply before the response gate: characters only, unique tool use
// ids, stop sequences applied, the limit checked, JSON where JSON was asked for.

import type { ModelCall } from "./model-call.ts";
import { err, ok, type Result } from "../result.ts";
import type { ReplyBlock, SamplingRequest } from "../model/sampling.ts";
import type { ModelReply, Note, ProviderError, Usage } from "../model/call.ts";
import { brokenAnswer } from "./provider-error.ts";
import { isJsonReply, withoutFence } from "./json-reply.ts";

/** A reply as a provider gave it. `usage` is absent where the provider did not count. */
type Draft = {
  readonly content: readonly ReplyBlock[];
  readonly model: string;
  readonly stopReason?: string;
  readonly usage?: Usage;
};

/**
 * The reply for the response gate. Refused is a reply over the limit by the provider's own count
 * where the table says so for this model (`overLimit: "refuse"`), and one that is not the JSON that
 * was asked for; a fence around the JSON is removed.
 *
 * A text over the limit is cut by share: of `reported` tokens for `n` characters, the first
 * `n * maxTokens / reported` stay (whole code points). Only the provider can count its tokens
 * exactly; the note says that the text was cut. A reply with a tool use is not cut, since half a
 * set of calls would be a different answer: it is noted only. So is one that was streamed.
 */
export function finishReply(call: ModelCall, draft: Draft): Result<ModelReply, ProviderError> {
  const { request, candidate } = call;
  const notes: Note[] = [];
  const stopped = cutAtStop(withUniqueIds(draft.content.map(wellFormed), request), request.stopSequences ?? []);
  let content = stopped.content;
  let stopReason = stopped.cut ? "stopSequence" : draft.stopReason?.toWellFormed();
  const usage = draft.usage ?? estimatedUsage(request, charactersOf(draft.content));
  if (draft.usage !== undefined && usage.outputTokens > request.maxTokens) {
    if (candidate.model.overLimit === "refuse") return err({ ...brokenAnswer("overLimit", usage), then: "stop" });
    const cut = call.streamed === undefined && content.every((block) => block.type === "text");
    notes.push({ kind: "overLimit", reportedTokens: usage.outputTokens, maxTokens: request.maxTokens, cut });
    if (cut) {
      content = keepShare(content, request.maxTokens / usage.outputTokens);
      stopReason = "maxTokens";
    }
  }
  if (content.length === 0) content = [{ type: "text", text: "" }];
  if (request.responseFormat !== undefined) content = withoutFence(content);
  if (!isJsonReply({ content, ...(stopReason === undefined ? {} : { stopReason }) }, request.responseFormat))
    return err(brokenAnswer("replyNotJson", usage));
  return ok({ reply: { content, model: draft.model.toWellFormed(), ...(stopReason === undefined ? {} : { stopReason }) }, usage, notes });
}

/**
 * A lone surrogate is no character: a reply with one would have no digest (RFC 8785 section
 * 3.2.2.2), so it becomes U+FFFD here.
 */
function wellFormed(block: ReplyBlock): ReplyBlock {
  if (block.type === "text") return { ...block, text: block.text.toWellFormed() };
  return block.type === "tool_use" ? { ...block, id: block.id.toWellFormed(), name: block.name.toWellFormed() } : block;
}

/**
 * Cuts at the first stop sequence in a text block; what follows would not have been generated.
 * Needed for lists longer than an API takes, for models whose API takes none, and for servers that
 * ignore the parameter.
 */
function cutAtStop(content: ReplyBlock[], sequences: readonly string[]): { content: ReplyBlock[]; cut: boolean } {
  if (sequences.length === 0) return { content, cut: false };
  for (const [index, block] of content.entries()) {
    const at = block.type === "text" ? firstStop(block.text, sequences) : undefined;
    if (block.type !== "text" || at === undefined) continue;
    return { content: [...content.slice(0, index), { type: "text", text: block.text.slice(0, at) }], cut: true };
  }
  return { content, cut: false };
}

/**
 * Where the first stop sequence begins in a text, in UTF-16 units; undefined where there is none.
 * An empty sequence stops nothing.
 */
export function firstStop(text: string, sequences: readonly string[]): number | undefined {
  const found = sequences.flatMap((sequence) => (sequence === "" ? [] : [text.indexOf(sequence)])).filter((at) => at >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
}

function keepShare(content: readonly ReplyBlock[], share: number): ReplyBlock[] {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  let left = Math.floor(texts.reduce((sum, text) => sum + text.length, 0) * share);
  return texts.flatMap((text): ReplyBlock[] => {
    const kept = text.slice(0, left).replace(/[\uD800-\uDBFF]$/, "");
    left = Math.max(0, left - text.length);
    return kept === "" ? [] : [{ type: "text", text: kept }];
  });
}

/**
 * Some servers number their calls from the start in each reply, or give no id; a repeated id would
 * make the next request invalid.
 */
function withUniqueIds(content: readonly ReplyBlock[], request: SamplingRequest): ReplyBlock[] {
  if (!content.some((block) => block.type === "tool_use")) return [...content];
  const usedIds = new Set(
    request.messages.flatMap((message) => message.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))),
  );
  // The next number of each id: a hostile answer may give one id to tens of thousands of calls.
  const numbers = new Map<string, number>();
  return content.map((block) => {
    if (block.type !== "tool_use") return block;
    let id = block.id === "" ? "call_1" : block.id;
    let number = numbers.get(block.id) ?? 2;
    for (; usedIds.has(id); number += 1) id = `${block.id || "call"}_${number}`;
    numbers.set(block.id, number);
    usedIds.add(id);
    return { ...block, id };
  });
}

/**
 * A rough count for providers that do not count: four characters (of the request's JSON, and of
 * what was `made`) to a token.
 */
export const estimatedUsage = (request: SamplingRequest, made: number): Usage => ({
  inputTokens: Math.ceil(charactersOf(request.systemPrompt ?? "", request.messages) / 4),
  outputTokens: Math.ceil(made / 4),
  estimated: true,
});

/** Characters of JSON, without the bytes of media. */
const charactersOf = (...values: readonly unknown[]): number =>
  JSON.stringify(values, (key, value: unknown) => (key === "data" || key === "blob" ? "" : value)).length;
