// The messages of the Telegram channel: a text whose parts are marked by their place.

import { describe, expect, test } from "vitest";
import {
  type TelegramMessage,
  mostTelegramCharacters,
  telegramRenderers,
} from "../../../../shared/channels/telegram/telegram-renderers.ts";
import type { ChatReview } from "../../../../shared/channels/chat-message.ts";
import { noticeFacts } from "../../../../shared/channels/notice-line.ts";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";
import type { ReviewView } from "../../../../shared/review/view.ts";
import { openRequest } from "../../../outside/pages/examples.ts";
import { controlSequences, poisoned } from "../../../support/slack/hostile.ts";

const url = "https://reviews.example.com/r/token";
const input = (view: ReviewView, excerpt: "none" | "start" = "start", isRoom = false): ChatReview => ({ view, excerpt, url, isRoom });
const write = (view: ReviewView, excerpt?: "none" | "start", isRoom?: boolean): TelegramMessage =>
  telegramRenderers.message({ kind: "review", input: input(view, excerpt, isRoom) }, "en");

/** The parts of a text that have this mark. */
const marked = ({ text, entities }: TelegramMessage, type: string): string[] =>
  entities.filter((each) => each.type === type).map(({ offset, length }) => text.slice(offset, offset + length));

const asking = (text: string): ChatRequest => ({
  kind: "chat",
  maxTokens: 1,
  messages: [{ role: "user", content: [{ type: "text", text }] }],
});

describe("a message", () => {
  test("says server and tool, frames how the content begins, and its button opens the review", () => {
    const message = write(openRequest);
    const [first = ""] = message.text.split("\n");
    expect(first).toBe(
      "notes · summarize_meeting asks claude-sonnet-4-5 · until 14:52 UTC · 3 warnings".replaceAll(/(?<=\S):(?=\S)/g, "\u200b:\u200b"),
    );
    expect(marked(message, "bold")[0]).toBe(first);
    expect(marked(message, "code")).toEqual(expect.arrayContaining(["notes", "desk-assistant", "summarize_meeting"]));
    expect(marked(message, "pre").join("\n")).toContain("You");
    expect(message.reply_markup).toEqual({ inline_keyboard: [[{ text: "Open the review", url }]] });
  });

  test("says in a group that whoever opens it decides for the group, and to a person not", () => {
    expect(write(openRequest, "none", true).text).toContain("Whoever opens the review from this channel decides as ");
    expect(write(openRequest, "none").text).not.toContain("Whoever opens");
  });

  test.each(["x", "\u202e", "😀", "漢", "<&>", "\n"])("stays below what Telegram takes: a megabyte of %j", (character) => {
    const text = character.repeat(1_000_000 / character.length);
    const message = write({ ...poisoned(text.slice(0, 5_000)), request: asking(text) });
    expect(message.text.length).toBeLessThanOrEqual(mostTelegramCharacters);
    expect(message.reply_markup?.inline_keyboard[0]?.[0]?.url).toBe(url);
  });

  test("without buttons has its address as text", () => {
    const message = telegramRenderers.plain({ kind: "review", input: input(openRequest) }, "en");
    expect(message.reply_markup).toBeUndefined();
    expect(message.text.split("\n").at(-1)).toBe(url);
  });

  test("of several reviews has a link for each", () => {
    const entries = Array.from({ length: 12 }, (_, i) => ({
      reviewer: { name: "Ada", telegram: "123456789" },
      run: `run_${i}`,
      url: `${url}${i}`,
      facts: noticeFacts(openRequest),
    }));
    const message = telegramRenderers.message({ kind: "digest", entries }, "en");
    expect(message.entities.flatMap((each) => (each.type === "text_link" ? [each.url] : []))).toEqual(entries.map((entry) => entry.url));
    expect(telegramRenderers.plain({ kind: "digest", entries }, "en").text.split("\n")).toEqual(
      expect.arrayContaining(entries.map((entry) => entry.url)),
    );
  });
});

const marks = [
  ...controlSequences,
  "*bold* _it_ [Approve](https://evil.example.com) `code`",
  "<b>x</b> <a href='https://evil.example.com'>x</a>",
  "@everyone /start #tag $TAG",
];

test.each(marks)("text from outside is text, outside of frames without a link, a mention, a command or a tag: %j", (text) => {
  const message = write({ ...poisoned(text), request: asking(text) });
  expect(Object.keys(message).toSorted()).toEqual(["entities", "reply_markup", "text"]);
  let rest = message.text;
  for (const { type, offset, length } of message.entities)
    if (type === "code" || type === "pre") rest = rest.slice(0, offset) + "\0".repeat(length) + rest.slice(offset + length);
  expect(rest).not.toMatch(/:\/\/|www\.[a-z]|[a-z]@[a-z]|[a-z]\.com|(?<!\S)[@#$/][a-z]/i);
});
