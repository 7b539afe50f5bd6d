// The queue before a model: how many calls may run at once, which calls wait for a slot, and which
// is next.
//
// No clock, no storage: `now` is passed in, and only the functions here change a queue.

import { priorities, type Priority } from "../model/call.ts";

/**
 * From the routing table. A later table may change them between two calls: every entry keeps its
 * slot or its turn.
 */
export type QueueLimits = {
  /** How many calls may run at once: the number of slots, from 1. */
  readonly concurrency: number;
  /** How many calls may wait: from 0. */
  readonly queue: number;
  /**
   * A call that has waited longer than this goes before every later one, whatever their priorities.
   */
  readonly promoteAfterMs: number;
};

/** A call that has a slot, or waits for one. */
export type QueueEntry = {
  /** Names the call: its caller comes back with the same ticket. */
  readonly ticket: string;
  readonly priority: Priority;
  /** Ascending: the order of arrival, also within one millisecond. */
  readonly arrival: number;
  /** Unix milliseconds. */
  readonly arrivedAt: number;
  /** Unix milliseconds: the entry lapses then, also where its caller is silent. */
  readonly until: number;
};

export type ConcurrencyQueue = {
  /** The calls that have a slot. */
  readonly holders: readonly QueueEntry[];
  /** By arrival. */
  readonly waiting: readonly QueueEntry[];
};

export type Newcomer = Pick<QueueEntry, "ticket" | "priority" | "until"> & {
  /** Its caller was told before that it has a slot, and the call is running. */
  readonly hasSlot: boolean;
};

/** `granted`: the entries that waited and have a slot from now on. */
export type Step = { readonly queue: ConcurrencyQueue; readonly granted: readonly QueueEntry[] };

/**
 * Gives a call a slot, has it wait, or says that the queue is full. A call that has an entry keeps
 * its slot and its arrival. One that comes with `hasSlot` and without an entry was lost while it
 * ran: it is counted at once, over the limit where need be, so that no other call gets a slot until
 * the limit holds again. No call loses its slot to a higher priority.
 */
export function acquire(
  before: ConcurrencyQueue,
  { hasSlot, ...newcomer }: Newcomer,
  limits: QueueLimits,
  now: number,
): Step & { readonly state: "granted" | "waiting" | "full" } {
  const { queue, granted } = grant(before, limits, now);
  const isSame = ({ ticket }: QueueEntry): boolean => ticket === newcomer.ticket;
  if (queue.holders.some(isSame)) return { queue, granted, state: "granted" };
  if (hasSlot) {
    const entry = queue.waiting.find(isSame) ?? { ...newcomer, arrival: nextArrival(queue), arrivedAt: now };
    return { queue: { holders: [...queue.holders, entry], waiting: without(queue.waiting, isSame) }, granted, state: "granted" };
  }
  if (queue.waiting.some(isSame)) return { queue, granted, state: "waiting" };
  const entry = { ...newcomer, arrival: nextArrival(queue), arrivedAt: now };
  if (queue.holders.length < limits.concurrency) {
    return { queue: { ...queue, holders: [...queue.holders, entry] }, granted, state: "granted" };
  }
  if (queue.waiting.length >= limits.queue) return { queue, granted, state: "full" };
  return { queue: { ...queue, waiting: [...queue.waiting, entry] }, granted, state: "waiting" };
}

/** Removes these entries, running or waiting, and gives the free slots to the next calls. */
export function release(queue: ConcurrencyQueue, tickets: ReadonlySet<string>, limits: QueueLimits, now: number): Step {
  const isGone = ({ ticket }: QueueEntry): boolean => tickets.has(ticket);
  return grant({ holders: without(queue.holders, isGone), waiting: without(queue.waiting, isGone) }, limits, now);
}

/** The tickets whose time is over. */
export const lapsed = ({ holders, waiting }: ConcurrencyQueue, now: number): string[] =>
  [...holders, ...waiting].filter(({ until }) => until <= now).map(({ ticket }) => ticket);

/**
 * Gives every free slot to the next call. More than `concurrency` run only where a newer table
 * lowered it, or a lost call came back.
 */
function grant(before: ConcurrencyQueue, limits: QueueLimits, now: number): Step {
  const granted: QueueEntry[] = [];
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
 * The oldest call, once it has waited too long; before that the first of the highest priority. So
 * only earlier calls go before one that has waited too long: at most a queue of them.
 */
function nextOf(waiting: readonly QueueEntry[], { promoteAfterMs }: QueueLimits, now: number): QueueEntry | undefined {
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

const without = (entries: readonly QueueEntry[], isGone: (entry: QueueEntry) => boolean): readonly QueueEntry[] =>
  entries.some(isGone) ? entries.filter((entry) => !isGone(entry)) : entries;
