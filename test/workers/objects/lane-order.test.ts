// Who gets a model's next place: by priority, then by arrival, but nobody waits for ever; and how
// many may wait.

import { describe, expect, test } from "vitest";
import type { Priority } from "../../../shared/model/call.ts";
import { Callers, anHour, bareCaller, laneOf, placesOf, settled, stopTime, withLane } from "../support/lane.ts";
import { ringAlarm } from "./inside.ts";

const patient = { concurrency: 1, queue: 100, promoteAfterSeconds: 3_600 };
const long = { untilMs: 10 * anHour, waitMs: 10 * anHour };

/** Each comes when the one before is in the lane. */
async function queueUp(callers: Callers, ...who: readonly (readonly [name: string, priority: Priority])[]): Promise<void> {
  const before = (await placesOf()).length;
  for (const [position, [name, priority]] of who.entries()) {
    callers.come(name, priority, long);
    await settled(before + position + 1);
  }
}

/** One after the other, until so many have had their turn. */
async function serve(callers: Callers, count: number): Promise<void> {
  while (callers.granted.length < count) {
    const served = callers.granted.length;
    callers.leave(callers.holders()[0] ?? "");
    await callers.until(() => callers.granted.length > served);
  }
}

describe("a model's lane", () => {
  test("serves high before normal before low, and within each who came first", async () => {
    stopTime();
    const callers = new Callers(withLane(patient));
    await queueUp(
      callers,
      ["holder", "low"],
      ["low 1", "low"],
      ["normal 1", "normal"],
      ["high 1", "high"],
      ["low 2", "low"],
      ["high 2", "high"],
      ["normal 2", "normal"],
    );
    await serve(callers, 7);
    expect(callers.granted).toEqual(["holder", "high 1", "high 2", "normal 1", "normal 2", "low 1", "low 2"]);
    expect(callers.most).toBe(1);
  });

  test("serves first who has waited for more than promoteAfterSeconds, though high priority keeps coming; not exactly then", async () => {
    const pass = stopTime();
    const callers = new Callers(withLane(patient));
    await queueUp(callers, ["holder", "normal"], ["low", "low"]);
    pass(1);
    await queueUp(callers, ["high 1", "high"], ["high 2", "high"]);
    pass(anHour - 1);
    await serve(callers, 2);
    expect(callers.granted).toEqual(["holder", "high 1"]);
    pass(1);
    await queueUp(callers, ["high 3", "high"]);
    await serve(callers, 5);
    expect(callers.granted).toEqual(["holder", "high 1", "low", "high 2", "high 3"]);
  });

  test("starves nobody: with a stream of high priority that never ends, low is served once its time has come", async () => {
    const pass = stopTime();
    const callers = new Callers(withLane({ concurrency: 1, queue: 100, promoteAfterSeconds: 10 }));
    await queueUp(callers, ["holder", "high"], ["low", "low"]);
    let rounds = 0;
    // Each call takes three seconds, and another one of high priority is there before it ends.
    for (; !callers.granted.includes("low"); rounds += 1) {
      await queueUp(callers, [`high ${rounds}`, "high"]);
      pass(3_000);
      await serve(callers, callers.granted.length + 1);
    }
    // Not before ten seconds were over, and in the first turn after.
    expect(rounds).toBe(4);
    expect(callers.granted).toEqual(["holder", "high 0", "high 1", "high 2", "low"]);
  });

  test("refuses at once who comes when as many wait as may, whatever the priority, and serves those who wait", async () => {
    stopTime();
    const callers = new Callers(withLane({ ...patient, queue: 2 }));
    await queueUp(callers, ["holder", "normal"], ["first", "low"], ["second", "low"]);
    callers.come("late", "high", long);
    await callers.until(() => callers.refused.size > 0);
    expect([...callers.refused]).toEqual([["late", "full"]]);
    await serve(callers, 3);
    expect(callers.granted).toEqual(["holder", "first", "second"]);
    callers.come("late again", "normal", long);
    await settled(2);
    expect(callers.refused.size).toBe(1);
  });

  test("lets nobody wait where the queue is 0", async () => {
    const callers = new Callers(withLane({ ...patient, queue: 0 }));
    await queueUp(callers, ["holder", "normal"]);
    callers.come("second", "high");
    await callers.until(() => callers.refused.size > 0);
    expect(callers.refused.get("second")).toBe("full");
  });

  test("lets a caller wait as long as it wants to and no longer, and keeps no place of it", async () => {
    const callers = new Callers(withLane(patient));
    await queueUp(callers, ["holder", "normal"]);
    callers.come("hasty", "high", { waitMs: 500 });
    await callers.until(() => callers.refused.size > 0);
    expect(callers.refused.get("hasty")).toBe("timeout");
    await settled(1);
    await queueUp(callers, ["next", "low"]);
    await serve(callers, 2);
    expect(callers.granted).toEqual(["holder", "next"]);
  });

  test("never gives a place for good to who gave up in the moment in which it was given", async () => {
    const callers = new Callers(withLane({ concurrency: 3, queue: 200, promoteAfterSeconds: 3_600 }));
    await queueUp(callers, ["holder 1", "normal"], ["holder 2", "normal"], ["holder 3", "normal"]);
    // Their patience ends one millisecond after the other, and all the while places come free.
    for (let index = 0; index < 120; index += 1) callers.come(`hasty ${index}`, "normal", { waitMs: 50 + index });
    while (callers.asking().length > 0) {
      const [holder] = callers.holders();
      if (holder !== undefined) callers.leave(holder);
      await callers.until(() => callers.holders().length > 0 || callers.asking().length === 0);
    }
    for (const holder of callers.holders()) callers.leave(holder);
    await settled(0);
    expect(callers.granted.length + callers.refused.size).toBe(123);
    expect([...callers.refused.values()].filter((why) => why !== "timeout")).toEqual([]);
    expect(callers.most).toBe(3);
  });
});

