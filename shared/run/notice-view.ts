// A review as a notice may show it: what the policy's rules name is masked in it again, also where a reviewer lifted it, or where a rule masks
// notices alone. No original is in it.

import { redactReply, redactRequest, redactText, rulesAt } from "../redaction/redact.ts";
import type { ReviewView } from "../review/view.ts";
import type { RunInput } from "./run-input.ts";

export type NoticeContent = { readonly view: ReviewView; readonly excerpt: "none" | "start" };

/** `excerpt` is `none` where the content cannot be masked. */
export function forNotice(view: ReviewView, { plan, redaction }: Pick<RunInput, "plan" | "redaction">): NoticeContent {
  const { redactions: _originals, mayLift: _may, ...rest } = view;
  const bare: ReviewView = { ...rest, requestAsAsked: null, replyAsGenerated: null };
  const { noticeExcerpt: excerpt } = plan;
  if (redaction === undefined) return { view: bare, excerpt };
  const rules = rulesAt(redaction, "notice");
  const request = redactRequest(view.request, rules, { mayRename: true });
  const reply = view.reply === null ? null : redactReply(view.reply, rules);
  const { written, handedBy } = view;
  const authored = written?.reply == null ? null : redactReply(written.reply, rules);
  if (!request.ok || reply?.ok === false || authored?.ok === false) return { view: bare, excerpt: "none" };
  const redacted = [request.value, reply?.value, authored?.value].flatMap((each) => each?.redaction?.counts ?? []);
  const count = redacted.reduce((sum, each) => sum + each.count, 0);
  return {
    view: {
      ...bare,
      request: request.value.value,
      reply: reply?.value.value ?? null,
      ...(written == null || authored === null ? {} : { written: { ...written, reply: authored.value.value } }),
      ...(handedBy?.note == null ? {} : { handedBy: { ...handedBy, note: redactText(handedBy.note, rules) } }),
      ...(count === 0 ? {} : { maskedHere: count }),
    },
    excerpt,
  };
}
