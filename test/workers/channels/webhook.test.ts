// The webhook channel inside workerd, against a receiver that verifies as a real one does.

import * as fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { doctorText } from "../../../shared/words/doctor.ts";
import type { Notice, DeliveryResult } from "../../../workers/channels/channel.ts";
import { webhookChannel, webhookDoctor, webhookIssues } from "../../../workers/channels/webhook/webhook-channel.ts";
import type { MessageView, ReviewView } from "../../../shared/review/view.ts";
import { control, decided, editedRequest, openRequest, openResponse, calling } from "../../outside/pages/examples.ts";
import { marker, markedNumber, markedVectors, markedView } from "../../support/marked.ts";
import { createWebhookReceiver, type WebhookStep } from "../../support/webhook-receiver.ts";
import { neverLogged } from "../support/logs.ts";
import { envWith, heard, network, noticeOf, token, unanswered } from "./notices.ts";
import { wholeOr } from "../support/whole.ts";

const secretOf = (letter: string, bytes = 24): string => `whsec_${btoa(letter.repeat(bytes))}`;
const secret = secretOf("s");
const url = "https://hooks.example.com/countersign?room=7";
for (const each of [secret, "hooks.example.com"]) neverLogged(each);

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function start(...steps: WebhookStep[]) {
  const receiver = createWebhookReceiver(secret);
  receiver.script(...steps);
  network(receiver.answer);
  const channel = webhookChannel(envWith({ WEBHOOK_TEAMS_URL: url, WEBHOOK_TEAMS_SECRET: secret }));
  if (channel === undefined) throw new Error("the channel is configured");
  return { receiver, channel, send: (changes?: Partial<Notice>): Promise<DeliveryResult> => channel.send(noticeOf(changes)) };
}

