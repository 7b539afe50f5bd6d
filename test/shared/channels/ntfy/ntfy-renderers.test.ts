// The messages of the ntfy channel: plain text that fits, with one link.

import { describe, expect, test } from "vitest";
import { type NtfyMessage, mostNtfyBytes, ntfyRenderers } from "../../../../shared/channels/ntfy/ntfy-renderers.ts";
import type { ChatReview } from "../../../../shared/channels/chat-message.ts";
import { noticeFacts } from "../../../../shared/channels/notice-line.ts";
import type { ChatRequest } from "../../../../shared/model/sampling.ts";
import type { ReviewView } from "../../../../shared/review/view.ts";
import { openRequest } from "../../../outside/pages/examples.ts";
import { controlSequences, poisoned } from "../../../support/slack/hostile.ts";

const url = "https://reviews.example.com/r/token";
const input = (view: ReviewView, excerpt: "none" | "start" = "start"): ChatReview => ({ view, excerpt, url, isRoom: false });
const write = (view: ReviewView, excerpt?: "none" | "start"): NtfyMessage =>
  ntfyRenderers.message({ kind: "review", input: input(view, excerpt) }, "en");
const bytesOf = (message: NtfyMessage): number => new TextEncoder().encode(JSON.stringify(message)).length;

const asking = (text: string): ChatRequest => ({
  kind: "chat",
  maxTokens: 1,
  messages: [{ role: "user", content: [{ type: "text", text }] }],
});

describe("a message", () => {
  test("says server, tool and how the content begins, and its tap and its button open the review", () => {
    const message = write(openRequest);
    expect(message.title).toBe("notes · summarize_meeting asks claude-sonnet-4-5 · 9 min · 3 warnings");
    expect(message.message.replaceAll("\u200b", "")).toMatch(
      /^Nothing has been sent yet\.\nAsked by notes for desk-assistant, while it handles tools\/call summarize_meeting\./,
    );
    expect(message.message).toContain("From the server: system prompt:\n");
    expect(message.message.replaceAll("\u200b", "")).toContain("Nothing can be decided in ntfy.");
    expect(message).toMatchObject({ click: url, actions: [{ action: "view", label: "Open the review", url, clear: true }] });
  });

  test("has no content where the policy says none", () => {
    expect(write(openRequest, "none").message).toContain("The policy keeps the content out of notices.");
    expect(write(openRequest, "none").message).not.toContain("system prompt");
  });

  test.each(["x", "\u202e", "😀", "漢", '"', "\n"])("stays below what a phone gets: a megabyte of %j", (character) => {
    const text = character.repeat(1_000_000 / character.length);
    const message = write({ ...poisoned(text.slice(0, 5_000)), request: asking(text) });
    expect(bytesOf(message)).toBeLessThanOrEqual(mostNtfyBytes);
    expect(message.click).toBe(url);
  });

  test("of an outcome has no link", () => {
    const state = { kind: "denied", by: "Ada", at: 0, reason: "secret reason" } as const;
    const message = ntfyRenderers.message({ kind: "ended", view: { ...openRequest, state } }, "en");
    expect(Object.keys(message)).toEqual(["title", "message"]);
    expect(message.title).toMatch(/^Denied: notes · summarize_meeting/);
    expect(JSON.stringify(message)).not.toContain("secret reason");
  });

  test("of eight reviews has each link in a line of its own, and fits", () => {
    const entries = Array.from({ length: 8 }, (_, i) => ({
      reviewer: { name: "Ada", ntfy: "PHONE" },
      run: `run_${i}`,
      url: `https://reviews.example.com/r/${"t".repeat(120)}${i}`,
      facts: noticeFacts(openRequest),
    }));
    const message = ntfyRenderers.message({ kind: "digest", entries }, "en");
    expect(message.message.split("\n").filter((line) => line.startsWith("https:"))).toEqual(entries.map((entry) => entry.url));
    expect(message.message).toContain("3 warnings");
    const wide = entries.map((entry) => ({ ...entry, facts: noticeFacts(poisoned("漢".repeat(80))) }));
    const bare = ntfyRenderers.message({ kind: "digest", entries: wide }, "en");
    expect(bytesOf(bare)).toBeLessThanOrEqual(mostNtfyBytes);
    for (const entry of entries) expect(bare.message).toContain(entry.url);
  });
});

test.each(controlSequences)("text from outside is no link in the apps: %j", (text) => {
  const view = { ...poisoned(text), request: asking(text) };
  const entry = { reviewer: { name: text, ntfy: "PHONE" }, run: "run_1", url, facts: noticeFacts(view) };
  const messages = [
    write(view),
    ntfyRenderers.message({ kind: "reminder", input: input(view) }, "en"),
    ntfyRenderers.message({ kind: "ended", view: { ...view, state: { kind: "approved", by: text, at: 0, edited: false } } }, "en"),
    ntfyRenderers.message({ kind: "digest", entries: [entry, entry] }, "en"),
  ];
  for (const { title, message } of messages)
    expect(`${title}\n${message}`.replaceAll(url, "")).not.toMatch(/:\/\/|www\.[a-z]|[a-z]@[a-z]|[a-z]\.com/i);
});
