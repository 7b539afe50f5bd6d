// Our neutral call to a provider, and what can come of it. Each provider's file translates this to its own words.

import type { SamplingReply } from "./sampling.ts";

/** Tokens. `estimated` where the provider did not say and the numbers are ours (four characters to a token). */
export type Usage = { readonly inputTokens: number; readonly outputTokens: number; readonly estimated?: true };

/** How a model is to be called where the requestor says it. */
export type CallTerms = {
  /** For everything from the queue to the last byte: waiting for a place, all attempts, the pauses between them. */
  readonly timeoutMs?: number;
  /** One attempt at one candidate, and never again. */
  readonly once?: true;
  /** The place in the queue of a model that is at its limit; absent: normal. */
  readonly priority?: Priority;
};

export const priorities = ["high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/** Things that a provider could not take as asked and that the protocol lets us leave out or change. Shown and recorded. */
export type Note =
  | {
      readonly kind: "omitted";
      readonly field: "temperature" | "topP" | "topK" | "stopSequences" | "metadata" | "toolChoice" | "responseFormat";
      readonly why: string;
    }
  | { readonly kind: "clamped"; readonly field: "temperature"; readonly from: number; readonly to: number }
  | { readonly kind: "overLimit"; readonly reportedTokens: number; readonly maxTokens: number; readonly cut: boolean }
  /** The server asked for context, and the policy lets it have some: it stands at the end of the system prompt. */
  | { readonly kind: "contextAdded"; readonly parts: readonly ("instructions" | "arguments")[]; readonly characters: number }
  /** The tool that ran wants a model's reply from its caller, and functions are run without one. */
  | { readonly kind: "toolNeedsSampling" };

export type ModelReply = { readonly reply: SamplingReply; readonly usage: Usage; readonly notes: readonly Note[] };

/**
 * Why an attempt at one candidate failed. `retry`: the same candidate may be asked again; `next`: only the next one;
 * `stop`: no other candidate would do better. Never carries content, keys, or a provider's own free text.
 */
export type ProviderError = {
  readonly kind:
    | "connection"
    | "timeout"
    | "rateLimited"
    | "overloaded"
    | "refusedCredential"
    | "badRequest"
    | "providerError"
    | "brokenAnswer"
    | "noCredential"
    /** The model's queue is full, or no place in it came free in time. */
    | "queueFull"
    | "queueTimeout";
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly then: "retry" | "next" | "stop";
  /** What the kind alone does not tell. */
  readonly detail?:
    | "cancelled"
    | "outOfTime"
    | "redirected"
    | "notReady"
    | "notJson"
    | "tooLarge"
    | "errorInSuccess"
    | "overLimit"
    | "toolArguments"
    | "empty"
    /** The requestor wanted JSON (that fits a schema), and the reply is none. */
    | "replyNotJson"
    /** A stream that ended without its end. */
    | "cutOff"
    /** A function may have been run: it is not run again. */
    | "outcomeUnknown"
    /** A function's server wants more of its caller than arguments, or runs it as a task alone. */
    | "asksForMore";
  /** Of an answer that is not delivered and may have to be paid for: what the provider counted, or what came of a stream before it broke. */
  readonly usage?: Usage;
};

export type Attempt = {
  readonly model: string;
  readonly provider: string;
  readonly at: number;
  readonly durationMs: number;
  readonly fault: ProviderError;
};
