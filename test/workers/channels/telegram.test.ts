// The Telegram channel inside workerd, against a scripted Bot API.

import { afterEach, describe, expect, test, vi } from "vitest";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import { doctorText } from "../../../shared/words/doctor.ts";
import type { DeliveryResult, Notice } from "../../../workers/channels/channel.ts";
import { telegramChannel, telegramDoctor, telegramIssues } from "../../../workers/channels/telegram/telegram-channel.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { ScriptedTelegram, type TelegramStep } from "../../support/telegram-server.ts";
import { neverLogged } from "../support/logs.ts";
import { envWith, heard, network, noticeOf } from "./notices.ts";

const token = "123456789:AAscripted-0123456789abcdefghij";
neverLogged(token);
const ada = { name: "Ada", telegram: "42" };
const room = { name: "someone in Ops", telegram: "-1001234567890" };

afterEach(() => vi.restoreAllMocks());

function start() {
  const telegram = new ScriptedTelegram({ token, chats: ["42", "-1001234567890"] });
  network(telegram.answer);
  const channel = telegramChannel(envWith({ TELEGRAM_BOT_TOKEN: token }));
  if (channel === undefined) throw new Error("the channel is configured");
  return {
    telegram,
    channel,
    send: (changes?: Partial<Notice>): Promise<DeliveryResult> => channel.send(noticeOf({ reviewer: ada, ...changes })),
  };
}

const receipt = JSON.stringify({ chat: "42", message: 101 });
const done = { kind: "sent", receipt: null };

describe("a notice", () => {
  test("is one message to the chat with a button to the review, without a preview, by the bot alone", async () => {
    const { telegram, send } = start();
    expect(await send()).toEqual({ kind: "sent", receipt });
    expect(telegram.calls).toMatchObject([
      {
        url: `https://api.telegram.org/bot${token}/sendMessage`,
        redirect: "manual",
        params: { chat_id: "42", link_preview_options: { is_disabled: true } },
      },
    ]);
    expect(telegram.shown).toMatchObject([{ chat: "42", links: [noticeOf().url] }]);
    expect(telegram.shown[0]?.text).not.toContain("system prompt");
  });

  test("shows an excerpt where the policy allows it; a group is told that it decides as one", async () => {
    const { telegram, send } = start();
    await send({ reviewer: room, excerpt: "start" });
    expect(telegram.shown[0]?.text).toContain("system prompt");
    expect(telegram.shown[0]?.text).toContain("Whoever opens the review from this channel");
  });

  test("of a gateway on this machine, to whose address no button may lead, has the address as text", async () => {
    const { telegram, send } = start();
    const url = "http://localhost:8787/r/token";
    expect(await send({ url })).toEqual({ kind: "sent", receipt });
    expect(telegram.shown).toMatchObject([{ links: [], text: expect.stringContaining(`\n${url}`) }]);
  });

  test("is changed where the review changes, and a reminder answers it", async () => {
    const { telegram, send } = start();
    await send();
    const changed = { ...openRequest, version: 2, reviewer: "Ada" };
    expect(await send({ receipt, why: "changed", excerpt: "start", view: changed })).toEqual(done);
    expect(telegram.shown).toMatchObject([{ id: 101, text: expect.stringContaining("system prompt") }]);
    // As it is already.
    expect(await send({ receipt, why: "voted", excerpt: "start", view: changed })).toEqual(done);
    expect(await send({ receipt, why: "reminder", excerpt: "start", view: changed })).toEqual(done);
    expect(telegram.shown).toMatchObject([{ id: 101 }, { repliesTo: 101, text: expect.stringContaining("A review is still open") }]);
  });

  test("loses its content and its button where a newer one asks again, and its link where the review ended", async () => {
    const { telegram, channel, send } = start();
    await send({ excerpt: "start" });
    expect(await send({ receipt, why: "asked" })).toEqual({ kind: "sent", receipt: JSON.stringify({ chat: "42", message: 102 }) });
    expect(telegram.shown[0]).toMatchObject({ text: expect.stringMatching(/^Asked again/), links: [] });
    const state = { kind: "denied", by: "Ada", at: 0, reason: "secret reason" } as const;
    const ended = noticeOf({ reviewer: ada, receipt: JSON.stringify({ chat: "42", message: 102 }), view: { ...openRequest, state } });
    expect(await channel.ended(ended)).toEqual(done);
    expect(telegram.shown[1]).toMatchObject({ text: expect.stringMatching(/^Denied\nAda denied this/), links: [] });
    expect(JSON.stringify(telegram.shown)).not.toContain("secret reason");
  });

  test("that a person deleted is sent anew while it is asked, and is left alone at the end", async () => {
    const { telegram, channel, send } = start();
    await send();
    telegram.delete(101);
    expect(await channel.ended(noticeOf({ reviewer: ada, receipt }))).toEqual(done);
    expect(telegram.shown).toEqual([]);
    expect(await send({ receipt, why: "changed" })).toEqual({ kind: "sent", receipt });
    expect(await channel.ended(noticeOf({ reviewer: ada, receipt: null }))).toEqual(done);
  });

  const refusal = (error_code: number, description: string, parameters?: object) => ({
    status: error_code,
    body: { ok: false, error_code, description, ...(parameters === undefined ? {} : { parameters }) },
  });
  test.each<[string, TelegramStep, DeliveryResult]>([
    [
      "a rate limit",
      refusal(429, "Too Many Requests: retry after 7", { retry_after: 7 }),
      { kind: "again", why: "rateLimited", afterMs: 7_000 },
    ],
    [
      "a rate limit by header",
      { ...refusal(429, "Too Many Requests"), headers: { "Retry-After": "9" } },
      { kind: "again", why: "rateLimited", afterMs: 9_000 },
    ],
    ["an error of its own", refusal(500, "Internal Server Error"), { kind: "again", why: "unavailable" }],
    ["a page of its proxy", { status: 502 }, { kind: "again", why: "unavailable" }],
    ["nothing", "disconnected", { kind: "again", why: "unavailable" }],
    ["a token that was revoked", refusal(401, "Unauthorized"), { kind: "failed", why: "unauthorized" }],
    ["no such bot", refusal(404, "Not Found"), { kind: "failed", why: "unauthorized" }],
    ["a bot that was blocked", refusal(403, "Forbidden: bot was blocked by the user"), { kind: "failed", why: "notAllowed" }],
    [
      "a person who never pressed Start",
      refusal(403, "Forbidden: bot can't initiate conversation with a user"),
      { kind: "failed", why: "notAllowed" },
    ],
    [
      "a group without the right to write",
      refusal(400, "Bad Request: not enough rights to send text messages to the chat"),
      { kind: "failed", why: "notAllowed" },
    ],
    ["no such chat", refusal(400, "Bad Request: chat not found"), { kind: "failed", why: "notFound" }],
    [
      "a group with another id",
      refusal(400, "Bad Request: group chat was upgraded to a supergroup chat", { migrate_to_chat_id: -100 }),
      { kind: "failed", why: "notFound" },
    ],
  ])("that is answered with %s", async (_name, step, expected) => {
    const { telegram, send } = start();
    telegram.script(step);
    expect(await send()).toEqual(expected);
    expect(telegram.calls).toHaveLength(1);
  });

  test("that Telegram refuses twice as invalid has failed", async () => {
    const { telegram, send } = start();
    telegram.script(refusal(400, "Bad Request: ENTITY_BOUNDS_INVALID"), refusal(400, "Bad Request: message is too long"));
    expect(await send()).toEqual({ kind: "failed", why: "invalid" });
  });
});

