// A reply as the policy's rules let it be delivered: it is masked before its risks are found,
// before anybody is shown it, and before it is kept.

import type { Attempt, ModelReply } from "../model/call.ts";
import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import { type Redacted, redactReply, rulesAt } from "../redaction/redact.ts";
import { type Result, err } from "../result.ts";
import type { Candidate } from "../routing/choose.ts";
import type { RequestInput } from "./run-input.ts";

type Terms = Pick<RequestInput, "redaction">;

/** Whether a rule may change the reply: none of it is delivered before all of it is there. */
export const mayMaskReply = ({ redaction }: Terms): boolean => redaction !== undefined && rulesAt(redaction, "reply").length > 0;

/**
 * The reply with what the rules name masked. Its error is the attempt as failed: a reply that
 * cannot be masked is not delivered.
 */
export function maskedReply(
  { redaction }: Terms,
  { responseFormat }: Pick<SamplingRequest, "responseFormat">,
  { reply, usage }: Pick<ModelReply, "reply" | "usage">,
  { candidate, at }: { readonly candidate: Pick<Candidate, "model"> | undefined; readonly at: number },
): Result<Redacted<SamplingReply>, readonly Attempt[]> {
  const masked = redactReply(reply, redaction === undefined ? [] : rulesAt(redaction, "reply"), { isJson: responseFormat !== undefined });
  if (masked.ok) return masked;
  const { id = "", provider = "" } = candidate?.model ?? {};
  return err([{ model: id, provider, at, durationMs: 0, fault: { kind: "brokenAnswer", detail: "tooLarge", then: "stop", usage } }]);
}
