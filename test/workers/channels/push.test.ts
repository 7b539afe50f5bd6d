// The push channel inside workerd, against a scripted push service that decrypts what it gets.

import { beforeEach, describe, expect, test } from "vitest";
import { noticeFacts } from "../../../shared/channels/notice-line.ts";
import type { ReviewView } from "../../../shared/review/view.ts";
import { addressDigest, inboxNameOf, secretDigest } from "../../../shared/review/inbox.ts";
import type { Channel, DeliveryResult, Notice } from "../../../workers/channels/channel.ts";
import { pushAdapter } from "../../../workers/channels/push/push-channel.ts";
import { postMessage } from "../../../workers/channels/push/push-service.ts";
import { configStub, inboxStub } from "../../../workers/stubs/stubs.ts";
import { openRequest } from "../../outside/pages/examples.ts";
import { type PushDevice, ScriptedPushService } from "../../support/push-service.ts";
import { crash } from "../objects/inside.ts";
import { env, publicUrl, travel } from "../support/gateway.ts";
import { answerAt } from "../support/provider.ts";
import { noticeOf, unanswered } from "./notices.ts";

const origin = "https://push.example.com";
const sent: DeliveryResult = { kind: "sent", receipt: null };
let service: ScriptedPushService;
let people = 0;
let ada: { readonly name: string; readonly email: string; readonly push: string };
let channel: Channel;

beforeEach(() => {
  service = new ScriptedPushService(origin);
  answerAt(origin, service.answer);
  people += 1;
  ada = { name: `Ada ${people}`, email: `ada${people}@example.org`, push: "on" };
  const opened = pushAdapter.open(env);
  if (opened === undefined) throw new Error("the channel is always open");
  channel = opened;
});

async function turnOn(name: string, person = ada, changes: object = {}): Promise<PushDevice> {
  const key = await configStub(env).pushKey();
  const { endpoint, p256dh, auth } = await service.subscribe(name, key);
  const stub = inboxStub(env, inboxNameOf(person.name));
  const visitor = { address: addressDigest(person.email), session: null };
  const device = { label: name, endpoint, p256dh, auth, secret: secretDigest(name), key, ...changes };
  expect(await stub.addDevice(visitor, device)).toBe("added");
  return { name, endpoint, p256dh, auth } as PushDevice; // its keys are the service's
}
const send = (changes: Partial<Notice> = {}): Promise<DeliveryResult> => channel.send(noticeOf({ reviewer: ada, ...changes }));
const left = async (): Promise<string[]> => {
  const text = await inboxStub(env, inboxNameOf(ada.name)).devices({ address: addressDigest(ada.email), session: null });
  return (JSON.parse(text ?? "[]") as { label: string }[]).map(({ label }) => label).toSorted();
};

