// The model call of the pipeline: the sender with this environment's clock, secrets and timeouts.

import { type Result, err, ok } from "../../shared/result.ts";
import { type SamplingRequest, dimensionsOf } from "../../shared/model/sampling.ts";
import type { Attempt, CallTerms } from "../../shared/model/call.ts";
import { embeddingReply, textsToEmbed } from "../../shared/provider/embedding.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { ModelAnswer } from "../../shared/run/run-record.ts";
import type { Env } from "../platform/env.ts";
import { isolateState } from "../platform/isolate.ts";
import { lookupIn } from "../platform/lookup.ts";
import { settingsOf } from "../platform/settings.ts";
import { plainReply } from "../media/plain-reply.ts";
import type { OnDelta } from "./provider-adapter.ts";
import { acquireSlot } from "./queue-caller.ts";
import { type Sender, type SendOptions, createSender } from "./send.ts";

const maxAttemptsPerCandidate = 3;

const senderOf = isolateState((env): Sender =>
  createSender({
    lookup: lookupIn(env),
    fetch: (input, init) => fetch(input, init),
    now: () => Date.now(),
    sleep: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    random: () => Math.random(),
    acquireSlot: (candidate, slot) => acquireSlot(env, candidate, slot),
  }),
);

/**
 * Calls the candidates in order; the error has every attempt. One function for both kinds of
 * request: vectors come back as a reply with one `embedding` block for each message.
 *
 * `terms.timeoutMs` bounds everything from the queue to the last byte, and is never above the
 * gateway's own MODEL_TIMEOUT_SECONDS. `onDelta` gets a reply's text in pieces while it comes:
 * together they are the text of the reply, or of what came before the error. For `left`, `over`,
 * `slow`, `permit` and `traceOf` see `SendOptions`.
 */
export async function callModels(
  env: Env,
  request: SamplingRequest,
  candidates: readonly Candidate[],
  terms: CallTerms = {},
  {
    onDelta,
    ...around
  }: { readonly onDelta?: OnDelta | undefined } & Pick<SendOptions, "left" | "over" | "slow" | "permit" | "traceOf"> = {},
): Promise<Result<ModelAnswer, readonly Attempt[]>> {
  const { modelTimeoutMs } = settingsOf(env);
  const totalTimeoutMs = Math.min(modelTimeoutMs, terms.timeoutMs ?? modelTimeoutMs);
  const others = candidates.length > 1 && terms.once === undefined;
  const options: SendOptions = {
    totalTimeoutMs,
    // One silent provider must leave the next one time to answer.
    attemptTimeoutMs: others ? totalTimeoutMs / 2 : totalTimeoutMs,
    maxAttemptsPerCandidate,
    ...(terms.once === undefined ? {} : { once: terms.once }),
    ...(terms.priority === undefined ? {} : { priority: terms.priority }),
    ...around,
  };
  if (request.kind === "embedding") return embed(env, request, candidates, options);
  const sent = await senderOf(env).send(request, candidates, options, onDelta);
  if (!sent.ok) return err(sent.error.attempts);
  const { modelReply, ...about } = sent.value;
  return ok({ ...(await plainReply(env, modelReply)), ...about });
}

async function embed(
  env: Env,
  request: SamplingRequest,
  candidates: readonly Candidate[],
  options: SendOptions,
): Promise<Result<ModelAnswer, readonly Attempt[]>> {
  const sent = await senderOf(env).embed({ texts: textsToEmbed(request), dimensions: dimensionsOf(request) }, candidates, options);
  if (!sent.ok) return err(sent.error.attempts);
  const { embedding, ...about } = sent.value;
  return ok({ reply: embeddingReply(embedding), ...about });
}
