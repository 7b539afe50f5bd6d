// The PreToolUse hook of Claude Code, of type http
// (https://code.claude.com/docs/en/hooks, read on 2026-11-25).
//
// Claude Code goes on with the call after every answer but a 2xx that says otherwise: after 401,
// 429 and 500, and after its timeout. So every refusal is a 200 that denies.

import * as z from "zod";
import { type JsonObject, canonicalJson } from "../../encoding.ts";
import { isObject } from "../../json/values.ts";
import { type Outcome, isApprovedCall } from "../../model/outcome.ts";
import { answerOf } from "./approval-answer.ts";

/** The server in the policy, the record and on the page. */
export const CLAUDE_CODE_SERVER = "claude-code";

export const preToolUse = "PreToolUse";

/** Of any event. */
export const hookEvent = () => z.looseObject({ hook_event_name: z.string() });

/** What is read of a call. Claude Code adds members with its versions. */
export const hookCall = () =>
  z.looseObject({
    session_id: z.string().min(1).max(100),
    /** Absolute: what a command does depends on it. */
    cwd: z.string().max(4_096).default(""),
    tool_name: z.string().min(1).max(256),
    tool_input: z.custom<JsonObject>(isObject, "must be an object").meta({ type: "object" }),
    /** Another one for each attempt of the model. */
    tool_use_id: z.string().max(200).optional(),
  });

/**
 * The hook's output. Where the policy asks nobody it says nothing, so that Claude Code's own
 * permissions decide: an `allow` would pass them by.
 * @param input As the hook gave it.
 */
export function hookOutput(outcome: Outcome, input: JsonObject): JsonObject {
  const { decision, message = "" } = answerOf(outcome, null);
  if (!isApprovedCall(outcome) || decision !== "approved") return hookDenial(message);
  const { call, edited, by } = outcome;
  const changed = [...new Set([...Object.keys(input), ...Object.keys(call.arguments)])].filter(
    (name) =>
      canonicalJson(input[name] ?? null) !== canonicalJson(call.arguments[name] ?? null) || name in input !== name in call.arguments,
  );
  if (by === "policy" && changed.length === 0) return {};
  return output({
    // What rules masked was shown to nobody yet.
    permissionDecision: by === "policy" ? "ask" : "allow",
    permissionDecisionReason: by === "policy" ? "Countersign masked a part of this call" : "Approved in Countersign",
    ...(changed.length === 0 ? {} : { updatedInput: call.arguments }),
    ...(edited
      ? { additionalContext: `A reviewer changed ${changed.join(", ")} of this call before approving it; the changed call is what runs.` }
      : {}),
  });
}

export const hookDenial = (permissionDecisionReason: string): JsonObject =>
  output({ permissionDecision: "deny", permissionDecisionReason });

/** The hook's wait ends before the review. */
export const hookStillWaiting =
  "No reviewer has decided about this call yet, and this hook waits no longer. Call the tool again with the same input: the decision is given then.";

const output = (decided: JsonObject): JsonObject => ({ hookSpecificOutput: { hookEventName: preToolUse, ...decided } });
