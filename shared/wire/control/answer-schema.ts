// The JSON Schema of the control endpoint's answer, beside the code that makes it (answer.ts): for
// the published description, and for tests that check every answer by it.

import type { JsonObject } from "../../encoding.ts";
import { statuses } from "../status.ts";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const object = (properties: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
});
const list = (items: JsonObject): JsonObject => ({ type: "array", items });

const error = object({ code: { type: "integer" }, message: text }, { details: { type: "object" } });
const stopReason = { type: ["string", "null"] };

const callBase = { name: text, arguments: { type: "object" } };
const endings = statuses.filter((status) => status !== "completed");
const call = {
  oneOf: [
    object({ ...callBase, status: { const: "validated" } }),
    object(
      { ...callBase, status: { const: "executed" }, content: list({ type: "object" }), is_error: { type: "boolean" } },
      { structured_content: { type: "object" }, run: text },
    ),
    object({ ...callBase, status: { enum: endings }, error }, { run: text }),
  ],
};

const results = [
  object(
    { type: { enum: ["text_generation", "multimodal_generation"] }, text, stop_reason: stopReason },
    { json: {} }, // any JSON value
  ),
  object({ type: { const: "translation" }, text, source_lang: { type: ["string", "null"] }, target_lang: text, stop_reason: stopReason }),
  object({
    type: { const: "embedding" },
    embeddings: list(object({ index: count, vector: list({ type: "number" }) })),
    dimensions: count,
  }),
  object({ type: { const: "function_call" }, calls: list(call) }, { text }),
];

const heading = { protocol_version: { type: ["string", "null"] }, request_id: { type: ["string", "null"] } };
const requested = object({ name: text }, { version: text, provider: text });
const usage = object(
  { input_tokens: count, output_tokens: count, total_tokens: count, cost_usd: { type: "number", minimum: 0 } },
  { cached_input_tokens: count, cache_write_tokens: count, estimated: { const: true } },
);
const notes = list(text);

/** Draft 2020-12. One shape where the request was completed, another for every other ending. */
export const answerJsonSchema: JsonObject = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  oneOf: [
    object(
      {
        ...heading,
        status: { const: "completed" },
        model: object({ requested }, { id: text, name: text, why: text }),
        result: { oneOf: results },
        usage,
      },
      {
        run: text,
        edited: object({ request: { type: "boolean" }, response: { type: "boolean" } }),
        cache: object({ hit: { const: true }, at: { type: "string", format: "date-time" } }),
        notes,
      },
    ),
    object({ ...heading, status: { enum: endings }, error }, { model: object({ requested }), notes }),
  ],
};
