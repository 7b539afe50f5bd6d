// Reviews by ntfy and by Telegram: each a message with the reviewer's link, which the outcome
// replaces. Neither the bot's token nor the topic is in the record.

import { beforeEach, describe, expect, test } from "vitest";
import { ScriptedNtfy } from "../../support/ntfy-server.ts";
import { ScriptedTelegram } from "../../support/telegram-server.ts";
import { answerOf, configure, env, eventually, openNotice, policy, sample } from "../support/gateway.ts";
import { neverLogged, promptMarker } from "../support/logs.ts";
import { answerAt } from "../support/provider.ts";
import { formOf, press } from "../support/reviewer.ts";
import { recordOf } from "../objects/inside.ts";

const topic = "topic-of-the-tests"; // vitest.config.ts gives both
const ntfyToken = "tk_token-of-the-tests-0123456789";
for (const each of [topic, ntfyToken, env.TELEGRAM_BOT_TOKEN ?? ""]) neverLogged(each);
const ada = { name: "Ada", email: "ada@example.org", ntfy: "PHONE", telegram: "42", notify: ["ntfy", "telegram"] };
let ntfy: ScriptedNtfy;
let telegram: ScriptedTelegram;

beforeEach(() => {
  ntfy = new ScriptedNtfy({ tokens: [ntfyToken] });
  telegram = new ScriptedTelegram({ token: env.TELEGRAM_BOT_TOKEN ?? "", chats: ["42", "-1001234567890"] });
  answerAt("https://ntfy.example.com", ntfy.answer);
  answerAt("https://telegram.example.com", telegram.answer);
});

const asking = (reviewers: readonly object[], gate: object = {}) => ({
  ...policy,
  rules: [],
  default: { ...policy.default, response: "allow", ...gate },
  reviewers: { everyone: reviewers },
});

const notices = async (run: string) =>
  (await recordOf(run)).flatMap(({ fact }) =>
    fact.kind === "noticed" && fact.channel !== "outbox" ? [[fact.channel, fact.reviewer, fact.state]] : [],
  );

async function expectNoSecret(run: string): Promise<void> {
  const lines = JSON.stringify(await recordOf(run));
  for (const each of [topic, ntfyToken, env.TELEGRAM_BOT_TOKEN ?? "", "123456789"]) expect(lines).not.toContain(each);
}

describe("a review", () => {
  test("by ntfy opens from the message, and its outcome replaces it", async () => {
    await configure("policy", asking([ada], { noticeExcerpt: "start" }));
    const answer = answerOf(sample({ server: "notes" }));
    const { run } = await openNotice("request");
    const shown = await eventually("the message", async () => ntfy.shown[0]);
    expect(shown.title).toMatch(/^notes · .* asks .+ · (?:9|10) min/);
    expect(shown.message.replaceAll("\u200b", "")).toContain(promptMarker);
    expect(telegram.calls).toEqual([]);
    expect((await press(shown.click ?? "", "approve")).status).toBe(303);
    expect((await answer).error).toBeUndefined();
    const outcome = await eventually("the outcome", async () => (ntfy.shown[0]?.title.startsWith("Approved") === true ? ntfy.shown : null));
    expect(outcome).toMatchObject([{ click: null, links: [], sequence: shown.sequence }]);
    await eventually("the record", async () => ((await notices(run)).length > 0 ? true : null));
    expect(await notices(run)).toEqual([["ntfy", "Ada", "sent"]]);
    await expectNoSecret(run);
  });

  test("goes by Telegram where ntfy refuses it", async () => {
    await configure("policy", asking([ada]));
    ntfy.script({ status: 403, body: { code: 40301, http: 403, error: "forbidden" } });
    const answer = answerOf(sample({ server: "notes" }));
    const { run } = await openNotice("request");
    const shown = await eventually("the message", async () => telegram.shown[0]);
    expect(shown).toMatchObject({ chat: "42" });
    expect(shown.text).not.toContain(promptMarker);
    // The address of this gateway can be no button.
    const link = shown.text.split("\n").at(-1) ?? "";
    expect((await formOf(link)).has("digest")).toBe(true);
    expect((await press(link, "deny")).status).toBe(303);
    expect((await answer).error).toBeDefined();
    await eventually("the outcome", async () => (telegram.shown[0]?.text.startsWith("Denied") === true ? true : null));
    await eventually("the record", async () => ((await notices(run)).length > 1 ? true : null));
    expect(await notices(run)).toEqual([
      ["ntfy", "Ada", "unauthorized"],
      ["telegram", "Ada", "sent"],
    ]);
    await expectNoSecret(run);
  });

  test("in a Telegram group is one vote without a name", async () => {
    const room = { name: "someone in Ops", telegram: "-1001234567890" };
    await expect(configure("policy", asking([room, ada], { quorum: 2 }))).rejects.toThrow("someone in Ops is a Telegram group");
    await expect(configure("policy", asking([{ ...room, telegram: "@ops" }]))).rejects.toThrow("is not the id of a Telegram chat");
    await configure("policy", asking([room]));
    await sample({ server: "notes" }, { headers: { Prefer: "respond-async" } });
    const shown = await eventually("the message", async () => telegram.shown[0]);
    expect(shown.text).toContain("decides as someone in Ops");
  });
});
