// What a request requires of its reply, as a rule for reviewers' edits.

import { isMessage, type SubjectRequest } from "../model/subject/subject.ts";
import { isJsonReply } from "../provider/json-reply.ts";
import type { ReplyRule } from "../review/edit.ts";

/** Undefined where any reply fits. */
export function replyRuleOf(request: SubjectRequest): ReplyRule | undefined {
  const format = isMessage(request) ? request.responseFormat : undefined;
  if (format === undefined) return undefined;
  return (reply) => (isJsonReply(reply, format) ? null : { kind: "notRequestedJson", hasSchema: format.schema !== undefined });
}
