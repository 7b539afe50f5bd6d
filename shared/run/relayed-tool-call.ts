// A client's `tools/call` on its way through the relay, as it is reviewed, and what its client is
// told of the end of its review.

import type { JsonObject } from "../encoding.ts";
import { checkJson } from "../json/json-rules.ts";
import { IssueCollector } from "../json/issue-collector.ts";
import { checkExact } from "../json/exact.ts";
import { textAt } from "../json/spans.ts";
import { objectOf } from "../json/values.ts";
import type { Outcome, Refusal } from "../model/outcome.ts";
import { type ToolCall, type ToolResult, argumentsOf, inputResponsesOf } from "../model/subject/tool-call.ts";
import { argumentsIn, inputResponsesIn, noticeResult, unknownNotice, unknownText } from "../relay/call-notices.ts";
import { type Result, err, ok } from "../result.ts";

/**
 * The call that a message makes, or what is wrong with it: a reviewer would be shown another call
 * than the one that the server reads.
 * @param bytes The message, in which the arguments stand as they were written.
 */
export function relayedCall(bytes: Uint8Array, value: unknown, server: string): Result<ToolCall, string> {
  const params = objectOf(objectOf(value)?.["params"]);
  const { name, arguments: given = {}, inputResponses: answers = {} } = params ?? {};
  const input = objectOf(given);
  if (typeof name !== "string" || input === null) return err("Invalid params: name is a text, and arguments an object");
  if (objectOf(answers) === null) return err("Invalid params: inputResponses is an object");
  const issues = new IssueCollector();
  checkJson(params, issues);
  const [span, responses] = [argumentsIn(bytes), inputResponsesIn(bytes)];
  for (const each of [span, responses])
    if (issues.found.length === 0 && each !== undefined) checkExact(textAt(bytes, each), issues, { digits: false });
  const [issue] = issues.found;
  if (issue !== undefined) return err(`Invalid params: ${issue.pointer} ${issue.message}`);
  return ok({
    kind: "toolCall",
    server,
    tool: name,
    ...(span === undefined ? { arguments: input } : argumentsOf(textAt(bytes, span))),
    ...(responses === undefined ? {} : inputResponsesOf(textAt(bytes, responses))),
  });
}

const refusals: { readonly [Kind in Refusal["kind"]]?: string } = {
  policyRefused: "The gateway's policy does not allow this call. It was not run, and calling it again does not help.",
  ownerUnknown:
    "This call needs a person's approval, and the gateway does not know whose call it is. It was not run; ask the operator to name the API key's owner.",
  stopped: "An operator has stopped calls like this one. It was not run; ask the user before you call it again.",
  configurationUnavailable: "The gateway cannot read its policy now, so the call was not run. Call it again later.",
};

const toolStopped = "A person has stopped the calls of this tool. It was not run; ask the user before you call it again.";

/** Null: a refusal that says nothing of the call itself, and is told as a JSON-RPC error. */
export function refusedNotice(refusal: Refusal): JsonObject | null {
  const text = refusal.kind === "stopped" && refusal.scope === "tool" ? toolStopped : refusals[refusal.kind];
  return text === undefined ? null : noticeResult({ text, run: null, what: "refused" });
}

const decisions = {
  request: {
    rejected: "A person declined this call. It was not run.",
    expired: "Nobody decided about this call in time, so it was not run. Call it again to ask again.",
    undeliverable: "No reviewer of this call could be reached, so it was not run. Ask the operator.",
  },
  response: {
    rejected: "This call has run, and a person declined to release its result.",
    expired: "This call has run, and nobody decided about its result in time. Calling it again runs it again.",
    undeliverable: "This call has run, and no reviewer of its result could be reached. Ask the operator.",
  },
} as const;

/** What the outcome of a call's run is to its client. `sent`: this very call was sent. */
export function callResult(outcome: Outcome, run: string, sent: boolean): JsonObject {
  const notice = (text: string): JsonObject => noticeResult({ text, run, what: outcome.kind });
  switch (outcome.kind) {
    case "ran":
      return { ...shownResult(outcome.result), _meta: { "countersign/run": { id: run } } };
    case "rejected": {
      const said = decisions[outcome.gate].rejected;
      return notice(outcome.reason === null ? said : `${said} The reason: ${outcome.reason}`);
    }
    case "expired":
    case "undeliverable":
      return notice(decisions[outcome.gate][outcome.kind]);
    case "cancelled":
      return notice(sent ? unknownText : "This call was withdrawn before it ran.");
    case "failed": {
      const fault = outcome.attempts.at(-1)?.fault;
      if (fault?.detail === "outcomeUnknown" || fault === undefined) return unknownNotice(run);
      return notice("The server did not run this call, or its result cannot be passed on. Check its effect before you call it again.");
    }
    case "refused":
      return refusedNotice(outcome.refusal) ?? notice("The gateway refused this call. It was not run.");
    case "broken":
      return notice(`Something went wrong at the gateway (${outcome.quote}). ${sent ? unknownText : "The call was not run."}`);
    case "approved":
    case "completed":
    case "elicited":
      throw new Error("an outcome that is no end of a call");
    default:
      return outcome satisfies never;
  }
}

/** A reviewed result as `CallToolResult` has it: what was shown, and nothing else. */
export const shownResult = ({ kind: _kind, ...result }: ToolResult): JsonObject => result;

/** The server's error in the place of a result, as a result that can be reviewed. */
export const errorResult = (error: JsonObject): JsonObject => ({
  content: [{ type: "text", text: typeof error["message"] === "string" ? error["message"] : "The server answered with an error" }],
  isError: true,
});
