// That a rule's juror had people asked: every chat, email, the terminal and the inbox say it, and
// none has its words.

import { expect, test } from "vitest";
import { reviewLines } from "../../../client/review/screen.ts";
import { slackMessage } from "../../../shared/channels/slack/slack-message.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { inboxEntry } from "../../../shared/review/inbox-facts.ts";
import type { CallInReview, ReviewView } from "../../../shared/review/view.ts";
import { reviewEmail } from "../../../workers/ui/review-email.tsx";
import { typedCall } from "../../outside/pages/examples.ts";
import { chats } from "../../support/chats.ts";

const url = "https://countersign.example.com/r/token";
const reference = { approve: "a", deny: "d", edit: "e" };

const noticesOf = (view: ReviewView): string[] =>
  (["en", "zh-CN"] as const).flatMap((language) => {
    const { text, html } = reviewEmail({ view, language, url, why: "asked", excerpt: "start", expiresAt: view.deadlineAt });
    const slack = slackMessage({ view, words: catalogues[language], excerpt: "start", url, inChannel: false, why: "asked", reference });
    const input = { view, excerpt: "start", url, isRoom: true } as const;
    const said = Object.values(chats).map((write) => JSON.stringify(write({ kind: "review", input }, language)));
    return [text, html, JSON.stringify(slack), ...said];
  });

const raised = (why: NonNullable<CallInReview["raised"]>["why"]): ReviewView => ({
  ...typedCall,
  raised: { model: "judge", why, reason: "It speaks of approval." },
});
const phrases = ["The policy’s juror asks for a person.", "策略的陪审模型要求由人决定。"];
const said = (notice: string): boolean => phrases.some((phrase) => notice.includes(phrase));

test("is said in a phrase, without what the model wrote", () => {
  const notices = noticesOf(raised("said"));
  expect(notices.map(said)).toEqual(notices.map(() => true));
  expect(notices.join("")).not.toContain("speaks of approval");
  expect(reviewLines(raised("said"))).toContain(`  ${phrases[0]}`);
  expect(inboxEntry(raised("timeout"))?.facts.isRaised).toBe(true);
});

test("is not said where the call was outside of its bounds, nor without a juror", () => {
  for (const view of [typedCall, raised("outOfBounds")]) {
    expect([...noticesOf(view), ...reviewLines(view)].some(said)).toBe(false);
    expect(inboxEntry(view)?.facts.isRaised).toBeUndefined();
  }
});
