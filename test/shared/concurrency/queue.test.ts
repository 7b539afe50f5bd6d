// The queue before a model, against a plain model of the rule and over arbitrary histories.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ConcurrencyQueue,
  type QueueLimits,
  type Newcomer,
  type QueueEntry,
  acquire,
  lapsed,
  release,
} from "../../../shared/concurrency/queue.ts";
import { priorities } from "../../../shared/model/call.ts";

const emptyQueue: ConcurrencyQueue = { holders: [], waiting: [] };

const limits: QueueLimits = { concurrency: 2, queue: 10, promoteAfterMs: 10_000 };
const never = 1_000_000_000;
const come = (queue: ConcurrencyQueue, ticket: string, more: Partial<Newcomer> = {}, now = 0, its = limits) =>
  acquire(queue, { ticket, priority: "normal", until: never, hasSlot: false, ...more }, its, now);
const tickets = (entries: readonly QueueEntry[]): string[] => entries.map(({ ticket }) => ticket);
const go = (queue: ConcurrencyQueue, ticket: string, now = 0, its = limits) => release(queue, new Set([ticket]), its, now);

/** A lane of two that is full, with these waiting, all come at once. */
function full(...waiting: readonly (readonly [string, QueueEntry["priority"]])[]): ConcurrencyQueue {
  const held = come(come(emptyQueue, "h1").queue, "h2").queue;
  return waiting.reduce((queue, [ticket, priority]) => come(queue, ticket, { priority }).queue, held);
}

describe("a lane of two", () => {
  test("lets two in, has others wait, and gives a place that comes free to the next", () => {
    const first = come(emptyQueue, "a");
    const second = come(first.queue, "b");
    const third = come(second.queue, "c");
    expect([first.state, second.state, third.state]).toEqual(["granted", "granted", "waiting"]);
    const step = go(third.queue, "a");
    expect(tickets(step.granted)).toEqual(["c"]);
    expect(tickets(step.queue.holders)).toEqual(["b", "c"]);
  });

  test("serves high before normal before low, and in each who came first", () => {
    let queue = full(["l1", "low"], ["n1", "normal"], ["h3", "high"], ["l2", "low"], ["n2", "normal"], ["h4", "high"]);
    const order: string[] = [];
    for (const ticket of ["h1", "h3", "h4", "n1", "n2", "l1"]) {
      const step = go(queue, ticket);
      order.push(...tickets(step.granted));
      ({ queue } = step);
    }
    expect(order).toEqual(["h3", "h4", "n1", "n2", "l1", "l2"]);
  });

  test("serves first whoever has waited for more than the bound; exactly at the bound not yet", () => {
    const queue = full(["l", "low"], ["h", "high"]);
    expect(tickets(go(queue, "h1", 10_000).granted)).toEqual(["h"]);
    expect(tickets(go(queue, "h1", 10_001).granted)).toEqual(["l"]);
  });

  test("refuses exactly when as many wait as may, and pushes nobody out for a higher priority", () => {
    const two = { ...limits, queue: 2 };
    const queue = full(["a", "low"], ["b", "low"]);
    expect(come(queue, "c", { priority: "high" }, 0, two)).toMatchObject({ state: "full", queue });
    const freed = go(queue, "b", 0, two).queue;
    expect(come(freed, "c", {}, 0, two).state).toBe("waiting");
  });

  test("lets nobody wait where the queue is 0, and still lets in whom there is room for", () => {
    const none = { ...limits, queue: 0 };
    const queue = come(come(emptyQueue, "a", {}, 0, none).queue, "b", {}, 0, none).queue;
    expect(come(queue, "c", {}, 0, none).state).toBe("full");
  });

  test("keeps the place and the arrival of whoever comes back with its ticket", () => {
    const queue = full(["a", "normal"], ["b", "normal"]);
    const back = come(queue, "a", {}, 5_000);
    expect(back).toMatchObject({ state: "waiting", queue });
    expect(come(queue, "h1", {}, 5_000)).toMatchObject({ state: "granted", queue });
    expect(tickets(go(back.queue, "h1", 5_000).granted)).toEqual(["a"]);
  });

  test("counts a caller whose place was lost while its call went on, and lets nobody in until there is room again", () => {
    const queue = come(full(["w", "normal"]), "lost", { hasSlot: true }).queue;
    expect(tickets(queue.holders)).toEqual(["h1", "h2", "lost"]);
    const one = go(queue, "h1");
    expect(one.granted).toEqual([]);
    expect(tickets(go(one.queue, "h2").granted)).toEqual(["w"]);
  });

  test("gives places at once where the limit has risen, in order, and takes none away where it has sunk", () => {
    const queue = full(["l", "low"], ["h", "high"], ["n", "normal"]);
    const risen = come(queue, "new", {}, 0, { ...limits, concurrency: 4 });
    expect(tickets(risen.granted)).toEqual(["h", "n"]);
    expect(risen.state).toBe("waiting");
    const sunk = { ...limits, concurrency: 1 };
    const after = come(queue, "new", {}, 0, sunk).queue;
    expect(tickets(after.holders)).toEqual(["h1", "h2"]);
    expect(go(after, "h1", 0, sunk).granted).toEqual([]);
  });

  test("knows whose time is over, exactly at the end too", () => {
    const queue = come(come(emptyQueue, "a", { until: 5 }).queue, "b", { until: 6 }).queue;
    expect([lapsed(queue, 4), lapsed(queue, 5), lapsed(queue, 6)]).toEqual([[], ["a"], ["a", "b"]]);
  });
});

