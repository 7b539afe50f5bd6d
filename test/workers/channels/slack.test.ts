// The Slack channel in both its ways against a scripted Slack, inside workerd. What a message says
// is in test/shared/channels/slack/slack-message.test.ts; what a press does, in
// test/workers/contract/slack-interactions.test.ts.

import type { NoticeError } from "../../../shared/notice-channels.ts";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parseSlackReference } from "../../../shared/channels/slack/slack-reference.ts";
import { runIdOf } from "../../../shared/sealed-id.ts";
import { doctorText } from "../../../shared/words/doctor.ts";
import type { Channel, Notice, DeliveryResult } from "../../../workers/channels/channel.ts";
import { slackChannel, slackDoctor, slackIssues } from "../../../workers/channels/slack/slack-channel.ts";
import { settingsOf } from "../../../workers/platform/settings.ts";
import { ScriptedSlack, buttonsIn, slackApp, slackTeam } from "../../support/slack/scripted-slack.ts";
import { controlSequences, poisoned } from "../../support/slack/hostile.ts";
import { plainRequest } from "../../support/slack/views.ts";
import { neverLogged } from "../support/logs.ts";
import { envWith, heard, network, noticeOf, token as linkToken, unanswered } from "./notices.ts";

const token = "xoxb-scripted-0123456789";
const secret = "5ca1ab1e5ca1ab1e5ca1ab1e5ca1ab1e";
const hook = "https://hooks.example.com/services/T0/B0/secret-of-the-hook";
for (const each of [token, secret, hook, "Summarise.", "desk-assistant"]) neverLogged(each);

const appEnv = { SLACK_BOT_TOKEN: token, SLACK_SIGNING_SECRET: secret, SLACK_API_URL: "https://slack.example.com/api/" };
const ada = "U0ADA";
const room = "C0ROOM";
const random = Uint8Array.from({ length: 16 }, (_, i) => i);
const run = runIdOf(settingsOf(envWith({})).keys, random);

let slack: ScriptedSlack;
beforeEach(() => {
  slack = new ScriptedSlack({ token, secret, members: [ada], channels: [room] });
  network((request) => slack.handle(request));
});
afterEach(() => {
  vi.restoreAllMocks();
});

function channelOf(variables: object): Channel {
  const channel = slackChannel(envWith(variables));
  if (channel === undefined) throw new Error("the channel is configured");
  return channel;
}

const person = { name: "Ada Lovelace", slack: ada };
const someone = { name: "someone in #room", slack: room };
const notice = (changes: Partial<Notice> = {}): Notice => {
  const made = noticeOf({ run, reviewer: person, view: plainRequest, excerpt: "start", ...changes });
  return { ...made, link: { ...made.link, channel: "slack" } };
};
const sentReceipt = (sent: DeliveryResult): string => {
  if (sent.kind !== "sent" || sent.receipt === null) throw new Error(`no receipt: ${JSON.stringify(sent)}`);
  return sent.receipt;
};
const actionsOf = (message: { blocks: ScriptedSlack["messages"][number]["blocks"] } | undefined): string[] =>
  buttonsIn(message?.blocks ?? []).map(({ action_id: id }) => id);

