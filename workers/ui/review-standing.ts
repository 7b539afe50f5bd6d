// What this reviewer may still do on the page: it shows fewer controls, and refuses nothing (the run's object does).

import { isOpen } from "../../shared/review/review-facts.ts";
import type { ReviewView } from "../../shared/review/view.ts";

/** The review waits, and this reviewer has not given up their place in it. */
export const mayDecide = ({ state, left }: ReviewView): boolean => isOpen(state) && (left ?? null) === null;

/** Nor have they approved it already, nor is it their own request where that bars them. */
export const mayApprove = (view: ReviewView): boolean => mayDecide(view) && (view.ownVote ?? null) === null && view.mayApprove !== false;

/** An approval stands: whoever gave one gives nothing up any more. */
export const mayGiveUp = (view: ReviewView): boolean => mayDecide(view) && (view.ownVote ?? null) === null;
