// POST /admin/channels/test: one message by one channel to one reviewer, what it says, and what an
// operator is told where it fails.

import { beforeEach, describe, expect, test } from "vitest";
import { type MailApi, createMailApi } from "../../support/mail-api.ts";
import { ScriptedNtfy } from "../../support/ntfy-server.ts";
import { ScriptedSlack } from "../../support/slack/scripted-slack.ts";
import { ScriptedTeams } from "../../support/teams-workflow.ts";
import { ScriptedTelegram } from "../../support/telegram-server.ts";
import { type WebhookReceiver, createWebhookReceiver } from "../../support/webhook-receiver.ts";
import type { Env } from "../../../workers/platform/env.ts";
import { admin, adminJson, adminToken, configure, env, gatewayWith, jsonBody, policy, publicUrl, travel } from "../support/gateway.ts";
import { answerAt } from "../support/provider.ts";
import { recordLines } from "../support/record.ts";

const ada = "ada@example.org";
const people = [
  { name: "Ada", email: ada, slack: "U0ADA", webhook: "TEAMS", ntfy: "PHONE", telegram: "42" },
  { name: "Bo", email: "bo@example.org", language: "zh-CN", notify: ["email"] },
];
const room = { name: "someone in Reviews", teams: "REVIEWS" };

let slack: ScriptedSlack;
let mail: MailApi;
let teams: ScriptedTeams;
let webhook: WebhookReceiver;
let ntfy: ScriptedNtfy;
let telegram: ScriptedTelegram;

beforeEach(async () => {
  slack = new ScriptedSlack({ token: env.SLACK_BOT_TOKEN ?? "", secret: env.SLACK_SIGNING_SECRET ?? "", members: ["U0ADA"] });
  mail = createMailApi();
  teams = new ScriptedTeams();
  webhook = createWebhookReceiver((env as unknown as Record<string, string>)["WEBHOOK_TEAMS_SECRET"] ?? ""); // vitest.config.ts gives it
  answerAt("https://slack.example.com", (request) => slack.handle(request));
  answerAt("https://mail.example.com", mail.answer);
  answerAt("https://teams.example.com", teams.answer);
  answerAt("https://webhook.example.com", webhook.answer);
  ntfy = new ScriptedNtfy({ tokens: ["tk_token-of-the-tests-0123456789"] });
  telegram = new ScriptedTelegram({ token: env.TELEGRAM_BOT_TOKEN ?? "", chats: ["42"] });
  answerAt("https://ntfy.example.com", ntfy.answer);
  answerAt("https://telegram.example.com", telegram.answer);
  await configure("policy", { ...policy, reviewers: { everyone: people, room: [room] } });
});

type Tested = { readonly status: number; readonly state?: string; readonly text?: string; readonly error?: string };

async function testing(reviewer: string, channel: string, variables: Partial<Env> = {}): Promise<Tested> {
  const answer = await gatewayWith(variables, "/admin/channels/test", { ...jsonBody("POST", { reviewer, channel }), key: adminToken });
  return { status: answer.status, ...(await answer.json<object>()) };
}

const acts = async () =>
  (await recordLines()).flatMap(({ fact }) => (fact.kind === "channelTested" ? [[fact.reviewer, fact.channel, fact.state]] : []));

/** A message of ours names its reader and the gateway; nothing in it is a link to a review. */
function expectTest(text: string, reader: string): void {
  expect(text).toContain(reader);
  expect(text).toContain(publicUrl);
  expect(text).not.toMatch(/\/r\/|\/inbox/);
}

