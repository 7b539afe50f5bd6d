import { describe, expect, test } from "vitest";
import type { ReviewView, RunProgress } from "../../../shared/review/view.ts";
import { renderedReview } from "./rendered.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import type { Problem } from "../../../workers/ui/problem.tsx";
import { defaultModel } from "../../support/model-why.ts";
import { decided, openRequest, openResponse, standings } from "../../outside/pages/examples.ts";

const { numbers } = catalogues.en;

/** The words of a page, with one space between any two: no tags, no style. */
const wordsOf = (view: ReviewView, problem?: Problem): string =>
  renderedReview(view, problem === undefined ? {} : { problem })
    .replaceAll(/<(style|script)[\s\S]*?<\/\1>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

describe("a review page says only what is true now", () => {
  const open = ["Expires", "Approve sends it to", "up to $0.0138", "3 warnings", "· up to $0.0091", "Differences from the request"];

  test("an open request has its deadline, its first model, its cost and what to look at", () => {
    for (const words of open) expect(wordsOf(openRequest)).toContain(words);
  });

  test.each(["denied", "expired", "cancelled", "failed"] as const)(
    "a request that is %s goes nowhere, costs nothing and has no deadline",
    (name) => {
      const words = wordsOf(decided[name]);
      for (const gone of ["Expires", "Approve", "sends it to", "cost ", "Differences from the request"]) expect(words).not.toContain(gone);
      expect(words).toContain("Model that would have been asked");
      expect(words).toContain("3 warnings");
    },
  );

  test("an approved request still says for which model, and at what cost at most", () => {
    const words = wordsOf(decided.approved);
    expect(words).toContain("asked claude-sonnet-4-5");
    expect(words).toContain("up to $0.0138");
    for (const gone of ["Expires", "sends it to"]) expect(words).not.toContain(gone);
  });

  test.each(Object.entries(decided))("a review that is %s never says that nothing was sent, or what would be", (_name, view) => {
    expect(wordsOf(view)).not.toMatch(/has been sent|would be sent|is sent:|yet/i);
  });

  test("everybody whose approval counted is named, and so is who denied; the reader is “You”", () => {
    const votes = [
      { by: "Bo Chen", at: openRequest.now - 9_000 },
      { by: "Ada Lovelace", at: openRequest.now - 1_000 },
    ];
    expect(wordsOf({ ...decided.approved, votes })).toContain("Bo Chen and You approved it with changes");
    expect(wordsOf({ ...decided.approved, votes, reviewer: "Grace Hopper" })).toContain(
      "Bo Chen and Ada Lovelace approved it with changes",
    );
    expect(wordsOf(decided.denied)).toContain("You denied it");
    expect(wordsOf({ ...decided.denied, reviewer: "Grace Hopper" })).toContain("Ada Lovelace denied it");
  });

  test("who gave a review up is told of it while it is open, and of its end alone afterwards", () => {
    const handedBy = { by: "Bo Chen", at: openRequest.now - 9_000, note: "You know this one." };
    const open = wordsOf({ ...standings.handedOver, handedBy });
    expect(open).toContain("You are no longer asked");
    expect(open).not.toContain("handed it to you");
    const state = { kind: "approved", by: "Grace Hopper", at: openRequest.now - 1_000, edited: false } as const;
    const votes = [{ by: "Grace Hopper", at: openRequest.now - 1_000 }];
    const over = wordsOf({ ...standings.handedOver, handedBy, state, votes });
    expect(over).toContain("Grace Hopper approved it");
    for (const gone of ["no longer asked", "You handed it", "handed it to you"]) expect(over).not.toContain(gone);
  });

  test("a form that came too late is told so in the note that says who decided, and how", () => {
    const view: ReviewView = { ...decided.denied, reviewer: "Grace Hopper" };
    const words = wordsOf(view, { why: { uncounted: "closed" } });
    expect(words).toMatch(/Ada Lovelace denied it .*This was decided before your answer came\. Your answer did not count\./);
    expect(renderedReview(view, { problem: { why: { uncounted: "closed" } } }).match(/class="note[ "]/g)).toHaveLength(1);
  });

  test("where two must approve, the button says which vote it is, and beside it stands who must approve too", () => {
    const two: ReviewView = { ...openRequest, risks: [], quorum: 2, reviewers: ["Ada Lovelace", "Bo Chen", "Cy Young"] };
    expect(wordsOf(two)).toMatch(/Bo Chen or Cy Young must approve too\..* Approve \(1 of 2\) /);
    const second: ReviewView = {
      ...two,
      state: { kind: "voted", votes: 1, quorum: 2 },
      votes: [{ by: "Bo Chen", at: openRequest.now - 9_000 }],
    };
    expect(wordsOf(second)).toMatch(/Bo Chen approved, 14:42 UTC .*You : no vote yet .*Approve sends it to .* Approve \(2 of 2\) /);
    expect(wordsOf(second)).not.toContain("must approve too");
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
    for (const empty of ["up to", "demo · free", "from demo", "If it fails"]) expect(words).not.toContain(empty);
    expect(words).toContain("free");
    expect(wordsOf({ ...openRequest, models: [{ ...demo, provider: "acme" }] })).toContain("from acme");
  });

  test("at the response gate a risk of the prompt says so, and leads to its mark in the fold that the prompt is in", () => {
    const html = renderedReview({ ...openResponse, risks: openRequest.risks });
    expect(html).toMatch(
      /<a href="#w1"><b class="pin high" data-n="1"><\/b><span>2 characters reverse the text<\/span> <span class="soft">In the prompt: Message 3/,
    );
    expect(html.match(/ id="w1"/g)).toHaveLength(1);
    expect(html).toContain('<details class="ours" id="prompt" open="">');
    expect(html).not.toContain('href="#message-');
  });

  test("the time left is rounded down, and has seconds only in the last minute", () => {
    expect([598_000, 60_000, 59_999, 7_199_999, 90_000_000, 0, -5].map(numbers.left)).toEqual([
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
