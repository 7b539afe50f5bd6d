// Reads the params of `sampling/createMessage` in revision 2026-07-28, where it comes inside a
// server's result and never runs as a task. The rest is as in 2025-11-25, but for three things that
// may now be any JSON: the structured content of a tool result, and all but the type in the schemas
// of a tool's input and output. Source: the schema of each revision.

import type { JsonObject } from "../../encoding.ts";
import { type Field, keptAfter, object, oneOf, optional, text } from "../../json/fields.ts";
import type { ParamsRefusal } from "../../json/issue-collector.ts";
import { isObject } from "../../json/values.ts";
import type { Result } from "../../result.ts";
import { contentFields } from "../mcp-2025/content.ts";
import { type ParsedSampling, parseWith, plainParams } from "../mcp-2025/sampling-params.ts";

/** What is no object is read as the object `{ "result": … }`, as the result of a function is. */
const anyStructure: Field<JsonObject> = {
  read: (value) => (isObject(value) ? value : { result: value }) as JsonObject, // checked by checkJson
  schema: {},
};

const params2026 = plainParams(
  contentFields({
    structuredContent: anyStructure,
    inputSchema: keptAfter(object({ type: oneOf(["object"]), $schema: optional(text()) })),
    outputSchema: keptAfter(object({ $schema: optional(text()) })),
    ofTool: {},
  }),
);

/**
 * The neutral request, from params as JSON.parse gave them. Refused: what `parseSampling` of
 * 2025-11-25 refuses, but for what is named above.
 */
export const parseSampling2026 = (params: unknown): Result<ParsedSampling, ParamsRefusal> => parseWith(params2026, params);
