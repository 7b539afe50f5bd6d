// The gateway's processes killed with -9 at any moment of a decision, and restarted as a deploy
// does it.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifyRecord } from "../../../scripts/verify-record.ts";
import { callsFor, factsOf, opened, runIn } from "../../outside/support/kill-watch.ts";
import { type Killable, decideByLink, killableGateway, pause } from "../../outside/support/killable-gateway.ts";

let gateway: Killable;
beforeAll(async () => {
  gateway = await killableGateway();
  await gateway.start();
  await gateway.configure();
});
afterAll(() => gateway.close());

describe("a kill -9 at any moment after a decision", () => {
  test.each([0, 30, 120])("%i ms after the form was sent: what was decided is decided once, or not at all", async (afterMs) => {
    const name = `kill-${afterMs}`;
    const { run, link } = await opened(gateway, name, "both-gates", "request");
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
    expect(callsFor(gateway, name)).toBeLessThanOrEqual(called.length);
  });
});

test("a restart as a deploy makes it, while callers wait: they repeat, the old link works, and nothing is asked again", async () => {
  const names = ["one", "two", "three"];
  const waiting = [];
  for (const name of names) waiting.push({ name, ...(await opened(gateway, name, "request-gate", "request")) });
  await gateway.stop();
  for (const { caller } of waiting) expect(await caller.answer).toBeNull();
  await gateway.start();
  const again = waiting.map(({ name }) => gateway.ask(name, "request-gate"));
  for (const { link } of waiting) expect((await decideByLink(link, "approve")).status).toBe(303);
  expect(await Promise.all(again.map(async ({ answer }) => runIn(await answer)))).toEqual(waiting.map(({ run }) => run));
  for (const name of names) expect(callsFor(gateway, name)).toBe(1);
  const { text } = await gateway.record();
  expect((await verifyRecord(text.split("\n"))).findings).toEqual([]);
});