test("several reviews are one message; the changes of one count for none", async () => {
  const { channel, telegram } = start();
  const entry = { reviewer: ada, run: "run_1", url: noticeOf().url, facts: noticeFacts(openRequest) };
  expect(await channel.digest?.send([entry, entry], "key")).toEqual(done);
  expect(telegram.shown).toMatchObject([{ chat: "42", links: [entry.url, entry.url] }]);
  const counts = (changes: Partial<Notice>) => channel.digest?.counts(noticeOf({ reviewer: ada, ...changes }), "send");
  expect([counts({}), counts({ receipt, why: "changed" }), counts({ receipt, why: "reminder" })]).toEqual([true, false, true]);
  expect(channel.digest?.counts(noticeOf({ receipt }), "ended")).toBe(false);
});

describe("the setup", () => {
  test.each<[string, object, RegExp | null]>([
    ["a token", { TELEGRAM_BOT_TOKEN: token }, null],
    ["a server of one's own", { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: "https://bots.example.com" }, null],
    ["no token", { TELEGRAM_API_URL: "https://bots.example.com" }, /TELEGRAM_BOT_TOKEN is not/],
    ["a name for a token", { TELEGRAM_BOT_TOKEN: "@reviews_bot" }, /TELEGRAM_BOT_TOKEN is not a bot's token/],
    ["a token that leaves its path", { TELEGRAM_BOT_TOKEN: `${token}/../x` }, /TELEGRAM_BOT_TOKEN is not a bot's token/],
    ["http elsewhere", { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_URL: "http://bots.example.com" }, /TELEGRAM_API_URL must be https/],
  ])("%s", async (_name, variables, issue) => {
    network(new ScriptedTelegram({ token, chats: [] }).answer);
    const env = envWith(variables);
    expect(telegramChannel(env) !== undefined).toBe(issue === null);
    expect(telegramIssues(env).map(doctorText)).toEqual(issue === null ? [] : [expect.stringMatching(issue)]);
    const { ok, text } = await heard(telegramDoctor(env));
    expect(ok).toBe(issue === null);
    expect(text).not.toContain(token);
  });

  test.each<[string, readonly TelegramStep[], boolean, RegExp]>([
    ["accepts the token", [], true, /accepts TELEGRAM_BOT_TOKEN/],
    [
      "refuses it",
      [{ status: 401, body: { ok: false, error_code: 401, description: "Unauthorized" } }],
      false,
      /refuses TELEGRAM_BOT_TOKEN/,
    ],
    ["does not answer", ["disconnected"], false, /does not answer/],
  ])("the doctor says that Telegram %s, and posts nothing", async (_name, steps, isGood, says) => {
    const telegram = new ScriptedTelegram({ token, chats: ["42"] });
    telegram.script(...steps);
    network(telegram.answer);
    expect(await heard(telegramDoctor(envWith({ TELEGRAM_BOT_TOKEN: token })))).toEqual({ ok: isGood, text: expect.stringMatching(says) });
    expect(telegram.calls.map(({ method }) => method)).toEqual(["getMe"]);
  });

  test("without any variable there is no channel and no issue", async () => {
    const env = envWith({});
    expect([telegramChannel(env), telegramIssues(env), await heard(telegramDoctor(env))]).toEqual([
      undefined,
      [],
      { ok: true, text: "Telegram is not set up." },
    ]);
  });
});
