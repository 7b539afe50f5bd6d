// What a member submits in Slack's dialogs, and how an edit is read back from it. It has no words
// and decides nothing.

import { asSubmitted } from "../../review/submitted-text.ts";
import { fieldsOf } from "../../review/subject/parts.ts";
import type { ReviewView } from "../../review/view.ts";

/** `view.state.values` of a submission: block id to text. */
type ModalValues = ReadonlyMap<string, string>;

export const reasonBlock = "reason";
/** Of a denial that stops the tool. */
export const stopBlock = "stop";
/** The action id of each block's input. */
export const inputAction = "value";

/** The fields of this version that may be edited, by path. */
export function editableFields({ gate, request, reply }: ReviewView): Map<string, string> {
  const content = gate === "request" ? request : reply;
  return content === null ? new Map() : fieldsOf(content);
}

/**
 * The changed fields, by path. White space at the end and the kind of line ends count as no change:
 * Slack does not show them, and an untouched field has to keep its exact value.
 */
export function editsFrom(view: ReviewView, values: ModalValues): (readonly [string, string])[] {
  return [...editableFields(view)].flatMap(([path, text]) => {
    const value = values.get(path);
    return value === undefined || asSubmitted(value).trimEnd() === asSubmitted(text).trimEnd() ? [] : [[path, value] as const];
  });
}