describe("a test message", () => {
  test("by email is in the reviewer's language, with their name and the gateway's", async () => {
    expect(await testing("Ada", "email")).toMatchObject({ status: 200, state: "sent" });
    expect(await testing("Bo", "email")).toMatchObject({ status: 200, state: "sent" });
    const [first, second] = mail.taken;
    expect([first?.to, first?.subject]).toEqual([[ada], "Test message from Countersign"]);
    expectTest(first?.text ?? "", "Ada");
    expect(first?.headers["Auto-Submitted"]).toBe("auto-generated");
    expect([second?.subject, second?.headers["Content-Language"]]).toEqual(["Countersign 测试消息", "zh-CN"]);
  });

  test("by Slack goes to the member, without a button", async () => {
    expect(await testing("Ada", "slack")).toMatchObject({ status: 200, state: "sent", text: "Slack accepted the test message." });
    const [message] = slack.messages;
    expect(message?.channel).toBe("D0ADA");
    const blocks = JSON.stringify(message?.blocks);
    expectTest(blocks, "Ada");
    expect(blocks).not.toContain('"actions"');
  });

  test("by Slack's incoming webhook goes to the channel that it posts to", async () => {
    const hook = { SLACK_BOT_TOKEN: "", SLACK_SIGNING_SECRET: "", SLACK_WEBHOOK_URL: "https://slack.example.com/services/T0/B0/x" };
    await configure("policy", { ...policy, reviewers: { everyone: people, room: [{ name: "someone in #room", slack: "C0ROOM" }] } });
    expect(await testing("someone in #room", "slack", hook)).toMatchObject({ status: 200, state: "sent" });
    expect(slack.posted.map(({ text }) => text)).toEqual(["Test message from Countersign"]);
    expect(await testing("Ada", "slack", hook)).toMatchObject({ status: 409 });
  });

  test("by Teams is a card without a link", async () => {
    expect(await testing("someone in Reviews", "teams")).toMatchObject({ status: 200, state: "sent" });
    const [card] = teams.cards;
    expect(card?.summary).toBe("Test message from Countersign");
    expect(card?.links).toEqual([]);
    expectTest((card?.lines.join("\n") ?? "").replaceAll("\u200b", ""), "someone in Reviews");
  });

  test("by a webhook is a signed event of its own type", async () => {
    expect(await testing("Ada", "webhook")).toMatchObject({ status: 200, state: "sent" });
    const [taken] = webhook.taken;
    expect(taken?.event.type).toBe("countersign.test");
    expect(taken?.event.data).toMatchObject({ reviewer: "Ada", title: "Test message from Countersign" });
    expectTest(JSON.stringify(taken?.event), "Ada");
  });

  test("by ntfy and by Telegram is a message without a link", async () => {
    for (const channel of ["ntfy", "telegram"]) expect(await testing("Ada", channel)).toMatchObject({ status: 200, state: "sent" });
    expect(ntfy.shown).toMatchObject([{ title: "Test message from Countersign", click: null, links: [] }]);
    expect(telegram.shown).toMatchObject([{ links: [] }]);
    for (const text of [ntfy.shown[0]?.message, telegram.shown[0]?.text]) expectTest((text ?? "").replaceAll("\u200b", ""), "Ada");
  });

  test("of the outbox sends nothing, and says where the links are", async () => {
    expect(await testing("Ada", "outbox")).toMatchObject({ status: 200, state: "sent", text: expect.stringContaining("/admin/notices") });
  });

  test("is in the record with who was tested and what came of it, and without an address", async () => {
    await testing("Ada", "email");
    slack.script("chat.postMessage", { error: "user_not_found" });
    await testing("Ada", "slack");
    expect(await acts()).toEqual([
      ["Ada", "email", "sent"],
      ["Ada", "slack", "notFound"],
    ]);
    expect(JSON.stringify(await recordLines())).not.toContain(ada);
  });
});

