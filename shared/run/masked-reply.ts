// A reply as the policy's rules let it be delivered: it is masked before its risks are found,
// before anybody is shown it, and before it is kept.

import type { Attempt, Usage } from "../model/call.ts";
import { type SubjectReply, type SubjectRequest, isMessage } from "../model/subject/subject.ts";
import { type Redacted, redactReply, rulesAt } from "../redaction/redact.ts";
import { type Result, err } from "../result.ts";
import type { RequestInput } from "./run-input.ts";

type Terms = Pick<RequestInput, "redaction">;

/** Whether a rule may change the reply: none of it is delivered before all of it is there. */
export const mayMaskReply = ({ redaction }: Terms): boolean => redaction !== undefined && rulesAt(redaction, "reply").length > 0;

/**
 * The reply with what the rules name masked. Its error is the attempt as failed: a reply that
 * cannot be masked is not delivered.
 */
export function maskedReply<T extends SubjectReply>(
  { redaction }: Terms,
  request: SubjectRequest,
  { reply, usage }: { readonly reply: T; readonly usage: Usage },
  { model, provider, at }: Pick<Attempt, "model" | "provider" | "at">,
): Result<Redacted<T>, readonly Attempt[]> {
  const masked = redactReply(reply, redaction === undefined ? [] : rulesAt(redaction, "reply"), {
    isJson: isMessage(request) && request.responseFormat !== undefined,
  });
  if (masked.ok) return masked;
  return err([{ model, provider, at, durationMs: 0, fault: { kind: "brokenAnswer", detail: "tooLarge", then: "stop", usage } }]);
}
