// What the gateway adds to the system prompt of a request whose reply must be JSON, because not every API can be told so. A reviewer sees it as
// a part of the prompt.

import type { JsonObject } from "../encoding.ts";

export const jsonSentence = "Answer with one JSON value and nothing else: no introduction, no explanation, no code fence.";

/** The sentence, and the schema that the reply must fit where there is one. */
export const jsonPrompt = (schema: JsonObject | undefined): string =>
  schema === undefined ? jsonSentence : `${jsonSentence} The value must fit this JSON Schema: ${JSON.stringify(schema)}`;
