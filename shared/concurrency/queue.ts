// The lane before a model: how many calls of it may be under way, who waits, and who is next.
//
// No clock, no storage: `now` is passed in, and places change only by the functions here.

import { priorities, type Priority } from "../model/call.ts";

/** From the routing table. A later table may change them between two calls: nobody who is in the lane loses anything by it. */
export type LaneLimits = {
  /** How many may hold a place at once: from 1. */
  readonly concurrency: number;
  /** How many may wait: from 0. */
  readonly queue: number;
  /** Whoever has waited longer than this goes before everybody who came later, whatever the priorities. */
  readonly promoteAfterMs: number;
};

export type Place = {
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

export type Lane = {
  readonly holders: readonly Place[];
  /** By arrival. */
  readonly waiting: readonly Place[];
};

export type Newcomer = Pick<Place, "ticket" | "priority" | "until"> & {
  /** It was told before that it holds a place, and its call is under way. */
  readonly holds: boolean;
};

/** `granted`: those who waited and hold a place from now on. */
export type Step = { readonly lane: Lane; readonly granted: readonly Place[] };

/**
 * Lets somebody in, queues them, or says that the queue is full. Who is in the lane already keeps place and arrival. Of
 * those who are not, one that `holds` was lost while its call went on: it is counted at once, over the limit where need be,
 * so that nobody else is let in until as many calls as are allowed are left. Nobody is pushed out for a higher priority.
 */
export function enter(
  before: Lane,
  { holds, ...newcomer }: Newcomer,
  limits: LaneLimits,
  now: number,
): Step & { readonly standing: "granted" | "waiting" | "full" } {
  const { lane, granted } = grant(before, limits, now);
  const isSame = ({ ticket }: Place): boolean => ticket === newcomer.ticket;
  if (lane.holders.some(isSame)) return { lane, granted, standing: "granted" };
  if (holds) {
    const place = lane.waiting.find(isSame) ?? { ...newcomer, arrival: nextArrival(lane), arrivedAt: now };
    return { lane: { holders: [...lane.holders, place], waiting: without(lane.waiting, isSame) }, granted, standing: "granted" };
  }
  if (lane.waiting.some(isSame)) return { lane, granted, standing: "waiting" };
  const place = { ...newcomer, arrival: nextArrival(lane), arrivedAt: now };
  if (lane.holders.length < limits.concurrency) {
    return { lane: { ...lane, holders: [...lane.holders, place] }, granted, standing: "granted" };
  }
  if (lane.waiting.length >= limits.queue) return { lane, granted, standing: "full" };
  return { lane: { ...lane, waiting: [...lane.waiting, place] }, granted, standing: "waiting" };
}

/** Takes these out of the lane, wherever in it they are, and gives what comes free to those who are next. */
export function leave(lane: Lane, tickets: ReadonlySet<string>, limits: LaneLimits, now: number): Step {
  const isGone = ({ ticket }: Place): boolean => tickets.has(ticket);
  return grant({ holders: without(lane.holders, isGone), waiting: without(lane.waiting, isGone) }, limits, now);
}

/** The tickets whose time is over. */
export const lapsed = ({ holders, waiting }: Lane, now: number): string[] =>
  [...holders, ...waiting].filter(({ until }) => until <= now).map(({ ticket }) => ticket);

/** Gives every free place to whoever is next. More than `concurrency` hold one only where a lower limit found them so. */
function grant(before: Lane, limits: LaneLimits, now: number): Step {
  const granted: Place[] = [];
  let { waiting } = before;
  for (let free = limits.concurrency - before.holders.length; free > 0; free -= 1) {
    const chosen = nextOf(waiting, limits, now);
    if (chosen === undefined) break;
    granted.push(chosen);
    waiting = without(waiting, (each) => each === chosen);
  }
  return granted.length === 0 ? { lane: before, granted } : { lane: { holders: [...before.holders, ...granted], waiting }, granted };
}

/**
 * The one who has waited longest, once that is too long; before that high, normal, low, and in each who came first. So from
 * the moment that somebody has waited too long only those who came earlier go before it: at most a queue of them.
 */
function nextOf(waiting: readonly Place[], { promoteAfterMs }: LaneLimits, now: number): Place | undefined {
  const [oldest] = waiting;
  if (oldest === undefined || now - oldest.arrivedAt > promoteAfterMs) return oldest;
  for (const priority of priorities) {
    const first = waiting.find((each) => each.priority === priority);
    if (first !== undefined) return first;
  }
  return oldest;
}

const nextArrival = ({ holders, waiting }: Lane): number =>
  [...holders, ...waiting].reduce((most, { arrival }) => Math.max(most, arrival), 0) + 1;

const without = (places: readonly Place[], isGone: (place: Place) => boolean): readonly Place[] =>
  places.some(isGone) ? places.filter((place) => !isGone(place)) : places;
