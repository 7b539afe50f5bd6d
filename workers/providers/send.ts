// Asks the candidates in their order until one answers: retries with backoff and jitter, a budget of time, failover.
//
// Never asks anybody again after a reply, and never leaves the list that it was given.

import { err, ok, type Result } from "../../shared/result.ts";
import type { Attempt, ModelReply, Priority, ProviderError } from "../../shared/model/call.ts";
import type { EmbeddingReply } from "../../shared/provider/embedding.ts";
import { badCallError, cancelledError, queueError, outOfTimeError } from "../../shared/provider/provider-error.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Limits } from "./provider-exchange.ts";
import type { HeldSlot, SlotRefusal, SlotTerms } from "./slot.ts";
import type { OnDelta, RunFunction, Surroundings } from "./provider-adapter.ts";
import { openProviders } from "./provider-registry.ts";
import type { ChatRequest, FunctionRequest } from "../../shared/model/sampling.ts";

export type SendOptions = {
  /** For all attempts and the waits between them. */
  readonly totalTimeoutMs: number;
  /** For one attempt, from its start to the last byte of the answer; to the first piece of one that is streamed. */
  readonly attemptTimeoutMs: number;
  readonly maxAttemptsPerCandidate: number;
  /** One attempt at the first candidate, and never again. */
  readonly once?: true;
  /** Whose turn it is where a model is at its limit: normal where absent. */
  readonly priority?: Priority;
  /** The caller no longer wants an answer: the attempt under way is cut, and no other is made. */
  readonly signal?: AbortSignal;
  /** The caller has left: it waits in no queue any more, but what was begun goes on, since it is paid for and its answer is kept. */
  readonly left?: AbortSignal;
  /** Nobody may have an answer any more: no queue is waited in and no attempt is begun; the one under way goes on, for what it costs. */
  readonly over?: AbortSignal;
};

export type Sent<T> = { readonly value: T; readonly candidate: Candidate; readonly attempts: readonly Attempt[] };
export type AllFailed = { readonly kind: "allFailed"; readonly attempts: readonly Attempt[] };

export type Sender = {
  /**
   * The first reply, with the candidate that gave it and the attempts that failed before it; or every attempt that failed. `onDelta`
   * gets the reply's text in pieces while it comes; once it has got one, nobody else is asked. A function is run once, whatever the options say.
   */
  readonly send: (
    request: ChatRequest | FunctionRequest,
    candidates: readonly Candidate[],
    options: SendOptions,
    onDelta?: OnDelta,
  ) => Promise<Result<{ modelReply: ModelReply; candidate: Candidate; attempts: readonly Attempt[] }, AllFailed>>;
  /** The same for one vector for each text. */
  readonly embed: (
    texts: readonly string[],
    candidates: readonly Candidate[],
    options: SendOptions,
  ) => Promise<Result<{ embedding: EmbeddingReply; candidate: Candidate; attempts: readonly Attempt[] }, AllFailed>>;
};

/** The world outside, passed in. `random` gives numbers from 0 up to 1; `lookup` reads a secret or variable of the environment. */
export type World = {
  readonly lookup: (name: string) => string | undefined;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly random: () => number;
  /** Runs a registered function; where it is absent none can be run. */
  readonly runFunction?: RunFunction;
  /** A place among the calls that a model may have under way at once; where it is absent no model has a limit. */
  readonly acquireSlot?: (candidate: Candidate, terms: SlotTerms) => Promise<Result<HeldSlot, SlotRefusal>>;
};

