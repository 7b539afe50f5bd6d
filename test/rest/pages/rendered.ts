// Pages as the pages Worker makes them, for tests that look at one without a gateway.

import { type Page, renderPage } from "../../../workers/ui/page.ts";
import type { Language } from "../../../shared/channels/words/languages.ts";
import type { ReviewPageInput } from "../../../workers/ui/review-page.tsx";
import type { ReviewView } from "../../../shared/review/view.ts";

/** Of every page here, for its headers. */
export const cspNonce = "c5p";

export const rendered = (page: Page, language: Language = "en"): string => renderPage(page, { cspNonce, language });

/** The review page of `view`. */
export const renderedReview = (view: ReviewView, more: Partial<ReviewPageInput> = {}, language: Language = "en"): string =>
  rendered({ kind: "review", input: { view, action: "/r/t", nonce: "n0nce", ...more } }, language);
