// The embeddings endpoint: its request as the neutral request, and its answer.

import { type Field, integerWithin, list, object, oneOf, optional, text } from "../../json/fields.ts";
import { checkJson } from "../../json/json-rules.ts";
import { type ParamsRefusal, IssueCollector } from "../../json/issue-collector.ts";
import { base64 } from "@scure/base";
import type { JsonObject } from "../../encoding.ts";
import type { Completed } from "../../model/outcome.ts";
import type { EmbeddingRequest } from "../../model/sampling.ts";
import { type Result, err, ok } from "../../result.ts";
import { namedModelOf } from "../asked.ts";
import { extensionOf } from "./chat-answer.ts";
import { nullable } from "./openai-fields.ts";
import { autoModel } from "./openai-request.ts";

export type ParsedEmbedding = {
  readonly request: EmbeddingRequest;
  readonly encoding: "float" | "base64";
  /** What is not passed on, in sentences for the caller. */
  readonly notes: readonly string[];
  /**
   * The same for reviewers, without the requestor's words: `user`, and `other` for any member that
   * the API does not have.
   */
  readonly ignored: readonly string[];
};

const mostTexts = 2_048;
const texts = list(text({ min: 1 }), { min: 1, max: mostTexts });

const input: Field<string[]> = {
  read(value, at, issues) {
    if (typeof value === "string") return texts.read([value], at, issues);
    if (Array.isArray(value) && (typeof value[0] === "number" || Array.isArray(value[0]))) {
      issues.add(at, "must be a text or a list of texts: tokens are those of one model, and no reviewer can read them");
      return [];
    }
    return texts.read(value, at, issues);
  },
  schema: { anyOf: [{ type: "string" }, texts.schema] },
};

const body = object({
  model: text({ min: 1, max: 256 }),
  input,
  encoding_format: optional(oneOf(["float", "base64"])),
  dimensions: nullable(integerWithin(1)),
});

/**
 * The neutral request of a body, as JSON.parse gave it. Refused, at its pointer: tokens in place of
 * texts, values of a wrong type.
 */
export function parseEmbedding(value: unknown): Result<ParsedEmbedding, ParamsRefusal> {
  const issues = new IssueCollector();
  checkJson(value, issues);
  const read = body.read(issues.full ? undefined : value, "", issues);
  const invalid = issues.invalid();
  if (invalid !== undefined) return err(invalid);
  return ok({
    request: {
      kind: "embedding",
      ...(read.model === autoModel ? {} : namedModelOf({ name: read.model })),
      ...(read.dimensions === undefined ? {} : { dimensions: read.dimensions }),
      messages: read.input.map((each) => ({ role: "user" as const, content: [{ type: "text" as const, text: each }] })),
    },
    encoding: read.encoding_format ?? "float",
    notes: issues.ignored.map((pointer) => `Not passed on: ${pointer}.`),
    ignored: [...new Set(issues.ignored.map((pointer) => (pointer === "/user" ? "user" : "other")))],
  });
}

/**
 * The answer to an embeddings request: vectors in order, as numbers or as the base64 of
 * little-endian 32-bit floats.
 */
export const embeddingsAnswer = (
  { reply, meta }: Completed,
  { encoding, notes }: Pick<ParsedEmbedding, "encoding" | "notes">,
): JsonObject => ({
  object: "list",
  data: reply.content
    .flatMap((block) => (block.type === "embedding" ? [block.vector] : []))
    .map((vector, index) => ({ object: "embedding", index, embedding: encoding === "base64" ? base64Of(vector) : [...vector] })),
  model: reply.model,
  usage: { prompt_tokens: meta.usage.inputTokens, total_tokens: meta.usage.inputTokens },
  countersign: extensionOf(reply, meta, notes),
});

function base64Of(vector: readonly number[]): string {
  const view = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [i, value] of vector.entries()) view.setFloat32(i * 4, value, true);
  return base64.encode(new Uint8Array(view.buffer));
}
