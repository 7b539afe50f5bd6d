// The Teams channel inside workerd, against a scripted workflow.

import { afterEach, describe, expect, test, vi } from "vitest";
import { doctorText } from "../../../shared/words/doctor.ts";
import type { Notice, NoticeWhy, DeliveryResult } from "../../../workers/channels/channel.ts";
import { channelDoctors } from "../../../workers/channels/registry.ts";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { ScriptedTeams } from "../../support/teams-workflow.ts";
import { neverLogged } from "../support/logs.ts";
import { envWith, heard, network, noticeOf } from "./notices.ts";

const url =
  "https://prod-1.westeurope.logic.example.com:8443/workflows/1/triggers/manual/paths/invoke?api-version=2016-06-01&sig=signature-1";
neverLogged("signature-1");
const room = { name: "someone in Reviews", teams: "REVIEWS" };

const adapter = channelDoctors.find(({ name }) => name === "teams");
if (adapter === undefined) throw new Error("Teams is a channel");
const { open: teamsChannel, issues: teamsIssues, doctor } = adapter;

afterEach(() => vi.restoreAllMocks());

function start() {
  const teams = new ScriptedTeams();
  network(teams.answer);
  const channel = teamsChannel(envWith({ TEAMS_REVIEWS_URL: url }));
  if (channel === undefined) throw new Error("the channel is configured");
  return {
    teams,
    channel,
    send: (changes?: Partial<Notice>): Promise<DeliveryResult> => channel.send(noticeOf({ reviewer: room, ...changes })),
  };
}

describe("a notice", () => {
  test("is one card with the channel's link, posted to the workflow of its name, and 202 means sent", async () => {
    const { teams, send } = start();
    expect(await send()).toEqual({ kind: "sent", receipt: null });
    expect(teams.requests[0]).toMatchObject({ url, redirect: "manual" });
    expect(teams.requests[0]?.headers.get("Content-Type")).toBe("application/json; charset=utf-8");
    expect(teams.cards.map(({ links }) => links)).toEqual([[noticeOf().url]]);
  });

  test("shows an excerpt only where the policy allows it", async () => {
    const { teams, send } = start();
    await send();
    await send({ excerpt: "start" });
    const [without, withIt] = teams.cards.map(({ lines }) => lines.join("\n"));
    expect(without).toContain("The policy keeps the content out of notices.");
    expect(without).not.toContain("From the server: system prompt");
    expect(withIt).toContain("From the server: system prompt");
  });

  test.each<[NoticeWhy, number]>([
    ["asked", 1],
    ["handedOver", 1],
    ["escalated", 1],
    ["newLink", 1],
    ["reminder", 1],
    ["changed", 0],
    ["voted", 0],
  ])("of the kind %s makes %i cards", async (why, count) => {
    const { teams, send, channel } = start();
    expect(await send({ why })).toEqual({ kind: "sent", receipt: null });
    expect(teams.cards).toHaveLength(count);
    expect(channel.digest?.counts(noticeOf({ why }), "send")).toBe(count === 1);
  });

  test("that is refused as too large comes again without content", async () => {
    const { teams, send } = start();
    teams.script({ status: 413 });
    expect(await send({ excerpt: "start" })).toEqual({ kind: "sent", receipt: null });
    expect(teams.requests.map(({ body }) => body.includes("system prompt"))).toEqual([true, false]);
    expect(teams.cards[0]?.links).toEqual([noticeOf().url]);
  });

  test.each<[number | "disconnected", Record<string, string>, DeliveryResult]>([
    [200, {}, { kind: "sent", receipt: null }],
    [202, {}, { kind: "sent", receipt: null }],
    [429, {}, { kind: "again", why: "rateLimited" }],
    [429, { "Retry-After": "30" }, { kind: "again", why: "rateLimited", afterMs: 30_000 }],
    [408, {}, { kind: "again", why: "unavailable" }],
    [502, {}, { kind: "again", why: "unavailable" }],
    [503, { "Retry-After": "5" }, { kind: "again", why: "unavailable", afterMs: 5_000 }],
    ["disconnected", {}, { kind: "again", why: "unavailable" }],
    [401, {}, { kind: "failed", why: "unauthorized" }],
    [403, {}, { kind: "failed", why: "unauthorized" }],
    [404, {}, { kind: "failed", why: "notFound" }],
    [410, {}, { kind: "failed", why: "notFound" }],
    [302, { Location: "https://elsewhere.example.com/" }, { kind: "failed", why: "notFound" }],
  ])("that is answered with %s %j", async (status, headers, expected) => {
    const { teams, send } = start();
    teams.script(status === "disconnected" ? status : { status, headers });
    expect(await send()).toEqual(expected);
    expect(teams.requests).toHaveLength(1);
  });

  test("that is refused twice as invalid has failed", async () => {
    const { teams, send } = start();
    teams.script({ status: 400 }, { status: 400 });
    expect(await send()).toEqual({ kind: "failed", why: "invalid" });
  });

  test("reaches the rooms that are set up, and nobody else", async () => {
    const { channel, send, teams } = start();
    expect([room, { name: "x", teams: "OTHER" }, { name: "Ann", email: "ann@example.com" }].map(channel.reaches)).toEqual([
      true,
      false,
      false,
    ]);
    expect(await send({ reviewer: { name: "x", teams: "OTHER" } })).toEqual({ kind: "failed", why: "notConfigured" });
    expect(teams.requests).toEqual([]);
  });
});

