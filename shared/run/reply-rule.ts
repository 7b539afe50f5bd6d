// What a client's request asks of the reply to it, as a rule for the edits of reviewers.

import type { SamplingRequest } from "../model/sampling.ts";
import { isJsonReply } from "../provider/json-reply.ts";
import type { ReplyRule } from "../review/edit.ts";

/** Undefined where any reply will do. */
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