type Deed =
  | { readonly do: "enter"; readonly ticket: number; readonly priority: QueueEntry["priority"]; readonly forMs: number }
  /** One of those who are in the lane. */
  | { readonly do: "leave"; readonly which: number }
  | { readonly do: "lapse" }
  | { readonly do: "limit"; readonly concurrency: number; readonly queue: number };

const ticket = fc.integer({ min: 0, max: 25 });
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("enter" as const),
      ticket,
      priority: fc.constantFrom(...priorities),
      forMs: fc.integer({ min: 1, max: 60_000 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("leave" as const), which: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lapse" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("limit" as const), concurrency: fc.integer({ min: 1, max: 4 }), queue: fc.nat({ max: 6 }) }),
  },
);
const history = fc.array(fc.tuple(deed, fc.nat({ max: 4_000 })), { maxLength: 120, size: "max" });

type Seen = {
  readonly before: ConcurrencyQueue;
  readonly after: ConcurrencyQueue;
  readonly limits: QueueLimits;
  readonly now: number;
  readonly deed: Deed;
  readonly gone: readonly string[];
  readonly granted: readonly QueueEntry[];
  readonly state: string | null;
};

/** Plays a history, and shows each step to `look`. */
function play(deeds: readonly (readonly [Deed, number])[], look: (seen: Seen) => void): void {
  let queue = emptyQueue;
  let its: QueueLimits = { concurrency: 2, queue: 4, promoteAfterMs: 10_000 };
  let now = 0;
  for (const [each, pause] of deeds) {
    now += pause;
    const before = queue;
    let granted: readonly QueueEntry[] = [];
    let state: string | null = null;
    let gone: readonly string[] = [];
    if (each.do === "limit") its = { concurrency: each.concurrency, queue: each.queue, promoteAfterMs: its.promoteAfterMs };
    else if (each.do === "enter") {
      const { priority } = each;
      ({ queue, granted, state } = acquire(
        queue,
        { ticket: `t${each.ticket}`, priority, hasSlot: false, until: now + each.forMs },
        its,
        now,
      ));
    } else {
      const all = tickets([...queue.holders, ...queue.waiting]);
      gone = each.do === "leave" ? all.slice(each.which % (all.length + 1)).slice(0, 1) : lapsed(queue, now);
      ({ queue, granted } = release(queue, new Set(gone), its, now));
    }
    look({ before, after: queue, limits: its, now, deed: each, gone, granted, state });
  }
}