/** Make one sender per isolate: it keeps OpenAI's clients, which cost half a call to make. */
export function createSender(world: World): Sender {
  const providers = openProviders(world.fetch);
  const around: Surroundings = {
    lookup: world.lookup,
    now: world.now,
    ...(world.runFunction === undefined ? {} : { runFunction: world.runFunction }),
  };
  return {
    send: async (request, candidates, options, onDelta) => {
      // What a function did is not known where its answer is lost, so that it is never run again.
      const terms: SendOptions = request.kind === "function" ? { ...options, once: true } : options;
      const sent = await failover(world, candidates, terms, async (candidate, limits) => {
        const { reply, run } = providers(candidate.provider.kind);
        if (request.kind === "function") return run === null ? err(badCallError) : run({ request, candidate }, around, limits);
        return reply === null ? err(badCallError) : reply({ request, candidate }, around, limits, onDelta);
      });
      return sent.ok ? ok({ modelReply: sent.value.value, candidate: sent.value.candidate, attempts: sent.value.attempts }) : sent;
    },
    embed: async (texts, candidates, options) => {
      const sent = await failover(world, candidates, options, async (candidate, limits) => {
        const { embed } = providers(candidate.provider.kind);
        return embed === null ? err(badCallError) : embed({ texts, candidate }, around, limits);
      });
      return sent.ok ? ok({ embedding: sent.value.value, candidate: sent.value.candidate, attempts: sent.value.attempts }) : sent;
    },
  };
}

async function failover<T>(
  world: World,
  candidates: readonly Candidate[],
  options: SendOptions,
  ask: (candidate: Candidate, limits: Limits) => Promise<Result<T, ProviderError>>,
): Promise<Result<Sent<T>, AllFailed>> {
  const end = world.now() + options.totalTimeoutMs;
  const asked = options.once ? candidates.slice(0, 1) : candidates;
  const mostAttempts = options.once ? 1 : options.maxAttemptsPerCandidate;
  const attempts: Attempt[] = [];
  const failed = (candidate: Candidate, at: number, fault: ProviderError): void => {
    attempts.push({ model: candidate.model.id, provider: candidate.model.provider, at, durationMs: world.now() - at, fault });
  };
  for (const [position, candidate] of asked.entries()) {
    const others = position < asked.length - 1;
    const acquired = await acquireSlot(world, candidate, { end, others }, options);
    if (!acquired.ok) {
      failed(candidate, acquired.error.at, acquired.error.fault);
      if (acquired.error.fault.then === "stop") return err({ kind: "allFailed", attempts });
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
        const answer = await ask(candidate, { timeoutMs, longestMs: end - at, signal: options.signal });
        if (answer.ok) return ok({ value: answer.value, candidate, attempts });
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

/** The candidate's place, or null where none is needed: the world has no lanes, or the time is over already. */
async function acquireSlot(
  world: World,
  candidate: Candidate,
  { end, others }: { readonly end: number; readonly others: boolean },
  { attemptTimeoutMs, priority = "normal", signal, left, over }: SendOptions,
): Promise<Result<HeldSlot | null, { readonly at: number; readonly fault: ProviderError }>> {
  const at = world.now();
  if (world.acquireSlot === undefined || at >= end) return ok(null);
  // One full queue must leave the next model time to answer, like one silent provider.
  const waitUntil = others ? Math.min(end, at + attemptTimeoutMs) : end;
  const gone = [signal, left, over].filter((each) => each !== undefined);
  const acquired = await world.acquireSlot(candidate, { priority, waitUntil, until: end, signal: AbortSignal.any(gone) });
  return acquired.ok ? acquired : err({ at, fault: queueError(acquired.error) });
}

/** Where somebody else can be asked, nobody waits longer than this for one provider. */
const longestWaitMs = 10_000;
const firstWaitMs = 500;
const lastWaitMs = 8_000;

/**
 * How long to wait after the `number`th failed attempt. Full jitter: anything up to the doubled bound, so that callers that failed
 * together do not come back together. Where the provider said how long, that long and a little more, never less.
 */
export function waitMs(number: number, told: number | undefined, random: number): number {
  if (told !== undefined) return told + Math.floor(random * firstWaitMs);
  return Math.floor(random * Math.min(lastWaitMs, firstWaitMs * 2 ** (number - 1)));
}