describe("a notice", () => {
  test("is one signed POST, which the receiver verifies", async () => {
    const { receiver, send } = start();
    expect(await send()).toEqual({ kind: "sent", receipt: null });
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]).toMatchObject({ url, method: "POST", redirect: "manual" });
    expect(receiver.requests[0]?.headers.get("Content-Type")).toBe("application/json");
    expect(receiver.taken).toEqual([
      {
        id: "AAECAwQFBgcICQoL-17",
        event: {
          type: "review.asked",
          timestamp: "2026-11-17T14:42:40.000Z",
          data: {
            run: "run_7Hq2mWcE0xkV",
            gate: "request",
            reviewer: "Ada Lovelace",
            why: "asked",
            title: "notes · summarize_meeting asks claude-sonnet-4-5 · 9 min · 3 warnings",
            summary: "Asked by notes for desk-assistant, while it handles tools/call summarize_meeting.",
            url: `https://reviews.example.com/r/${token}`,
            urlExpires: "2026-11-18T14:52:10.000Z",
            server: "notes",
            method: "tools/call",
            name: "summarize_meeting",
            provenance: "claimed",
            client: "desk-assistant",
            version: 1,
            deadline: "2026-11-17T14:52:10.000Z",
            quorum: 1,
            rule: "default",
            models: ["claude-sonnet-4-5", "gemini-pro", "demo"],
            worstCostUsd: 0.0138,
          },
        },
      },
    ]);
  });

  test("of a review that was handed over has the note, unless it looks like a secret", async () => {
    const { receiver, send } = start();
    const handedBy = { by: "Bo Chen", at: 0, note: "Is this ours?" };
    await send({ idempotencyKey: "1", view: { ...openRequest, handedBy } });
    await send({ idempotencyKey: "2", view: { ...openRequest, handedBy: { ...handedBy, note: `sk-${"a1".repeat(20)}` } } });
    expect(receiver.taken.map(({ event }) => event.data["handedOver"])).toEqual([
      { by: "Bo Chen", note: "Is this ours?" },
      { by: "Bo Chen", note: null, leftOut: "secret" },
    ]);
  });

  test.each([
    ["asked", "review.asked"],
    ["handedOver", "review.handed_over"],
    ["escalated", "review.escalated"],
    ["reminder", "review.reminder"],
    ["changed", "review.changed"],
    ["voted", "review.voted"],
    ["newLink", "review.new_link"],
  ] as const)("of the kind %s is of the type %s", async (why, type) => {
    const { receiver, send } = start();
    await send({ why, view: editedRequest });
    expect(receiver.taken[0]?.event).toMatchObject({ type, data: { why, version: 2, quorum: 2, votes: 1 } });
  });

  test("made again has the same id and a signature of its own time, and the receiver takes it once", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 17) });
    const { receiver, send } = start();
    await send();
    vi.setSystemTime(Date.UTC(2026, 10, 18));
    expect(await send()).toEqual({ kind: "sent", receipt: null });
    expect(receiver.requests.map(({ headers }) => headers.get("webhook-timestamp"))).toEqual(["1794873600", "1794960000"]);
    expect(new Set(receiver.requests.map(({ headers }) => headers.get("webhook-signature"))).size).toBe(2);
    expect(receiver.taken).toHaveLength(1);
  });

  test("replayed by somebody else after five minutes is refused", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { receiver, send } = start();
    await send();
    const [sent] = receiver.requests;
    const replay = () => receiver.answer(new Request(url, { method: "POST", headers: sent?.headers ?? {}, body: sent?.body ?? "" }));
    expect((await replay()).status).toBe(204);
    vi.setSystemTime(Date.now() + 301_000);
    expect((await replay()).status).toBe(401);
  });

  test("changed by one byte, or put under another id, is refused", async () => {
    const { receiver, send } = start();
    await send();
    const [sent] = receiver.requests;
    const answer = (body: string, headers: Record<string, string> = {}) =>
      receiver.answer(new Request(url, { method: "POST", headers: { ...Object.fromEntries(sent?.headers ?? []), ...headers }, body }));
    const body = sent?.body ?? "";
    expect((await answer(body.replace("request", "Request"))).status).toBe(401);
    expect((await answer(body, { "webhook-id": "another" })).status).toBe(401);
  });

  test("has an id without full stops, whatever the key is", async () => {
    const { receiver, send } = start();
    await send({ idempotencyKey: "1.2" });
    expect(receiver.taken[0]?.id).toMatch(/^[0-9a-f]{64}$/);
  });

  test("signed with two secrets is verified with either, so that one can be changed without losing any", async () => {
    const old = secretOf("o", 32);
    const { receiver } = start();
    const channel = webhookChannel(envWith({ WEBHOOK_TEAMS_URL: url, WEBHOOK_TEAMS_SECRET: ` ${secret}  ${old} ` }));
    await channel?.send(noticeOf());
    const [sent] = receiver.requests;
    for (const each of [secret, old])
      expect(() => new Webhook(each).verify(sent?.body ?? "", Object.fromEntries(sent?.headers ?? []))).not.toThrow();
  });

  test("of a reviewer whose webhook is not configured goes nowhere", async () => {
    const { receiver, channel, send } = start();
    expect(channel.reaches({ name: "Ada", webhook: "OTHER" })).toBe(false);
    expect(channel.reaches({ name: "Ada", email: "ada@example.org" })).toBe(false);
    expect(channel.reaches({ name: "Ada", webhook: "TEAMS" })).toBe(true);
    expect(await send({ reviewer: { name: "Ada", webhook: "OTHER" } })).toEqual({ kind: "failed", why: "notConfigured" });
    expect(receiver.requests).toEqual([]);
  });
});

describe("the content", () => {
  test("is in none where the policy says none", async () => {
    const { receiver, send } = start();
    await send({ excerpt: "none" });
    expect(receiver.requests[0]?.body).not.toContain("Summarise");
    expect(receiver.taken[0]?.event.data).not.toHaveProperty("excerpt");
  });

  test("is its beginning where the policy says so, in pieces that say whose they are", async () => {
    const { receiver, send } = start();
    await send({ excerpt: "start" });
    expect(receiver.taken[0]?.event.data["excerpt"]).toMatchObject({
      pieces: [{ from: "systemPrompt", text: expect.stringContaining("Never invent a date.") }, { from: "user" }, { from: "toolResult" }],
      more: 0,
    });
    const long = { ...openResponse, reply: { model: "m", content: [{ type: "text" as const, text: "\ud800x".repeat(10_000) }] } };
    await send({ excerpt: "start", view: long, idempotencyKey: "2" });
    expect(receiver.taken[1]?.event.data["excerpt"]).toMatchObject({ pieces: [{ from: "reply" }], more: 18_500 });
  });

  test("names of any length keep the payload small", async () => {
    const { receiver, send } = start();
    const view: MessageView = openRequest;
    const long = "n".repeat(1_000_000);
    const models = Array.from({ length: 100 }, () => ({ ...view.models[0]!, id: "m".repeat(100) }));
    await send({
      excerpt: "start",
      view: { ...view, models, requestor: { ...view.requestor, server: long, name: long, method: long, client: long } },
    });
    expect(receiver.requests[0]?.body.length).toBeLessThan(20_000);
  });
});

