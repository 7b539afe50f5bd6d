// The gateway's processes killed with -9 and started again on the same data.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import {
  type Answer,
  type Caller,
  type ExportedEvent,
  type Killable,
  decideByLink,
  killableGateway,
  pause,
} from "../support/killable-gateway.ts";

let gateway: Killable;
beforeAll(async () => {
  gateway = await killableGateway();
  await gateway.start();
  await gateway.configure();
});
afterAll(() => gateway.close());

const factsOf = (events: readonly ExportedEvent[], run: string, kind: string): ExportedEvent[] =>
  events.filter((event) => event.run === run && event.fact.kind === kind);

async function until<T>(what: string, look: () => Promise<T | null> | T | null): Promise<T> {
  for (let tries = 0; tries < 600; tries += 1) {
    const found = await look();
    if (found !== null) return found;
    await pause(100);
  }
  throw new Error(`never seen: ${what}`);
}

const runIn = (answer: Answer | null): string | undefined => answer?.result?._meta["countersign/run"].id;

async function opened(name: string, server: string, gate: "request" | "response"): Promise<{ caller: Caller; run: string; link: string }> {
  const known = new Set((await gateway.notices()).map(({ run }) => run));
  const caller = gateway.ask(name, server);
  const { run, link } = await until(
    "its review",
    async () => (await gateway.notices()).find((each) => each.gate === gate && !known.has(each.run)) ?? null,
  );
  if (link === null) throw new Error("a notice without a link");
  return { caller, run, link };
}

const callsFor = (name: string): number =>
  gateway.model.requests.filter(({ body }) => JSON.stringify(body).includes(`The question of ${name}"`)).length;

describe("one kill -9 while runs wait everywhere", () => {
  let atRequest: Awaited<ReturnType<typeof opened>>;
  let atResponse: Awaited<ReturnType<typeof opened>>;
  let inCall: Awaited<ReturnType<typeof opened>>;
  let overdue: Awaited<ReturnType<typeof opened>>;

  beforeAll(async () => {
    atRequest = await opened("alpha", "request-gate", "request");
    atResponse = await opened("beta", "response-gate", "response");
    inCall = await opened("gamma", "request-gate", "request");
    gateway.model.script({ answer: "silent" });
    await decideByLink(inCall.link, "approve");
    await until("the call", () => (callsFor("gamma") === 1 ? true : null));
    overdue = await opened("delta", "soon", "request");
    const deadlineAt = (await gateway.record()).events.flatMap(({ run, fact }) =>
      run === overdue.run && fact.kind === "reviewOpened" ? [Date.parse(fact.deadlineAt)] : [],
    )[0];
    await gateway.kill();
    await pause(Math.max(0, (deadlineAt ?? 0) - Date.now()));
    await gateway.start();
  });

  test("every caller saw its connection end, and none got an answer that was not one", async () => {
    for (const { caller } of [atRequest, atResponse, inCall, overdue]) expect(await caller.answer).toBeNull();
  });

  test("an overdue deadline fires by itself, without any request", async () => {
    // The record is another object's: reading it wakes no run.
    await until("the end", async () => factsOf((await gateway.record()).events, overdue.run, "expired")[0] ?? null);
    expect((await gateway.ask("delta", "soon").answer)?.error).toMatchObject({ code: -1, data: { outcome: "expired" } });
    expect((await decideByLink(overdue.link, "approve").catch(() => null))?.status ?? 409).not.toBe(303);
  });

  test("a model call that was cut off is made again by itself, and the record says so", async () => {
    await until("the second call", () => (callsFor("gamma") === 2 ? true : null));
    const untouchedUntil = Date.now();
    const answer = await gateway.ask("gamma", "request-gate").answer;
    expect(runIn(answer)).toBe(inCall.run);
    const { events } = await gateway.record();
    expect(factsOf(events, inCall.run, "called").map(({ fact }) => fact)).toMatchObject([
      { call: 1, again: false },
      { call: 2, again: true },
    ]);
    const [, second] = factsOf(events, inCall.run, "called");
    expect(Date.parse(second?.at ?? "")).toBeLessThanOrEqual(untouchedUntil);
  });

  test("at the request gate the old link works, and the caller that repeats its request gets the answer", async () => {
    const again = gateway.ask("alpha", "request-gate");
    expect((await decideByLink(atRequest.link, "approve")).status).toBe(303);
    expect(runIn(await again.answer)).toBe(atRequest.run);
    expect(callsFor("alpha")).toBe(1);
  });

  test("at the response gate as well, and the model is not asked again", async () => {
    expect((await decideByLink(atResponse.link, "approve")).status).toBe(303);
    expect(runIn(await gateway.ask("beta", "response-gate").answer)).toBe(atResponse.run);
    expect(callsFor("beta")).toBe(1);
  });

  test("nobody was asked twice, and the record has every event", async () => {
    const { text, events } = await gateway.record();
    for (const { run } of [atRequest, atResponse, inCall, overdue]) {
      expect(factsOf(events, run, "reviewOpened")).toHaveLength(1);
      expect(factsOf(events, run, "noticed")).toHaveLength(1);
      expect(factsOf(events, run, "finished")).toHaveLength(1);
    }
    expect((await verifyRecord(text.split("\n"))).findings).toEqual([]);
  });
});

describe("a kill -9 at any moment after a decision", () => {
  test.each([0, 30, 120])("%i ms after the form was sent: what was decided is decided once, or not at all", async (afterMs) => {
    const name = `kill-${afterMs}`;
    const { run, link } = await opened(name, "both-gates", "request");
    const deciding = decideByLink(link, "approve").catch(() => null);
    // The form is read, then sent a second later.
    await pause(1_100 + afterMs);
    await gateway.kill();
    const first = await deciding;
    await gateway.start();
    const again = gateway.ask(name, "both-gates");
    // A reviewer who was not answered opens the link again: there is a form only where nothing was
    // decided.
    const second = await decideByLink(link, "approve").catch(() => null);
    if (first?.status === 303) expect(second).toBeNull();
    else if (second !== null) expect(second.status).toBe(303);
    const reply = await gateway.review("response", run);
    expect((await decideByLink(reply.link ?? "", "approve")).status).toBe(303);
    expect(runIn(await again.answer)).toBe(run);
    const after = (await gateway.record()).events;
    expect(factsOf(after, run, "approved").map(({ fact }) => (fact.kind === "approved" ? fact.gate : ""))).toEqual(["request", "response"]);
    const called = factsOf(after, run, "called").flatMap(({ fact }) => (fact.kind === "called" ? [fact.again] : []));
    expect(called).toEqual(called.map((_, index) => index > 0));
    expect(callsFor(name)).toBeLessThanOrEqual(called.length);
  });
});

test("a restart as a deploy makes it, while callers wait: they repeat, the old link works, and nothing is asked again", async () => {
  const names = ["one", "two", "three"];
  const waiting = [];
  for (const name of names) waiting.push({ name, ...(await opened(name, "request-gate", "request")) });
  await gateway.stop();
  for (const { caller } of waiting) expect(await caller.answer).toBeNull();
  await gateway.start();
  const again = waiting.map(({ name }) => gateway.ask(name, "request-gate"));
  for (const { link } of waiting) expect((await decideByLink(link, "approve")).status).toBe(303);
  expect(await Promise.all(again.map(async ({ answer }) => runIn(await answer)))).toEqual(waiting.map(({ run }) => run));
  for (const name of names) expect(callsFor(name)).toBe(1);
  const { text } = await gateway.record();
  expect((await verifyRecord(text.split("\n"))).findings).toEqual([]);
});
