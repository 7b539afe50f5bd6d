// The ntfy channel inside workerd, against a scripted server.

import { afterEach, describe, expect, test, vi } from "vitest";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import { doctorText } from "../../../shared/words/doctor.ts";
import type { DeliveryResult, Notice, NoticeWhy } from "../../../workers/channels/channel.ts";
import { ntfyAdapter, ntfyChannel, ntfyDoctor, ntfyIssues } from "../../../workers/channels/ntfy/ntfy-channel.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { ScriptedNtfy } from "../../support/ntfy-server.ts";
import { neverLogged } from "../support/logs.ts";
import { envWith, heard, network, noticeOf } from "./notices.ts";

const token = "tk_scripted-0123456789";
const topic = "reviews-of-ada-7Hq2mW";
const url = `https://ntfy.example.com/${topic}`;
for (const each of [token, topic]) neverLogged(each);
const ada = { name: "Ada", ntfy: "PHONE" };

afterEach(() => vi.restoreAllMocks());

function start({ server = new ScriptedNtfy({ tokens: [token] }), variables = {} }: { server?: ScriptedNtfy; variables?: object } = {}) {
  network(server.answer);
  const channel = ntfyChannel(envWith({ NTFY_PHONE_URL: url, NTFY_PHONE_TOKEN: token, ...variables }));
  if (channel === undefined) throw new Error("the channel is configured");
  return {
    server,
    channel,
    send: (changes?: Partial<Notice>): Promise<DeliveryResult> => channel.send(noticeOf({ reviewer: ada, ...changes })),
  };
}

const sent = { kind: "sent", receipt: expect.stringMatching(/^[0-9a-f]{32}$/) };

describe("a notice", () => {
  test("is one message to the topic, as JSON, so that its title can be in any script", async () => {
    const { server, send } = start();
    expect(await send({ reviewer: { ...ada, language: "zh-CN" } })).toEqual(sent);
    expect(server.requests[0]).toMatchObject({ url: "https://ntfy.example.com/", method: "POST", redirect: "manual" });
    expect(server.requests[0]?.headers.get("Authorization")).toBe(`Bearer ${token}`);
    expect(server.shown).toMatchObject([{ topic, click: noticeOf().url, links: [noticeOf().url], priority: 3 }]);
    expect(server.shown[0]?.title).toMatch(/[\u4e00-\u9fff]/);
  });

  test("shows an excerpt only where the policy allows it", async () => {
    const { server, send } = start();
    await send();
    expect(server.shown[0]?.message).not.toContain("system prompt");
    await send({ excerpt: "start" });
    expect(server.shown).toHaveLength(1);
    expect(server.shown[0]?.message).toContain("system prompt");
  });

  test.each<[NoticeWhy, number]>([
    ["asked", 1],
    ["handedOver", 1],
    ["escalated", 1],
    ["newLink", 1],
    ["reminder", 1],
    ["changed", 0],
    ["voted", 0],
  ])("of the kind %s makes %i messages", async (why, count) => {
    const { server, send, channel } = start();
    expect((await send({ why })).kind).toBe("sent");
    expect(server.shown).toHaveLength(count);
    expect(channel.digest?.counts(noticeOf({ why }), "send")).toBe(count === 1);
  });

  test("is replaced by a reminder and by the outcome, which is silent and has no link; another review's is not", async () => {
    const { server, channel, send } = start();
    const first = await send({ excerpt: "start" });
    await send({ run: "run_another" });
    await send({ why: "reminder" });
    const receipt = first.kind === "sent" ? first.receipt : null;
    const state = { kind: "approved", by: "Ada", at: 0, edited: false } as const;
    expect(await channel.ended(noticeOf({ reviewer: ada, receipt, view: { ...openRequest, state } }))).toEqual(sent);
    expect(server.shown.map(({ title, click, priority }) => [title.split(/[:·]/)[0]?.trim(), click, priority])).toEqual([
      ["Approved", null, 2],
      ["notes", noticeOf().url, 3],
    ]);
    expect(JSON.stringify(server.shown[0])).not.toContain("system prompt");
  });

  test("has no outcome where its review was in a digest alone; an older server shows the outcome beside it", async () => {
    const { server, channel } = start();
    expect(await channel.ended(noticeOf({ reviewer: ada }))).toEqual({ kind: "sent", receipt: null });
    expect(server.requests).toEqual([]);
    const old = start({ server: new ScriptedNtfy({ tokens: [token], knowsSequences: false }) });
    const first = await old.send();
    await old.channel.ended(noticeOf({ reviewer: ada, receipt: first.kind === "sent" ? first.receipt : null }));
    expect(old.server.shown).toHaveLength(2);
  });

  test("that is refused as too large comes again without content", async () => {
    const { server, send } = start();
    server.script({ status: 413, body: { code: 41303, http: 413, error: "JSON body too large" } });
    expect(await send({ excerpt: "start" })).toEqual(sent);
    expect(server.requests.map(({ body }) => body.includes("system prompt"))).toEqual([true, false]);
    expect(server.shown[0]?.links).toEqual([noticeOf().url]);
  });

  test.each<[number | "disconnected", Record<string, string>, object, DeliveryResult]>([
    [429, {}, { code: 42901 }, { kind: "again", why: "rateLimited" }],
    [429, { "Retry-After": "30" }, { code: 42901 }, { kind: "again", why: "rateLimited", afterMs: 30_000 }],
    [429, {}, { code: 42908 }, { kind: "again", why: "dailyLimit" }],
    [502, {}, {}, { kind: "again", why: "unavailable" }],
    [507, {}, { code: 50701 }, { kind: "again", why: "unavailable" }],
    ["disconnected", {}, {}, { kind: "again", why: "unavailable" }],
    [401, {}, { code: 40101 }, { kind: "failed", why: "unauthorized" }],
    [403, {}, { code: 40301 }, { kind: "failed", why: "unauthorized" }],
    [404, {}, { code: 40401 }, { kind: "failed", why: "notFound" }],
    [301, { Location: "https://elsewhere.example.com/" }, {}, { kind: "failed", why: "notFound" }],
  ])("that is answered with %s %j %j", async (status, headers, body, expected) => {
    const { server, send } = start();
    server.script(status === "disconnected" ? status : { status, headers, body });
    expect(await send()).toEqual(expected);
    expect(server.requests).toHaveLength(1);
  });

  test("to a protected topic without a token, and with a wrong one, is refused", async () => {
    expect(await start({ variables: { NTFY_PHONE_TOKEN: "" } }).send()).toEqual({ kind: "failed", why: "unauthorized" });
    expect(await start({ variables: { NTFY_PHONE_TOKEN: "tk_wrong" } }).send()).toEqual({ kind: "failed", why: "unauthorized" });
  });

  test("reaches the topics that are set up, and nobody else", async () => {
    const { channel, send, server } = start();
    expect([ada, { name: "x", ntfy: "OTHER" }, { name: "Ann", email: "ann@example.com" }].map(channel.reaches)).toEqual([
      true,
      false,
      false,
    ]);
    expect(await send({ reviewer: { name: "x", ntfy: "OTHER" } })).toEqual({ kind: "failed", why: "notConfigured" });
    expect(server.requests).toEqual([]);
  });
});