describe("of what comes through the control endpoint", () => {
  const sampling = "Asked by notes for desk-assistant, while it handles tools/call summarize_meeting.";
  test.each<[string, ReviewView, string, object]>([
    ["sampling", openRequest, sampling, { server: "notes", provenance: "claimed" }],
    ["text", control.json, "ci asks a model for text.", { server: "control", method: "control", name: "text_generation", client: "ci" }],
    ["translation", control.translation, "ci asks for a translation.", { name: "translation", provenance: "own" }],
    ["texts to embed", control.embedding, "ci asks for texts as vectors (embeddings).", { name: "embedding" }],
    ["a choice", control.functionChoice, "ci asks a model to choose among functions.", { name: "function_call" }],
    ["images", control.multimodal, "ci asks a model about images.", { name: "multimodal_generation" }],
    [
      "a tool that is to run",
      control.toolCall,
      "ci wants to run weather_query on weather.",
      { server: "weather", method: "tools/call", name: "weather_query", provenance: "own", models: ["weather/weather_query"] },
    ],
    ["a tool that ran", control.toolResult, "ci wanted to run weather_query on weather.", { server: "weather", name: "weather_query" }],
    ["a translation that came back", control.translationReply, "ci asks for a translation.", { name: "translation" }],
  ])("says in a sentence who asks for what, and names it: %s", async (_name, view, summary, data) => {
    const { receiver, send } = start();
    await send({ view });
    expect(receiver.taken[0]?.event.data).toMatchObject({ summary, ...data });
  });

  test.each<[string, ReviewView, object]>([
    ["texts to embed", control.embedding, { pieces: [1, 2, 3].map(() => ({ from: "text" })), more: 0 }],
    ["arguments", control.toolCall, { pieces: [{ from: "arguments", text: '{\n  "city": "上海",\n  "date": "2025-10-30"\n}' }], more: 0 }],
    ["changed arguments", control.editedCall, { pieces: [{ from: "arguments", text: expect.stringContaining("北京") }] }],
    ["a tool’s result", control.toolResult, { pieces: [1, 2, 3].map(() => ({ from: "result" })), more: 0 }],
    ["vectors", control.embeddingReply, { pieces: [{ from: "vectors", text: expect.stringMatching(/^3 vectors of 64 numbers,/) }] }],
    ["JSON", control.jsonReply, { pieces: [{ from: "reply", text: '{ "team": "exports" }' }], more: 0 }],
  ])("shows the beginning where the policy says so: %s", async (_name, view, excerpt) => {
    const { receiver, send } = start();
    await send({ view, excerpt: "start" });
    expect(receiver.taken[0]?.event.data["excerpt"]).toMatchObject(excerpt);
  });

  test("shows nothing of it where the policy says none, wherever it is, and nothing of it when it ends", async () => {
    const { receiver, channel, send } = start();
    await fc.assert(
      fc.asyncProperty(markedView, async (view) => {
        await send({ view, excerpt: "none" });
        const denied: ReviewView = { ...view, state: { kind: "denied", by: "Ada", at: 0, reason: marker } };
        await channel.ended(noticeOf({ view: denied, excerpt: "start" }));
        const bodies = receiver.requests.splice(0).map(({ body }) => body);
        expect(bodies).toHaveLength(2);
        for (const body of bodies) expect(body).not.toContain(marker);
      }),
      { numRuns: wholeOr(100, 30) },
    );
    await send({ view: markedVectors, excerpt: "none" });
    expect(receiver.requests.at(-1)?.body).not.toContain(String(markedNumber));
    await send({ view: markedVectors, excerpt: "start" });
    expect(receiver.requests.at(-1)?.body).toContain(String(markedNumber));
  });

  test("shows at most 1,500 characters of it, and no payload is large", async () => {
    const { receiver, send } = start();
    await fc.assert(
      fc.asyncProperty(markedView, async (view) => {
        await send({ view, excerpt: "start" });
        const { excerpt } = JSON.parse(receiver.requests.splice(0)[0]?.body ?? "").data as { excerpt: { pieces: { text: string }[] } };
        expect(excerpt.pieces.map(({ text }) => text).join("").length).toBeLessThanOrEqual(1_500);
      }),
      { numRuns: wholeOr(50, 20) },
    );
    const text = "x".repeat(100_000);
    const messages = Array.from({ length: 256 }, () => ({ role: "user" as const, content: [{ type: "text" as const, text }] }));
    const vector = Array.from({ length: 4_096 }, (_, i) => i / 7);
    const large: ReviewView[] = [
      { ...control.embedding, request: { ...control.embedding.request, messages } },
      calling({ text }),
      {
        ...control.embeddingReply,
        reply: { content: Array.from({ length: 256 }, () => ({ type: "embedding" as const, vector })), model: "m" },
      },
    ];
    for (const view of large) {
      await send({ view, excerpt: "start" });
      expect(receiver.requests.at(-1)?.body.length).toBeLessThan(5_000);
    }
  });

  test("names that are placeholders or markup stay what they are, on one line", async () => {
    const { receiver, send } = start();
    const requestor = { ...control.toolCall.requestor, client: "{server} $& $1", server: "<b>x</b>\nBcc: y", name: "{client}\u202e" };
    await send({ view: { ...control.toolCall, requestor } });
    expect(receiver.taken[0]?.event.data["summary"]).toBe(
      "{server} $& $1 wants to run {client}⟨U+202E right-to-left override⟩ on <b>x</b>⟨line break⟩Bcc: y.",
    );
  });
});

