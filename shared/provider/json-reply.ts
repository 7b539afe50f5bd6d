// Whether a reply is the JSON that was asked for. In one place for every provider, and for what a reviewer makes of a reply.

import { Validator } from "@cfworker/json-schema";
import type { SamplingReply, SamplingRequest } from "../protocol/sampling.ts";
import { parseJson } from "./narrow.ts";

/** The text that a reply says: its text blocks, one after the other. */
export const textOfReply = ({ content }: Pick<SamplingReply, "content">): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

/**
 * Whether the reply's text is JSON (any value, white space around it) and fits the schema, where there is one. A reply that uses tools
 * is not the answer yet: of it nothing is asked. A schema that cannot be used fits nothing. True where no JSON was asked for.
 */
export function isJsonReply(reply: Pick<SamplingReply, "content">, format: SamplingRequest["responseFormat"]): boolean {
  if (format === undefined || reply.content.some((block) => block.type === "tool_use")) return true;
  const value = parseJson(textOfReply(reply));
  return value !== undefined && (format.schema === undefined || fits(value, format.schema));
}

/** The content without a single Markdown fence around all of it, which models put there whatever they are told. */
export function withoutFence(content: SamplingReply["content"]): SamplingReply["content"] {
  if (!content.every((block) => block.type === "text")) return content;
  const inner = fence.exec(textOfReply({ content }))?.[1];
  return inner === undefined || parseJson(inner) === undefined ? content : [{ type: "text", text: inner }];
}

const fence = /^\s*```[A-Za-z0-9]*[^\S\n]*\n([\s\S]*?)\n?[^\S\n]*```\s*$/;

function fits(value: unknown, schema: NonNullable<NonNullable<SamplingRequest["responseFormat"]>["schema"]>): boolean {
  try {
    return new Validator(schema, "2020-12").validate(value).valid;
  } catch {
    // A reference that leads nowhere, a pattern that is none, or values nested too deep to be looked at.
    return false;
  }
}
