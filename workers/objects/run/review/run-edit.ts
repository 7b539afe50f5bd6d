// A reviewer's edits of a run's content: what the form changes, and the digest of the result.
// Decides nothing.

import type { Gate } from "../../../../shared/model/gate.ts";
import { changedReply, changedRequest } from "../../../../shared/review/changes.ts";
import type { FieldChange } from "../../../../shared/review/difference.ts";
import { answerChange, writtenModel, writtenReply } from "../../../../shared/review/written.ts";
import type { EditFault, EditIssue } from "../../../../shared/review/edit.ts";
import type { Reviewer } from "../../../../shared/policy/evaluate.ts";
import { type SeenRisk, findRisks, highestRisk } from "../../../../shared/policy/risk.ts";
import { isRoom } from "../../../../shared/notice-channels.ts";
import { type Mark, liftMark } from "../../../../shared/redaction/redact.ts";
import { type RunState, mayAuthor } from "../../../../shared/run/lifecycle.ts";
import { type ModelFacts, writtenModelFor } from "../../../../shared/run/present.ts";
import type { PlannedWork } from "../../../../shared/run/work.ts";
import { nothingSpent, replyDigest, requestDigest, writtenDigest } from "../../../../shared/run/run-input.ts";
import type { Form } from "../../../../shared/model/subject/form.ts";
import { type RequestVersion, type SubjectReply, isForm } from "../../../../shared/model/subject/subject.ts";
import { formAnswerOf } from "../../../../shared/review/form-answer.ts";
import { reviewAt } from "../run-deps.ts";
import { replyRuleOf } from "../../../../shared/run/reply-rule.ts";
import { currentRequest } from "../deliver/run-account.ts";
import type { Submission } from "../../../stubs/run-calls.ts";
import type { RunStore, StoredInput } from "../tables/run-store.ts";

/**
 * The content after a form's edits. `write` stores it as that version; nothing is written before.
 */
export type EditedContent =
  /**
   * The form is no approval of the current version: the decision judges it as denied, stale or
   * closed.
   */
  | { readonly kind: "notJudged" }
  | { readonly kind: "same" }
  | { readonly kind: "invalid"; readonly issues: readonly EditIssue[] }
  /**
   * The form has a written reply, and beside it what goes to the model: it is not clear which of
   * the two is meant.
   */
  | { readonly kind: "twoChoices" }
  | {
      readonly kind: "edited";
      /** How it differs from the version that the form was made for. */
      readonly changes: readonly FieldChange[];
      readonly digest: string;
      /** The content is a reply that this reviewer wrote. */
      readonly written?: { readonly reply: string; readonly risk: SeenRisk; readonly risks: readonly string[] };
      readonly write: (version: number, by: string, at: number) => void;
    };

/** What a reviewer's form is about, and who they are. */
type Formed = { readonly gate: Gate; readonly by: Reviewer; readonly form: Submission };

const invalid = (fault: EditFault): EditedContent => ({ kind: "invalid", issues: [{ field: "", fault }] });

/**
 * The content with a reviewer's edits, the choice of models included, compared with the current
 * version; or the reply that they wrote in the model's place.
 */
export function editedContent(store: RunStore, input: StoredInput, state: RunState, formed: Formed): EditedContent {
  const { gate, by, form } = formed;
  const review = state.reviews[gate];
  if (
    form.act === "deny" ||
    form.act === "dismiss" ||
    review === null ||
    review.closing !== null ||
    form.version !== review.version ||
    form.digest !== review.digest
  ) {
    return { kind: "notJudged" };
  }
  if (form.act === "answer" && !mayAuthor(state, by.name)) return invalid({ kind: "notWritable" });
  if (gate === "request") return editedRequest(store, input, review, formed);
  return form.act === "approve" ? editedReply(store, state, review, form) : invalid({ kind: "notWritable" });
}

type Current = { readonly version: number; readonly digest: string };

function editedRequest(store: RunStore, input: StoredInput, current: Current, formed: Formed): EditedContent {
  const { by, form } = formed;
  const { work } = input;
  const content = store.requestVersion(current.version);
  if (content === null) return { kind: "notJudged" };
  const { request } = content;
  // Nothing but an answer answers a form, and nothing else is answered by one.
  if (isForm(request) !== (form.act === "fill")) return invalid({ kind: "notWritable" });
  const written = store.writtenReply(current.version);
  // The stored content is not the reviewed one: that is no edit, and without the approved content
  // nothing is sent or delivered.
  if (choiceDigest(content, work, written) !== current.digest) {
    return form.act === "approve" ? { kind: "same" } : invalid({ kind: "notWritable" });
  }
  if (isForm(request)) return filledIn(store, input, content, request, formed);
  const { model, answer } = form;
  const changed = changedRequest(content, { edits: new Map(form.edits), ...(model === undefined ? {} : { model }) });
  if (!changed.ok) return { kind: "invalid", issues: changed.error };
  const { value, changes } = changed.value;
  if (form.act === "answer") return changes.length > 0 ? { kind: "twoChoices" } : answeredByReviewer(store, input, content, { by, form });
  if (answer !== undefined) return { kind: "twoChoices" };
  // A written reply is approved as it is: the request below it goes nowhere, and is not edited.
  if (written !== null && changes.length > 0) return invalid({ kind: "unknownField" });
  if (form.act === "askModel") return written === null ? invalid({ kind: "unknownField" }) : requestAgain(store, content, work);
  const digest = choiceDigest(value, work, written);
  if (digest === current.digest) return { kind: "same" };
  return {
    kind: "edited",
    changes,
    digest,
    write: (version, name, at) => store.writeRequestVersion(version, value, name, at),
  };
}