describe("the end", () => {
  test.each([
    ["approved", { kind: "approved", by: "Ada Lovelace", edited: true }],
    ["denied", { kind: "denied", by: "Ada Lovelace" }],
    ["expired", { kind: "expired" }],
    ["cancelled", { kind: "cancelled" }],
    ["failed", { kind: "failed" }],
  ] as const)("%s is told without link, content or reason", async (state, told) => {
    const { receiver, channel } = start();
    expect(await channel.ended(noticeOf({ view: decided[state], excerpt: "start", idempotencyKey: "end" }))).toEqual({
      kind: "sent",
      receipt: null,
    });
    const { type, data } = receiver.taken[0]?.event ?? {};
    expect(type).toBe("review.ended");
    expect(data).toEqual({
      run: "run_7Hq2mWcE0xkV",
      gate: "request",
      reviewer: "Ada Lovelace",
      state: { ...told, at: expect.any(String) },
    });
    expect(receiver.requests[0]?.body).not.toMatch(/reviews\.example\.com|hidden characters|Summarise/);
  });

  test("of a reviewer's part in a review that goes on", async () => {
    const { receiver, channel } = start();
    await channel.ended(noticeOf());
    expect(receiver.taken[0]?.event.data["state"]).toEqual({ kind: "released" });
  });
});

