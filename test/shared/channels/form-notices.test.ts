// A form in each channel: a sentence and a link, and nothing there that answers it.

import { describe, expect, test } from "vitest";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import { slackDigest } from "../../../shared/channels/slack/slack-digest.ts";
import { briefSlackMessage, slackMessage } from "../../../shared/channels/slack/slack-message.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import { isShownWhole, keysLine, listLine, mayApproveHere, reviewLines } from "../../../client/review/screen.ts";
import { inboxEntry } from "../../../shared/review/inbox-facts.ts";
import type { FormView, ReviewView } from "../../../shared/review/view.ts";
import { digestEmail } from "../../../workers/ui/digest-email.tsx";
import { reviewEmail } from "../../../workers/ui/review-email.tsx";
import { openRequest } from "../../outside/pages/examples.ts";
import { chats } from "../../support/chats.ts";

const {
  subject: _subject,
  models: _models,
  worstCostUsd: _worst,
  answeredBy: _by,
  usage: _usage,
  cachedAt: _at,
  costUsd: _cost,
  ...common
} = openRequest;

const view: FormView = {
  ...common,
  subject: "form",
  requestor: { ...common.requestor, server: "calendar", name: "book_room" },
  risks: [],
  notes: [],
  request: {
    kind: "form",
    server: "calendar",
    message: "Which room?",
    schema: { type: "object", properties: { room: { type: "string", title: "Room" } }, required: ["room"] },
  },
  requestAsAsked: null,
  reply: null,
  replyAsGenerated: null,
};
const url = "https://reviews.example.com/r/token";
const reviewer = { name: "Ada Lovelace" };
const entries = [{ reviewer, run: view.run, facts: noticeFacts(view), url }];

describe.each(["en", "zh-CN"] as const)("in %s", (language) => {
  const words = catalogues[language];
  const { form } = words.review;

  test.each<["none" | "start", boolean]>([
    ["none", false],
    ["start", false],
    ["start", true],
  ])("Slack has a link and no button that decides (excerpt %s, in a channel: %s)", (excerpt, inChannel) => {
    const reference = { approve: "a", deny: "d", edit: "e" };
    const input = { view, words, excerpt, url, inChannel, why: "asked", reference } as const;
    for (const message of [slackMessage(input), briefSlackMessage(input)]) {
      const text = JSON.stringify(message);
      expect([...text.matchAll(/"action_id":"(\w+)"/g)].map(([, id]) => id)).toEqual(["open"]);
      expect(text).toContain(url);
      expect(text).toContain(form.open);
      expect(text).not.toContain(words.slack.hidden.byPolicy);
    }
    expect(JSON.stringify(slackMessage({ ...input, reference: null }))).not.toContain("action_id");
    expect(JSON.stringify(slackMessage(input)).includes("Which room?")).toBe(excerpt === "start");
  });

  test.each(Object.entries(chats))("%s says where it is answered", (_chat, write) => {
    const [pageOnly = ""] = words.chat.page.split(/[.。]/);
    for (const excerpt of ["none", "start"] as const)
      for (const kind of ["review", "brief"] as const) {
        const text = JSON.stringify(write({ kind, input: { view, excerpt, url, isRoom: true } }, language));
        expect(text).toContain(form.open);
        expect(text).toContain(url);
        expect(text).not.toContain(pageOnly);
      }
  });

  test("an email has its own button, and says what happens without an answer", () => {
    const { text, html } = reviewEmail({ view, language, url, why: "asked", excerpt: "start", expiresAt: view.deadlineAt });
    for (const each of [text, html]) {
      expect(each).toContain(words.email.form.why.asked.replace("{reviewer}", ""));
      expect(each).not.toContain(words.email.why.asked.replace("{reviewer}", ""));
    }
    for (const part of [text, html]) {
      expect(part).toContain(words.review.kinds.form.gates.request.link);
      expect(part).toContain(words.email.form.deadline);
      expect(part).toContain(words.review.kinds.form.gates.request.lead);
      expect(part).not.toContain(words.email.deadline.silence);
      expect(part).not.toContain(words.review.kinds.sampling.gates.request.link);
    }
    expect(html).not.toMatch(/<(?:form|button|input)/);
  });

  test("digests name it as a question", () => {
    const { text, html } = digestEmail(entries, language);
    expect(text).toContain(words.review.kinds.form.gates.request.link);
    const [decide, answer] = language === "en" ? ["Decide before", "Answer before"] : ["前决定", "前回答"];
    const said = Object.values(chats).map((write) => JSON.stringify(write({ kind: "digest", entries }, language)));
    for (const each of said) expect(each).toContain(words.review.kinds.form.gates.request.link);
    for (const each of [text, html, JSON.stringify(slackDigest(entries, words, false)), ...said]) {
      expect(each).toContain(answer);
      expect(each).not.toContain(decide);
    }
    expect(JSON.stringify(slackDigest(entries, words, false))).toContain(words.review.kinds.form.gates.request.link);
  });
});

test("the terminal shows it, and does not approve it", () => {
  expect(isShownWhole(view)).toBe(false);
  expect(mayApproveHere(view)).toBe(false);
  expect(keysLine(view)).toBe("d decline · r read again · b back");
  expect(listLine(view, 1)).toMatch(/question +calendar/);
  expect(reviewLines(view)[0]).toBe(`calendar asks you. ${catalogues.en.review.form.open}`);
  expect(reviewLines(view).join("\n")).toContain("  ┃ Which room?");
});

test("the inbox groups it with no other, which one press would answer", () => {
  const other: ReviewView = { ...view, run: `${view.run.slice(0, -1)}x` };
  expect(inboxEntry(other)?.alike).not.toBe(inboxEntry(view)?.alike);
});
