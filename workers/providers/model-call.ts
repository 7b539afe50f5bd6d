// The model call as the pipeline makes it: the sender with this environment's clock, secrets and time limits.

import { type Result, err, ok } from "../../shared/result.ts";
import type { SamplingRequest } from "../../shared/protocol/sampling.ts";
import type { Attempt, ModelReply } from "../../shared/provider/call.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Env } from "../env.ts";
import { settingsOf } from "../settings.ts";
import { type Sender, createSender } from "./send.ts";

const maxAttemptsPerCandidate = 3;

export type ModelAnswer = { readonly reply: ModelReply; readonly candidate: Candidate; readonly attempts: readonly Attempt[] };

/** A variable or secret of the environment by name; bindings that are no text are none. */
export function lookupIn(env: Env): (name: string) => string | undefined {
  const values: Readonly<Record<string, unknown>> = { ...env };
  return (name) => {
    const value = values[name];
    return typeof value === "string" ? value : undefined;
  };
}

const senders = new WeakMap<object, Sender>();

function senderOf(env: Env): Sender {
  let sender = senders.get(env);
  if (sender === undefined) {
    sender = createSender({
      lookup: lookupIn(env),
      fetch: (input, init) => fetch(input, init),
      now: () => Date.now(),
      sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      random: () => Math.random(),
    });
    senders.set(env, sender);
  }
  return sender;
}

/** Asks the candidates in order. The error is what each attempt came to. */
export async function callModels(
  env: Env,
  request: SamplingRequest,
  candidates: readonly Candidate[],
): Promise<Result<ModelAnswer, readonly Attempt[]>> {
  const { modelTimeoutMs } = settingsOf(env);
  const sent = await senderOf(env).send(request, candidates, {
    totalTimeoutMs: modelTimeoutMs,
    // One silent provider must leave the next one time to answer.
    attemptTimeoutMs: candidates.length > 1 ? modelTimeoutMs / 2 : modelTimeoutMs,
    maxAttemptsPerCandidate,
  });
  if (!sent.ok) return err(sent.error.attempts);
  const { modelReply, candidate, attempts } = sent.value;
  return ok({ reply: modelReply, candidate, attempts });
}
