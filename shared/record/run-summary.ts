// The line of a request, from which lists and usage are made: what is in it, and how it is made on
// the fast and the durable path.

import type { JudgedSubject } from "../model/judged-request.ts";
import { type Attempt, type Tokens, type Usage, tokensOf } from "../model/call.ts";
import type { Gate } from "../model/gate.ts";
import { wasSent } from "../provider/provider-error.ts";
import type { Candidate } from "../routing/choose.ts";
import { costUsd } from "../routing/price.ts";
import type { Cause } from "./cause.ts";
import type { LineState } from "./record.ts";
import type { RequestUse } from "./request-use.ts";

/** A review of a request that has ended: `ms` from its opening to its end. */
export type ReviewTime = {
  readonly gate: Gate;
  readonly how: "approved" | "denied" | "expired" | "cancelled" | "undeliverable";
  readonly ms: number;
};

/** What people had to do with a request, over both gates. */
export type ReviewLine = {
  /** Who was asked; of more than sixteen people the first. */
  readonly people: readonly string[];
  /** Who approved or denied, each once. */
  readonly by: readonly string[];
  /** Of the gate that is open, or was open last: how many approved, and how many have to. */
  readonly votes: number;
  readonly quorum: number;
  /** How often what was asked or answered was changed. */
  readonly edits: number;
  /** When that gate opened, in Unix milliseconds. */
  readonly askedAt: number;
  /** For how many milliseconds the gates that are closed were open. */
  readonly waitedMs: number;
};

/** One line for each request, from which lists and usage are made. */
export type RunSummary = {
  readonly run: string;
  readonly key: string;
  /** Null where it could not be read from a refused request. */
  readonly server: string | null;
  readonly name: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
  readonly state: LineState;
  /** Why there is no reply; null while the request is open, and where there is one. */
  readonly cause: Cause | null;
  /**
   * The one that answered; of a failure, the one that was asked first; null where none was asked.
   */
  readonly model: string | null;
  readonly costUsd: number;
  /** The policy's rule; absent where the request was refused before. */
  readonly rule?: string;
  /** Absent where nobody was asked. */
  readonly review?: ReviewLine;
  /**
   * What it used of the protocol; absent in lines of requests that were refused unread or are no
   * sampling.
   */
  readonly use?: RequestUse;
  /** It is about a tool's call: `name` is the tool. */
  readonly call?: true;
  /** The reviews that have closed, of each gate at most one. */
  readonly reviews: readonly ReviewTime[];
  /** While a review is open: when it expires, in Unix milliseconds. */
  readonly deadlineAt?: number;
} & Tokens;

/** The request, as it is known from its beginning. */
type Begun = {
  readonly id: string;
  readonly key: { readonly id: string };
  readonly requestor: { readonly server: string; readonly name: string };
  readonly createdAt: number;
  readonly gatePolicy: { readonly rule: string };
  readonly judged: { readonly subject: JudgedSubject };
  readonly use: RequestUse;
};

/** What became of it by now. */
type Progress = Pick<RunSummary, "endedAt" | "state" | "cause" | "review" | "reviews" | "deadlineAt"> & {
  /** The model's reply; null where none came. `candidate`: where the price is known. */
  readonly answered: { readonly model: string; readonly candidate: Candidate | undefined; readonly usage: Usage } | null;
  readonly attempts: readonly Attempt[];
};

/** Where no model was called, and nobody was asked. */
export const uncalled = { model: null, inputTokens: 0, outputTokens: 0, costUsd: 0, reviews: [] } as const;

/**
 * The line. Of a request that no model answered it has the model that was asked first, if anything
 * was sent.
 */
export function runSummary(
  { id, key, requestor, createdAt, gatePolicy, judged, use }: Begun,
  { answered, attempts, ...progress }: Progress,
): RunSummary {
  const called =
    answered === null
      ? { ...uncalled, model: attempts.find(wasSent)?.model ?? null }
      : {
          ...tokensOf(answered.usage),
          model: answered.model,
          costUsd: answered.candidate === undefined ? 0 : costUsd(answered.candidate, answered.usage),
        };
  return {
    run: id,
    key: key.id,
    server: requestor.server,
    name: requestor.name,
    createdAt,
    rule: gatePolicy.rule,
    use,
    ...(judged.subject === "toolCall" || judged.subject === "function" ? { call: true } : {}),
    ...called,
    ...progress,
  };
}