test("several reviews are one message to their topic", async () => {
  const { channel, server } = start();
  const entry = { reviewer: ada, run: "run_1", url: noticeOf().url, facts: noticeFacts(openRequest) };
  expect(await channel.digest?.send([entry, entry], "key")).toEqual({ kind: "sent", receipt: null });
  expect(server.shown).toMatchObject([{ topic, title: "2 reviews wait for you", click: null }]);
});

describe("the setup", () => {
  const remote = { PUBLIC_URL: "https://countersign.example.com" };
  const local = { PUBLIC_URL: "http://localhost:8787" };
  test.each<[string, object, RegExp | null]>([
    ["a topic of ntfy.sh", { ...remote, NTFY_PHONE_URL: `https://ntfy.sh/${topic}` }, null],
    ["a server of this machine, for a gateway on it", { ...local, NTFY_PHONE_URL: `http://127.0.0.1:2586/${topic}` }, null],
    [
      "a server of this machine, for a gateway elsewhere",
      { ...remote, NTFY_PHONE_URL: `http://127.0.0.1:2586/${topic}` },
      /NTFY_PHONE_URL is not/,
    ],
    ["http", { ...remote, NTFY_PHONE_URL: `http://ntfy.example.com/${topic}` }, /NTFY_PHONE_URL is not/],
    ["no topic", { ...remote, NTFY_PHONE_URL: "https://ntfy.sh/" }, /NTFY_PHONE_URL is not/],
    ["a path", { ...remote, NTFY_PHONE_URL: `${url}/json` }, /NTFY_PHONE_URL is not/],
    ["a query", { ...remote, NTFY_PHONE_URL: `${url}?auth=${token}` }, /NTFY_PHONE_URL is not/],
    ["a password", { ...remote, NTFY_PHONE_URL: `https://u:${token}@ntfy.example.com/${topic}` }, /NTFY_PHONE_URL is not/],
    ["a token alone", { ...remote, NTFY_PHONE_TOKEN: token }, /NTFY_PHONE_URL is not/],
    ["a token with a space", { ...remote, NTFY_PHONE_URL: url, NTFY_PHONE_TOKEN: `${token} x` }, /NTFY_PHONE_TOKEN has characters/],
  ])("%s", async (_name, variables, issue) => {
    network(new ScriptedNtfy({ tokens: [token] }).answer);
    const env = envWith(variables);
    expect(ntfyChannel(env) !== undefined).toBe(issue === null);
    expect(ntfyIssues(env).map(doctorText)).toEqual(issue === null ? [] : [expect.stringMatching(issue)]);
    const { ok, text } = await heard(ntfyDoctor(env));
    expect(ok).toBe(issue === null);
    for (const secret of [token, topic]) expect(text).not.toContain(secret);
  });

  test.each<[string, string, number | null, boolean, RegExp]>([
    ["accepts the token", token, null, true, /answers for PHONE/],
    ["refuses the token", "tk_wrong", null, false, /refuses NTFY_PHONE_TOKEN/],
    ["is no ntfy server", token, 404, false, /no ntfy server answers at the address of NTFY_PHONE_URL/i],
  ])("the doctor says that the server %s, and writes nothing", async (_name, given, status, isGood, says) => {
    const server = new ScriptedNtfy({ tokens: [token] });
    if (status !== null) server.script({ status });
    network(server.answer);
    expect(await heard(ntfyDoctor(envWith({ NTFY_PHONE_URL: url, NTFY_PHONE_TOKEN: given })))).toEqual({
      ok: isGood,
      text: expect.stringMatching(says),
    });
    expect(server.shown).toEqual([]);
  });

  test("without any variable there is no channel; a name of the policy without one is said", async () => {
    const env = envWith({ NTFY_PHONE_URL: " " });
    expect([ntfyChannel(env), ntfyIssues(env), await heard(ntfyDoctor(env))]).toEqual([
      undefined,
      [],
      { ok: true, text: "ntfy is not set up." },
    ]);
    expect(ntfyAdapter.doctor.unset?.(env, "PHONE")).toEqual({ check: "ntfy PHONE", variables: ["NTFY_PHONE_URL"] });
    expect(ntfyAdapter.doctor.unset?.(envWith({ NTFY_PHONE_URL: url }), "PHONE")).toBeNull();
  });
});
