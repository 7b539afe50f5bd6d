// What this reviewer may still do, to show only those controls. The RunObject is what refuses.

import { isOpen } from "./review-facts.ts";
import type { ReviewView } from "./view.ts";

/** The review is open, and this reviewer has not recused themself. */
export const mayDecide = ({ state, left }: ReviewView): boolean => isOpen(state) && (left ?? null) === null;

/**
 * Whether the page has to hear of changes: while there is something to decide, or the reply to wait
 * for.
 */
export const isLive = (view: ReviewView): boolean => mayDecide(view) || (view.next ?? null) !== null;

/**
 * Nor has the reviewer approved already, nor is it their own request where the policy bars that.
 */
export const mayApprove = (view: ReviewView): boolean => mayDecide(view) && (view.ownVote ?? null) === null && view.mayApprove !== false;

/** Whether this reviewer may write a reply in the model's place. */
export const mayWrite = (view: ReviewView): boolean => mayApprove(view) && view.gate === "request" && (view.mayWrite ?? null) !== null;

/** Not after an approval, which stands. */
export const mayGiveUp = (view: ReviewView): boolean => mayDecide(view) && (view.ownVote ?? null) === null;
