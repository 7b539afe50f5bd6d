// A call of a tool and its result as they are reviewed.

import { fits } from "../../json/fields.ts";
import { type ToolCall, type ToolResult, toolCall, toolResult } from "../../model/subject.ts";
import type { Part } from "./part.ts";
import { rewriteResultContent } from "./message.ts";

export const toolCallRequest: Part<ToolCall> = {
  rewrite: (call, rewrite) => ({ ...call, arguments: rewrite.object("/arguments", call.arguments) }),
  fits: (value) => fits(toolCall, value),
  mayBeEmptied: false,
  invalid: "invalidRequest",
};

export const toolCallResult: Part<ToolResult> = {
  rewrite({ structuredContent, ...result }, rewrite) {
    const content = result.content.map((each, i) => rewriteResultContent(each, `/content/${i}`, rewrite));
    if (structuredContent === undefined) return { ...result, content };
    return { ...result, content, structuredContent: rewrite.object("/structuredContent", structuredContent) };
  },
  fits: (value) => fits(toolResult, value),
  mayBeEmptied: true,
  invalid: "invalidReply",
};
