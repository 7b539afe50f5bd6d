// Whether a reply is the JSON that was asked for: one check for every provider, and for a
// reviewer's edit of a reply.

import { isObject, parseJson } from "../json/values.ts";
import type { Json, JsonObject } from "../encoding.ts";
import { checkValue } from "../json-schema/check-value.ts";
import { readSchema } from "../json-schema/read-schema.ts";
import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";

/**
 * The text of a reply: its text blocks, with nothing between them, because providers cut one
 * running text into blocks.
 */
export const textOfReply = ({ content }: Pick<SamplingReply, "content">): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

/**
 * Whether the reply's text is JSON (any value, white space around it) that fits the schema, where
 * there is one. An object with a repeated name is refused: readers differ in which of the two
 * counts, so that the checked value need not be the one that is read. Nothing fits a schema that is
 * not usable (`readSchema`) or takes too much work. True for a reply that uses tools, which is not
 * the answer yet, where no JSON was asked for, and for plain text where that is taken (`orText`).
 */
export function isJsonReply(reply: Pick<SamplingReply, "content" | "stopReason">, format: SamplingRequest["responseFormat"]): boolean {
  if (format === undefined || reply.content.some((block) => block.type === "tool_use")) return true;
  const text = textOfReply(reply);
  if (format.orText === true && isPlainText(text, format.schema)) return reply.stopReason !== "maxTokens";
  const value = parseJson(text);
  return value !== undefined && !repeatsName(text) && (format.schema === undefined || fits(value, format.schema));
}

/**
 * Whether a text is an answer without JSON. One that begins like JSON or a fence, or names a member
 * in quotes, is the JSON that was asked for, cut off or with words around it.
 */
function isPlainText(text: string, schema: JsonObject = {}): boolean {
  const { properties } = schema;
  const names = isObject(properties) ? Object.keys(properties) : [];
  return /^\s*[^\s{[]/.test(text) && !text.includes("```") && !names.some((name) => text.includes(JSON.stringify(name)));
}

/**
 * The content without a Markdown fence around all of it, which models write even when told not to.
 */
export function withoutFence(content: SamplingReply["content"]): SamplingReply["content"] {
  if (!content.every((block) => block.type === "text")) return content;
  const inner = fence.exec(textOfReply({ content }))?.[1];
  return inner === undefined || parseJson(inner) === undefined ? content : [{ type: "text", text: inner }];
}

const fence = /^\s*```[A-Za-z0-9]*[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```\s*$/;

/** Whether any object in a text that is JSON has a name twice, however it is spelled. */
function repeatsName(json: string): boolean {
  const open: (Set<string> | null)[] = [];
  let string = "";
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '"': {
        const from = at;
        for (at += 1; json[at] !== '"'; at += 1) if (json[at] === "\\") at += 1;
        string = json.slice(from, at + 1);
        break;
      }
      case ":": {
        const names = open.at(-1);
        const name = String(parseJson(string));
        if (names?.has(name) === true) return true;
        names?.add(name);
        break;
      }
      case "{":
        open.push(new Set());
        break;
      case "[":
        open.push(null);
        break;
      case "}":
      case "]":
        open.pop();
    }
  }
  return false;
}

function fits(value: unknown, schema: JsonObject): boolean {
  const ready = readSchema(schema, "");
  if (!ready.ok) return false;
  // It was parsed as JSON just now.
  const found = checkValue(ready.value, value as Json);
  return typeof found !== "string" && found.length === 0;
}
