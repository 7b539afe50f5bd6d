// What the gateway adds to the system prompt of a request whose reply must be JSON, because not
// every API can be told so. A reviewer sees it as a part of the prompt.

import type { JsonObject } from "../encoding.ts";

const oneValue = "one JSON value and nothing else: no introduction, no explanation, no code fence.";

export const jsonSentence = `Answer with ${oneValue}`;

/**
 * The sentence, and the schema that the reply must fit where there is one. `hasTools`: the model
 * may call a tool in place of an answer.
 */
export function jsonPrompt(schema: JsonObject | undefined, hasTools = false): string {
  const sentence = hasTools ? `Unless you call a tool, answer with ${oneValue}` : jsonSentence;
  return schema === undefined ? sentence : `${sentence} The value must fit this JSON Schema: ${JSON.stringify(schema)}`;
}