/** The rule as the routing table's document puts it, by sorting everybody who waits. */
const inOrder = (waiting: readonly QueueEntry[], now: number, { promoteAfterMs }: QueueLimits): QueueEntry[] =>
  waiting.toSorted((a, b) => {
    const [promotedA, promotedB] = [a, b].map(({ arrivedAt }) => now - arrivedAt > promoteAfterMs);
    if (promotedA !== promotedB) return promotedA === true ? -1 : 1;
    const rank = promotedA === true ? 0 : priorities.indexOf(a.priority) - priorities.indexOf(b.priority);
    return rank === 0 ? a.arrival - b.arrival : rank;
  });

describe("over any history", () => {
  const always = (look: (seen: Seen) => void): void => fc.assert(fc.property(history, (deeds) => play(deeds, look)));

  test("nobody is let in while as many hold a place as may, and no place is free while somebody waits", () =>
    always(({ before, after, limits: its, deed: each }) => {
      expect(after.holders.length).toBeLessThanOrEqual(Math.max(its.concurrency, before.holders.length));
      if (each.do !== "limit" && after.waiting.length > 0) expect(after.holders.length).toBeGreaterThanOrEqual(its.concurrency);
    }));

  test("nobody is in the lane twice, and those who wait stand by arrival", () =>
    always(({ after }) => {
      const all = [...after.holders, ...after.waiting];
      expect(new Set(tickets(all)).size).toBe(all.length);
      expect(after.waiting).toEqual(after.waiting.toSorted((a, b) => a.arrival - b.arrival));
    }));

  test("who is let in is who is first by the rule", () =>
    always(({ before, limits: its, now, gone, granted }) => {
      const stayed = before.waiting.filter((each) => !gone.includes(each.ticket));
      expect(granted).toEqual(inOrder(stayed, now, its).slice(0, granted.length));
    }));

  test("who goes takes its own place and no other, and nobody else is lost", () =>
    always(({ before, after, deed: each, gone, state }) => {
      const names = (queue: ConcurrencyQueue): string[] => tickets([...queue.holders, ...queue.waiting]).toSorted();
      const come = each.do === "enter" && state !== "full" ? [`t${each.ticket}`] : [];
      expect(names(after)).toEqual([...new Set([...names(before).filter((name) => !gone.includes(name)), ...come])].toSorted());
    }));

  test("somebody new is refused exactly when no place is free and the queue is full", () =>
    always(({ before, limits: its, deed: each, granted, state }) => {
      if (each.do !== "enter") return;
      const known = tickets([...before.holders, ...before.waiting]).includes(`t${each.ticket}`);
      const noRoom = before.holders.length + granted.length >= its.concurrency && before.waiting.length - granted.length >= its.queue;
      expect(state === "full").toBe(!known && noRoom);
    }));

  test("once somebody has waited too long, nobody who came later is let in before it", () =>
    always(({ after, limits: its, now, granted }) => {
      const tooLong = after.waiting.filter(({ arrivedAt }) => now - arrivedAt > its.promoteAfterMs);
      for (const each of tooLong) for (const one of granted) expect(one.arrival).toBeLessThan(each.arrival);
    }));

  test("histories reach what they are to show: full lanes, promotions and refusals", () => {
    const reached = { full: 0, promoted: 0, granted: 0 };
    fc.assert(
      fc.property(history, (deeds) =>
        play(deeds, ({ state, granted, now, limits: its, before }) => {
          if (state === "full") reached.full += 1;
          reached.granted += granted.length;
          const other = before.waiting.some(({ priority }) => priority === "high");
          if (granted.some(({ priority, arrivedAt }) => priority === "low" && now - arrivedAt > its.promoteAfterMs && other))
            reached.promoted += 1;
        }),
      ),
      { seed: 5, numRuns: 200 },
    );
    for (const count of Object.values(reached)) expect(count).toBeGreaterThan(5);
  });
});
