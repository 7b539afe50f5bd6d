// The calls of a DigestObject and their values. It imports no object.

import type { LinkChannel, NoticeError } from "../../shared/notice-channels.ts";

export type TurnInput = {
  readonly channel: LinkChannel;
  /** The same for every attempt at one notice. */
  readonly id: string;
  readonly run: string;
  /** The id of the reviewer's link. */
  readonly link: string;
  /** Unix milliseconds. */
  readonly deadlineAt: number;
};

export type Turn =
  /** The notice may be sent by itself. */
  | { readonly kind: "now" }
  /** It waits for a digest: ask again after `afterMs`. */
  | { readonly kind: "wait"; readonly afterMs: number }
  /** A digest had it; `error`: why that digest could not be sent. */
  | { readonly kind: "told"; readonly error: NoticeError | null };

export interface DigestCalls extends Rpc.DurableObjectBranded {
  /**
   * Whether a notice may go out by itself. The answer is committed, and the same for the same
   * notice.
   */
  turn(input: TurnInput): Turn;
  /** For a message that is sent at once or never: whether it may go out now; it is counted then. */
  mayPass(): boolean;
}
