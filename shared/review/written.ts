// A reply that a reviewer writes in the model's place: for which requests, and what makes it one.
// It records and approves nothing.

import { fits } from "../json/fields.ts";
import { type ChatRequest, type SamplingReply, samplingReply } from "../model/sampling.ts";
import type { SubjectRequest } from "../model/subject/subject.ts";
import { err, ok, type Result } from "../result.ts";
import type { FieldChange } from "./difference.ts";
import type { EditIssue, ReplyRule } from "./edit.ts";
import { asSubmitted } from "./submitted-text.ts";

/** `model` of such a reply, unless the policy lets it name its author. */
export const writtenModel = "human";

/** The path of the written reply among the changes of a form. */
export const answerPath = "/answer";

/**
 * Not for vectors, nor for a tool's run, nor where a tool use is required: a text is none of these.
 */
export const isWritable = (request: SubjectRequest): request is ChatRequest => request.kind === "chat" && request.toolChoice !== "required";

/** The form's change: the whole text, also where another reviewer wrote a reply before. */
export const answerChange = (text: string): FieldChange => ({ path: answerPath, changes: [{ kind: "added", text: asSubmitted(text) }] });

/**
 * The reply of this text, as the browser sent it. Refused: a blank text, one that does not fit
 * `rule`, and a request that takes no text.
 */
export function writtenReply(
  request: SubjectRequest,
  text: string,
  { model, rule }: { readonly model: string; readonly rule: ReplyRule | undefined },
): Result<SamplingReply, readonly EditIssue[]> {
  if (!isWritable(request)) return err([{ field: answerPath, fault: { kind: "notWritable" } }]);
  if (text.trim() === "") return err([{ field: answerPath, fault: { kind: "blankReply" } }]);
  const reply: SamplingReply = { content: [{ type: "text", text: asSubmitted(text) }], model, stopReason: "endTurn" };
  if (!fits(samplingReply, reply)) return err([{ field: answerPath, fault: { kind: "invalidReply" } }]);
  const misfit = rule?.(reply) ?? null;
  if (misfit !== null) return err([{ field: answerPath, fault: misfit }]);
  return ok(reply);
}
