// A model's lane under histories of every kind: what holds whatever callers and the object do.

import { evictDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { priorities } from "../../../shared/model/call.ts";
import { graceMs } from "../../../workers/objects/concurrency-queue-object.ts";
import { Callers, anHour, connected, isWhole, laneOf, once, placesOf, settled, stopTime, withLane } from "../support/lane.ts";
import { crash, ringAlarm } from "./inside.ts";
import { wholeOr } from "../support/whole.ts";

const limit = 5;
const lane = { concurrency: limit, queue: 20, promoteAfterSeconds: 3_600 };

describe("whatever callers and the object do", () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant("come" as const), priority: fc.constantFrom(...priorities) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("leave" as const), who: fc.nat(limit - 1) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("giveUp" as const), who: fc.nat(100) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("crash" as const, "evict" as const) }) },
    // To let what is under way arrive, now and then.
    { weight: 2, arbitrary: fc.record({ do: fc.constant("look" as const) }) },
  );

  test("no more than the limit hold a place at once, everybody is told how it went, and the lane is whole afterwards", async () => {
    const pass = stopTime();
    const steps = fc.array(step, { minLength: 60, maxLength: 120 });
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const callers = new Callers(withLane(lane));
        for (const [index, each] of history.entries()) {
          if (each.do === "come") callers.come(`caller ${index}`, each.priority, { untilMs: 1_000 * anHour });
          else if (each.do === "leave") callers.leave(callers.holders()[each.who] ?? "");
          else if (each.do === "giveUp") callers.cancel(callers.asking()[each.who] ?? "");
          else if (each.do === "crash") await crash();
          else {
            await placesOf();
            // Only what is there can be evicted.
            if (each.do === "evict") await evictDurableObject(laneOf());
          }
        }
        // The rest is served. Where all are back and nobody can be, somebody left while it could
        // not give its place back: the grace ends.
        while (callers.asking().length > 0 || callers.holders().length > 0) {
          for (const holder of callers.holders()) callers.leave(holder);
          await once(async () => (await connected()) === callers.holders().length + callers.asking().length);
          if (callers.holders().length > 0) continue;
          pass(graceMs);
          await ringAlarm(laneOf());
        }
        pass(graceMs);
        await ringAlarm(laneOf());
        await settled(0);
        expect(callers.most).toBeLessThanOrEqual(limit);
        expect(callers.granted.length + callers.refused.size).toBe(history.filter((each) => each.do === "come").length);
        await isWhole(lane);
      }),
      { numRuns: wholeOr(12, 3), endOnFailure: true },
    );
  });
});