describe("what the receiver answers", () => {
  test.each<[string, WebhookStep, DeliveryResult]>([
    ["200 with a body that never ends", { status: 200, body: "x".repeat(1_000_000) }, { kind: "sent", receipt: null }],
    ["202", { status: 202 }, { kind: "sent", receipt: null }],
    ["301", { status: 301, headers: { Location: "https://elsewhere.example.com/" } }, { kind: "failed", why: "notFound" }],
    ["307", { status: 307, headers: { Location: "https://elsewhere.example.com/" } }, { kind: "failed", why: "notFound" }],
    ["400", { status: 400 }, { kind: "failed", why: "invalid" }],
    ["401", { status: 401 }, { kind: "failed", why: "unauthorized" }],
    ["403", { status: 403 }, { kind: "failed", why: "unauthorized" }],
    ["404", { status: 404 }, { kind: "failed", why: "notFound" }],
    ["410", { status: 410, headers: { "Retry-After": "5" } }, { kind: "failed", why: "notFound" }],
    ["413", { status: 413 }, { kind: "failed", why: "invalid" }],
    ["429", { status: 429 }, { kind: "again", why: "rateLimited" }],
    ["429 with a time", { status: 429, headers: { "Retry-After": "5" } }, { kind: "again", why: "rateLimited", afterMs: 5_000 }],
    [
      "429 with a long time",
      { status: 429, headers: { "Retry-After": "86400" } },
      { kind: "again", why: "rateLimited", afterMs: 3_600_000 },
    ],
    ["500", { status: 500 }, { kind: "again", why: "unavailable" }],
    ["503 with a time", { status: 503, headers: { "Retry-After": "60" } }, { kind: "again", why: "unavailable", afterMs: 60_000 }],
    ["a broken connection", "disconnected", { kind: "again", why: "unavailable" }],
  ])("%s", async (_name, step, sent) => {
    const { receiver, send } = start(step);
    expect(await send()).toEqual(sent);
    expect(receiver.requests).toHaveLength(1);
  });

  test("nothing, for 10 seconds", async () => {
    const { send } = start("silent");
    expect(await unanswered(send)).toEqual({ kind: "again", why: "unavailable" });
  });

  test("to a wrong secret is a refusal, and no further attempt is worth it", async () => {
    const { receiver } = start();
    const channel = webhookChannel(envWith({ WEBHOOK_TEAMS_URL: url, WEBHOOK_TEAMS_SECRET: secretOf("w") }));
    expect(await channel?.send(noticeOf())).toEqual({ kind: "failed", why: "unauthorized" });
    expect(receiver.taken).toEqual([]);
  });
});