describe("as an app", () => {
  test("a person gets a direct message with their own link, and the receipt says where it is", async () => {
    const receipt = sentReceipt(await channelOf(appEnv).send(notice()));
    const [message] = slack.messages;
    expect(message?.channel).toBe("D0ADA");
    expect(JSON.parse(receipt)).toEqual({ channel: "D0ADA", ts: message?.ts, team: slackTeam, app: slackApp });
    expect(actionsOf(message)).toEqual(["approve", "edit", "deny", "open"]);
    const open = buttonsIn(message?.blocks ?? []).find(({ action_id: id }) => id === "open");
    expect(open?.url).toContain(linkToken);
    const [post] = slack.callsOf("chat.postMessage");
    expect(post?.params).toMatchObject({ channel: ada, unfurl_links: "false", unfurl_media: "false" });
    expect(post?.authorization).toBe(`Bearer ${token}`);
  });

  test("each button's value names run, gate, link, version, digest and what it does", async () => {
    await channelOf(appEnv).send(notice());
    const { keys } = settingsOf(envWith({}));
    const values = buttonsIn(slack.messages[0]?.blocks ?? []).flatMap(({ value }) => value ?? []);
    expect(values.map((value) => parseSlackReference(keys, value))).toEqual(
      ["approve", "edit", "deny"].map((act) => ({
        runRandom: random,
        gate: "request",
        link: notice().link.id,
        version: plainRequest.version,
        digest: plainRequest.digest,
        act,
      })),
    );
  });

  test("a channel's reviewer gets a message in the channel", async () => {
    const channel = channelOf(appEnv);
    expect(JSON.parse(sentReceipt(await channel.send(notice({ reviewer: someone }))))).toMatchObject({ channel: room });
    expect(slack.messages.map((message) => message.channel)).toEqual([room]);
  });

  test("reaches members and channels, and nobody without a Slack id", () => {
    const channel = channelOf(appEnv);
    expect([ada, "W0BOB", room, "G0PRIVATE", "D0DIRECT", undefined].map((id) => channel.reaches({ name: "x", slack: id }))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test.each(["changed", "voted", "newLink"] as const)("%s: the message is made again in its place, with what is there now", async (why) => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    const view = { ...plainRequest, version: 2, versions: [{ version: 2, by: "Grace", at: 0 }], ownVote: { at: 1 }, quorum: 2 };
    expect(await channel.send(notice({ why, receipt, view }))).toEqual({ kind: "sent", receipt: null });
    expect(slack.messages).toHaveLength(1);
    expect(slack.messages[0]).toMatchObject({ edits: 1 });
    expect(actionsOf(slack.messages[0])).toEqual(["deny", "open"]);
    expect(JSON.stringify(slack.messages[0]?.blocks)).toContain("Grace");
  });

  test.each([
    ["that was deleted", (message: ScriptedSlack["messages"][number] | undefined) => message !== undefined && (message.deleted = true)],
    ["that may not be edited any more", () => slack.script("chat.update", { error: "edit_window_closed" })],
    ["that is not ours to edit", () => slack.script("chat.update", { error: "cant_update_message" })],
  ])("a message %s is posted anew", async (_, happens) => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    happens(slack.messages[0]);
    const again = sentReceipt(await channel.send(notice({ why: "changed", receipt })));
    expect(again).not.toBe(receipt);
    expect(slack.messages).toHaveLength(2);
  });

  test("whoever never got the first message gets one, whatever the news", async () => {
    for (const why of ["changed", "voted", "newLink", "reminder"] as const) {
      sentReceipt(await channelOf(appEnv).send(notice({ why, receipt: null })));
      expect(actionsOf(slack.messages.at(-1))).toContain("approve");
    }
  });

  test("a reminder is a reply below the first message, with the link and no content", async () => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    expect(await channel.send(notice({ why: "reminder", receipt }))).toEqual({ kind: "sent", receipt: null });
    expect(slack.messages[1]).toMatchObject({ channel: "D0ADA", threadTs: slack.messages[0]?.ts });
    expect(actionsOf(slack.messages[1])).toEqual(["open"]);
    expect(JSON.stringify(slack.messages[1])).not.toContain("Summarise.");
  });

  test("whoever is asked once more gets a new message, and nothing of the content is left in the old one", async () => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    slack.script("chat.update", { status: 500 });
    expect(await channel.send(notice({ why: "handedOver", receipt }))).toEqual({ kind: "again", why: "unavailable" });
    expect(slack.messages).toHaveLength(1);
    expect(sentReceipt(await channel.send(notice({ why: "handedOver", receipt })))).not.toBe(receipt);
    const [old, fresh] = slack.messages;
    expect([actionsOf(old), JSON.stringify(old).includes("Summarise.")]).toEqual([[], false]);
    expect(actionsOf(fresh)).toContain("approve");
    slack.script("chat.update", { error: "message_not_found" });
    expect((await channel.send(notice({ why: "escalated", receipt }))).kind).toBe("sent");
    expect(slack.messages).toHaveLength(3);
  });

  test("before a reminder the message itself is made anew, and posted again where it is gone", async () => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    await channel.send(notice({ why: "reminder", receipt, url: "https://gateway.example.com/r/renewed" }));
    expect(JSON.stringify(slack.messages[0])).toContain("/r/renewed");
    slack.script("chat.update", { error: "message_not_found" });
    expect(sentReceipt(await channel.send(notice({ why: "reminder", receipt })))).not.toBe(receipt);
    expect(slack.messages.map(({ threadTs }) => threadTs)).toEqual([null, slack.messages[0]?.ts, null]);
    slack.script("chat.update", { status: 500 });
    expect(await channel.send(notice({ why: "reminder", receipt }))).toEqual({ kind: "again", why: "unavailable" });
    expect(slack.messages).toHaveLength(3);
  });

  test("in the end the buttons and the content are gone, and who, when and what stand in their place", async () => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    const view = { ...plainRequest, state: { kind: "denied", by: "Grace", at: 1_800_000_000_000, reason: "no" } } as const;
    expect(await channel.ended(notice({ receipt, view }))).toEqual({ kind: "sent", receipt: null });
    const [message] = slack.messages;
    expect(actionsOf(message)).toEqual([]);
    expect(message?.text).toBe("Denied");
    expect(JSON.stringify(message)).toContain("Grace");
    expect(JSON.stringify(message)).not.toContain("Summarise.");
  });

  test.each(["message_not_found", "cant_update_message", "edit_window_closed"])("an ending that meets %s is done with", async (error) => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    slack.script("chat.update", { error });
    expect(await channel.ended(notice({ receipt }))).toEqual({ kind: "sent", receipt: null });
    expect(slack.messages).toHaveLength(1);
  });

  test("an ending of what was never posted asks nobody", async () => {
    for (const receipt of [null, "not a receipt", "{}"])
      expect(await channelOf(appEnv).ended(notice({ receipt }))).toEqual({ kind: "sent", receipt: null });
    expect(slack.calls).toEqual([]);
  });

  test("words for one member are an ephemeral message, with a link only where one is given", async () => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice({ reviewer: someone })));
    const url = "https://countersign.example.com/r/their-own";
    const tell = (link: string | null): Promise<DeliveryResult> | undefined =>
      channel.tell?.({ user: ada, words: "notYours", url: link, notice: notice({ receipt, reviewer: someone }) });
    expect(await tell(url)).toEqual({ kind: "sent", receipt: null });
    expect(await tell(null)).toEqual({ kind: "sent", receipt: null });
    expect(slack.ephemerals.map(({ channel: where, user }) => [where, user])).toEqual([
      [room, ada],
      [room, ada],
    ]);
    expect(slack.ephemerals.map(({ blocks }) => buttonsIn(blocks).map((button) => button.url))).toEqual([[url], []]);
    expect(await channel.tell?.({ user: ada, words: "notYours", url: null, notice: notice() })).toEqual({
      kind: "failed",
      why: "notFound",
    });
  });

  test("a message that Slack finds too long goes out without its content, and without Approve", async () => {
    for (const error of ["msg_blocks_too_long", "msg_too_long", "invalid_blocks"]) {
      slack.script("chat.postMessage", { error });
      sentReceipt(await channelOf(appEnv).send(notice()));
      expect(actionsOf(slack.messages.at(-1))).toEqual(["deny", "open"]);
      expect(JSON.stringify(slack.messages.at(-1))).not.toContain("Summarise.");
    }
  });

  test("Slack takes every message of ours as it is, whatever is in it", async () => {
    const channel = channelOf(appEnv);
    for (const text of [...controlSequences, "&".repeat(5_000), "😀".repeat(3_000), "\u200b".repeat(3_000)]) {
      const posts = slack.callsOf("chat.postMessage").length;
      sentReceipt(await channel.send(notice({ view: { ...poisoned(text), digest: plainRequest.digest } })));
      expect(slack.callsOf("chat.postMessage")).toHaveLength(posts + 1);
    }
  });
});

