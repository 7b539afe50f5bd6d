// The cards of the Teams channel, each judged by the rules of its schema, and whatever outsiders
// write.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChatReview, chatRenderers } from "../../../../shared/channels/chat-message.ts";
import { type TeamsMessage, mostTeamsBytes, teamsCard as cardForm } from "../../../../shared/channels/teams/teams-card.ts";
import type { DigestEntry } from "../../../../shared/channels/digest-content.ts";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";
import { noticeFacts } from "../../../../shared/channels/notice-line.ts";
import { catalogues } from "../../../../shared/channels/words/words.ts";
import type { MessageView, ReviewState, ReviewView } from "../../../../shared/review/view.ts";
import { control, openRequest, openResponse } from "../../../outside/pages/examples.ts";
import { marker, markedView } from "../../../support/marked.ts";
import { controlSequences, poisoned } from "../../../support/slack/hostile.ts";
import { seenIn, teamsRefusal, type SeenCard } from "../../../support/teams-workflow.ts";
import { textOf } from "../../../../shared/words/text.ts";
import { riskWords } from "../../../../shared/channels/risk-words.ts";

const { en: words } = catalogues;
const url = "https://reviews.example.com/r/token";
const teamsRenderers = chatRenderers("Teams", cardForm);
const input = (view: ReviewView, excerpt: "none" | "start" = "start"): ChatReview => ({ view, excerpt, url, isRoom: true });
const teamsCard = (review: ChatReview): TeamsMessage => teamsRenderers.message({ kind: "review", input: review }, "en");
const briefTeamsCard = (review: ChatReview): TeamsMessage => teamsRenderers.message({ kind: "brief", input: review }, "en");
const teamsReminder = (review: ChatReview): TeamsMessage => teamsRenderers.message({ kind: "reminder", input: review }, "en");
const teamsEnding = (view: ReviewView): TeamsMessage => teamsRenderers.message({ kind: "ended", view }, "en");
const teamsDigest = (entries: readonly DigestEntry[]): TeamsMessage => teamsRenderers.message({ kind: "digest", entries }, "en");
const seen = (message: TeamsMessage): SeenCard => {
  expect(teamsRefusal(JSON.stringify(message))).toBeNull();
  return seenIn("", JSON.stringify(message));
};
const plainOf = ({ lines }: SeenCard): string => lines.join("\n").replaceAll("\u200b", "");

describe("a card", () => {
  test("says what it is about, in its summary and its first line, and has one link", () => {
    const card = seen(teamsCard(input(openRequest)));
    expect(card.summary.replaceAll("\u200b", "")).toBe("notes · summarize_meeting asks claude-sonnet-4-5 · 9 min · 3 warnings");
    const said = plainOf(card);
    for (const part of [
      "notes · summarize_meeting asks claude-sonnet-4-5 · until 14:52 UTC · 3 warnings",
      "Nothing has been sent yet.",
      "Asked by notes for desk-assistant, while it handles tools/call summarize_meeting. Unverified: reported by the client.",
      "Cost: up to $0.0138",
      "If nobody decides before 17 Nov 2026, 14:52:10 UTC, it is denied automatically.",
      "Whoever opens the review from this channel decides as Ada Lovelace",
      "From the server: system prompt",
    ])
      expect(said).toContain(part);
    expect(card.links).toEqual([url]);
  });

  test("has each warning with its level, and counts those for which it has no room", () => {
    const warned = (risks: ReviewView["risks"]): readonly string[] =>
      plainOf(seen(teamsCard(input({ ...openRequest, risks }, "none")))).split("\n");
    const { risks } = openRequest;
    const each = risks.map((risk) => `${words.review.riskLevels[risk.level]}: ${riskWords(risk, words)}`);
    const said = warned(risks);
    const at = said.indexOf(words.review.risks);
    expect(said.slice(at, at + 4)).toEqual([words.review.risks, ...each]);
    expect(warned([])).not.toContain(words.review.risks);
    const many = warned(Array.from({ length: 23 }, () => risks[1] as (typeof risks)[number]));
    expect(many.filter((line) => line === each[1])).toHaveLength(20);
    expect(many).toContain("3 more notes behind Open");
  });

  test("says that a person wrote the reply", () => {
    const view: MessageView = { ...openResponse, answeredBy: null, written: { by: "Grace Hopper", at: 0, reply: null } };
    expect(plainOf(seen(teamsCard(input(view, "none"))))).toContain("The reply was written by Grace Hopper. No model is asked");
    expect(plainOf(seen(teamsCard(input(openResponse, "none"))))).not.toContain("The reply was written by");
  });

  test("says how much of the text it does not show, and where it leaves a secret out", () => {
    const said = (text: string): string => plainOf(seen(teamsCard(input({ ...openRequest, request: asking(text) }))));
    expect(said("a".repeat(1_600))).toContain(textOf(words.excerpt.more, { n: 100 }, words.lang));
    expect(said("a".repeat(1_500))).toContain(words.excerpt.all);
    expect(said("")).toContain(words.excerpt.nothing);
    const secret = `ghp_${"aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA2bC4"}`;
    expect(said(secret)).toContain(`: ${words.review.secret}`);
    expect(said(secret)).not.toContain(secret.slice(0, 12));
  });

  test("that is brief, and a reminder, say what happens next", () => {
    const brief = plainOf(seen(briefTeamsCard(input(openRequest))));
    expect(brief).toContain("Approve, edit and deny on the page. Nothing can be decided in Teams.");
    expect(plainOf(seen(teamsReminder(input(openRequest))))).toContain("it is denied automatically");
  });

  test("of a reply says so", () => {
    const said = plainOf(seen(teamsCard(input(openResponse))));
    expect(said).toContain("claude-sonnet-4-5 answers notes · summarize_meeting");
    expect(said).toContain("Nothing has been delivered yet.");
  });

  test("is taken for every kind of request, with and without an excerpt", () => {
    for (const view of Object.values(control)) for (const excerpt of ["none", "start"] as const) seen(teamsCard(input(view, excerpt)));
  });

  test("has nothing of the content where the policy says none, nor have the cards after it", () => {
    fc.assert(
      fc.property(markedView, (view) => {
        const ended: ReviewView = { ...view, state: { kind: "denied", by: "Ada", at: 0, reason: marker } };
        const after = [briefTeamsCard(input(view)), teamsReminder(input(view)), teamsEnding(ended)];
        for (const message of [teamsCard(input(view, "none")), ...after]) {
          seen(message);
          expect(JSON.stringify(message)).not.toContain(marker);
        }
      }),
    );
  });

  test("has a hand-over's note", () => {
    const said = plainOf(seen(teamsCard(input({ ...openRequest, handedBy: { by: "Bo Chen", at: 0, note: "Is this ours?" } }, "none"))));
    expect(said).toContain("Handed over by Bo Chen.\nTheir note\nIs this ours?");
  });

  test.each(["x", "\u202e", "\u0000", "😀", "<&>", "\n", "\\", '"'])(
    "stays below the size that Teams takes: a megabyte of %j",
    (character) => {
      const text = character.repeat(1_000_000 / character.length);
      const message = teamsCard(input({ ...poisoned(text.slice(0, 5_000)), request: asking(text) }));
      seen(message);
      expect(new TextEncoder().encode(JSON.stringify(message)).length).toBeLessThanOrEqual(mostTeamsBytes);
    },
  );
});