describe("configuration", () => {
  const local = "http://localhost:9000/hook";
  const near = { PUBLIC_URL: "http://localhost:8787" };
  const far = { PUBLIC_URL: "https://reviews.example.com" };
  const named = (address: string | undefined, key: string | undefined, more: object = far): object => ({
    ...more,
    ...(address === undefined ? {} : { WEBHOOK_TEAMS_URL: address }),
    ...(key === undefined ? {} : { WEBHOOK_TEAMS_SECRET: key }),
  });

  test.each<[string, object, boolean, string[]]>([
    ["none", far, false, []],
    ["an address and a secret", named(url, secret), true, []],
    ["a secret of 64 bytes", named(url, secretOf("s", 64)), true, []],
    ["an address of this machine, for a gateway on it", named(local, secret, near), true, []],
    ["an address of this machine, for a gateway elsewhere", named(local, secret), false, ["WEBHOOK_TEAMS_URL is not an https address"]],
    [
      "http elsewhere, for a gateway on this machine",
      named("http://hooks.example.com", secret, near),
      false,
      ["WEBHOOK_TEAMS_URL is not an https"],
    ],
    ["no secret", named(url, undefined), false, ["WEBHOOK_TEAMS_SECRET is not set"]],
    ["no address", named(undefined, secret), false, ["WEBHOOK_TEAMS_URL is not set"]],
    ["a blank address", named(" ", secret), false, ["WEBHOOK_TEAMS_URL is not set"]],
    ["no URL", named("hooks.example.com", secret), false, ["WEBHOOK_TEAMS_URL is not an https"]],
    ["another scheme", named("ftp://hooks.example.com", secret), false, ["WEBHOOK_TEAMS_URL is not an https"]],
    ["a password in the address", named("https://u:p@hooks.example.com", secret), false, ["has a user name"]],
    ["a password alone in the address", named("https://:p@hooks.example.com", secret), false, ["has a user name"]],
    ["a fragment in the address", named(`${url}#token`, secret), false, ["has a user name, a password or a fragment"]],
    ["a secret without its mark", named(url, btoa("s".repeat(24))), false, ["WEBHOOK_TEAMS_SECRET is not `whsec_`"]],
    ["a secret of 23 bytes", named(url, secretOf("s", 23)), false, ["WEBHOOK_TEAMS_SECRET is not `whsec_`"]],
    ["a secret of 65 bytes", named(url, secretOf("s", 65)), false, ["WEBHOOK_TEAMS_SECRET is not `whsec_`"]],
    ["a secret that is no base64", named(url, `whsec_${"!".repeat(40)}`), false, ["WEBHOOK_TEAMS_SECRET is not `whsec_`"]],
    ["a secret of broken base64", named(url, `${secret}=`), false, ["WEBHOOK_TEAMS_SECRET is not `whsec_`"]],
    ["three secrets", named(url, `${secret} ${secret} ${secret}`), false, ["WEBHOOK_TEAMS_SECRET is not `whsec_`"]],
    ["neither", named("", ""), false, ["WEBHOOK_TEAMS_URL is not set", "WEBHOOK_TEAMS_SECRET is not set"]],
    [
      "a good one beside a bad one",
      { ...named(url, secret), WEBHOOK_OTHER_URL: "x" },
      true,
      ["WEBHOOK_OTHER_URL is not", "WEBHOOK_OTHER_SECRET is not set"],
    ],
    ["variables of other names", { ...far, WEBHOOK_URL: "x", WEBHOOK_teams_URL: "x", WEBHOOK_TEAMS_NAME: "x" }, false, []],
  ])("%s", (_name, variables, open, problems) => {
    const env = envWith(variables);
    expect(webhookChannel(env) !== undefined).toBe(open);
    expect(webhookIssues(env).map(doctorText)).toEqual(problems.map((words) => expect.stringContaining(words)));
    expect(webhookIssues(env).map(doctorText).join()).not.toMatch(/hooks\.example\.com|whsec_[A-Za-z0-9!]/);
  });

  test("each webhook has an address and a secret of its own", async () => {
    const asked: string[] = [];
    network(async (request) => {
      const key = request.url.endsWith("/one") ? secret : secretOf("2");
      new Webhook(key).verify(await request.text(), Object.fromEntries(request.headers));
      asked.push(request.url);
      return new Response(null, { status: 204 });
    });
    const channel = webhookChannel(
      envWith({
        WEBHOOK_ONE_URL: "https://hooks.example.com/one",
        WEBHOOK_ONE_SECRET: secret,
        WEBHOOK_TWO_URL: "https://hooks.example.com/two",
        WEBHOOK_TWO_SECRET: secretOf("2"),
      }),
    );
    for (const webhook of ["TWO", "ONE"]) await channel?.send(noticeOf({ reviewer: { name: "Ada", webhook } }));
    expect(asked).toEqual(["https://hooks.example.com/two", "https://hooks.example.com/one"]);
  });
});

describe("the doctor", () => {
  test.each<[string, WebhookStep[], boolean, string]>([
    ["a receiver that takes it", [], true, "Webhook TEAMS: the receiver accepted a signed ping."],
    ["a receiver that does not", [{ status: 500 }], false, "Webhook TEAMS: the receiver answered 500 to a signed ping."],
    ["nobody", ["disconnected"], false, "Webhook TEAMS: the receiver did not answer within 10 seconds."],
  ])("sends a ping that asks for nothing: %s", async (_name, steps, ok, text) => {
    const { receiver } = start(...steps);
    expect(await heard(webhookDoctor(envWith({ WEBHOOK_TEAMS_URL: url, WEBHOOK_TEAMS_SECRET: secret })))).toEqual({ ok, text });
    expect(receiver.taken.map(({ event }) => [event.type, event.data])).toEqual(ok ? [["countersign.ping", {}]] : []);
  });

  test("says what is wrong without asking anybody", async () => {
    const { receiver } = start();
    expect(await heard(webhookDoctor(envWith({})))).toEqual({ ok: true, text: "No webhook is configured." });
    expect(await heard(webhookDoctor(envWith({ WEBHOOK_TEAMS_URL: url })))).toMatchObject({
      ok: false,
      text: expect.stringContaining("WEBHOOK_TEAMS_SECRET is not set"),
    });
    expect(receiver.requests).toEqual([]);
  });
});
