// What a member submits in Slack's dialogs, and how an edit is read back from it. It has no words
// and decides nothing.

import { asSubmitted } from "../../review/edit.ts";
import { replyFields, requestFields } from "../../review/editable-fields.ts";
import type { ReviewView } from "../../review/view.ts";

/** `view.state.values` of a submission: block id to text. */
export type ModalValues = ReadonlyMap<string, string>;

export const reasonBlock = "reason";
/** The action id of each block's input. */
export const inputAction = "value";

/** The fields of this version that may be edited, by path. */
export const fieldsOf = ({ gate, request, reply }: ReviewView): Map<string, string> =>
  gate === "request" ? requestFields(request) : reply === null ? new Map() : replyFields(reply);

/**
 * The changed fields, by path. White space at the end and the kind of line ends count as no change:
 * Slack does not show them, and an untouched field has to keep its exact value.
 */
export function editsFrom(view: ReviewView, values: ModalValues): (readonly [string, string])[] {
  return [...fieldsOf(view)].flatMap(([path, text]) => {
    const value = values.get(path);
    return value === undefined || asSubmitted(value).trimEnd() === asSubmitted(text).trimEnd() ? [] : [[path, value] as const];
  });
}