const asking = (text: string): ChatRequest => ({
  kind: "chat",
  maxTokens: 1,
  messages: [{ role: "user", content: [{ type: "text", text }] }],
});

const states: readonly ReviewState[] = [
  { kind: "approved", by: "Ada", at: 0, edited: true },
  { kind: "denied", by: "Ada", at: 0, reason: "secret reason" },
  { kind: "expired", at: 0 },
  { kind: "cancelled", at: 0, cause: "caller" },
  { kind: "failed", at: 0, cause: "noneReached" },
  { kind: "open" },
];

describe("the card of an outcome", () => {
  test.each(states)("of a review that is $kind says how it ended, without link or reason", (state) => {
    const card = seen(teamsEnding({ ...openRequest, state }));
    expect(card.links).toEqual([]);
    expect(plainOf(card)).not.toContain("secret reason");
    expect(plainOf(card)).toContain("notes · summarize_meeting asks claude-sonnet-4-5");
  });

  test("names who approved, and when", () => {
    const state = { kind: "approved", by: "someone in Reviews", at: Date.UTC(2026, 10, 17, 14, 45), edited: false } as const;
    expect(plainOf(seen(teamsEnding({ ...openRequest, state })))).toContain(
      "someone in Reviews approved this on 17 Nov 2026, 14:45:00 UTC.",
    );
  });
});

test("twenty reviews fit one card, each with its link", () => {
  const entries = Array.from({ length: 20 }, (_, i) => ({
    reviewer: { name: "someone", teams: "REVIEWS" },
    run: `run_${i}`,
    url: `https://reviews.example.com/${"prefix/".repeat(10)}r/${"t".repeat(120)}${i}`,
    facts: noticeFacts(poisoned("\u202e<at>x</at>".repeat(20))),
  }));
  const card = seen(teamsDigest(entries));
  expect(card.summary).toBe("20 reviews wait for you");
  const warned = seen(teamsDigest([{ ...(entries[0] as (typeof entries)[number]), facts: noticeFacts(openRequest) }]));
  expect(plainOf(warned)).toContain(" · 3 warnings");
  expect(card.links).toEqual(entries.map((entry) => entry.url));
});

/** What programs between the gateway and the reader would act on. */
const sequences = [
  ...controlSequences,
  "{{DATE(2017-02-14T06:08:00Z,SHORT)}} {{TIME(2017-02-14T06:08:00Z)}}",
  "${$root.url} ${string(1)} @{triggerBody()} @{outputs('x')}",
  '<at>everyone</at> <at id="0">Ann</at>',
  "[Approve](https://evil.example.com) ![x](https://evil.example.com/p.png)",
  "# Heading\r- item\r1. item\n\n> quote",
];

test.each(sequences)("text from outside stays text in every field: %j", (text) => {
  const handedBy = { by: text, at: 0, note: text };
  const view = { ...poisoned(text), handedBy, request: asking(text) };
  const entry = { reviewer: { name: text, teams: "REVIEWS" }, run: "run_1", url, facts: noticeFacts(view) };
  const ended = states.map((state) => teamsEnding({ ...view, state: "by" in state ? { ...state, by: text } : state }));
  const tried = teamsRenderers.message(
    { kind: "plain", said: { kind: "test", reviewer: text, gateway: "https://evil.example.com" } },
    "en",
  );
  for (const message of [teamsCard(input(view)), teamsReminder(input(view)), teamsDigest([entry, entry]), tried, ...ended]) {
    const card = seen(message);
    for (const line of [card.summary, ...card.lines]) {
      expect(line).not.toMatch(/\{\{|\}\}|\$\{|@\{|<\/?at|\]\(|:\/\/|www\.[a-z]|[a-z]@[a-z]|[a-z]\.com/i);
    }
    for (const link of card.links) expect(link).toBe(url);
  }
});
