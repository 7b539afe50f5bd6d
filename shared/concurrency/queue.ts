// The queue before a model with limited concurrency: which calls have a slot, which wait, and which is next.
//
// No clock, no storage: `now` is passed in, and slots change only by the functions here.

import { priorities, type Priority } from "../model/call.ts";

/** From the routing table, which may change them between two calls: a caller in the queue keeps its slot and its arrival. */
export type QueueLimits = {
  /** How many calls may have a slot at once: from 1. */
  readonly concurrency: number;
  /** How many calls may wait: from 0. */
  readonly queue: number;
  /** A caller that has waited longer than this goes before all that came later, whatever the priorities. */
  readonly promoteAfterMs: number;
};

export type Slot = {
  /** Names the caller, which comes back with the same ticket. */
  readonly ticket: string;
  readonly priority: Priority;
  /** Ascending: the order of arrival, also within one millisecond. */
  readonly arrival: number;
  /** Unix milliseconds. */
  readonly arrivedAt: number;
  /** Unix milliseconds: when the slot lapses, released or not. */
  readonly until: number;
};

export type ConcurrencyQueue = {
  readonly holders: readonly Slot[];
  /** By arrival. */
  readonly waiting: readonly Slot[];
};

export type Newcomer = Pick<Slot, "ticket" | "priority" | "until"> & {
  /** It was granted a slot before, and its call is in progress. */
  readonly hasSlot: boolean;
};

/** `granted`: the waiting callers that have a slot from now on. */
export type Step = { readonly queue: ConcurrencyQueue; readonly granted: readonly Slot[] };

/**
 * Grants a slot, queues the newcomer, or says that the queue is full. A caller that is known already keeps its slot and its arrival. One
 * with `hasSlot` that is not known was lost while its call went on: it gets a slot at once, over the limit if need be, so that no other is
 * granted until the number of calls is below the limit again. A higher priority never displaces a caller.
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

/** Removes these callers, with a slot or waiting, and grants the free slots to those who are next. */
export function release(queue: ConcurrencyQueue, tickets: ReadonlySet<string>, limits: QueueLimits, now: number): Step {
  const isGone = ({ ticket }: Slot): boolean => tickets.has(ticket);
  return grant({ holders: without(queue.holders, isGone), waiting: without(queue.waiting, isGone) }, limits, now);
}

/** The tickets whose `until` has passed. */
export const lapsed = ({ holders, waiting }: ConcurrencyQueue, now: number): string[] =>
  [...holders, ...waiting].filter(({ until }) => until <= now).map(({ ticket }) => ticket);

/** Grants every free slot to the next waiting caller. More than `concurrency` have one only after a lower limit, or by `hasSlot`. */
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
 * The caller that has waited longest, once that is over `promoteAfterMs`; else by priority, and within one by arrival. So from that moment
 * only earlier callers go before it: at most a queue of them.
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

const without = (slots: readonly Slot[], isGone: (slot: Slot) => boolean): readonly Slot[] =>
  slots.some(isGone) ? slots.filter((slot) => !isGone(slot)) : slots;