describe("limits that a newer routing table changes", () => {
  const limits = (concurrency: number, queue = 100) => ({ concurrency, queue, promoteAfterMs: anHour });

  test("let more in as soon as somebody brings a higher limit, and only so many", async () => {
    stopTime();
    const version1 = { version: 1, limits: limits(1) };
    const callers = [];
    for (const name of ["a", "b", "c", "d"]) callers.push(await bareCaller(name, version1));
    expect(callers.map(({ state }) => state)).toEqual(["granted", "waiting", "waiting", "waiting"]);
    const last = await bareCaller("e", { version: 2, limits: limits(3) });
    expect(last.state).toBe("waiting");
    await settled(5);
    expect((await placesOf()).filter(({ has_slot }) => has_slot === 1).map(({ ticket }) => ticket)).toEqual(["a", "b", "c"]);
    expect(callers.map(({ heard }) => heard)).toEqual([[], ["granted"], ["granted"], []]);
  });

  test("take no place away when they are lower, and let nobody in before there is room again", async () => {
    stopTime();
    const holders = [];
    for (const name of ["a", "b", "c"]) holders.push(await bareCaller(name, { version: 1, limits: limits(3) }));
    const next = await bareCaller("d", { version: 2, limits: limits(1) });
    expect([...holders, next].map(({ state }) => state)).toEqual(["granted", "granted", "granted", "waiting"]);
    for (const holder of holders.slice(0, 2)) holder.socket?.close(1000, "left");
    await settled(2);
    expect((await placesOf()).map(({ ticket, has_slot }) => [ticket, has_slot])).toEqual([
      ["c", 1],
      ["d", 0],
    ]);
    holders[2]?.socket?.close(1000, "left");
    await settled(1);
    expect((await placesOf()).map(({ ticket, has_slot }) => [ticket, has_slot])).toEqual([["d", 1]]);
  });

  test("are not changed back by a caller with an older table", async () => {
    stopTime();
    await bareCaller("a", { version: 2, limits: limits(1, 1) });
    expect((await bareCaller("b", { version: 1, limits: limits(5) })).state).toBe("waiting");
    expect((await bareCaller("c", { version: 1, limits: limits(5) })).status).toBe(503);
    expect((await bareCaller("d", { version: 0, limits: limits(5) })).status).toBe(503);
  });

  test("count for nobody who waited under the ones before: a shorter queue pushes nobody out", async () => {
    stopTime();
    for (const name of ["a", "b", "c"]) await bareCaller(name, { version: 1, limits: limits(1) });
    expect((await bareCaller("d", { version: 2, limits: limits(1, 0) })).status).toBe(503);
    await settled(3);
    await ringAlarm(laneOf());
    expect((await placesOf()).map(({ ticket }) => ticket)).toEqual(["a", "b", "c"]);
  });
});