describe("what Slack answers", () => {
  const failing: readonly (readonly [string, NoticeError])[] = [
    ["invalid_auth", "unauthorized"],
    ["token_revoked", "unauthorized"],
    ["account_inactive", "unauthorized"],
    ["missing_scope", "unauthorized"],
    ["channel_not_found", "notFound"],
    ["user_not_found", "notFound"],
    ["is_archived", "notAllowed"],
    ["not_in_channel", "notAllowed"],
    ["restricted_action", "notAllowed"],
    ["restricted_action_read_only_channel", "notAllowed"],
    ["no_text", "invalid"],
  ];
  test.each(failing)("%s: no attempt will ever do it (%s)", async (error, why) => {
    slack.script("chat.postMessage", { error });
    expect(await channelOf(appEnv).send(notice())).toEqual({ kind: "failed", why });
  });

  test("a message that it refuses in either length is invalid", async () => {
    slack.script("chat.postMessage", { error: "msg_too_long" }, { error: "msg_too_long" });
    expect(await channelOf(appEnv).send(notice())).toEqual({ kind: "failed", why: "invalid" });
  });

  test.each([
    ["internal_error", { error: "internal_error" }],
    ["an error that nobody knows yet", { error: "brand_new_error" }],
    ["HTTP 503", { status: 503 }],
    ["a connection that breaks", { breaks: true }],
  ] as const)("%s: worth another attempt", async (_, step) => {
    slack.script("chat.postMessage", step);
    expect(await channelOf(appEnv).send(notice())).toEqual({ kind: "again", why: "unavailable" });
    expect(slack.callsOf("chat.postMessage")).toHaveLength(1);
  });

  test.each([
    ["30", 30_000],
    ["100000", 3_600_000],
    [undefined, undefined],
  ] as const)("429 with Retry-After %s: waits as told, and never within the call", async (retryAfter, afterMs) => {
    const channel = channelOf(appEnv);
    const receipt = sentReceipt(await channel.send(notice()));
    const step = { status: 429, ...(retryAfter === undefined ? {} : { retryAfter }) };
    const expected = { kind: "again", why: "rateLimited", ...(afterMs === undefined ? {} : { afterMs }) };
    slack.script("chat.postMessage", step);
    expect(await channel.send(notice())).toEqual(expected);
    slack.script("chat.update", step, step);
    expect(await channel.send(notice({ why: "changed", receipt }))).toEqual(expected);
    expect(await channel.ended(notice({ receipt }))).toEqual(expected);
    slack.script("chat.postEphemeral", step);
    expect(await channel.tell?.({ user: ada, words: "late", url: null, notice: notice({ receipt }) })).toEqual(expected);
  });

  test("a call that hangs is given up after ten seconds", async () => {
    const channel = channelOf(appEnv);
    sentReceipt(await channel.send(notice()));
    slack.script("chat.postMessage", { until: new Promise(() => {}) });
    expect(await unanswered(() => channel.send(notice()))).toEqual({ kind: "again", why: "unavailable" });
  });
});

