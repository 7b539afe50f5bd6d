// Answers what a round of revision 2026-07-28 asks for and the gateway has: sampling, forms and
// roots. Each request is known by its call, round and key, so that a repeat finds the same review
// and the same reply.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { jsonOf } from "../../../../shared/json/json-of.ts";
import type { Originating } from "../../../../shared/association/relay-association.ts";
import { rootsResult } from "../../../../shared/relay/answered-here.ts";
import { type InputRequest, endedCall, rootsMethod } from "../../../../shared/relay/rounds.ts";
import { elicitationMethod } from "../../../../shared/relay/url-elicitation.ts";
import { type Result, err, ok } from "../../../../shared/result.ts";
import type { RpcAnswer, RpcError } from "../../../../shared/wire/json-rpc.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import type { CallStatus } from "../../../stubs/call-calls.ts";
import type { RoundCall } from "./call-rounds.ts";
import { type SamplingContext, awaitAnswer, endOriginating, startForm, startSampling } from "../sampling/relay-sampling.ts";

export type Waiting = Extract<CallStatus, { kind: "waiting" }>;

/** A call at the server, and where its sampling belongs. */
export type RoundContext = RoundCall & { readonly sampling: SamplingContext };

/**
 * Answers these requests of a round, each as soon as its reply is there. A request that gets no
 * reply ends the whole call: this revision has no error for one input. Never throws.
 */
export async function answerAll(context: RoundContext, waiting: Waiting, requests: readonly InputRequest[]): Promise<void> {
  await Promise.all(requests.map((request) => answerOne(context, waiting, request)));
}

async function answerOne(
  { sampling, call, originatingOf }: RoundContext,
  { attempt, round }: Waiting,
  request: InputRequest,
): Promise<void> {
  const originating = originatingOf(attempt);
  try {
    const reply = await replyTo(sampling, originating, `${attempt}.${round}.${request.key}`, request);
    if (reply.ok) await call.reply(attempt, round, request.key, JSON.stringify(reply.value));
    else await call.end(attempt, round, jsonOf(endedCall(originating.method, reply.error)));
  } catch (error) {
    // The call stays: the client's next attempt answers it.
    logEvent("request.failed", { quote: crypto.randomUUID(), error: errorClass(error) });
  }
}

async function replyTo(
  context: SamplingContext,
  originating: Originating,
  id: string,
  { method, params }: InputRequest,
): Promise<Result<JsonObject, RpcError>> {
  if (method === rootsMethod) return ok(rootsResult(context.server));
  const start = method === elicitationMethod ? startForm : startSampling;
  const begun = await start(context, { originating, evidence: "inputRound" }, { id, params }, () => ({ kind: "sync" }));
  if (!begun.ok) return resultOf(begun.error);
  return resultOf(await awaitAnswer(context, method, begun.value.started, context.onProgress));
}

const resultOf = (answer: RpcAnswer): Result<JsonObject, RpcError> => ("result" in answer ? ok(answer.result) : err(answer.error));

/** The call is over: nothing is sampled for it any more. */
export const releaseCall = ({ sampling, originatingOf }: RoundContext, attempt: string): Promise<void> =>
  endOriginating(sampling, [originatingOf(attempt).id]).catch((error: unknown) =>
    logEvent("request.failed", { quote: "", error: errorClass(error) }),
  );
