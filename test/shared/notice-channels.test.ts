// What the policy, links and settings know of the channels.

import { expect, test } from "vitest";
import { environmentName } from "../../shared/environment-name.ts";
import { isRoom, noticeChannels, roomWords } from "../../shared/notice-channels.ts";

test("each channel has a byte of its own in a link, and none has the outbox's", () => {
  const bytes = Object.values(noticeChannels).map(({ linkByte }) => linkByte);
  expect(new Set([0, ...bytes]).size).toBe(bytes.length + 1);
  // Links that are out there name these.
  expect(noticeChannels).toMatchObject({
    email: { linkByte: 1 },
    slack: { linkByte: 2 },
    webhook: { linkByte: 3 },
    teams: { linkByte: 4 },
    push: { linkByte: 5 },
    ntfy: { linkByte: 6 },
    telegram: { linkByte: 7 },
  });
});

test("a Slack channel is a room, and no person", () => {
  expect([{ slack: "C012ABC" }, { slack: "G012ABC" }, { slack: "U012ABC" }, { email: "c@example.com" }, {}].map(isRoom)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(roomWords({ slack: "C012ABC" })).toBe("a Slack channel");
});

test("every Teams channel is a room", () => {
  expect(isRoom({ teams: "REVIEWS" })).toBe(true);
  expect(roomWords({ email: "c@example.com", teams: "REVIEWS" })).toBe("a Teams channel");
});

test("a Telegram group is a room, and a chat with one person is not; no topic of ntfy is", () => {
  expect([{ telegram: "-1001234567890" }, { telegram: "123456789" }, { ntfy: "PHONE" }].map(isRoom)).toEqual([true, false, false]);
  expect(roomWords({ telegram: "-1001234567890" })).toBe("a Telegram group");
});

test("no document can name a channel's variables as a secret of its own", () => {
  for (const prefix of ["EMAIL_", "RESEND_", "SLACK_", "WEBHOOK_", "TEAMS_", "NTFY_", "TELEGRAM_"])
    expect(environmentName.safeParse(`${prefix}ANYTHING`).success).toBe(false);
  expect(environmentName.safeParse("OPENAI_API_KEY").success).toBe(true);
});
