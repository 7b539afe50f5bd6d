// What a client requires of a reply, as a rule for reviewers' edits.

import type { SamplingRequest } from "../model/sampling.ts";
import { isJsonReply } from "../provider/json-reply.ts";
import type { ReplyRule } from "../review/edit.ts";

/** Undefined where any reply fits. */
export function replyRuleOf({ responseFormat }: Pick<SamplingRequest, "responseFormat">): ReplyRule | undefined {
  if (responseFormat === undefined) return undefined;
  return {
    fits: (reply) => isJsonReply(reply, responseFormat),
    message:
      responseFormat.schema === undefined
        ? "This must stay JSON: the client requested it."
        : "This must stay JSON that matches the schema in the prompt: the client requested it.",
  };
}
