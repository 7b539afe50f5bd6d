// Calls the candidates in order until one replies: retries with backoff and jitter, a total
// timeout, failover.
//
// It never calls a model after a reply, nor one that is not in the list.

import { err, ok, type Result } from "../../shared/result.ts";
import type { Attempt, ModelReply, Priority, ProviderError, Took, Usage } from "../../shared/model/call.ts";
import type { EmbeddingReply } from "../../shared/provider/embedding.ts";
import { badCallError, cancelledError, connectionError, queueError, outOfTimeError } from "../../shared/provider/provider-error.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { TraceContext } from "../../shared/telemetry/trace-context.ts";
import type { SlowTimer } from "../platform/slow-timer.ts";
import type { Limits } from "./provider-exchange.ts";
import type { Slot, SlotRefusal, SlotTerms } from "./slot.ts";
import type { OnDelta, Surroundings, Texts } from "./provider-adapter.ts";
import { openProviders } from "./provider-registry.ts";
import type { ChatRequest } from "../../shared/model/sampling.ts";

export type SendOptions = {
  /** For all attempts and the waits between them. */
  readonly totalTimeoutMs: number;
  /**
   * For one attempt, from its start to the last byte of the answer, or to the first delta of a
   * stream.
   */
  readonly attemptTimeoutMs: number;
  readonly maxAttemptsPerCandidate: number;
  /** One attempt at the first candidate, and no other. */
  readonly once?: true;
  /** In the queue before a model at its limit: normal where absent. */
  readonly priority?: Priority;
  /**
   * The caller no longer wants an answer: the attempt under way is aborted, and no other is made.
   */
  readonly signal?: AbortSignal;
  /**
   * The caller has left: it waits in no queue, but the attempt under way goes on, because it is
   * paid for and its answer is kept.
   */
  readonly left?: AbortSignal;
  /** Of the work that the first attempt begins. */
  readonly slow?: SlowTimer;
  /** Asked before each attempt; without it any may be sent. */
  readonly permit?: Permit;
  /**
   * No caller may have an answer any more: no queue and no new attempt; the one under way goes on,
   * so that its cost is known.
   */
  readonly over?: AbortSignal;
  /**
   * The place in a trace that is passed on with the attempt of this number, from 1 through all
   * candidates; without it none is.
   */
  readonly traceOf?: (attempt: number) => TraceContext | null;
};

/**
 * Whether an attempt at this candidate may be sent: at once where that is known. It never rejects.
 */
export type Permit = (candidate: Candidate) => Permitted | Promise<Permitted>;
export type Permitted = Result<Attempting, ProviderError>;
/** `settle` is called once, when the attempt is over. */
type Attempting = { readonly settle: (answer: Result<Usage, ProviderError>) => void };

/** `attempts`: those that failed. `took`: of the one that did not. */
type ProviderAnswer<T> = {
  readonly value: T;
  readonly candidate: Candidate;
  readonly attempts: readonly Attempt[];
  readonly took: Took;
};
type AllFailed = { readonly kind: "allFailed"; readonly attempts: readonly Attempt[] };

export type Sender = {
  /**
   * The first reply, with the candidate that gave it and the attempts that failed before it; or
   * every attempt that failed. `onDelta` gets the reply's text in pieces while it comes; after the
   * first, no other candidate is called.
   */
  readonly send: (
    request: ChatRequest,
    candidates: readonly Candidate[],
    options: SendOptions,
    onDelta?: OnDelta,
  ) => Promise<Result<Omit<ProviderAnswer<never>, "value"> & { modelReply: ModelReply }, AllFailed>>;
  /** The same for one vector for each text. */
  readonly embed: (
    texts: Texts,
    candidates: readonly Candidate[],
    options: SendOptions,
  ) => Promise<Result<Omit<ProviderAnswer<never>, "value"> & { embedding: EmbeddingReply }, AllFailed>>;
};

/**
 * The outside world, passed in. `random`: from 0 to below 1. `lookup` reads a secret or variable of
 * the environment.
 */
type World = {
  readonly lookup: (name: string) => string | undefined;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly random: () => number;
  /**
   * A slot among the calls that a model may have under way at once; without it no model has a
   * limit.
   */
  readonly acquireSlot?: (candidate: Candidate, terms: SlotTerms) => Promise<Result<Slot, SlotRefusal>>;
};

export function createSender(world: World): Sender {
  const providers = openProviders(world.fetch);
  const around: Surroundings = { lookup: world.lookup, now: world.now };
  return {
    send: async (request, candidates, options, onDelta) => {
      const sent = await failover(world, candidates, options, async (candidate, limits) => {
        const { reply } = providers(candidate.provider.kind);
        return reply === null ? err(badCallError) : reply({ request, candidate }, around, limits, onDelta);
      });
      if (!sent.ok) return sent;
      const { value: modelReply, ...about } = sent.value;
      return ok({ modelReply, ...about });
    },
    embed: async (texts, candidates, options) => {
      const sent = await failover(world, candidates, options, async (candidate, limits) => {
        const { embed } = providers(candidate.provider.kind);
        return embed === null ? err(badCallError) : embed({ ...texts, candidate }, around, limits);
      });
      if (!sent.ok) return sent;
      const { value: embedding, ...about } = sent.value;
      return ok({ embedding, ...about });
    },
  };
}

