// A model's lane whose object is reset or evicted: its limit holds all the while, who comes back
// has its place, who does not loses it.

import { evictDurableObject } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { graceMs } from "../../../workers/objects/concurrency-queue-object.ts";
import { Callers, bareCaller, connected, laneOf, once, placesOf, settled, stopTime, withLane } from "../support/lane.ts";
import { crash, ringAlarm } from "./inside.ts";

const two = { concurrency: 2, queue: 100, promoteAfterSeconds: 3_600 };
const limits = { concurrency: 2, queue: 100, promoteAfterMs: 3_600_000 };

/** Each comes when the one before is in the lane. */
async function queueUp(callers: Callers, ...names: readonly string[]): Promise<void> {
  for (const [position, name] of names.entries()) {
    callers.come(name);
    await settled(position + 1);
  }
}

const standings = async (): Promise<(readonly [string, number])[]> =>
  (await placesOf()).toSorted((a, b) => a.arrival - b.arrival).map(({ ticket, has_slot }) => [ticket, has_slot] as const);

describe("a reset of the object", () => {
  test("costs nobody a place or a turn, however often it happens: everybody comes back, and nobody is told anything new", async () => {
    stopTime();
    const callers = new Callers(withLane(two));
    await queueUp(callers, "a", "b", "c", "d", "e");
    const before = await standings();
    for (let round = 0; round < 5; round += 1) {
      await crash();
      await settled(5);
      expect(await standings()).toEqual(before);
    }
    expect(callers.granted).toEqual(["a", "b"]);
    for (const [index, leaver] of ["a", "b", "c"].entries()) {
      callers.leave(leaver);
      await callers.until(() => callers.granted.length === 3 + index);
    }
    expect(callers.granted).toEqual(["a", "b", "c", "d", "e"]);
    expect(callers.most).toBe(2);
  });

  test("lets nobody new in while the holders are away", async () => {
    stopTime();
    const holders = [await bareCaller("a", { limits }), await bareCaller("b", { limits })];
    await crash();
    expect((await bareCaller("new", { limits })).state).toBe("waiting");
    expect(holders.map(({ state }) => state)).toEqual(["granted", "granted"]);
  });

  test("frees the places of holders that do not come back once the grace is over, and not a moment sooner", async () => {
    const pass = stopTime();
    for (const name of ["a", "b", "c"]) await bareCaller(name, { limits });
    await crash();
    const back = await bareCaller("b", { attempt: 2, hasSlot: true, limits });
    const next = await bareCaller("new", { limits });
    expect([back.state, next.state]).toEqual(["granted", "waiting"]);
    await once(async () => (await connected()) === 2);
    pass(graceMs - 1);
    await ringAlarm(laneOf());
    expect((await standings()).map(([ticket]) => ticket)).toEqual(["a", "b", "c", "new"]);
    pass(1);
    await ringAlarm(laneOf());
    await settled(2);
    // "c" waited and did not come back either.
    expect(await standings()).toEqual([
      ["b", 1],
      ["new", 1],
    ]);
    expect(next.heard).toEqual(["granted"]);
  });

  test("lets a holder that comes back after the grace be counted at once, over the limit, and nobody else in before there is room", async () => {
    const pass = stopTime();
    for (const name of ["a", "b"]) await bareCaller(name, { limits });
    await crash();
    const next = [await bareCaller("c", { limits }), await bareCaller("d", { limits })];
    await once(async () => (await connected()) === 2);
    pass(graceMs);
    await ringAlarm(laneOf());
    await once(async () => next.every(({ heard }) => heard.length === 1));
    const late = await bareCaller("a", { attempt: 2, hasSlot: true, limits });
    const last = await bareCaller("e", { limits });
    expect([late.state, last.state]).toEqual(["granted", "waiting"]);
    next[0]?.socket?.close(1000, "left");
    await settled(3);
    expect(last.heard).toEqual([]);
    late.socket?.close(1000, "left");
    await settled(2);
    await once(async () => last.heard.length === 1);
  });

  test("tells a caller that was given a place in the moment of the reset when it comes back", async () => {
    stopTime();
    const holders = [await bareCaller("a", { limits }), await bareCaller("b", { limits })];
    await bareCaller("c", { limits });
    holders[0]?.socket?.close(1000, "left");
    await settled(2);
    // Whatever it heard before is forgotten with its socket.
    await crash();
    expect((await bareCaller("c", { attempt: 2, limits })).state).toBe("granted");
    expect((await bareCaller("d", { limits })).state).toBe("waiting");
  });

  test("forgets no limit: an older table's caller who comes first does not lift it", async () => {
    stopTime();
    const version2 = { version: 2, limits: { ...limits, concurrency: 1 } };
    await bareCaller("a", version2);
    await crash();
    await bareCaller("a", { ...version2, attempt: 2, hasSlot: true });
    expect((await bareCaller("b", { version: 1, limits })).state).toBe("waiting");
  });

  test("frees the place of a holder who leaves while the object is away", async () => {
    const pass = stopTime();
    const callers = new Callers(withLane(two));
    await queueUp(callers, "a", "b", "c");
    const crashed = crash();
    callers.leave("a");
    await crashed;
    // The two that are still there.
    await once(async () => (await connected()) === 2);
    pass(graceMs);
    await ringAlarm(laneOf());
    await callers.until(() => callers.granted.length === 3);
    expect(callers.granted).toEqual(["a", "b", "c"]);
    await settled(2);
  });

  test("is no way in for who gave up while the object was away", async () => {
    const pass = stopTime();
    const callers = new Callers(withLane(two));
    await queueUp(callers, "a", "b", "c", "d");
    const crashed = crash();
    callers.cancel("c");
    await crashed;
    await once(async () => (await connected()) === 3);
    expect([...callers.refused]).toEqual([["c", "cancelled"]]);
    callers.leave("a");
    pass(graceMs);
    await once(async () => (await ringAlarm(laneOf()), (await placesOf()).length === 2));
    await callers.until(() => callers.granted.length === 3);
    expect(callers.granted).toEqual(["a", "b", "d"]);
    await settled(2);
  });
});

describe("an eviction of the object", () => {
  test("breaks no socket: places, turns and the next grant are as they were", async () => {
    stopTime();
    const callers = new Callers(withLane(two));
    await queueUp(callers, "a", "b", "c", "d");
    const before = await standings();
    await evictDurableObject(laneOf());
    expect(await connected()).toBe(4);
    expect(await standings()).toEqual(before);
    await evictDurableObject(laneOf());
    callers.leave("a");
    await callers.until(() => callers.granted.length === 3);
    await evictDurableObject(laneOf());
    callers.cancel("d");
    callers.leave("b");
    await settled(1);
    expect(callers.granted).toEqual(["a", "b", "c"]);
    expect(callers.most).toBe(2);
  });

  test("makes nobody absent who is there: no grace ends for who kept its socket", async () => {
    const pass = stopTime();
    const callers = new Callers(withLane(two));
    await queueUp(callers, "a", "b", "c");
    await evictDurableObject(laneOf());
    await connected();
    pass(graceMs);
    await ringAlarm(laneOf());
    await settled(3);
    expect(callers.granted).toEqual(["a", "b"]);
  });
});