describe("the outcome", () => {
  const link = { ...noticeOf().link, channel: "teams" as const };

  test("is a second card, without a link", async () => {
    const { channel, teams } = start();
    const view = { ...openRequest, state: { kind: "approved", by: "someone in Reviews", at: 0, edited: false } } as const;
    expect(await channel.ended(noticeOf({ reviewer: room, link: { ...link, notice: "sent" }, view }))).toEqual({
      kind: "sent",
      receipt: null,
    });
    expect(teams.cards.map(({ links, lines }) => [links, lines[0]])).toEqual([[[], "Approved"]]);
  });

  test("of a review whose card never came is not posted", async () => {
    const { channel, teams } = start();
    expect(await channel.ended(noticeOf({ reviewer: room, link }))).toEqual({ kind: "sent", receipt: null });
    expect(teams.requests).toEqual([]);
  });
});

test("several reviews are one card to their room", async () => {
  const { channel, teams } = start();
  const entry = { reviewer: room, run: "run_1", url: noticeOf().url, facts: noticeFacts(openRequest) };
  expect(await channel.digest?.send([entry, entry], "key")).toEqual({ kind: "sent", receipt: null });
  expect(teams.cards).toMatchObject([{ url, summary: "2 reviews wait for you", links: [entry.url, entry.url] }]);
});

describe("the setup", () => {
  const local = { PUBLIC_URL: "http://localhost:8787" };
  const remote = { PUBLIC_URL: "https://countersign.example.com" };
  test.each<[string, object, boolean]>([
    ["an https address", { ...remote, TEAMS_REVIEWS_URL: url }, true],
    ["an address of this machine, for a gateway on it", { ...local, TEAMS_REVIEWS_URL: "http://127.0.0.1:9000/x" }, true],
    ["an address of this machine, for a gateway elsewhere", { ...remote, TEAMS_REVIEWS_URL: "http://127.0.0.1:9000/x" }, false],
    ["http", { ...remote, TEAMS_REVIEWS_URL: "http://logic.example.com/x" }, false],
    ["another scheme", { ...remote, TEAMS_REVIEWS_URL: "ftp://logic.example.com/x" }, false],
    ["no URL", { ...remote, TEAMS_REVIEWS_URL: "logic.example.com" }, false],
    ["a password", { ...remote, TEAMS_REVIEWS_URL: "https://u:signature-1@logic.example.com/x" }, false],
    ["a password alone", { ...remote, TEAMS_REVIEWS_URL: "https://:signature-1@logic.example.com/x" }, false],
    ["a fragment", { ...remote, TEAMS_REVIEWS_URL: "https://logic.example.com/x#signature-1" }, false],
  ])("%s", async (_name, variables, isGood) => {
    const env = envWith(variables);
    expect(teamsChannel(env) !== undefined).toBe(isGood);
    expect(teamsIssues(env).map(doctorText)).toEqual(
      isGood ? [] : [expect.stringMatching(/^TEAMS_REVIEWS_URL is not a plain https address/)],
    );
    const { ok, text } = await heard(doctor.ask(env));
    expect(ok).toBe(isGood);
    expect(text).not.toContain("signature-1");
  });

  test("without any address there is no channel and no issue", async () => {
    const env = envWith({ TEAMS_REVIEWS_URL: " " });
    expect([teamsChannel(env), teamsIssues(env), await heard(doctor.ask(env))]).toEqual([
      undefined,
      [],
      { ok: true, text: "Teams is not set up." },
    ]);
  });

  test("a name of the policy without a variable is said, with the variable", () => {
    const { unset } = doctor;
    expect(unset?.(envWith({}), "REVIEWS")).toEqual({ check: "teams REVIEWS", variables: ["TEAMS_REVIEWS_URL"] });
    expect(unset?.(envWith({ TEAMS_REVIEWS_URL: url }), "REVIEWS")).toBeNull();
  });
});
