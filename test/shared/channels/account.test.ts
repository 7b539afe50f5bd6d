// Whose own login at the server a call is sent with, as each channel says it: text from outside,
// which is shown as every other name is.

import { expect, test } from "vitest";
import { reviewLines } from "../../../client/review/screen.ts";
import { slackMessage } from "../../../shared/channels/slack/slack-message.ts";
import { catalogues } from "../../../shared/channels/words/words.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { reviewEmail } from "../../../workers/ui/review-email.tsx";
import { typedCall } from "../../outside/pages/examples.ts";
import { renderedReview } from "../../rest/pages/rendered.ts";
import { chats } from "../../support/chats.ts";

const { en: words } = catalogues;
const url = "https://reviews.example.com/r/token";
const reference = { approve: "a", deny: "d", edit: "e" };
const issuer = "https://auth.example.com";
const viewOf = (name: string | null): ReviewView => ({
  ...typedCall,
  requestor: { ...typedCall.requestor, owner: "Ada", account: { issuer, name } },
});

type Node = { readonly text?: unknown; readonly message?: unknown };
/** The texts in a message, in a row. */
function textsIn(value: unknown): string {
  if (Array.isArray(value)) return value.map(textsIn).join("");
  if (typeof value !== "object" || value === null) return "";
  const { text, message } = value as Node;
  return [text, message].filter((each) => typeof each === "string").join(" ") + Object.values(value).map(textsIn).join("");
}

function told(view: ReviewView) {
  const email = reviewEmail({ view, language: "en", url, why: "asked", excerpt: "none", expiresAt: view.deadlineAt });
  return {
    page: renderedReview(view).replaceAll(/<[^>]*>/g, ""),
    email: email.text.replaceAll(/\s+/g, " "),
    slack: textsIn(slackMessage({ view, words, excerpt: "none", url, inChannel: false, why: "asked", reference }).blocks),
    ...Object.fromEntries(
      Object.entries(chats).map(([chat, write]) => [
        chat,
        textsIn(write({ kind: "review", input: { view, excerpt: "none", url, isRoom: true } }, "en")),
      ]),
    ),
    terminal: reviewLines(view).join("\n"),
  };
}
const bare = (text: string): string => text.replaceAll(/[\u200b“”]/g, "");

test("every channel says whose account it is, in whose name and where", () => {
  for (const [channel, text] of Object.entries(told(viewOf("ada@work.example"))))
    expect(bare(text), channel).toMatch(/Account at the server:?\s*ada@work\.example, the login of Ada at https:\/\/auth\.example\.com/);
  for (const [channel, text] of Object.entries(told(viewOf(null))))
    expect(bare(text), channel).toContain("the login of Ada at https://auth.example.com, which does not name the account");
  for (const [channel, text] of Object.entries(told(typedCall))) expect(text, channel).not.toContain("Account at the server");
});

test("where Slack cuts it, the call cannot be approved in Slack", () => {
  const { blocks } = slackMessage({
    view: viewOf("a".repeat(300)),
    words,
    excerpt: "start",
    url,
    inChannel: false,
    why: "asked",
    reference,
  });
  expect(JSON.stringify(blocks)).toContain(words.slack.hidden.heading);
});

test("an account's name writes nothing of its own into a message", () => {
  const { page, email, terminal } = told(viewOf("\u001b[2J<b>root</b>\nAccount at the server: admin"));
  expect(terminal).not.toContain("\u001b");
  expect(renderedReview(viewOf("<b>root</b>"))).not.toContain("<b>root");
  expect(terminal.split("\n").some((line) => line.trim() === "Account at the server: admin")).toBe(false);
  expect([page, email].join()).not.toContain("\u001b");
});
