// The lane before a model: how many calls of it may be under way, who waits, and who is next.
//
// No clock, no storage: `now` is passed in, and places change only by the functions here.

import { priorities, type Priority } from "../model/call.ts";

/** From the routing table. A later table may change them between two calls: nobody who is in the lane loses anything by it. */
export type QueueLimits = {
  /** How many may hold a place at once: from 1. */
  readonly concurrency: number;
  /** How many may wait: from 0. */
  readonly queue: number;
  /** Whoever has waited longer than this goes before everybody who came later, whatever the priorities. */
  readonly promoteAfterMs: number;
};

export type Slot = {
  /** Names the caller: the same one comes back with the same ticket. */
  readonly ticket: string;
  readonly priority: Priority;
  /** Ascending: the order of arrival, also within one millisecond. */
  readonly arrival: number;
  /** Unix milliseconds. */
  readonly arrivedAt: number;
  /** Unix milliseconds: the place lapses then, whoever is silent. */
  readonly until: number;
};

export type ConcurrencyQueue = {
  readonly holders: readonly Slot[];
  /** By arrival. */
  readonly waiting: readonly Slot[];
};

export type Newcomer = Pick<Slot, "ticket" | "priority" | "until"> & {
  /** It was told before that it holds a place, and its call is under way. */
  readonly hasSlot: boolean;
};

/** `granted`: those who waited and hold a place from now on. */
export type Step = { readonly queue: ConcurrencyQueue; readonly granted: readonly Slot[] };

/**
 * Lets somebody in, queues them, or says that the queue is full. Who is in the lane already keeps place and arrival. Of
 * those who are not, one that `holds` was lost while its call went on: it is counted at once, over the limit where need be,
 * so that nobody else is let in until as many calls as are allowed are left. Nobody is pushed out for a higher priority.
 */
export function acquire(
  before: ConcurrencyQueue,
  { hasSlot, ...newcomer }: Newcomer,
  limits: QueueLimits,
  now: number,
): Step & { readonly standing: "granted" | "waiting" | "full" } {
  const { queue, granted } = grant(before, limits, now);
  const isSame = ({ ticket }: Slot): boolean => ticket === newcomer.ticket;
  if (queue.holders.some(isSame)) return { queue, granted, standing: "granted" };
  if (hasSlot) {
    const slot = queue.waiting.find(isSame) ?? { ...newcomer, arrival: nextArrival(queue), arrivedAt: now };
    return { queue: { holders: [...queue.holders, slot], waiting: without(queue.waiting, isSame) }, granted, standing: "granted" };
  }
  if (queue.waiting.some(isSame)) return { queue, granted, standing: "waiting" };
  const slot = { ...newcomer, arrival: nextArrival(queue), arrivedAt: now };
  if (queue.holders.length < limits.concurrency) {
    return { queue: { ...queue, holders: [...queue.holders, slot] }, granted, standing: "granted" };
  }
  if (queue.waiting.length >= limits.queue) return { queue, granted, standing: "full" };
  return { queue: { ...queue, waiting: [...queue.waiting, slot] }, granted, standing: "waiting" };
}

/** Takes these out of the lane, wherever in it they are, and gives what comes free to those who are next. */
export function release(queue: ConcurrencyQueue, tickets: ReadonlySet<string>, limits: QueueLimits, now: number): Step {
  const isGone = ({ ticket }: Slot): boolean => tickets.has(ticket);
  return grant({ holders: without(queue.holders, isGone), waiting: without(queue.waiting, isGone) }, limits, now);
}

/** The tickets whose time is over. */
export const lapsed = ({ holders, waiting }: ConcurrencyQueue, now: number): string[] =>
  [...holders, ...waiting].filter(({ until }) => until <= now).map(({ ticket }) => ticket);

/** Gives every free place to whoever is next. More than `concurrency` hold one only where a lower limit found them so. */
function grant(before: ConcurrencyQueue, limits: QueueLimits, now: number): Step {
  const granted: Slot[] = [];
  let { waiting } = before;
  for (let free = limits.concurrency - before.holders.length; free > 0; free -= 1) {
    const chosen = nextOf(waiting, limits, now);
    if (chosen === undefined) break;
    granted.push(chosen);
    waiting = without(waiting, (each) => each === chosen);
  }
  return granted.length === 0 ? { queue: before, granted } : { queue: { holders: [...before.holders, ...granted], waiting }, granted };
}

/**
 * The one who has waited longest, once that is too long; before that high, normal, low, and in each who came first. So from
 * the moment that somebody has waited too long only those who came earlier go before it: at most a queue of them.
 */
function nextOf(waiting: readonly Slot[], { promoteAfterMs }: QueueLimits, now: number): Slot | undefined {
  const [oldest] = waiting;
  if (oldest === undefined || now - oldest.arrivedAt > promoteAfterMs) return oldest;
  for (const priority of priorities) {
    const first = waiting.find((each) => each.priority === priority);
    if (first !== undefined) return first;
  }
  return oldest;
}

const nextArrival = ({ holders, waiting }: ConcurrencyQueue): number =>
  [...holders, ...waiting].reduce((most, { arrival }) => Math.max(most, arrival), 0) + 1;

const without = (places: readonly Slot[], isGone: (slot: Slot) => boolean): readonly Slot[] =>
  places.some(isGone) ? places.filter((slot) => !isGone(slot)) : places;
