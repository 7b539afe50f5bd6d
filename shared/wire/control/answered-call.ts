// What became of one function call, and how the answer says it.

import type { Answer } from "../../model/answer.ts";
import type { Json, JsonObject } from "../../encoding.ts";
import { RUN_META } from "../mcp-2025/result.ts";
import type { ReplyBlock, ToolResultBlock, ToolUseBlock } from "../../model/sampling.ts";
import { statusWord, type ControlError, type Status } from "./status.ts";

type Called = { readonly name: string; readonly arguments: JsonObject };

/**
 * `validated`: the arguments fit the schema, and the caller runs the function. `executed`: an MCP server ran it; `arguments` are those that it
 * got, which a reviewer may have edited. `ended`: it was to run here, and a person, the policy or the server was in the way.
 */
export type ControlCall = Called &
  (
    | { readonly status: "validated" }
    | { readonly status: "executed"; readonly result: ToolResultBlock; readonly run?: string }
    | { readonly status: "ended"; readonly error: ControlError; readonly run?: string }
  );

export const validatedCall = ({ name, input }: Pick<ToolUseBlock, "name" | "input">): ControlCall => ({
  name,
  arguments: input,
  status: "validated",
});

/** A call as the answer has it. Its `status` is "validated", "executed", or one of `statuses` for what ended otherwise. */
export function callJson(call: ControlCall): JsonObject {
  const called: JsonObject = { name: call.name, arguments: call.arguments };
  if (call.status === "validated") return { ...called, status: call.status };
  const run: JsonObject = call.run === undefined ? {} : { run: call.run };
  if (call.status === "ended") {
    const { code, message, data } = call.error;
    const status: Status = statusWord(call.error);
    return { ...called, status, error: { code, message, ...(data !== undefined && { details: data }) }, ...run };
  }
  const { content, structuredContent, isError } = call.result;
  return {
    ...called,
    status: call.status,
    // Blocks of MCP, as the server gave them.
    content: content as Json,
    ...(structuredContent !== undefined && { structured_content: structuredContent }),
    is_error: isError === true,
    ...run,
  };
}

/** A call that was to run here and did not. */
export const endedCall = ({ name, input }: Pick<ToolUseBlock, "name" | "input">, { code, message, data }: ControlError): ControlCall => ({
  name,
  arguments: input,
  status: "ended",
  error: { code, message, ...(data !== undefined && { data }) },
});

/** The calls that a model chose, in order; none where the answer is an error. */
export const chosenIn = (answer: Answer): ToolUseBlock[] =>
  "error" in answer ? [] : blocksIn(answer.result).filter((block) => block.type === "tool_use");

/**
 * What became of a call that ran at an MCP server: the answer of its request holds the call that was made (a reviewer may have changed
 * its arguments) and its result. The name is the caller's.
 */
export function callOf(given: Pick<ToolUseBlock, "name" | "input">, answer: Answer): ControlCall {
  if ("error" in answer) return endedCall(given, answer.error);
  const blocks = blocksIn(answer.result);
  const made = blocks.find((block) => block.type === "tool_use");
  const result = blocks.find((block) => block.type === "tool_result");
  if (result === undefined) throw new Error("the answer of a function without its result");
  return { name: given.name, arguments: made?.input ?? given.input, status: "executed", result, ...runOf(answer.result) };
}

/** As `completedAnswer` wrote them. */
const blocksIn = ({ content }: JsonObject): ReplyBlock[] => [content].flat() as unknown as ReplyBlock[];

function runOf({ _meta: meta }: JsonObject): { readonly run?: string } {
  const id = (meta as { readonly [RUN_META]?: { readonly id?: string } } | undefined)?.[RUN_META]?.id;
  return id === undefined ? {} : { run: id };
}
