// From an outcome's reply to a `CreateMessageResult` of the revisions up to 2025-11-25. Drops
// nothing silently, invents no text.

import type { Json, JsonObject } from "../../encoding.ts";
import type { Completed, Ran, RunMeta } from "../../model/outcome.ts";
import type { ReplyBlock, SamplingReply } from "../../model/sampling.ts";
import { err, ok, type Result, unreachable } from "../../result.ts";
import { TOKEN_META } from "./meta.ts";

const RUN_META = "countersign/run";

/** The types of the blocks, in order, that the revision cannot carry as one block. */
export type UnsayableResult = { readonly kind: "notOneBlock"; readonly types: readonly ReplyBlock["type"][] };

/**
 * The result of revision 2025-11-25: one block as a single object; several as an array where the
 * request had tools, otherwise all-text blocks joined to one. The run's facts become
 * `_meta["countersign/run"]`.
 *
 * Several blocks that are not all text are an array even where no tools were asked for: the schema
 * allows it, and anything else would lose a block. Vectors are always an array. No block at all is
 * one empty text, as the schema requires some content.
 */
export const toResult = ({ answered, reply, meta }: Completed): Result<JsonObject, UnsayableResult> =>
  ok(resultWith(contentOf(answered, reply), reply, meta));

/**
 * A tool's result as a message of one block, which every revision can carry. The call has no id of
 * its own.
 */
export function asMessage({ result, meta }: Ran): Completed {
  const { kind: _, ...given } = result;
  const content: ReplyBlock[] = [{ type: "tool_result", toolUseId: "call_1", ...given }];
  return { kind: "completed", answered: { kind: "chat", offeredTools: true }, reply: { content, model: meta.model.id }, meta };
}

function contentOf(answered: Completed["answered"], { content }: SamplingReply): ReplyBlock | readonly ReplyBlock[] {
  switch (answered.kind) {
    case "embedding":
      return content;
    case "chat":
      return answered.offeredTools ? oneOrAll(content) : (joined(content) ?? content);
    default:
      return unreachable(answered);
  }
}

/**
 * The result of an older revision: always one block, text blocks joined; `without` names the types
 * of blocks that the revision does not have. Refused, with the types that stood in the way: tool
 * uses, several blocks that are not all text, a type that is not there yet.
 */
export const toSingleBlockResult =
  (without: readonly ReplyBlock["type"][]) =>
  ({ reply, meta }: Completed): Result<JsonObject, UnsayableResult> => {
    const block = joined(reply.content);
    if (block === undefined || without.includes(block.type))
      return err({ kind: "notOneBlock", types: reply.content.map(({ type }) => type) });
    return ok(resultWith(block, reply, meta));
  };

function resultWith(content: ReplyBlock | readonly ReplyBlock[], { model, stopReason }: SamplingReply, meta: RunMeta): JsonObject {
  return {
    role: "assistant",
    content: content as Json,
    model,
    ...(stopReason !== undefined && { stopReason }),
    _meta: {
      [RUN_META]: metaOf(meta),
      ...(meta.token === undefined
        ? {}
        : { [TOKEN_META]: { ...meta.token, models: meta.token.models === null ? null : [...meta.token.models] } }),
    },
  };
}

/** Without the notes: no server reads them in MCP's result. */
const metaOf = ({ id, model, edited, usage, cachedAt }: RunMeta): JsonObject => ({
  id,
  model: { ...model },
  edited: { ...edited },
  usage: { ...usage },
  ...(cachedAt === undefined ? {} : { cachedAt }),
});

function oneOrAll(blocks: readonly ReplyBlock[]): ReplyBlock | readonly ReplyBlock[] {
  const [first, ...more] = blocks;
  return first === undefined || more.length === 0 ? (first ?? { type: "text", text: "" }) : blocks;
}

/**
 * One block with the content of all, or undefined where no such block exists. Texts are joined with
 * nothing between them: providers cut one running text into blocks (around citations, in
 * mid-sentence), and any separator would be a character that no model wrote and no reviewer
 * approved.
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
