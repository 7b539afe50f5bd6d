// What a receipt will say, as it is kept with an outcome until it is signed: the people and the key
// by the gateway's own names, which no receipt has.

import type { ReceiptAmr, ReceiptDecision, ReceiptMode } from "./claims.ts";

export type ReceiptFacts = {
  readonly run: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly server: string;
  readonly method: string;
  readonly name: string;
  readonly key: string;
  readonly policy: { readonly rule: string; readonly version: number };
  readonly mode: ReceiptMode;
  readonly decision: ReceiptDecision;
  readonly edited: { readonly request: boolean; readonly reply: boolean };
  readonly reviewers: readonly ReviewerFacts[];
  readonly request: { readonly jcs?: string; readonly proposed?: string; readonly shown?: string };
  readonly reply: { readonly shown?: string };
  readonly tool?: string;
};

export type ReviewerFacts = {
  readonly name: string;
  readonly gate: string;
  readonly decision: "approved" | "denied";
  readonly at: number;
  readonly amr: ReceiptAmr;
};
