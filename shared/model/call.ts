// The terms, the result and the errors of a call to a provider, the same for all. Each provider's
// files translate its own API to these.

import type { SamplingReply } from "./sampling.ts";

export type Tokens = {
  /**
   * All of the input: what was read from the provider's cache and what was written to it are parts
   * of it.
   */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Read from the provider's prompt cache, where it said that there were some. */
  readonly cachedInputTokens?: number;
  /** Written to the provider's prompt cache, where it said that there were some. */
  readonly cacheWriteTokens?: number;
};

/**
 * `estimated` where the provider did not say and the numbers are ours (four characters to a token).
 */
export type Usage = Tokens & { readonly estimated?: true };

/** The counts alone. */
export const tokensOf = ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Tokens): Tokens => ({
  inputTokens,
  outputTokens,
  ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }),
  ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
});

/** How the requestor wants a model to be called. */
export type CallTerms = {
  /**
   * For everything from the queue to the last byte: waiting for a slot, all attempts, the pauses
   * between them.
   */
  readonly timeoutMs?: number;
  /** One attempt at one candidate, and never again. */
  readonly once?: true;
  /** The priority in the queue of a model that is at its limit; absent: normal. */
  readonly priority?: Priority;
};

/** What an operator can stop: all sampling, that of one MCP server, or that of one API key. */
export type StopScope = "everything" | "server" | "key" | "tool";

export const priorities = ["high", "normal", "low"] as const;
export type Priority = (typeof priorities)[number];

/**
 * How the call differs from the request, or the reply from its terms, as the protocol allows. Shown
 * and recorded.
 */
export type Note =
  | {
      readonly kind: "omitted";
      readonly field: "temperature" | "topP" | "topK" | "stopSequences" | "metadata" | "toolChoice" | "responseFormat";
      readonly why: string;
    }
  | { readonly kind: "clamped"; readonly field: "temperature"; readonly from: number; readonly to: number }
  | { readonly kind: "overLimit"; readonly reportedTokens: number; readonly maxTokens: number; readonly cut: boolean }
  /**
   * The server asked for context, and the policy allows it: it is at the end of the system prompt.
   */
  | { readonly kind: "contextAdded"; readonly parts: readonly ("instructions" | "arguments")[]; readonly characters: number }
  /**
   * Members of a request under /v1 that no model gets: names of OpenAI's API, and `other` for any
   * that it does not have.
   */
  | { readonly kind: "notPassedOn"; readonly members: readonly string[] }
  /** The tool asked its caller for sampling, which a function call does not offer. */
  | { readonly kind: "toolNeedsSampling" };

export type ModelReply = { readonly reply: SamplingReply; readonly usage: Usage; readonly notes: readonly Note[] };

/** Why an answer cannot be used. */
export type AnswerFault =
  | "notJson"
  | "tooLarge"
  | "errorInSuccess"
  | "overLimit"
  | "toolArguments"
  | "empty"
  /** The requestor wanted JSON (that fits a schema), and the reply is something else. */
  | "replyNotJson"
  /** The stream ended before the reply was complete. */
  | "cutOff"
  /** A function's server asks its caller for more than arguments, or runs it only as a task. */
  | "asksForMore";

/**
 * Why an attempt at one candidate failed. `retry`: the same candidate may be asked again; `next`:
 * only the next one; `stop`: no other candidate would do better. Never carries content, keys, or a
 * provider's own free text.
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
    /** The model's queue is full, or no slot became free in time. */
    | "queueFull"
    | "queueTimeout"
    /** What is left of a budget is less than the call may cost. Nothing was sent. */
    | "overBudget"
    /** An operator stopped sampling. Nothing was sent. */
    | "stopped";
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly then: "retry" | "next" | "stop";
  /**
   * What the kind alone does not tell. `unverified`: whether it may be sent could not be found out,
   * which counts as no.
   */
  readonly detail?:
    | AnswerFault
    | "cancelled"
    | "outOfTime"
    | "redirected"
    | "notReady"
    /** A function may have run: it is not run again. */
    | "outcomeUnknown"
    | "unverified";
  /** With `overBudget`: the budget's name, and when it begins anew, in Unix milliseconds. */
  readonly budget?: { readonly name: string; readonly resetsAt: number };
  /** With `stopped`. */
  readonly stoppedBy?: StopScope;
  /**
   * Of a reply that is not delivered and may have to be paid: as the provider counted, or as far as
   * a stream came before it broke.
   */
  readonly usage?: Usage;
};

/** When an attempt began, in Unix milliseconds, and how long it took. */
export type Took = { readonly at: number; readonly durationMs: number };

export type Attempt = Took & {
  readonly model: string;
  readonly provider: string;
  readonly fault: ProviderError;
};