/**
 * Asks one candidate once, where that is permitted. An attempt of which nobody knows the end is
 * settled as one whose answer is missing.
 */
async function attempt<T extends { readonly usage: Usage }>(
  candidate: Candidate,
  permit: Permit | undefined,
  ask: () => Promise<Result<T, ProviderError>>,
): Promise<Result<T, ProviderError>> {
  if (permit === undefined) return ask();
  const asked = permit(candidate);
  const permitted = asked instanceof Promise ? await asked : asked;
  if (!permitted.ok) return permitted;
  let answer: Result<T, ProviderError> = err(connectionError);
  try {
    answer = await ask();
    return answer;
  } finally {
    permitted.value.settle(answer.ok ? ok(answer.value.usage) : answer);
  }
}

async function failover<T extends { readonly usage: Usage }>(
  world: World,
  candidates: readonly Candidate[],
  options: SendOptions,
  ask: (candidate: Candidate, limits: Limits) => Promise<Result<T, ProviderError>>,
): Promise<Result<ProviderAnswer<T>, AllFailed>> {
  const end = world.now() + options.totalTimeoutMs;
  const asked = options.once ? candidates.slice(0, 1) : candidates;
  const mostAttempts = options.once ? 1 : options.maxAttemptsPerCandidate;
  const attempts: Attempt[] = [];
  let isFirst = true;
  const failed = (candidate: Candidate, at: number, error: ProviderError): void => {
    attempts.push({ model: candidate.model.id, provider: candidate.model.provider, at, durationMs: world.now() - at, fault: error });
  };
  for (const [position, candidate] of asked.entries()) {
    const others = position < asked.length - 1;
    const acquired = await acquireSlot(world, candidate, { end, others }, options);
    if (!acquired.ok) {
      failed(candidate, acquired.error.at, acquired.error.cause);
      if (acquired.error.cause.then === "stop") return err({ kind: "allFailed", attempts });
      continue;
    }
    try {
      for (let number = 1; number <= mostAttempts; number += 1) {
        const at = world.now();
        if (options.signal?.aborted === true || options.over?.aborted === true || at >= end) {
          failed(candidate, at, at >= end ? outOfTimeError : cancelledError);
          return err({ kind: "allFailed", attempts });
        }
        const timeoutMs = Math.min(options.attemptTimeoutMs, end - at);
        const slow = isFirst ? options.slow : undefined;
        const trace = options.traceOf?.(attempts.length + 1) ?? undefined;
        const answer = await attempt(candidate, options.permit, () =>
          ask(candidate, { timeoutMs, longestMs: end - at, signal: options.signal, slow, trace }),
        );
        isFirst = false;
        if (answer.ok) return ok({ value: answer.value, candidate, attempts, took: { at, durationMs: world.now() - at } });
        failed(candidate, at, answer.error);
        if (answer.error.then === "stop") return err({ kind: "allFailed", attempts });
        if (answer.error.then === "next" || number === mostAttempts) break;
        const wait = waitMs(number, answer.error.retryAfterMs, world.random());
        if (world.now() + wait >= end || (others && wait > longestWaitMs)) break;
        await world.sleep(wait);
      }
    } finally {
      acquired.value?.release();
    }
  }
  return err({ kind: "allFailed", attempts });
}

/** The candidate's slot; null where `world` has no queues, or the time is over already. */
async function acquireSlot(
  world: World,
  candidate: Candidate,
  { end, others }: { readonly end: number; readonly others: boolean },
  { attemptTimeoutMs, priority = "normal", signal, left, over }: SendOptions,
): Promise<Result<Slot | null, { readonly at: number; readonly cause: ProviderError }>> {
  const at = world.now();
  if (world.acquireSlot === undefined || at >= end) return ok(null);
  // A full queue, like a silent provider, must leave the next model time to answer.
  const waitUntil = others ? Math.min(end, at + attemptTimeoutMs) : end;
  const gone = [signal, left, over].filter((each) => each !== undefined);
  const acquired = await world.acquireSlot(candidate, { priority, waitUntil, until: end, gone });
  return acquired.ok ? acquired : err({ at, cause: queueError(acquired.error) });
}

/** A longer pause than this before a retry goes to the next candidate instead. */
const longestWaitMs = 10_000;
const firstWaitMs = 500;
const lastWaitMs = 8_000;

/**
 * The pause after the `number`th failed attempt. Full jitter up to a bound that doubles, so that
 * callers that failed together do not retry together. Where the provider named a time, that time
 * and a little more, never less.
 */
export function waitMs(number: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs + Math.floor(random * firstWaitMs);
  return Math.floor(random * Math.min(lastWaitMs, firstWaitMs * 2 ** (number - 1)));
}