describe("a test that fails says what to do", () => {
  const steps = { status: 401 } as const;
  test.each([
    ["email", "unauthorized", /Set RESEND_API_KEY again/, () => mail.script({ status: 401, name: "missing_api_key" })],
    ["email", "notVerified", /Verify the domain of EMAIL_FROM/, () => mail.script({ status: 403, name: "validation_error" })],
    ["email", "dailyLimit", /Raise the limit, or wait/, () => mail.script({ status: 429, name: "daily_quota_exceeded" })],
    ["email", "unavailable", /test again/, () => mail.script("disconnected")],
    ["slack", "notFound", /Correct the id in the policy/, () => slack.script("chat.postMessage", { error: "channel_not_found" })],
    ["slack", "notAllowed", /Invite the app/, () => slack.script("chat.postMessage", { error: "not_in_channel" })],
    ["slack", "unauthorized", /SLACK_BOT_TOKEN/, () => slack.script("chat.postMessage", { error: "token_revoked" })],
    ["slack", "rateLimited", /Wait a minute/, () => slack.script("chat.postMessage", { status: 429, retryAfter: "30" })],
    ["slack", "unavailable", /test again/, () => slack.script("chat.postMessage", { breaks: true })],
    ["webhook", "unauthorized", /same secret on both sides/, () => webhook.script(steps)],
    ["webhook", "notFound", /WEBHOOK_…_URL/, () => webhook.script({ status: 410 })],
    ["webhook", "invalid", /countersign\.test/, () => webhook.script({ status: 422 })],
    ["webhook", "unavailable", /test again/, () => webhook.script({ status: 503 })],
    ["teams", "unauthorized", /Copy the address from Teams again/, () => teams.script(steps)],
    ["teams", "notFound", /switched off or deleted/, () => teams.script({ status: 404 })],
    ["teams", "rateLimited", /Wait a minute/, () => teams.script({ status: 429 })],
    ["ntfy", "unauthorized", /NTFY_…_TOKEN/, () => ntfy.script({ status: 403 })],
    ["ntfy", "dailyLimit", /no more messages today/, () => ntfy.script({ status: 429, body: { code: 42908 } })],
    ["telegram", "unauthorized", /TELEGRAM_BOT_TOKEN/, () => telegram.script({ status: 401, body: {} })],
    ["telegram", "notAllowed", /blocked or removed/, () => telegram.script({ status: 403, body: {} })],
    [
      "telegram",
      "notFound",
      /press Start/,
      () => telegram.script({ status: 400, body: { ok: false, description: "Bad Request: chat not found" } }),
    ],
  ])("%s: %s", async (channel, state, text, script) => {
    script();
    const tested = await testing(channel === "teams" ? room.name : "Ada", channel);
    expect([tested.status, tested.state]).toEqual([200, state]);
    expect(tested.text).toMatch(text);
  });

  test("a channel that is not set up, and an address that the reviewer has not", async () => {
    const off = await testing("Ada", "email", { EMAIL_FROM: "", RESEND_API_KEY: "" });
    expect([off.status, off.error]).toEqual([409, expect.stringContaining("is not set up")]);
    const none = await testing("Bo", "slack");
    expect([none.status, none.error]).toEqual([409, expect.stringContaining("add or correct it in the policy")]);
    expect((await testing("Nobody", "email")).status).toBe(404);
    expect(mail.taken).toEqual([]);
  });

  test("five of one channel for one reviewer in a minute are enough; another channel, and the next minute, have their own", async () => {
    for (let i = 0; i < 5; i += 1) expect((await testing("Ada", "email")).status).toBe(200);
    expect((await testing("Ada", "email")).status).toBe(429);
    expect((await testing("Ada", "slack")).status).toBe(200);
    expect((await testing("Bo", "email")).status).toBe(200);
    travel(61_000);
    expect((await testing("Ada", "email")).status).toBe(200);
    expect(mail.taken).toHaveLength(7);
  });
});

describe("GET /admin/reviewers", () => {
  type Line = { name: string; groups: string[]; room: string | null; waiting: number | null; channels: { channel: string; use: string }[] };
  const listed = async (query = "") => adminJson<{ reviewers: Line[]; next: string | null }>(`/reviewers${query}`);

  test("says how each reviewer is reached, in which groups they are, and how many reviews wait", async () => {
    const both = { everyone: people, leads: [people[0] ?? {}], room: [room] };
    await configure("policy", { ...policy, reviewers: both });
    const { reviewers, next } = await listed();
    expect(next).toBeNull();
    expect(reviewers.map(({ name, groups, waiting }) => [name, groups, waiting])).toEqual([
      ["Ada", ["everyone", "leads"], 0],
      ["Bo", ["everyone"], 0],
      [room.name, ["room"], null],
    ]);
    expect(reviewers[0]?.channels.map(({ channel, use }) => [channel, use])).toEqual([
      ["email", "first"],
      ["slack", "first"],
      ["webhook", "first"],
      ["ntfy", "first"],
      ["telegram", "first"],
      ["outbox", "first"],
    ]);
    expect(reviewers[1]?.channels[0]).toMatchObject({ channel: "email", address: "bo@example.org", use: "first" });
  });

  test("gives forty at a time", async () => {
    const many = Array.from({ length: 45 }, (_, i) => ({ name: `Reviewer ${i}` }));
    await configure("policy", { ...policy, reviewers: { everyone: many } });
    const first = await listed();
    expect([first.reviewers.length, first.next]).toEqual([40, "Reviewer 39"]);
    const second = await listed(`?${new URLSearchParams({ after: first.next ?? "" })}`);
    expect([second.reviewers.length, second.next]).toEqual([5, null]);
    expect((await admin("/reviewers?before=x")).status).toBe(400);
  });
});