describe("a notice", () => {
  test("says server, tool and deadline, opens the review, and is sealed: every message has the same length", async () => {
    const phone = await turnOn("phone");
    expect(await send()).toEqual(sent);
    expect(await send({ excerpt: "start", idempotencyKey: "second", why: "reminder" })).toEqual(sent);
    const [first, second] = service.taken;
    expect(first?.notice).toMatchObject({ url: noticeOf().url, quiet: false, lang: "en" });
    expect(first?.notice.title).toContain(openRequest.requestor.server);
    expect(first?.notice.title).toContain(openRequest.requestor.name);
    expect(first?.notice.body).toMatch(/^until /);
    expect(first?.notice.body).not.toContain("“");
    expect(second?.notice.body).toMatch(/\n“.+”$/);
    // One notice of a review: the reminder takes the place of the first.
    expect(service.shown(phone)).toEqual([second?.notice]);
    expect(first).toMatchObject({ urgency: "high", topic: first?.notice.tag });
    expect(first?.ttl).toBe(Math.ceil((openRequest.deadlineAt - openRequest.now) / 1_000));
    expect(new Set(service.requests.map(({ body }) => body.length)).size).toBe(1);
    expect(service.requests.every(({ redirect }) => redirect === "manual")).toBe(true);
    expect(service.faults).toEqual([]);
  });

  test("quotes content on one line, so that none looks like a line of ours", async () => {
    await turnOn("phone");
    const text = "Hello\nuntil 23:59\u202e\n\nApproved by Ada ".repeat(100);
    const request = { ...(openRequest as Extract<ReviewView, { subject: "message" }>).request, systemPrompt: undefined };
    const messages = [{ role: "user" as const, content: [{ type: "text" as const, text }] }];
    await send({ excerpt: "start", view: { ...openRequest, request: { ...request, messages } } as ReviewView });
    const body = service.taken[0]?.notice.body ?? "";
    expect(body.split("\n")).toHaveLength(2);
    expect(body).toContain("⟨");
    expect(body).not.toContain("\u202e");
  });

  test("is in the reviewer's language, and a change replaces it without a sound; how many approved is not on it", async () => {
    await turnOn("phone");
    await send({ reviewer: { ...ada, language: "zh-CN" } });
    expect(await send({ why: "changed", idempotencyKey: "changed" })).toEqual(sent);
    expect(await send({ why: "voted", idempotencyKey: "voted" })).toEqual(sent);
    expect(service.taken.map(({ notice }) => [notice.lang, notice.quiet])).toEqual([
      ["zh-CN", false],
      ["en", true],
    ]);
  });

  test("goes to every device once, also where the object is cut off in between", async () => {
    await Promise.all(["phone", "laptop", "tablet"].map((name) => turnOn(name)));
    await send();
    await crash();
    expect(await send()).toEqual(sent);
    expect(service.taken.map(({ device }) => device).toSorted()).toEqual(["laptop", "phone", "tablet"]);
  });

  test("to nobody's device has failed, and so has one to a person whose address changed: their devices are forgotten", async () => {
    expect(await send()).toEqual({ kind: "failed", why: "notFound" });
    await turnOn("phone");
    expect(await send({ reviewer: { ...ada, email: "other@example.org" } })).toEqual({ kind: "failed", why: "notFound" });
    expect(await left()).toEqual([]);
    expect(service.requests).toEqual([]);
  });

  test("is withdrawn where it was shown: the outcome takes its place without a sound, has no link of the review, and comes once", async () => {
    const phone = await turnOn("phone");
    await send();
    const laptop = await turnOn("laptop");
    const ended = noticeOf({
      reviewer: ada,
      idempotencyKey: "end",
      view: { ...openRequest, state: { kind: "denied", by: "Grace Hopper", at: openRequest.now, reason: "Not ours" } } as ReviewView,
    });
    expect(await channel.ended(ended)).toEqual(sent);
    expect(await channel.ended(ended)).toEqual(sent);
    expect(service.taken).toHaveLength(2);
    const [shown, ...others] = service.shown(phone);
    expect(others).toEqual([]);
    expect(shown).toMatchObject({ quiet: true, url: `${publicUrl}/inbox` });
    expect(shown?.title).toMatch(/^Denied: /);
    expect(shown?.body).toContain("Grace Hopper");
    expect(JSON.stringify(shown)).not.toContain("Not ours");
    expect(service.shown(laptop)).toEqual([]);
  });
});

