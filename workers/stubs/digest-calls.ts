// What may be asked of a DigestObject, and the values of those calls. It imports no object.

import type { Channel, NoticeError } from "../channels/channel.ts";

export type TurnInput = {
  readonly channel: Channel["name"];
  /** The same for every attempt at one notice. */
  readonly id: string;
  readonly run: string;
  /** The id of the reviewer's link. */
  readonly link: string;
  /** Unix milliseconds. */
  readonly deadlineAt: number;
};

export type Turn =
  /** It may be sent by itself. */
  | { readonly kind: "now" }
  /** It is to be told of with others: ask again then. */
  | { readonly kind: "wait"; readonly afterMs: number }
  /** It was told of with others, or could not be. */
  | { readonly kind: "told"; readonly fault: NoticeError | null };

export interface DigestCalls extends Rpc.DurableObjectBranded {
  /** Whether a notice may go out by itself. What this says is committed; asking again is asked once. */
  turn(input: TurnInput): Turn;
  /** For what is said once or not at all: whether one more message may go out now, which is counted then. */
  mayPass(): boolean;
}
