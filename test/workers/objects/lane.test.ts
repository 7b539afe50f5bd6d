// A model's lane under load and through crashes: its limit holds, its order is kept, and no place
// is lost. A sample of test/verify/workers/lane.test.ts, which has three hundred.

import { describe, expect, test } from "vitest";
import { graceMs } from "../../../workers/objects/concurrency-queue-object.ts";
import { Callers, connected, laneOf, once, settled, stopTime, withLane } from "../support/lane.ts";
import { crash, ringAlarm } from "./inside.ts";
import { areServedInOrder, keepPlacesThroughCrashes, lane, limit, nameOf, numbered, priorityOf, serveOne } from "./lane-load.ts";

describe("many callers of three priorities on a lane of five", () => {
  test("are served in order, never six at once, and leave nothing behind", () => areServedInOrder(90));

  test("keep places and turns through three crashes, among them those who give up while the object is gone", () =>
    keepPlacesThroughCrashes(90));

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
      // Everybody else is back; what its caller could not give back is free once it does not come
      // back.
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