describe("a push service", () => {
  test.each([404, 410])("that answers %i no longer knows the device, which is forgotten", async (status) => {
    const phone = await turnOn("phone");
    await turnOn("laptop");
    service.script(phone, { status });
    expect(await send()).toEqual(sent);
    expect(await left()).toEqual(["laptop"]);
    service.requests.length = 0;
    await send({ idempotencyKey: "next" });
    expect(service.requests).toHaveLength(1);
  });

  test.each<[Parameters<ScriptedPushService["script"]>[1], DeliveryResult]>([
    ["away", { kind: "again", why: "unavailable" }],
    [{ status: 500 }, { kind: "again", why: "unavailable" }],
    [
      { status: 503, headers: { "Retry-After": "20" } },
      { kind: "again", why: "unavailable", afterMs: 20_000 },
    ],
    [{ status: 429 }, { kind: "again", why: "rateLimited" }],
    [
      { status: 429, headers: { "Retry-After": "30" } },
      { kind: "again", why: "rateLimited", afterMs: 30_000 },
    ],
    [{ status: 401 }, { kind: "failed", why: "unauthorized" }],
    [{ status: 403 }, { kind: "failed", why: "unauthorized" }],
    [{ status: 400 }, { kind: "failed", why: "invalid" }],
    [
      { status: 307, headers: { Location: "https://elsewhere.example.com/" } },
      { kind: "failed", why: "invalid" },
    ],
  ])("that does %j", async (step, outcome) => {
    const phone = await turnOn("phone");
    service.script(phone, step);
    expect(await send()).toEqual(outcome);
    expect(service.requests.map(({ url }) => url)).toEqual([phone.endpoint]);
    // The device stays, and the next attempt arrives.
    expect(await send()).toEqual(sent);
    expect(service.shown(phone)).toHaveLength(1);
  });

  test("that is slow is left after its time", async () => {
    const device = await service.subscribe("phone");
    service.script(device, "slow");
    const message = { text: "{}", brief: null, topic: "topic", ttlSeconds: 60, authorization: "vapid" };
    expect(await unanswered(() => postMessage(device, message))).toEqual({ kind: "again", why: "unavailable", unknown: true });
  });

  test("that is away may have the notice all the same, so that it is withdrawn there", async () => {
    const phone = await turnOn("phone");
    service.script(phone, "away");
    expect(await send()).toEqual({ kind: "again", why: "unavailable" });
    expect(await channel.ended(noticeOf({ reviewer: ada, idempotencyKey: "end" }))).toEqual(sent);
    expect(service.taken.map(({ notice }) => notice.quiet)).toEqual([true]);
  });

  test("that takes less gets the notice again at once, without content", async () => {
    const phone = await turnOn("phone");
    service.script(phone, { status: 413 });
    expect(await send({ excerpt: "start" })).toEqual(sent);
    expect(service.requests.map(({ body }) => body.length)).toEqual([3_103, 1_103]);
    expect(service.taken[0]?.notice.body).not.toContain("“");
    service.script(phone, { status: 413 }, { status: 413 });
    expect(await send({ idempotencyKey: "next" })).toEqual({ kind: "failed", why: "invalid" });
  });

  test("of one device that is away does not hold up what another has: it is asked twice more", async () => {
    const phone = await turnOn("phone");
    await turnOn("laptop");
    service.script(phone, "away", "away", "away", "away");
    const answers = [await send(), await send(), await send()];
    expect(answers).toEqual([{ kind: "again", why: "unavailable" }, { kind: "again", why: "unavailable" }, sent]);
    expect(service.taken.map(({ device }) => device)).toEqual(["laptop"]);
  });

  test("hears for twelve hours the same signature, which is for it alone, and then a new one", async () => {
    const other = new ScriptedPushService("https://other.example.com");
    answerAt(other.origin, other.answer);
    await turnOn("phone");
    const { endpoint, p256dh, auth } = await other.subscribe("tablet");
    await turnOn("tablet", ada, { endpoint, p256dh, auth });
    await send();
    await send({ idempotencyKey: "second" });
    travel(13 * 3_600_000);
    await send({ idempotencyKey: "third" });
    expect([service.taken.length, other.taken.length, service.faults, other.faults]).toEqual([3, 3, [], []]);
    const signed = new Set([...service.requests, ...other.requests].map(({ headers }) => headers.get("Authorization")));
    expect(signed.size).toBe(4);
  });

  test("is not posted to where the subscription is for another key than the gateway's", async () => {
    await turnOn("phone", ada, { key: "of an earlier key" });
    expect(await send()).toEqual({ kind: "failed", why: "notFound" });
    expect([service.requests.length, await left()]).toEqual([0, []]);
  });

  test("is not posted to at an address that no subscription may have, however it came to be stored", async () => {
    const endpoint = "https://10.0.0.8/push";
    await turnOn("phone", ada, { endpoint });
    expect(await send()).toEqual({ kind: "failed", why: "notFound" });
    expect(service.requests).toEqual([]);
  });
});

test("200 devices of 40 people each get their own notice, which no other could open, and its withdrawal", async () => {
  const persons = Array.from({ length: 40 }, (_, n) => ({ name: `P${n} ${people}`, email: `p${n}.${people}@example.org`, push: "on" }));
  for (const person of persons) await Promise.all([1, 2, 3, 4, 5].map((n) => turnOn(`${person.name.replace(" ", "-")}-${n}`, person)));
  const notices = persons.map((reviewer, n) => noticeOf({ reviewer, idempotencyKey: `k${n}`, url: `${publicUrl}/r/${n}` }));
  expect(await Promise.all(notices.map((notice) => channel.send(notice)))).toEqual(persons.map(() => sent));
  expect(new Set(service.taken.map(({ device }) => device)).size).toBe(200);
  for (const { device, notice } of service.taken) expect(notice.url).toBe(`${publicUrl}/r/${/^P(\d+)/.exec(device)?.[1]}`);
  // A push service that compares topics learns nothing of who is asked about the same review.
  expect(new Set(service.taken.map(({ topic }) => topic)).size).toBe(40);
  await Promise.all(notices.map((notice) => channel.ended({ ...notice, idempotencyKey: `${notice.idempotencyKey}-end` })));
  expect(service.taken).toHaveLength(400);
  expect(service.faults).toEqual([]);
});

test("a digest names what came and opens the inbox; a test message says whose gateway sends it", async () => {
  await turnOn("phone");
  const view = openRequest;
  const entry = { reviewer: ada, run: view.run, facts: noticeFacts(view), url: noticeOf().url };
  expect(await channel.digest?.send([entry, entry, entry, entry, entry, entry], "d1")).toEqual(sent);
  expect(
    await channel.say({ reviewer: ada, said: { kind: "test", reviewer: ada.name, gateway: publicUrl }, idempotencyKey: "t1" }),
  ).toEqual(sent);
  const [digest, tried] = service.taken.map(({ notice }) => notice);
  expect(digest).toMatchObject({ title: "6 new reviews", url: `${publicUrl}/inbox` });
  expect(digest?.body.split("\n")).toHaveLength(5);
  expect(tried).toMatchObject({ title: "Test message from Countersign", url: `${publicUrl}/inbox` });
  expect(tried?.body).toContain(publicUrl);
});
