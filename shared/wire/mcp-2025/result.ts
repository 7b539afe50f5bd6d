// From the neutral reply to a `CreateMessageResult` of the revisions up to 2025-11-25. Drops nothing silently, invents no text.

import type { Json, JsonObject } from "../../encoding.ts";
import { err, ok, type Result } from "../../result.ts";
import type { ReplyBlock, SamplingReply, SamplingRequest } from "../../model/sampling.ts";

export const RUN_META = "countersign/run";

/** The revisions whose result holds one block, oldest first. */
export type SingleBlockRevision = "2024-11-05" | "2025-03-26" | "2025-06-18";

/** The types of the blocks, in order, that cannot be said as one block of the revision. */
export type ResultFault = { readonly kind: "notOneBlock"; readonly types: readonly ReplyBlock["type"][] };

/**
 * The result of revision 2025-11-25: one block as a single object; several as an array where the request had tools, otherwise all-text
 * blocks joined to one. `meta` becomes `_meta["countersign/run"]`.
 *
 * Several blocks that are not all text, where no tools were asked for, are an array all the same: the schema allows it, and
 * anything else would lose a block. What is no message (vectors, a function's result) is an array always; the result of a function stands behind
 * the call that was made, which a reviewer may have changed. No block at all is one empty text, as the schema wants some content.
 */
export const toResult = (reply: SamplingReply, request: SamplingRequest, meta: JsonObject): JsonObject =>
  resultWith(
    request.task !== undefined
      ? withCall(reply.content, request)
      : request.tools === undefined
        ? (joined(reply.content) ?? reply.content)
        : contentOf(reply.content),
    reply,
    meta,
  );

const withCall = (reply: readonly ReplyBlock[], { task, messages }: SamplingRequest): ReplyBlock[] =>
  task === "function" ? [...messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_use")), ...reply] : [...reply];

/**
 * The result of an older revision: always one block, text blocks joined; audio only from 2025-03-26.
 * Refused, with the types that stood in the way: tool uses, several blocks that are not all text, audio before its time.
 */
export function toSingleBlockResult(
  reply: SamplingReply,
  revision: SingleBlockRevision,
  meta: JsonObject,
): Result<JsonObject, ResultFault> {
  const block = joined(reply.content);
  if (block === undefined || block.type === "tool_use" || (block.type === "audio" && revision === "2024-11-05")) {
    return err({ kind: "notOneBlock", types: reply.content.map(({ type }) => type) });
  }
  return ok(resultWith(block, reply, meta));
}

function resultWith(content: ReplyBlock | ReplyBlock[], { model, stopReason }: SamplingReply, meta: JsonObject): JsonObject {
  return {
    role: "assistant",
    content: content as Json,
    model,
    ...(stopReason !== undefined && { stopReason }),
    _meta: { [RUN_META]: meta },
  };
}

function contentOf(blocks: readonly ReplyBlock[]): ReplyBlock | ReplyBlock[] {
  const [first, ...more] = blocks;
  return first === undefined || more.length === 0 ? (first ?? { type: "text", text: "" }) : [first, ...more];
}

/**
 * One block with all that the blocks say, or undefined where there is none such. Texts are joined with nothing between them: providers cut
 * one running text into blocks (around citations, in mid-sentence), and any separator would be a character that no model
 * said and no reviewer approved.
 */
function joined(blocks: readonly ReplyBlock[]): ReplyBlock | undefined {
  const [first, ...more] = blocks;
  if (first !== undefined && more.length === 0) return first;
  let text = "";
  for (const block of blocks) {
    if (block.type !== "text") return undefined;
    text += block.text;
  }
  return { type: "text", text };
}
