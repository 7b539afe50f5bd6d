// A model's lane under load and through crashes: its limit holds, its order is kept, and no place is lost.

import { describe, expect, test } from "vitest";
import { priorities } from "../../../shared/provider/call.ts";
import { graceMs } from "../../../workers/objects/lane.ts";
import { eventually } from "../support/gateway.ts";
import { Callers, laneOf, placesOf, settled, withLane } from "../support/lane.ts";
import { crash, later, ringAlarm } from "./inside.ts";

/** Nobody is promoted, however slow the machine is. */
const patient = { concurrency: 5, queue: 1_000, promoteAfterSeconds: 3_600 };

const numbered = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
/** Every third of a priority, and who they are by it. */
const priorityOf = (index: number) => priorities[index % 3] ?? "normal";
const nameOf = (index: number): string => `${priorityOf(index)} ${index}`;

/** Lets each come when the one before is in the lane: so it is known who came first. */
async function comeInTurn(callers: Callers, indexes: readonly number[], before = 0): Promise<void> {
  for (const [position, index] of indexes.entries()) {
    callers.come(nameOf(index), priorityOf(index));
    await eventually("the next in the lane", async () => (await placesOf()).length === before + position + 1);
  }
}

const byTheRule = (indexes: readonly number[]): string[] =>
  indexes.toSorted((a, b) => priorities.indexOf(priorityOf(a)) - priorities.indexOf(priorityOf(b)) || a - b).map(nameOf);

/** Lets the holders go one by one, each when the place of the one before is taken, until nobody is left. */
async function serveAll(callers: Callers, total: number): Promise<void> {
  while (callers.granted.length < total) {
    const [first] = callers.holders();
    const served = callers.granted.length;
    callers.leave(first ?? "");
    await callers.until(() => callers.granted.length > served);
  }
  for (const name of callers.holders()) callers.leave(name);
  await settled(0);
}

describe("300 callers of three priorities on a lane of five", () => {
  test("are served in order, never six at once, and leave nothing behind", async () => {
    const callers = new Callers(withLane(patient));
    await comeInTurn(callers, numbered(300));
    expect(callers.granted).toEqual(numbered(5).map(nameOf));
    await serveAll(callers, 300);
    expect(callers.granted.slice(5)).toEqual(byTheRule(numbered(300).slice(5)));
    expect(callers.most).toBe(5);
    expect(callers.refused.size).toBe(0);
    const again = new Callers(withLane(patient));
    for (const index of numbered(5)) again.come(nameOf(index));
    await again.until(() => again.granted.length === 5);
  });

  test("keep places and turns through three crashes, among them those who leave and give up while the object is gone", async () => {
    const callers = new Callers(withLane(patient));
    const all = numbered(300);
    await comeInTurn(callers, all);
    const gaveUp = all.filter((index) => index >= 200 && index % 7 === 0);
    let gone = 0;
    const served = (): number => callers.granted.length;
    const leaveOne = async (): Promise<void> => {
      const before = served();
      callers.leave(callers.holders()[0] ?? "");
      gone += 1;
      await callers.until(() => served() > before);
    };
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < 10; count += 1) await leaveOne();
      if (round === 2) {
        for (const index of gaveUp) callers.cancel(nameOf(index));
        await callers.until(() => callers.refused.size === gaveUp.length);
      }
      await crash();
      // Nobody is told anything while the object is away, and whoever held a place holds it.
      expect(callers.holders()).toHaveLength(5);
      await settled(300 - gone - callers.refused.size);
      expect((await placesOf()).filter(({ holds }) => holds === 1)).toHaveLength(5);
    }
    expect([...callers.refused.values()]).toEqual(gaveUp.map(() => "cancelled"));
    await serveAll(callers, 300 - gaveUp.length);
    expect(callers.granted.slice(5)).toEqual(byTheRule(all.slice(5).filter((index) => !gaveUp.includes(index))));
    expect(callers.most).toBe(5);
  });

  test("are all served though a holder leaves in the very moment of each crash", async () => {
    const callers = new Callers(withLane(patient));
    for (const index of numbered(60)) callers.come(nameOf(index), priorityOf(index));
    await settled(60);
    while (callers.granted.length < 60) {
      const served = callers.granted.length;
      if (served % 20 === 0) {
        const crashed = crash();
        callers.leave(callers.holders()[0] ?? "");
        await crashed;
        // What its caller could not give back is freed once it does not come back.
        await eventually("everybody else is back", async () => {
          later(graceMs);
          await ringAlarm(laneOf());
          return callers.granted.length > served;
        });
      } else {
        callers.leave(callers.holders()[0] ?? "");
        await callers.until(() => callers.granted.length > served);
      }
    }
    expect(callers.most).toBe(5);
    expect(callers.refused.size).toBe(0);
  });
});
