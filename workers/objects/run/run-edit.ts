// A reviewer's edits of a run's content: what the form changes, and the digest of the result. Decides nothing.

import type { Gate } from "../../../shared/model/gate.ts";
import { changedReply, changedRequest } from "../../../shared/review/changes.ts";
import type { FieldChange } from "../../../shared/review/difference.ts";
import type { EditIssue } from "../../../shared/review/edit.ts";
import type { RunState } from "../../../shared/run/lifecycle.ts";
import { replyDigest, requestDigest } from "../../../shared/run/run-input.ts";
import { replyRuleOf } from "../../../shared/run/reply-rule.ts";
import { currentRequest } from "./run-account.ts";
import type { Submission } from "../../stubs/run-calls.ts";
import type { RunStore, StoredInput } from "./run-store.ts";

/** The content after a form's edits. `write` stores it as that version; nothing is written before. */
export type EditedContent =
  /** The form is no approval of the current version: the decision judges it as denied, stale or closed. */
  | { readonly kind: "notJudged" }
  | { readonly kind: "same" }
  | { readonly kind: "invalid"; readonly issues: readonly EditIssue[] }
  | {
      readonly kind: "edited";
      /** How it differs from the version that the form was made for. */
      readonly changes: readonly FieldChange[];
      readonly digest: string;
      readonly write: (version: number, by: string, at: number) => void;
    };

/** The content with a reviewer's edits, the choice of models included, compared with the current version. */
export function editedContent(store: RunStore, input: StoredInput, state: RunState, gate: Gate, form: Submission): EditedContent {
  const review = state.reviews[gate];
  if (
    form.act !== "approve" ||
    review === null ||
    review.closing !== null ||
    form.version !== review.version ||
    form.digest !== review.digest
  ) {
    return { kind: "notJudged" };
  }
  return gate === "request" ? editedRequest(store, input, review, form) : editedReply(store, state, review, form);
}

type Current = { readonly version: number; readonly digest: string };

function editedRequest(store: RunStore, { candidates }: StoredInput, current: Current, form: Submission): EditedContent {
  const content = store.requestVersion(current.version);
  if (content === null) return { kind: "notJudged" };
  // The stored content is not the reviewed one: that is no edit, and without the approved content nothing is sent.
  if (requestDigest(content, candidates) !== current.digest) return { kind: "same" };
  const { model } = form;
  const changed = changedRequest(content, { edits: new Map(form.edits), ...(model === undefined ? {} : { model }) });
  if (!changed.ok) return { kind: "invalid", issues: changed.error };
  const { value, changes } = changed.value;
  const digest = requestDigest(value, candidates);
  if (digest === current.digest) return { kind: "same" };
  return {
    kind: "edited",
    changes,
    digest,
    write: (version, by, at) => store.writeRequestVersion(version, value, by, at),
  };
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
