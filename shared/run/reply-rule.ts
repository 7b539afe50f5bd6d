// What a request requires of its reply, as a rule for reviewers' edits.

import type { SamplingRequest } from "../model/sampling.ts";
import { isJsonReply } from "../provider/json-reply.ts";
import type { ReplyRule } from "../review/edit.ts";

/** Undefined where any reply fits. */
export function replyRuleOf({ responseFormat }: Pick<SamplingRequest, "responseFormat">): ReplyRule | undefined {
  if (responseFormat === undefined) return undefined;
  return {
    fits: (reply) => isJsonReply(reply, responseFormat),
    fault: { kind: "notRequestedJson", hasSchema: responseFormat.schema !== undefined },
  };
}
