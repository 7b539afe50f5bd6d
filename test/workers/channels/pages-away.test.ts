// What the channels do where the pages Worker, which makes their messages, does not answer: nothing
// is sent, and the attempt counts as failed.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import { runIdOf } from "../../../shared/sealed-id.ts";
import type { Channel } from "../../../workers/channels/channel.ts";
import { openChannels } from "../../../workers/channels/registry.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { noSuchService } from "../support/gateway.ts";
import { loggedLines, neverLogged } from "../support/logs.ts";
import { envWith, network, noticeOf } from "./notices.ts";

const secret = "whsec_dGhlIHNlY3JldCBvZiB0aGUgd2ViaG9vayBvZiB0aGUgdGVzdHM=";
const token = "xoxb-scripted-0123456789";
const botToken = "123456789:AAscripted-0123456789abcdefghij";
for (const each of [secret, token, botToken, "summarize_meeting"]) neverLogged(each);

const app = {
  SLACK_BOT_TOKEN: token,
  SLACK_SIGNING_SECRET: "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e",
  SLACK_API_URL: "https://slack.example.com/api/",
};
const email = {
  EMAIL_FROM: "reviews@example.com",
  RESEND_API_KEY: "re_full_0123456789abcdef",
  RESEND_BASE_URL: "https://mail.example.com",
};
const webhook = { WEBHOOK_TEAMS_URL: "https://hooks.example.com/", WEBHOOK_TEAMS_SECRET: secret };
const room = { name: "someone in #room", slack: "C0ROOM", teams: "ROOM" };
const ada = { name: "Ada", slack: "U0ADA", email: "ada@example.org", webhook: "TEAMS", ntfy: "PHONE", telegram: "123456789" };

let posted: string[] = [];
beforeEach(() => {
  posted = [];
  network(async ({ url }) => {
    posted.push(url);
    return Response.json({ ok: true, team_id: "T0TEAM", channel: "D0ADA", ts: "1.1" });
  });
});
afterEach(() => vi.restoreAllMocks());

const channelOf = (env: Env, name: Channel["name"]): Channel => {
  const channel = openChannels(env).find((each) => each.name === name);
  if (channel === undefined) throw new Error("the channel is configured");
  return channel;
};

const run = runIdOf(settingsOf(envWith({})).keys, new Uint8Array(16));
const receipt = JSON.stringify({ channel: "D0ADA", ts: "1.1", team: "T0TEAM", app: null });

test.each([
  ["slack", app, ada],
  ["slack", { SLACK_WEBHOOK_URL: "https://hooks.example.com/slack" }, room],
  ["email", email, ada],
  ["webhook", webhook, ada],
  ["teams", { TEAMS_ROOM_URL: "https://teams.example.com/" }, room],
  ["ntfy", { NTFY_PHONE_URL: "https://ntfy.example.com/topic" }, ada],
  ["telegram", { TELEGRAM_BOT_TOKEN: botToken }, ada],
] as const)("by %s no message is sent, the attempt has failed, and the log says why", async (name, variables, reviewer) => {
  const channel = channelOf(envWith({ ...variables, PAGES: noSuchService }), name);
  const before = loggedLines().length;
  await expect(channel.send(noticeOf({ run, reviewer }))).rejects.toThrow();
  expect(loggedLines().slice(before)).toEqual([expect.stringContaining('"event":"pages.failed"')]);
  const entry = { reviewer, run, facts: noticeFacts(noticeOf().view), url: noticeOf().url };
  await expect(channel.digest?.send([entry, entry], "key") ?? Promise.reject(new Error("no digests"))).rejects.toThrow();
  expect(posted.filter((url) => !url.endsWith("/auth.test"))).toEqual([]);
});

test("no message is changed or told either; and what the page says of an end, a webhook says without it", async () => {
  const slack = channelOf(envWith({ ...app, PAGES: noSuchService }), "slack");
  const notice = noticeOf({ run, reviewer: ada, receipt });
  for (const why of ["asked", "changed", "reminder"] as const) await expect(slack.send({ ...notice, why })).rejects.toThrow();
  await expect(slack.ended(notice)).rejects.toThrow();
  await expect(slack.tell?.({ user: "U0ADA", words: "late", url: null, notice })).rejects.toThrow();
  expect(posted).toEqual([]);
  const ended = await channelOf(envWith({ ...webhook, PAGES: noSuchService }), "webhook").ended(noticeOf({ reviewer: ada }));
  expect(ended).toEqual({ kind: "sent", receipt: null });
});
