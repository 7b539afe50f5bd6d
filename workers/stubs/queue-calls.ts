// What may be asked of a ConcurrencyQueueObject, and the values of those calls. It imports no
// object.

import type { QueueLimits, Newcomer } from "../../shared/concurrency/queue.ts";

/** The header of a caller's upgrade that has its JSON of `SlotRequest`. */
export const askHeader = "X-Countersign-Place";

export type SlotRequest = Newcomer & {
  /** From 1, one more with each socket: a lower number is an older socket, and no longer counts. */
  readonly attempt: number;
  readonly limits: QueueLimits;
  /**
   * The version of the routing table that has the limits; 0: of no known table. The limits of the
   * newest table count for every caller.
   */
  readonly version: number;
};

/**
 * How the upgrade is answered: 101 with this header, or 503 where the queue is full. `granted` may
 * also come later, as a message.
 */
export const slotHeader = "X-Countersign-Slot";

export const grantedWord = "granted";

export const waitingWord = "waiting";

export const fullStatus = 503;

/**
 * A caller's only message, sent at once: it confirms the socket. An upgrade whose answer never
 * reached the caller breaks no socket.
 */
export const hereWord = "here";

/** It has no method: a caller's WebSocket is all that it accepts. */
export interface QueueCalls extends Rpc.DurableObjectBranded {}
