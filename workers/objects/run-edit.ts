// A reviewer's edits of a run's content: what the form changes, and the digest of the result. Decides nothing.

import { type EditFault, applyReplyEdits, applyRequestEdits } from "../../shared/review/edit.ts";
import type { Gate } from "../../shared/review/view.ts";
import type { RunState } from "../../shared/run/lifecycle.ts";
import { type RequestVersion, replyDigest, requestDigest } from "../../shared/run/opening.ts";
import { replyRuleOf } from "../../shared/run/reply-rule.ts";
import { currentRequest } from "./run-account.ts";
import type { Submission } from "./run-contract.ts";
import type { RunStore, StoredOpening } from "./run-store.ts";

/** What a form makes of the content. `write` keeps it as that version; nothing is written before. */
export type EditedContent =
  | { readonly kind: "same" }
  | { readonly kind: "invalid"; readonly faults: readonly EditFault[] }
  | { readonly kind: "edited"; readonly digest: string; readonly write: (version: number, by: string, at: number) => void };

/** The content with a reviewer's edits, choice of model included, judged against the version that is current. */
export function editedContent(store: RunStore, opening: StoredOpening, state: RunState, gate: Gate, form: Submission): EditedContent {
  const review = state.reviews[gate];
  // Edits of what is no longer current are judged as stale by the decision itself.
  if (
    form.act !== "approve" ||
    review === null ||
    review.closing !== null ||
    form.version !== review.version ||
    form.digest !== review.digest
  ) {
    return { kind: "same" };
  }
  if (gate === "response") {
    const reply = store.replyVersion(review.version);
    if (reply === null) return { kind: "same" };
    const asked = currentRequest(store, state);
    const applied = applyReplyEdits(reply, new Map(form.edits), asked === null ? undefined : replyRuleOf(asked.request));
    if (!applied.ok) return { kind: "invalid", faults: applied.error };
    if (!applied.value.changed) return { kind: "same" };
    const { value } = applied.value;
    return {
      kind: "edited",
      digest: replyDigest(value),
      write: (version, by, at) => store.writeReplyVersion(version, value, by, at),
    };
  }
  const content = store.requestVersion(review.version);
  if (content === null) return { kind: "same" };
  const applied = applyRequestEdits(content.request, new Map(form.edits));
  if (!applied.ok) return { kind: "invalid", faults: applied.error };
  const models = moveToFront(content.models, form.model);
  if (models === null)
    return { kind: "invalid", faults: [{ field: "model", message: "This model cannot serve the request; choose one of the list." }] };
  const value: RequestVersion = { request: applied.value.value, models };
  const digest = requestDigest(value, opening.candidates);
  if (digest === review.digest) return { kind: "same" };
  return { kind: "edited", digest, write: (version, by, at) => store.writeRequestVersion(version, value, by, at) };
}

/** The list with the chosen model first, or null where it is not on the list. */
function moveToFront(models: readonly string[], chosen: string | undefined): string[] | null {
  if (chosen === undefined) return [...models];
  return models.includes(chosen) ? [chosen, ...models.filter((id) => id !== chosen)] : null;
}
