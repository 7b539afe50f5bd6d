// What a receipt will say, as it is kept with an outcome until it is signed: the people and the key
// by the gateway's own names, which no receipt has.

import type { ReceiptClaims, ReceiptReviewer, ReplyDigests, RequestDigests } from "./claims.ts";

export type ReceiptFacts = Pick<ReceiptClaims, "method" | "name" | "key" | "policy" | "mode" | "decision" | "edited" | "tool"> & {
  readonly run: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly server: string;
  readonly reviewers: readonly ReviewerFacts[];
  readonly request: Omit<RequestDigests, "raw">;
  readonly reply: Pick<ReplyDigests, "shown">;
};

/** `at`: Unix milliseconds. */
export type ReviewerFacts = Omit<ReceiptReviewer, "id"> & { readonly name: string };
