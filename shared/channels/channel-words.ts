// What is said of a channel itself, in one language: to operators on the console, and to a reviewer
// who was sent a new link.

import type { NoticeError } from "../notice-channels.ts";

export type ChannelWords = {
  /** In a sentence. */
  readonly name: string;
  /** How a new link was sent: after "It was sent". */
  readonly sentBy: string;
  /** What takes a message, at the beginning of a sentence. */
  readonly taker: string;
  /** That it took a test message, and what to look at. */
  readonly accepted: string;
  /** Where it has a better answer to a failed test than the one for all: channel-test.ts. */
  readonly failed?: { readonly [Error in NoticeError]?: string };
};

/** Of a channel that needs an address: the field for it in the console's form of a reviewer. */
export type WithAddress = ChannelWords & { readonly address: { readonly label: string; readonly hint: string } };
