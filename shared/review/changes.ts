// What a reviewer's form would change: the content with it, and each difference to the version that the form was made for.
//
// The page shows these differences and promises their number on its button; the run object counts them again before an approval
// counts. Both use this file, so that no edit is approved that its page did not show. Source of the rule: docs/reviews.md, "Edits".

import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import { type Result, err, ok } from "../result.ts";
import { type FieldChange, differenceOf, replyChanges, requestChanges } from "./difference.ts";
import { type EditIssue, type ReplyRule, applyReplyEdits, applyRequestEdits } from "./edit.ts";

/** A request, and the ids of the models that it may go to, in order. */
export type ModelledRequest = { readonly request: SamplingRequest; readonly models: readonly string[] };

/** The edited content, and what differs: one entry for each changed field. Nothing differs where the list is empty. */
export type FormChanges<T> = { readonly value: T; readonly changes: readonly FieldChange[] };

/** The place of the choice of model among the changes. */
export const modelPath = "/model";

/**
 * The request with a form's edits and choice of model. `model` is the id that is to be asked first; absent: as it is.
 * Refused: edits that make an invalid request, and a model that is not among those of the current version.
 */
export function changedRequest(
  current: ModelledRequest,
  form: { readonly edits: ReadonlyMap<string, string>; readonly model?: string },
): Result<FormChanges<ModelledRequest>, readonly EditIssue[]> {
  const applied = applyRequestEdits(current.request, form.edits);
  if (!applied.ok) return applied;
  const { model } = form;
  if (model !== undefined && !current.models.includes(model))
    return err([{ field: "model", message: "This model cannot serve the request; choose one of the list." }]);
  const { value: request } = applied.value;
  const [first = ""] = current.models;
  const changes = requestChanges(current.request, request);
  if (model === undefined || model === first) return ok({ value: { request, models: current.models }, changes });
  return ok({
    value: { request, models: [model, ...current.models.filter((id) => id !== model)] },
    changes: [...changes, { path: modelPath, changes: differenceOf(first, model) }],
  });
}

/** The reply with a form's edits. Refused: edits that make an invalid reply, or one that does not fit `rule`. */
export function changedReply(
  current: SamplingReply,
  edits: ReadonlyMap<string, string>,
  rule: ReplyRule | undefined,
): Result<FormChanges<SamplingReply>, readonly EditIssue[]> {
  const applied = applyReplyEdits(current, edits, rule);
  if (!applied.ok) return applied;
  const { value } = applied.value;
  return ok({ value, changes: replyChanges(current, value) });
}