/**
 * The digest of what the request gate decides: the request, or the reply that a reviewer wrote to
 * it.
 */
const choiceDigest = (content: RequestVersion, work: PlannedWork, written: SubjectReply | null): string =>
  written === null ? requestDigest(content, work) : writtenDigest(content, work, written);

/** The request as it stands, in place of the reply that somebody wrote to it. */
const requestAgain = (store: RunStore, content: RequestVersion, work: PlannedWork): EditedContent => ({
  kind: "edited",
  changes: [],
  digest: requestDigest(content, work),
  write: (version, name, at) => store.writeRequestVersion(version, content, name, at),
});

/**
 * The reply that this reviewer wrote. Where it is the very reply that somebody wrote before, its
 * digest is the current one.
 */
function answeredByReviewer(
  store: RunStore,
  input: StoredInput,
  content: RequestVersion,
  { by, form }: Pick<Formed, "by" | "form">,
): EditedContent {
  const { work, gatePolicy } = input;
  const { answer = "" } = form;
  if (isRoom(by)) return invalid({ kind: "notWritable" });
  const { request } = content;
  const reply = writtenReply(request, answer, { model: writtenModelFor(gatePolicy, by.name), rule: replyRuleOf(request) });
  if (!reply.ok) return { kind: "invalid", issues: reply.error };
  return authored(store, content, work, reply.value, [answerChange(answer)]);
}

/** The answer of this reviewer to a form. */
function filledIn(store: RunStore, { work }: StoredInput, content: RequestVersion, request: Form, formed: Formed): EditedContent {
  const { by, form } = formed;
  if (isRoom(by)) return invalid({ kind: "notWritable" });
  const answer = formAnswerOf(request, new Map(form.edits));
  return answer.ok ? authored(store, content, work, answer.value, []) : { kind: "invalid", issues: answer.error };
}

/** What a reviewer wrote, in the place of what would come of the request. */
function authored(
  store: RunStore,
  content: RequestVersion,
  work: PlannedWork,
  reply: SubjectReply,
  changes: readonly FieldChange[],
): EditedContent {
  const risks = findRisks(reply);
  return {
    kind: "edited",
    changes,
    digest: writtenDigest(content, work, reply),
    written: { reply: replyDigest(reply), risk: highestRisk(risks), risks: risks.map(({ kind }) => kind) },
    write(version, name, at) {
      store.writeRequestVersion(version, content, name, at);
      store.writeWrittenReply(version, reply);
    },
  };
}

/**
 * The content with one redaction lifted, and its digest; null where that is not possible. `write`
 * stores it as that version.
 */
export function liftedContent(
  store: RunStore,
  { work }: StoredInput,
  { reviews }: RunState,
  gate: Gate,
  id: number,
): { readonly mark: Mark; readonly digest: string; readonly write: (version: number, by: string, at: number) => void } | null {
  const review = reviews[gate];
  const redaction = store.redaction(gate);
  const mark = redaction?.marks.find((each) => each.id === id);
  // The request below a written reply goes nowhere.
  if (review === null || review.written !== undefined || redaction === null || mark === undefined) return null;
  const lifted = new Set(review.lifted);
  if (gate === "response") {
    const reply = store.replyVersion(review.version);
    const next = reply === null || replyDigest(reply) !== review.digest ? null : liftMark(reply, redaction, lifted, id);
    if (next?.ok !== true) return null;
    return { mark, digest: replyDigest(next.value), write: (version, by, at) => store.writeReplyVersion(version, next.value, by, at) };
  }
  const content = store.requestVersion(review.version);
  if (content === null || requestDigest(content, work) !== review.digest) return null;
  const next = liftMark(content.request, redaction, lifted, id);
  if (!next.ok) return null;
  const value = { ...content, request: next.value };
  return { mark, digest: requestDigest(value, work), write: (version, by, at) => store.writeRequestVersion(version, value, by, at) };
}

/**
 * The approved reply that a reviewer wrote becomes the run's reply. Throws where the stored one is
 * not the approved one: it is not delivered.
 */
export function takeWrittenReply(store: RunStore, state: RunState, { work }: StoredInput, now: number): void {
  const { version, digest, written } = reviewAt(state, "request");
  const content = store.requestVersion(version);
  const reply = store.writtenReply(version);
  if (content === null || reply === null || writtenDigest(content, work, reply) !== digest || replyDigest(reply) !== written?.reply) {
    throw new Error("a written reply that is not the approved one");
  }
  store.writeReplyVersion(1, reply, null, now);
  const facts: ModelFacts = { candidate: writtenModel, usage: nothingSpent, notes: [] };
  store.writeModelFacts(facts);
}

function editedReply(store: RunStore, state: RunState, current: Current, form: Submission): EditedContent {
  const reply = store.replyVersion(current.version);
  if (reply === null) return { kind: "notJudged" };
  // As above: without the approved content nothing is delivered.
  if (replyDigest(reply) !== current.digest) return { kind: "same" };
  const asked = currentRequest(store, state);
  const changed = changedReply(reply, new Map(form.edits), asked === null ? undefined : replyRuleOf(asked.request));
  if (!changed.ok) return { kind: "invalid", issues: changed.error };
  const { value, changes } = changed.value;
  const digest = replyDigest(value);
  if (digest === current.digest) return { kind: "same" };
  return {
    kind: "edited",
    changes,
    digest,
    write: (version, by, at) => store.writeReplyVersion(version, value, by, at),
  };
}
