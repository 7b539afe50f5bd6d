// The outcome of one function call, and its form in the answer.

import type { JsonObject } from "../../encoding.ts";
import type { Outcome } from "../../model/outcome.ts";
import { describeOutcome } from "../describe.ts";
import type { ToolUseBlock } from "../../model/sampling.ts";
import type { ToolResult } from "../../model/subject/tool-call.ts";
import { statusWord, type ControlError, type Status } from "../status.ts";

type FunctionCall = { readonly name: string; readonly arguments: JsonObject };

/**
 * `validated`: the arguments fit the schema, and the caller runs the function. `executed`: an MCP
 * server ran it; `arguments` are those that it got, which a reviewer may have edited. `ended`: it
 * was to run here, and a person, the policy or the server prevented it.
 */
export type ControlCall = FunctionCall &
  (
    | { readonly status: "validated" }
    | { readonly status: "executed"; readonly result: ToolResult; readonly run?: string }
    | { readonly status: "ended"; readonly error: ControlError; readonly run?: string }
  );

export const validatedCall = ({ name, input }: Pick<ToolUseBlock, "name" | "input">): ControlCall => ({
  name,
  arguments: input,
  status: "validated",
});

/**
 * A call in the answer. Its `status` is "validated", "executed", or one of `statuses` for what
 * ended otherwise.
 */
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
    content,
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

/** The calls that a model chose, in order; none where there is no reply. */
export const chosenIn = (outcome: Outcome): ToolUseBlock[] =>
  outcome.kind === "completed" ? outcome.reply.content.filter((block) => block.type === "tool_use") : [];

/**
 * The call that an MCP server ran: the outcome of its request has the call that was made (a
 * reviewer may have changed its arguments) and its result. The name is the caller's.
 */
export function callOf(given: Pick<ToolUseBlock, "name" | "input">, outcome: Outcome): ControlCall {
  if (outcome.kind === "completed") throw new Error("a model's reply as the outcome of a function");
  if (outcome.kind !== "ran") return endedCall(given, describeOutcome(outcome));
  const { call, result, meta } = outcome;
  return { name: given.name, arguments: call.arguments, status: "executed", result, run: meta.id };
}
