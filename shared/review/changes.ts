// What a reviewer's form would change: the content with the edits, and each difference to the
// version of the form.
//
// The page shows these differences and has their number in its button; the run object counts them
// again before an approval counts. Both use this file, so that no edit is approved that its page
// did not show (docs/reviews.md, "Edits").

import { digestOf } from "../encoding.ts";
import { areDrawn } from "../json-schema/field-controls.ts";
import type { RequestVersion, SubjectReply } from "../model/subject/subject.ts";
import { type Result, err, ok } from "../result.ts";
import { type FieldChange, changesBetween, differenceOf } from "./difference.ts";
import { type EditIssue, type ReplyRule, applyEdits } from "./edit.ts";
import { type PromisedChanges, shownLive } from "./form.ts";

/** The edited content, and one entry for each changed field. */
type FormChanges<T> = { readonly value: T; readonly changes: readonly FieldChange[] };

/**
 * For the form: what the page shows as changes, so that other changes of the same number are not
 * taken for them.
 */
export const shownDigest = (changes: readonly FieldChange[]): string => digestOf("countersign/shown/v1", JSON.stringify(changes));

/**
 * Whether the page of an approval showed each of these changes, and its button their number. The
 * page's script shows what stands in a field, and not what an alternative begins as whose fields it
 * does not have.
 */
export const isPromised = (
  changes: readonly FieldChange[],
  { count, shown }: PromisedChanges,
  edits: ReadonlyMap<string, string>,
): boolean => count === changes.length && (shown === shownLive ? areDrawn(edits) : (shown ?? shownDigest([])) === shownDigest(changes));

/** The path of the choice of model among the changes. */
export const modelPath = "/model";

/**
 * The request with a form's edits and choice of model. `model` is the id of the model to ask first;
 * absent: unchanged. Refused: edits that make an invalid request, and a model that the current
 * version does not list.
 */
export function changedRequest(
  current: RequestVersion,
  form: { readonly edits: ReadonlyMap<string, string>; readonly model?: string },
): Result<FormChanges<RequestVersion>, readonly EditIssue[]> {
  const applied = applyEdits(current.request, form.edits);
  if (!applied.ok) return applied;
  const { model } = form;
  if (model !== undefined && !current.models.includes(model)) return err([{ field: "model", fault: { kind: "modelNotListed" } }]);
  const { value: request } = applied.value;
  const [first = ""] = current.models;
  const changes = changesBetween(current.request, request);
  if (model === undefined || model === first) return ok({ value: { request, models: current.models }, changes });
  return ok({
    value: { request, models: [model, ...current.models.filter((id) => id !== model)] },
    changes: [...changes, { path: modelPath, changes: differenceOf(first, model) }],
  });
}

/**
 * The reply with a form's edits. Refused: edits that make an invalid reply, or one that does not
 * fit `rule`, which is a message's.
 */
export function changedReply<T extends SubjectReply>(
  current: T,
  edits: ReadonlyMap<string, string>,
  rule: ReplyRule | undefined,
): Result<FormChanges<T>, readonly EditIssue[]> {
  const applied = applyEdits(current, edits, (value) => ("kind" in value ? null : (rule?.(value) ?? null)));
  if (!applied.ok) return applied;
  const { value } = applied.value;
  return ok({ value, changes: changesBetween(current, value) });
}
