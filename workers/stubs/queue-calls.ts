// What may be asked of a ConcurrencyQueueObject, and the values of those calls. It imports no object.

import type { QueueLimits, Newcomer } from "../../shared/concurrency/queue.ts";

/** What a caller says of itself, in this header of its upgrade: JSON of `SlotRequest`. */
export const askHeader = "X-Countersign-Place";

export type SlotRequest = Newcomer & {
  /** From 1, one more with each socket: an earlier one says nothing of the place any more. */
  readonly attempt: number;
  readonly limits: QueueLimits;
  /** Of the routing table that has the limits. Those of the newest one count, whoever brought them; 0 is of no known table. */
  readonly version: number;
};

/** How the upgrade is answered: 101 with this header, or 503 where the queue is full. `granted` may also come later, as a message. */
export const standingHeader = "X-Countersign-Standing";

export const grantedWord = "granted";

export const waitingWord = "waiting";

export const fullStatus = 503;

/** The only thing that a caller says on its socket, and says at once: that it has it. An answer that nobody took breaks no socket. */
export const hereWord = "here";

/** A caller's socket is all that is asked of it. */
export interface QueueCalls extends Rpc.DurableObjectBranded {}
