// Callers of three priorities on a lane of five, one after another: how many is the caller's
// choice, from 60.

import { expect } from "vitest";
import { priorities } from "../../../shared/model/call.ts";
import { graceMs } from "../../../workers/objects/concurrency-queue-object.ts";
import { Callers, connected, isWhole, laneOf, once, placesOf, settled, stopTime, withLane } from "../support/lane.ts";
import { crash, ringAlarm } from "./inside.ts";

export const limit = 5;
export const lane = { concurrency: limit, queue: 1_000, promoteAfterSeconds: 3_600 };

export const numbered = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
/** Every third of a priority, and who they are by it. */
export const priorityOf = (index: number) => priorities[index % 3] ?? "normal";
export const nameOf = (index: number): string => `${priorityOf(index)} ${index}`;

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
export async function serveOne(callers: Callers): Promise<void> {
  const before = callers.granted.length;
  callers.leave(callers.holders()[0] ?? "");
  await callers.until(() => callers.granted.length > before);
}

/**
 * Lets the holders go one by one, each when the place of the one before is taken, until nobody is
 * left.
 */
async function serveAll(callers: Callers, total: number): Promise<void> {
  while (callers.granted.length < total) await serveOne(callers);
  for (const name of callers.holders()) callers.leave(name);
  await settled(0);
}

/** They are served in order, never six at once, and leave nothing behind. */
export async function areServedInOrder(total: number): Promise<void> {
  stopTime();
  const callers = new Callers(withLane(lane));
  await comeInTurn(callers, numbered(total));
  expect(callers.granted).toEqual(numbered(limit).map(nameOf));
  await serveAll(callers, total);
  expect(callers.granted.slice(limit)).toEqual(byTheRule(numbered(total).slice(limit)));
  expect(callers.most).toBe(limit);
  expect(callers.refused.size).toBe(0);
  await isWhole(lane);
}

/**
 * They keep places and turns through three crashes, among them those who give up while the object
 * is gone.
 */
export async function keepPlacesThroughCrashes(total: number): Promise<void> {
  const pass = stopTime();
  const callers = new Callers(withLane(lane));
  const all = numbered(total);
  await comeInTurn(callers, all);
  const gaveUp = all.filter((index) => index >= (total * 2) / 3 && index % 7 === 0);
  // So few that those who are to give up are all still waiting at the last crash.
  const servedEach = Math.floor(total / 30);
  let gone = 0;
  for (let round = 0; round < 3; round += 1) {
    for (let count = 0; count < servedEach; count += 1) await serveOne(callers);
    gone += servedEach;
    const crashed = crash();
    if (round === 2) for (const index of gaveUp) callers.cancel(nameOf(index));
    await crashed;
    // Nobody is told anything while the object is away, and whoever held a place holds it.
    expect(callers.holders()).toHaveLength(limit);
    const left = total - gone - (round === 2 ? gaveUp.length : 0);
    await once(async () => (await connected()) === left);
    expect((await placesOf()).filter(({ has_slot }) => has_slot === 1)).toHaveLength(limit);
  }
  await callers.until(() => callers.refused.size === gaveUp.length);
  expect([...callers.refused.values()]).toEqual(gaveUp.map(() => "cancelled"));
  pass(graceMs);
  await ringAlarm(laneOf());
  await settled(total - gone - gaveUp.length);
  await serveAll(callers, total - gaveUp.length);
  expect(callers.granted.slice(limit)).toEqual(byTheRule(all.slice(limit).filter((index) => !gaveUp.includes(index))));
  expect(callers.most).toBe(limit);
}
