// The gateway's processes killed with -9 and started again on the same data, while runs wait
// everywhere.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { type OpenedRun, callsFor, factsOf, opened, runIn, until } from "../support/kill-watch.ts";
import { type Killable, decideByLink, killableGateway, pause } from "../support/killable-gateway.ts";

let gateway: Killable;
beforeAll(async () => {
  gateway = await killableGateway();
  await gateway.start();
  await gateway.configure();
});
afterAll(() => gateway.close());

describe("one kill -9 while runs wait everywhere", () => {
  let atRequest: OpenedRun;
  let atResponse: OpenedRun;
  let inCall: OpenedRun;
  let overdue: OpenedRun;

  beforeAll(async () => {
    atRequest = await opened(gateway, "alpha", "request-gate", "request");
    atResponse = await opened(gateway, "beta", "response-gate", "response");
    inCall = await opened(gateway, "gamma", "request-gate", "request");
    gateway.model.script({ answer: "silent" });
    await decideByLink(inCall.link, "approve");
    await until("the call", () => (callsFor(gateway, "gamma") === 1 ? true : null));
    overdue = await opened(gateway, "delta", "soon", "request");
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
    await until("the second call", () => (callsFor(gateway, "gamma") === 2 ? true : null));
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
    expect(callsFor(gateway, "alpha")).toBe(1);
  });

  test("at the response gate as well, and the model is not asked again", async () => {
    expect((await decideByLink(atResponse.link, "approve")).status).toBe(303);
    expect(runIn(await gateway.ask("beta", "response-gate").answer)).toBe(atResponse.run);
    expect(callsFor(gateway, "beta")).toBe(1);
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
