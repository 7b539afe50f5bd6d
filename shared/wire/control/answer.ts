// The answer of the control endpoint: one JSON object for every ending, the same for every task but
// for `result`. The Model Control Protocol defines none; this shape is ours (docs/control.md).

import type { Json, JsonObject } from "../../encoding.ts";
import type { Completed, Described, Outcome, RunMeta } from "../../model/outcome.ts";
import { parseJson } from "../../json/values.ts";
import { describeOutcome } from "../describe.ts";
import type { SamplingReply } from "../../model/sampling.ts";
import { textOfReply } from "../../provider/json-reply.ts";
import { unreachable } from "../../result.ts";
import { callJson, validatedCall, type ControlCall } from "./answered-call.ts";
import { noteSentence } from "../note-sentence.ts";
import type { ControlTask, Envelope, Version } from "./envelope.ts";
import { statusWord, type ControlError } from "../status.ts";
import { readTranslation } from "./translation.ts";

/** What every answer and every event has; null where it could not be read. */
export type Identity = { readonly version: Version | null; readonly requestId: string | null };

/** The request that an outcome answers. */
export type ControlAsked = {
  readonly envelope: Pick<Envelope, "version" | "requestId" | "model" | "task" | "ignored">;
  /**
   * For a function call: what became of each call, in order. Absent: the tool uses of the reply,
   * which are handed back.
   */
  readonly calls?: readonly ControlCall[];
  /** Sentences for `notes`, beside those that the reply and the ignored members give. */
  readonly notes?: readonly string[];
};

/**
 * The answer to an envelope that was read and handed to the pipeline. Never throws. The outcome is
 * that of the request itself, or, where a model chose, of the choice.
 */
export function controlAnswer(outcome: Outcome, { envelope, calls, notes = [] }: ControlAsked): JsonObject {
  const added = [...ignoredNotes(envelope), ...notes];
  if (outcome.kind !== "completed" && outcome.kind !== "ran")
    return { ...heading(envelope), ...endingOf(describeOutcome(outcome), envelope), ...withNotes(added) };
  const { meta } = outcome;
  const isRun = outcome.kind === "ran";
  return {
    ...heading(envelope),
    status: "completed",
    model: { id: meta.model.id, name: isRun ? meta.model.id : outcome.reply.model, requested: requested(envelope), why: meta.model.why },
    result: isRun ? callsJson(calls ?? []) : resultOf(envelope.task, outcome, calls),
    usage: usageOf(meta.usage),
    run: meta.id,
    edited: { ...meta.edited },
    ...(meta.cachedAt !== undefined && { cache: { hit: true, at: new Date(meta.cachedAt).toISOString() } }),
    ...withNotes([...(meta.notes ?? []).map(noteSentence), ...added]),
  };
}

/**
 * The answer to a function call that is handed back after its arguments were checked: no run, no
 * model, nothing used.
 */
export const handedBackAnswer = (envelope: ControlAsked["envelope"], calls: readonly ControlCall[]): JsonObject => ({
  ...heading(envelope),
  status: "completed",
  model: { requested: requested(envelope) },
  result: callsJson(calls),
  usage: usageOf({ inputTokens: 0, outputTokens: 0, costUsd: 0 }),
  ...withNotes(ignoredNotes(envelope)),
});

/** The answer to a request that was refused before it began. */
export const refusalControlAnswer = (identity: Identity, described: Described): JsonObject => ({
  ...heading(identity),
  ...endingOf(described),
});

const callsJson = (calls: readonly ControlCall[]): JsonObject => ({ type: "function_call", calls: calls.map(callJson) });

/** The members that every message begins with. */
export const heading = ({ version, requestId }: Identity): JsonObject => ({ protocol_version: version, request_id: requestId });
/** The model that the caller asked for. */
const requested = ({ model: { name, version, provider } }: Pick<Envelope, "model">): JsonObject => ({
  name,
  ...(version !== undefined && { version }),
  ...(provider !== undefined && { provider }),
});
const ignoredNotes = ({ ignored }: Pick<Envelope, "ignored">): string[] =>
  ignored.map((pointer) => `Ignored: ${pointer}, which this version and task do not use.`);
const withNotes = (notes: readonly string[]): JsonObject => (notes.length === 0 ? {} : { notes: [...notes] });

const endingOf = ({ code, message, data }: ControlError, envelope?: Pick<Envelope, "model">): JsonObject => ({
  status: statusWord({ code, message, ...(data !== undefined && { data }) }),
  ...(envelope !== undefined && { model: { requested: requested(envelope) } }),
  error: { code, message, ...(data !== undefined && { details: data }) },
});

/** In the answer's spelling; a provider's own word stays as it is. */
const stopReasons: ReadonlyMap<string, string> = new Map([
  ["endTurn", "end_turn"],
  ["stopSequence", "stop_sequence"],
  ["maxTokens", "max_tokens"],
  ["toolUse", "tool_use"],
]);

const stopReasonOf = ({ stopReason }: SamplingReply): string | null =>
  stopReason === undefined ? null : (stopReasons.get(stopReason) ?? stopReason);

function resultOf(task: ControlTask, { reply }: Completed, calls: readonly ControlCall[] | undefined): JsonObject {
  const { type } = task;
  const { content: blocks } = reply;
  const text = textOfReply(reply);
  const stopReason = stopReasonOf(reply);
  switch (type) {
    case "text_generation":
    case "multimodal_generation":
      return { type, text, stop_reason: stopReason, ...(task.responseFormat === "json" && jsonOf(text)) };
    case "translation": {
      // A model, or a reviewer, may have given the translation without JSON.
      const read = readTranslation(text) ?? { text, sourceLang: null };
      return {
        type,
        text: read.text,
        source_lang: task.sourceLang ?? read.sourceLang,
        target_lang: task.targetLang,
        stop_reason: stopReason,
      };
    }
    case "embedding": {
      const vectors = blocks.flatMap((block) => (block.type === "embedding" ? [block.vector] : []));
      return { type, embeddings: vectors.map((vector, index) => ({ index, vector })), dimensions: vectors[0]?.length ?? 0 };
    }
    case "function_call": {
      // `text` is what a model wrote beside the calls that it chose.
      const handedBack = blocks.flatMap((block) => (block.type === "tool_use" ? [validatedCall(block)] : []));
      return { ...callsJson(calls ?? handedBack), ...(text !== "" && { text }) };
    }
    default:
      return unreachable(type);
  }
}

/**
 * The text was checked before the response gate; after a reviewer's edit it need not be JSON any
 * more, and is only text then.
 */
function jsonOf(text: string): JsonObject {
  const json = parseJson(text);
  return json === undefined ? {} : { json: json as Json }; // JSON.parse gives nothing else
}

const usageOf = ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, costUsd, estimated }: RunMeta["usage"]): JsonObject => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
  ...(cachedInputTokens !== undefined && { cached_input_tokens: cachedInputTokens }),
  ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
  cost_usd: costUsd,
  ...(estimated === true && { estimated }),
});
