// Callers who vanish from a model's lane, in every way there is: their place is free, and nobody
// waits for them.

import { grantedWord } from "../../../workers/stubs/queue-calls.ts";
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { graceMs } from "../../../workers/objects/concurrency-queue-object.ts";
import { keyStub } from "../../../workers/stubs/stubs.ts";
import { env } from "../support/gateway.ts";
import { Callers, anHour, bareCaller, connected, laneOf, once, placesOf, settled, stopTime, withLane } from "../support/lane.ts";
import { ringAlarm } from "./inside.ts";

const one = { concurrency: 1, queue: 100, promoteAfterSeconds: 3_600 };
const tickets = async (): Promise<string[]> => (await placesOf()).map(({ ticket }) => ticket);

/**
 * A machine that calls a model: an object of its own, so that it can be lost with everything that
 * it had open.
 */
const machine = (name: string) => {
  const stub = keyStub(env, name);
  return {
    run: <T>(work: () => Promise<T>): Promise<T> => runInDurableObject(stub, work),
    /** Its connections break without a close. */
    lose: (): Promise<unknown> => runInDurableObject(stub, (_, state) => state.abort("lost")).catch(() => undefined),
  };
};

describe("who has a place and vanishes", () => {
  test("by closing its socket gives it to the next", async () => {
    const holder = await bareCaller("holder");
    const next = await bareCaller("next");
    holder.socket?.close(1000, "left");
    await settled(1);
    expect(await tickets()).toEqual(["next"]);
    expect(next.heard).toEqual(["granted"]);
  });

  test("with its whole machine, without a word, gives it to the next", async () => {
    const lost = machine("lost");
    // Kept, so that nothing but the loss ends the socket.
    const kept = await lost.run(() => bareCaller("holder"));
    expect(kept.state).toBe("granted");
    const next = await bareCaller("next");
    await lost.lose();
    await settled(1);
    expect(await tickets()).toEqual(["next"]);
    expect(next.heard).toEqual(["granted"]);
  });

  test("silently and for good, so that no close ever comes, loses it when its call must be over, and not before", async () => {
    const pass = stopTime();
    const until = Date.now() + 10_000;
    const holder = await bareCaller("holder", { until });
    const next = await bareCaller("next");
    await settled(2);
    pass(9_999);
    await ringAlarm(laneOf());
    expect(next.heard).toEqual([]);
    pass(1);
    await ringAlarm(laneOf());
    await settled(1);
    expect(next.heard).toEqual(["granted"]);
    expect(holder.heard).toEqual([]);
  });

  test("before it takes the answer to its upgrade loses it after the grace", async () => {
    const pass = stopTime();
    const lost = machine("lost");
    await lost.run(async () => {
      // Not awaited: the machine is gone before the answer is there.
      void bareCaller("holder").catch(() => undefined);
      await Promise.resolve();
    });
    await once(async () => (await placesOf()).length === 1);
    await lost.lose();
    const next = await bareCaller("next");
    await once(async () => (await connected()) === 1);
    pass(graceMs);
    // Nothing to ring where the lane noticed by itself.
    await ringAlarm(laneOf());
    await settled(1);
    expect(next.state === grantedWord || next.heard.includes(grantedWord)).toBe(true);
  });

  test("with a socket that it never says it has loses it after the grace, and not before", async () => {
    const pass = stopTime();
    await bareCaller("silent", { here: false });
    const next = await bareCaller("next");
    await once(async () => (await connected()) === 1);
    pass(graceMs - 1);
    await ringAlarm(laneOf());
    expect(next.heard).toEqual([]);
    pass(1);
    await ringAlarm(laneOf());
    await settled(1);
    expect(await tickets()).toEqual(["next"]);
    expect(next.heard).toEqual(["granted"]);
  });
});

describe("who waits and vanishes", () => {
  test("is passed over, however it went: by a close, with its machine, or by giving up", async () => {
    const holder = await bareCaller("holder", { limits: { concurrency: 1, queue: 100, promoteAfterMs: anHour } });
    const closing = await bareCaller("closing");
    const lost = machine("lost");
    await lost.run(() => bareCaller("lost"));
    const callers = new Callers(withLane(one));
    callers.come("gives up");
    await settled(4);
    callers.come("next");
    await settled(5);
    closing.socket?.close(1000, "left");
    await lost.lose();
    callers.cancel("gives up");
    await callers.until(() => callers.refused.size === 1);
    await settled(2);
    expect([...callers.refused]).toEqual([["gives up", "cancelled"]]);
    holder.socket?.close(1000, "left");
    await callers.until(() => callers.granted.length === 1);
    expect(callers.granted).toEqual(["next"]);
  });

  test("makes room in the queue for somebody else", async () => {
    const callers = new Callers(withLane({ ...one, queue: 1 }));
    for (const name of ["holder", "waiting"]) {
      callers.come(name);
      await settled(name === "holder" ? 1 : 2);
    }
    callers.cancel("waiting");
    await settled(1);
    callers.come("another");
    await settled(2);
    expect([...callers.refused]).toEqual([["waiting", "cancelled"]]);
  });

  test("while its request is on its way keeps nothing", async () => {
    const callers = new Callers(withLane(one));
    callers.come("holder");
    callers.cancel("holder");
    await callers.until(() => callers.refused.size === 1);
    await settled(0);
  });
});

describe("who gives up in the moment in which a place comes free", () => {
  test("leaves it to the next, or has it and gives it back: it is never lost", async () => {
    const callers = new Callers(withLane(one));
    callers.come("holder");
    await settled(1);
    for (let index = 0; index < 100; index += 1) callers.come(`caller ${index}`);
    await settled(101);
    for (let turn = 0; callers.asking().length > 0; turn += 1) {
      const [holder] = callers.holders();
      const next = callers.asking()[0] ?? "";
      // The close and the abort in one moment, now one first and now the other.
      if (turn % 2 === 0) callers.cancel(next);
      if (holder !== undefined) callers.leave(holder);
      if (turn % 2 === 1) callers.cancel(next);
      await callers.until(() => callers.holders().length === 1 || callers.asking().length === 0);
    }
    for (const holder of callers.holders()) callers.leave(holder);
    await settled(0);
    expect(callers.most).toBe(1);
    expect(callers.granted.length + callers.refused.size).toBe(101);
  });
});

describe("an older socket of a ticket", () => {
  test("says nothing of its place any more", async () => {
    const first = await bareCaller("holder");
    const second = await bareCaller("holder", { attempt: 2, hasSlot: true });
    const next = await bareCaller("next");
    first.socket?.close(1000, "late");
    await settled(2);
    expect(next.heard).toEqual([]);
    second.socket?.close(1000, "left");
    await settled(1);
    expect(next.heard).toEqual(["granted"]);
  });

  test("that arrives late is turned away", async () => {
    await bareCaller("holder", { attempt: 2 });
    expect((await bareCaller("holder", { attempt: 1 })).status).toBe(409);
    expect((await bareCaller("holder", { attempt: 2 })).status).toBe(409);
    await settled(1);
  });
});
