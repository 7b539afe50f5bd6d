// What leaves in a notice: nothing that a warning calls a secret, no markup from outside, and no
// person's link in a room.

import type { Mutant } from "./mutant.ts";

const secrets = { file: "test/shared/channels/secrets.test.ts" };
const card = { file: "shared/channels/teams/teams-card.ts", test: { file: "test/shared/channels/teams/teams-card.test.ts" } };
const slackText = { file: "shared/channels/slack/slack-blocks.ts", test: { file: "test/shared/channels/slack/slack-message.test.ts" } };

export const noticeMutants: readonly Mutant[] = [
  {
    name: "an excerpt leaves a secret out",
    file: "shared/channels/excerpt.ts",
    from: "if (hasRoom && (isSecret(text) || (raw !== undefined && holdsSecret(raw)))) {",
    to: "if (false) {",
    test: secrets,
  },
  {
    name: "an excerpt finds a secret behind an escape of JSON",
    file: "shared/channels/excerpt.ts",
    from: "(isSecret(text) || (raw !== undefined && holdsSecret(raw)))",
    to: "isSecret(text)",
    test: secrets,
  },
  {
    name: "a Slack message leaves a secret out",
    file: "shared/channels/slack/slack-content.ts",
    from: 'if (isSecret(text) || (raw !== undefined && holdsSecret(raw))) this.count("secret");',
    to: 'if (text === "") this.count("secret");',
    test: secrets,
  },
  {
    name: "a secret is in no edit dialog",
    file: "shared/channels/slack/slack-modal.ts",
    from: "!isSecret(text) &&",
    to: "",
    test: secrets,
  },
  {
    name: "a hand-over's note has no secret",
    file: "shared/channels/hand-over.ts",
    from: "note !== null && isSecret(note)",
    to: "note === null && by === null",
    test: secrets,
  },
  { ...slackText, name: "a fallback text is escaped", from: "escaped(unlinked(line)", to: "(unlinked(line)" },
  { ...slackText, name: "a fallback text has no link from outside", from: "escaped(unlinked(line)", to: "escaped(line" },
  { ...card, name: "a card's summary is no markup", from: "const line = safe(summary);", to: "const line = summary;" },
  {
    ...card,
    name: "a card's names, frames and lines are no markup",
    from: 'kind === "own" || kind === "strong" ? text : safe(text)',
    to: "text",
  },
  { ...card, name: "a card's line is no markup", from: 'kind === "own" || kind', to: 'kind === "own" || kind === "heading" || kind' },
  {
    ...card,
    name: "a card without an excerpt has no content",
    file: "shared/channels/chat-message.ts",
    from: 'input.excerpt === "none" ? undefined : excerptOf',
    to: "excerptOf",
  },
  {
    name: "a Telegram message makes no link, mention or command of a name",
    file: "shared/channels/telegram/telegram-renderers.ts",
    from: 'kind === "own" || kind === "strong" || kind === "name" ? text : safe(text)',
    to: "text",
    test: { file: "test/shared/channels/telegram/telegram-renderers.test.ts" },
  },
  {
    name: "a text from outside is marked in a Telegram message",
    file: "shared/channels/telegram/telegram-renderers.ts",
    from: 'this.add(block.frame, "pre")',
    to: "this.add(block.frame, null)",
    test: { file: "test/shared/channels/telegram/telegram-renderers.test.ts" },
  },
  {
    name: "a line of an ntfy message has no link from outside",
    file: "shared/channels/ntfy/ntfy-renderers.ts",
    from: "? unlinked(text) : text",
    to: "? text : text",
    test: { file: "test/shared/channels/ntfy/ntfy-renderers.test.ts" },
  },
  {
    name: "an ntfy message's title has no link from outside",
    file: "shared/channels/ntfy/ntfy-renderers.ts",
    from: "title: unlinked(summary)",
    to: "title: summary",
    test: { file: "test/shared/channels/ntfy/ntfy-renderers.test.ts" },
  },
  {
    name: "a bot's token stays one part of the address",
    file: "workers/channels/telegram/telegram-channel.ts",
    from: ":[\\w-]{30,64}$/",
    to: ":[\\w-]{30,64}/",
    test: { file: "test/workers/channels/telegram.test.ts", only: "leaves its path" },
  },
  {
    name: "an ntfy topic's address has no credential in its query",
    file: "workers/channels/ntfy/ntfy-channel.ts",
    from: ' || url.search !== ""',
    to: "",
    test: { file: "test/workers/channels/ntfy.test.ts", only: "a query" },
  },
  {
    name: "a Telegram group is a room",
    file: "shared/notice-channels.ts",
    from: 'room: { pattern: /^-/, called: "a Telegram group" }',
    to: "room: null",
    test: { file: "test/shared/notice-channels.test.ts" },
  },
  {
    name: "a Teams channel is a room",
    file: "shared/notice-channels.ts",
    from: 'room: { pattern: /^/, called: "a Teams channel" }',
    to: "room: null",
    test: { file: "test/shared/notice-channels.test.ts" },
  },
];
