// Who handed a review to the reviewer of a notice, and the note with which they did. The note is a
// colleague's words and no content of the request, so it stands in notices without an excerpt too.
// One with what a warning calls a secret is left out.

import { isSecret } from "../policy/scan-text.ts";
import { isOpen } from "../review/review-facts.ts";
import type { ReviewView } from "../review/view.ts";

type HandOver = { readonly by: string; readonly note: string | null; readonly leftOut?: "secret" };

/** Null where nobody did, or the review is over. */
export function handOverOf({ handedBy = null, state }: Pick<ReviewView, "handedBy" | "state">): HandOver | null {
  if (handedBy === null || !isOpen(state)) return null;
  const { by, note } = handedBy;
  return note !== null && isSecret(note) ? { by, note: null, leftOut: "secret" } : { by, note };
}
