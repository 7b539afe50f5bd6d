// A model's lane under load and through crashes: its limit holds, its order is kept, and no place is lost.

import { describe, expect, test } from "vitest";
import { priorities } from "../../../shared/model/call.ts";
import { graceMs } from "../../../workers/objects/lane.ts";
import { Callers, connected, isWhole, laneOf, once, placesOf, settled, stopTime, withLane } from "../support/lane.ts";
import { crash, ringAlarm } from "./inside.ts";

const limit = 5;
const lane = { concurrency: limit, queue: 1_000, promoteAfterSeconds: 3_600 };

const numbered = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
/** Every third of a priority, and who they are by it. */
const priorityOf = (index: number) => priorities[index % 3] ?? "normal";
const nameOf = (index: number): string => `${priorityOf(index)} ${index}`;

/** Lets each come when the one before is in the lane: so it is known who came first. */
async function comeInTurn(callers: Callers, indexes: readonly number[]): Promise<void> {
  for (const [position, index] of indexes.entries()) {
    callers.come(nameOf(index), priorityOf(index));
    await once(async () => (await placesOf()).length === position + 1);
  }
}

const byTheRule = (indexes: readonly number[]): string[] =>
  indexes.toSorted((a, b) => priorities.indexOf(priorityOf(a)) - priorities.indexOf(priorityOf(b)) || a - b).map(nameOf);

/** One holder goes, and somebody gets its place. */
async function serveOne(callers: Callers): Promise<void> {
  const before = callers.granted.length;
  callers.leave(callers.holders()[0] ?? "");
  await callers.until(() => callers.granted.length > before);
}

/** Lets the holders go one by one, each when the place of the one before is taken, until nobody is left. */
async function serveAll(callers: Callers, total: number): Promise<void> {
  while (callers.granted.length < total) await serveOne(callers);
  for (const name of callers.holders()) callers.leave(name);
  await settled(0);
}

describe("300 callers of three priorities on a lane of five", () => {
  test("are served in order, never six at once, and leave nothing behind", async () => {
    stopTime();
    const callers = new Callers(withLane(lane));
    await comeInTurn(callers, numbered(300));
    expect(callers.granted).toEqual(numbered(limit).map(nameOf));
    await serveAll(callers, 300);
    expect(callers.granted.slice(limit)).toEqual(byTheRule(numbered(300).slice(limit)));
    expect(callers.most).toBe(limit);
    expect(callers.refused.size).toBe(0);
    await isWhole(lane);
  });

  test("keep places and turns through three crashes, among them those who give up while the object is gone", async () => {
    const pass = stopTime();
    const callers = new Callers(withLane(lane));
    const all = numbered(300);
    await comeInTurn(callers, all);
    const gaveUp = all.filter((index) => index >= 200 && index % 7 === 0);
    let gone = 0;
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 10; count += 1) await serveOne(callers);
      gone += 10;
      const crashed = crash();
      if (round === 2) for (const index of gaveUp) callers.cancel(nameOf(index));
      await crashed;
      // Nobody is told anything while the object is away, and whoever held a place holds it.
      expect(callers.holders()).toHaveLength(limit);
      const left = 300 - gone - (round === 2 ? gaveUp.length : 0);
      await once(async () => (await connected()) === left);
      expect((await placesOf()).filter(({ holds }) => holds === 1)).toHaveLength(limit);
    }
    await callers.until(() => callers.refused.size === gaveUp.length);
    expect([...callers.refused.values()]).toEqual(gaveUp.map(() => "cancelled"));
    pass(graceMs);
    await ringAlarm(laneOf());
    await settled(300 - gone - gaveUp.length);
    await serveAll(callers, 300 - gaveUp.length);
    expect(callers.granted.slice(limit)).toEqual(byTheRule(all.slice(limit).filter((index) => !gaveUp.includes(index))));
    expect(callers.most).toBe(limit);
  });

  test("are all served though a holder leaves in the very moment of each crash", async () => {
    const pass = stopTime();
    const callers = new Callers(withLane(lane));
    for (const index of numbered(60)) callers.come(nameOf(index), priorityOf(index));
    await settled(60);
    await callers.until(() => callers.granted.length === limit);
    for (let gone = 0; gone < 55; gone += 1) {
      if (gone % 10 !== 5) {
        await serveOne(callers);
        continue;
      }
      const before = callers.granted.length;
      const crashed = crash();
      callers.leave(callers.holders()[0] ?? "");
      await crashed;
      // Everybody else is back; what its caller could not give back is free once it does not come back.
      await once(async () => (await connected()) === 59 - gone);
      pass(graceMs);
      await ringAlarm(laneOf());
      await callers.until(() => callers.granted.length > before);
    }
    expect(callers.granted).toHaveLength(60);
    expect(callers.most).toBe(limit);
    expect(callers.refused.size).toBe(0);
  });
});
