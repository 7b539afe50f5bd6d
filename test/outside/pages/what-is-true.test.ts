import { describe, expect, test } from "vitest";
import type { ReviewView, RunProgress } from "../../../shared/review/view.ts";
import { renderReviewPage } from "../../../workers/ui/review-page.tsx";
import { reviewWords } from "../../../shared/channels/words/words.ts";
import { defaultModel } from "../../support/model-why.ts";
import { decided, openRequest, openResponse } from "./examples.ts";

/** The words of a page, with one space between any two: no tags, no style. */
const wordsOf = (view: ReviewView): string =>
  renderReviewPage({ view, action: "/r/t", nonce: "n", cspNonce: "c" })
    .replace(/<style[\s\S]*?<\/style>/, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

describe("a review page says only what is true now", () => {
  const open = ["Deadline", "Goes to", "Cost ", "Warnings", "First, at most", "Differences from the request"];

  test("an open request has its deadline, its first model, its cost and what to look at", () => {
    for (const words of open) expect(wordsOf(openRequest)).toContain(words);
  });

  test.each(["denied", "expired", "cancelled", "failed"] as const)(
    "a request that is %s goes nowhere, costs nothing and has no deadline",
    (name) => {
      const words = wordsOf(decided[name]);
      for (const gone of ["Deadline", "Goes to", "Approved for", "Cost ", "Differences from the request"])
        expect(words).not.toContain(gone);
      expect(words).toContain("Which model would have been asked");
      expect(words).toContain("Warnings");
    },
  );

  test("an approved request still says for which model, and at what cost at most", () => {
    const words = wordsOf(decided.approved);
    expect(words).toMatch(/Approved for claude-sonnet-4-5 ?; if that fails, 2 others/);
    expect(words).toContain("at most 1.4 US cents");
    for (const gone of ["Deadline", "Goes to"]) expect(words).not.toContain(gone);
  });

  test.each<[RunProgress, string | null]>([
    ["generating", "If the reply needs a review too, its link comes the same way as this one."],
    ["responseReview", "Its link comes the same way as this one."],
    ["completed", null],
    ["failed", null],
  ])("who approved a request is told where the reply’s link will come: %s", (progress, sentence) => {
    const words = wordsOf({ ...decided.approved, progress });
    if (sentence === null) expect(words).not.toMatch(/link comes/i);
    else expect(words).toContain(sentence);
  });

  test("with one model there is no talk of an order, and its name is said once where it has only one", () => {
    const demo = { id: "demo", provider: "demo", name: "demo", why: defaultModel, worstCostUsd: 0 };
    const words = wordsOf({ ...openRequest, models: [demo], worstCostUsd: 0 });
    for (const empty of ["First", ", free", "from demo", "in its list", "if that fails"]) expect(words).not.toContain(empty);
    expect(words).toContain("to this model only");
    expect(wordsOf({ ...openRequest, models: [{ ...demo, provider: "acme" }] })).toContain("from acme");
  });

  test("at the response gate a risk of the prompt says so, and leads to the fold that the prompt is in", () => {
    const html = renderReviewPage({ view: { ...openResponse, risks: openRequest.risks }, action: "/r/t", nonce: "n", cspNonce: "c" });
    expect(html).toContain('<a href="#prompt">In the prompt: Message 1, part 2</a>');
    expect(html).toContain('<details id="prompt">');
    expect(html).not.toContain('href="#message-');
  });

  test("the time left is rounded down, and has seconds only in the last minute", () => {
    expect([598_000, 60_000, 59_999, 7_199_999, 90_000_000, 0, -5].map(reviewWords.left)).toEqual([
      "9 minutes",
      "1 minute",
      "59 seconds",
      "1 hour 59 minutes",
      "1 day 1 hour",
      "0 seconds",
      "0 seconds",
    ]);
  });
});