describe("as an incoming webhook", () => {
  const webhookEnv = { SLACK_WEBHOOK_URL: hook };

  test("reaches channels and never a person", async () => {
    const channel = channelOf(webhookEnv);
    expect([ada, "W0BOB", room, "G0PRIVATE", undefined].map((id) => channel.reaches({ name: "x", slack: id }))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    expect(await channel.send(notice())).toEqual({ kind: "failed", why: "notFound" });
    expect(slack.calls).toEqual([]);
  });

  test("posts one message with the channel's link, no button, and keeps no receipt", async () => {
    const channel = channelOf(webhookEnv);
    expect(await channel.send(notice({ reviewer: someone }))).toEqual({ kind: "sent", receipt: null });
    const [posted] = slack.posted;
    expect(JSON.stringify(posted)).toContain(linkToken);
    expect(JSON.stringify(posted)).toContain("Anyone in this channel who decides");
    expect(actionsOf(posted)).toEqual([]);
    expect(slack.calls.map(({ authorization }) => authorization)).toEqual([null]);
  });

  test("a reminder is a new message; what changed, was voted on or ended stands behind the link", async () => {
    const channel = channelOf(webhookEnv);
    for (const why of ["changed", "voted"] as const)
      expect(await channel.send(notice({ reviewer: someone, why }))).toEqual({ kind: "sent", receipt: null });
    expect(await channel.ended(notice({ reviewer: someone }))).toEqual({ kind: "sent", receipt: null });
    expect(slack.posted).toEqual([]);
    await channel.send(notice({ reviewer: someone, why: "reminder" }));
    await channel.send(notice({ reviewer: someone, why: "newLink" }));
    expect(slack.posted).toHaveLength(2);
  });

  test.each([
    ["no_service", "notFound"],
    ["channel_not_found", "notFound"],
    ["action_prohibited", "notAllowed"],
    ["channel_is_archived", "notAllowed"],
  ] as const)("%s: %s", async (error, why) => {
    slack.script("webhook", { error });
    expect(await channelOf(webhookEnv).send(notice({ reviewer: someone }))).toEqual({ kind: "failed", why });
  });

  test("a message that Slack refuses goes out without its content; 429, 500 and a broken connection are tried again", async () => {
    const channel = channelOf(webhookEnv);
    const send = (): Promise<DeliveryResult> => channel.send(notice({ reviewer: someone }));
    slack.script("webhook", { error: "invalid_payload" });
    expect(await send()).toEqual({ kind: "sent", receipt: null });
    expect(JSON.stringify(slack.posted)).not.toContain("Summarise.");
    slack.script("webhook", { status: 429, retryAfter: "7" }, { status: 500 }, { breaks: true });
    expect(await send()).toEqual({ kind: "again", why: "rateLimited", afterMs: 7_000 });
    expect(await send()).toEqual({ kind: "again", why: "unavailable" });
    expect(await send()).toEqual({ kind: "again", why: "unavailable" });
  });
});

describe("the set-up", () => {
  test.each([
    [{}, []],
    [appEnv, []],
    [{ SLACK_WEBHOOK_URL: hook }, []],
    [{ SLACK_BOT_TOKEN: token }, ["SLACK_SIGNING_SECRET is not"]],
    [{ SLACK_SIGNING_SECRET: secret }, ["SLACK_BOT_TOKEN is not"]],
    [{ ...appEnv, SLACK_BOT_TOKEN: "xoxp-a-person" }, ["begins with xoxb-"]],
    [{ ...appEnv, SLACK_SIGNING_SECRET: "5ca1ab1e" }, ["shorter than 16"]],
    [{ ...appEnv, SLACK_API_URL: "http://slack.example.com/api/" }, ["SLACK_API_URL must be https"]],
    [{ ...appEnv, SLACK_APP_ID: "T0TEAM", SLACK_TEAM_ID: "A0APP" }, ["SLACK_APP_ID", "SLACK_TEAM_ID"]],
    [{ SLACK_WEBHOOK_URL: "http://hooks.example.com/x" }, ["SLACK_WEBHOOK_URL is not an https address"]],
  ] as const)("%j: what is wrong is said, and then nothing is sent", (variables, problems) => {
    const found = slackIssues(envWith(variables)).map(doctorText);
    expect(found).toHaveLength(problems.length);
    for (const [i, problem] of problems.entries()) expect(found[i]).toContain(problem);
    for (const value of Object.values(variables)) expect(found.join()).not.toContain(value);
    if (problems.length > 0) expect(slackChannel(envWith(variables))).toBeUndefined();
  });

  test("empty variables are none, a loopback address needs no TLS, and an app beats a webhook and says so", () => {
    expect(slackChannel(envWith({ SLACK_BOT_TOKEN: "", SLACK_SIGNING_SECRET: " ", SLACK_WEBHOOK_URL: "" }))).toBeUndefined();
    expect(slackChannel(envWith({ ...appEnv, SLACK_API_URL: "http://127.0.0.1:9/api" }))).toBeDefined();
    const both = envWith({ ...appEnv, SLACK_WEBHOOK_URL: hook });
    expect(slackChannel(both)?.reaches(person)).toBe(true);
    expect(slackIssues(both).map(doctorText)).toEqual([expect.stringContaining("SLACK_WEBHOOK_URL is not used")]);
  });

  test("the doctor asks Slack whether the token is good, and posts nothing", async () => {
    expect(await heard(slackDoctor(envWith(appEnv)))).toMatchObject({ ok: true });
    expect(await heard(slackDoctor(envWith({ ...appEnv, SLACK_TEAM_ID: slackTeam })))).toMatchObject({ ok: true });
    expect(await heard(slackDoctor(envWith({ ...appEnv, SLACK_TEAM_ID: "T0OTHER" })))).toMatchObject({
      ok: false,
      text: expect.stringContaining("not the workspace"),
    });
    slack.script("auth.test", { error: "token_revoked" }, { status: 503 }, { status: 429 });
    expect(await heard(slackDoctor(envWith(appEnv)))).toEqual({ ok: false, text: "Slack refuses SLACK_BOT_TOKEN: token_revoked." });
    expect(await heard(slackDoctor(envWith(appEnv)))).toMatchObject({ ok: false, text: expect.stringContaining("does not answer") });
    expect(await heard(slackDoctor(envWith(appEnv)))).toMatchObject({ ok: false, text: expect.stringContaining("rate limit") });
    expect(await heard(slackDoctor(envWith({ SLACK_WEBHOOK_URL: hook })))).toMatchObject({
      ok: true,
      text: expect.stringContaining("the doctor posts none"),
    });
    expect(await heard(slackDoctor(envWith({})))).toMatchObject({ ok: true });
    expect(await heard(slackDoctor(envWith({ SLACK_BOT_TOKEN: token })))).toMatchObject({ ok: false });
    expect(slack.messages).toEqual([]);
    expect(slack.posted).toEqual([]);
  });
});
