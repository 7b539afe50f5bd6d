// A review as a notice may show it: what the policy's rules name is masked in it again, also where
// a reviewer lifted it, or where a rule masks notices alone. No original is in it.

import type { SamplingReply } from "../model/sampling.ts";
import type { SubjectReply, SubjectRequest } from "../model/subject/subject.ts";
import { redactReply, redactRequest, redactText, rulesAt } from "../redaction/redact.ts";
import { isForSignedIn } from "../policy/rules.ts";
import type { ReviewView, ToolCallView } from "../review/view.ts";
import type { RunInput } from "./run-input.ts";

/** `mustSignIn`: nothing is decided, and no content shown, but in the reviewer's inbox. */
export type NoticeContent = { readonly view: ReviewView; readonly excerpt: "none" | "start"; readonly mustSignIn: boolean };

type Terms = { readonly redaction?: RunInput["redaction"] | undefined };

/**
 * The texts of a review's current version as its notices may show them; null where they cannot be
 * masked.
 */
export type NoticeTexts = {
  readonly request: SubjectRequest;
  readonly reply: SubjectReply | null;
  readonly writtenReply: SamplingReply | null;
  /** How many parts were masked. */
  readonly count: number;
} | null;

/**
 * The same for every reviewer and channel of one version (`versionOf`): whoever composes notices
 * masks a version once.
 */
export function noticeTexts({ request, reply, written }: ReviewView, { redaction }: Terms): NoticeTexts {
  const rules = redaction === undefined ? [] : rulesAt(redaction, "notice");
  const masked = redactRequest(request, rules, { mayRename: true });
  const answer = reply === null ? null : redactReply(reply, rules);
  const authored = written?.reply == null ? null : redactReply(written.reply, rules);
  if (!masked.ok || answer?.ok === false || authored?.ok === false) return null;
  const counts = [masked.value, answer?.value, authored?.value].flatMap((each) => each?.redaction?.counts ?? []);
  return {
    request: masked.value.value,
    reply: answer?.value.value ?? null,
    writtenReply: authored?.value.value ?? null,
    count: counts.reduce((sum, each) => sum + each.count, 0),
  };
}

/** What a review's texts are known by. */
export const versionOf = ({ gate, version, digest }: ReviewView): string => `${gate} ${version} ${digest}`;

/** Without the last call, and what a juror wrote of this one. */
const withoutWords = ({ before: _call, raised: _said, ...view }: ToolCallView): Omit<ToolCallView, "before" | "raised"> => view;

/** `excerpt` is `none` where the content cannot be masked. `texts`: of this version of the view. */
export function forNotice(
  view: ReviewView,
  { gatePolicy, redaction }: Pick<RunInput, "gatePolicy" | "redaction">,
  texts: NoticeTexts = noticeTexts(view, { redaction }),
): NoticeContent {
  const { redactions: _originals, mayLift: _may, ...rest } = view.subject === "toolCall" ? withoutWords(view) : view;
  const bare = { ...rest, requestAsAsked: null, replyAsGenerated: null } as ReviewView; // of the same subject
  const { noticeExcerpt: excerpt } = gatePolicy;
  const mustSignIn = isForSignedIn(gatePolicy);
  if (redaction === undefined) return { view: bare, excerpt, mustSignIn };
  if (texts === null) return { view: bare, excerpt: "none", mustSignIn };
  const { written, handedBy } = view;
  const { request, reply, writtenReply, count } = texts;
  return {
    view: {
      ...bare,
      request,
      reply,
      ...(written == null || writtenReply === null ? {} : { written: { ...written, reply: writtenReply } }),
      ...(handedBy?.note == null ? {} : { handedBy: { ...handedBy, note: redactText(handedBy.note, rulesAt(redaction, "notice")) } }),
      ...(count === 0 ? {} : { maskedHere: count }),
    } as ReviewView, // of the same subject
    excerpt,
    mustSignIn,
  };
}
