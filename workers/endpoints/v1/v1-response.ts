// The response of a request under /v1: whole or streamed, and kept alive while people decide.

import type { Completed, Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { textOfReply } from "../../../shared/provider/json-reply.ts";
import type { AnswerStream } from "../../../shared/wire/openai/chat-answer.ts";
import { outcomeError } from "../../../shared/wire/openai/openai-error.ts";
import type { Deltas } from "../../http/deltas.ts";
import {
  type KeptAlive,
  beforeKeepAlive,
  endingWith,
  keepAliveEndpointEvents,
  keepAliveJson,
  keptAlive,
  progressMessages,
  within,
} from "../../http/keep-alive.ts";
import { countOpening } from "../../pipeline/wait/key-watch.ts";
import type { Started } from "../../pipeline/pipeline-request.ts";
import type { V1Call } from "../../pipeline/incoming/v1-call.ts";
import { awaitStarted, isCounted } from "../../pipeline/wait/wait.ts";
import { receiptOf } from "../../pipeline/receipts.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { answerError } from "./v1-caller.ts";
import { jsonResponse } from "../../http/json-response.ts";

/**
 * Times the heartbeat: how long a response without a byte is held, so that an answer that comes by
 * then has its status.
 */
const heartbeatsBeforeFirst = 3;

/**
 * `encode`: of an outcome whose status was sent already. `refuse`: records a refusal before
 * anything is sent.
 */
type Answering = { readonly encode: (outcome: Outcome) => object; readonly refuse: (refusal: Refusal) => Response };

/**
 * The answer whole, with its status where it comes soon. Later, the body has begun with white
 * space, and an error is in it.
 */
export async function answerWhole(call: V1Call, started: Started, { encode, refuse }: Answering): Promise<Response> {
  if (started.kind !== "run") {
    const atOnce = await beforeKeepAlive(Promise.resolve(started.outcome), started.kind === "fast" ? started.slow : undefined);
    if (atOnce !== null) return answered(call.env, atOnce, encode);
  }
  const opened = await countOpening(call.env, call.key, isCounted(started));
  if (!opened.ok) return refuse(opened.error);
  const left = new AbortController();
  const leave = (): void => left.abort();
  call.signal.addEventListener("abort", leave, { once: true });
  if (call.signal.aborted) leave();
  const ending = awaitStarted(call.env, started, () => {}, left.signal);
  const { heartbeatMs } = settingsOf(call.env);
  const beforeFirstByte = await within(ending, heartbeatsBeforeFirst * heartbeatMs);
  if (beforeFirstByte !== null) {
    opened.value();
    return answered(call.env, beforeFirstByte, encode);
  }
  const response = keptAlive<Outcome>(call.signal, {
    work: (_onProgress, gone) => {
      gone.addEventListener("abort", leave, { once: true });
      return ending;
    },
    broken: (quote) => ({ kind: "broken", quote }),
    encode: (outcome) => JSON.stringify(encode(outcome)),
    heartbeatMs,
  });
  return keepAliveJson(endingWith(response, opened.value));
}

async function answered(env: Env, outcome: Outcome, encode: (outcome: Completed) => object): Promise<Response> {
  if (outcome.kind !== "completed") return answerError(outcomeError(outcome));
  const result = encode(outcome);
  const receipt = outcome.receiptFacts === undefined ? null : await receiptOf(env, outcome.receiptFacts, { result });
  return jsonResponse(result, 200, receipt === null ? {} : { "Countersign-Receipt": receipt });
}

/**
 * Sends the reply's text as it comes where no gate is closed; else comments that say what is waited
 * for, and the reviewed text at the end.
 */
export async function answerStreamed(
  call: V1Call,
  started: Started,
  { events, deltas, refuse }: Pick<Answering, "refuse"> & { readonly events: AnswerStream; readonly deltas: Deltas },
): Promise<Response> {
  const opened = await countOpening(call.env, call.key, isCounted(started));
  if (!opened.ok) return refuse(opened.error);
  const response = keptAlive<Outcome>(call.signal, {
    work: (onProgress, left) => awaitStarted(call.env, started, onProgress, left),
    broken: (quote) => ({ kind: "broken", quote }),
    encode: (outcome) => events.end(outcome),
    heartbeatMs: settingsOf(call.env).heartbeatMs,
  });
  const withDeltas: KeptAlive<Outcome> = {
    ...response,
    work: async (onProgress, say) => {
      deltas.open(say);
      const outcome = await response.work(onProgress, say);
      const text = outcome.kind === "completed" ? textOfReply(outcome.reply) : "";
      if (!deltas.any && text !== "") say(text);
      return outcome;
    },
  };
  return keepAliveEndpointEvents(endingWith(withDeltas, opened.value), {
    open: events.open(),
    progress: (state) => `: ${progressMessages[state]}\n\n`,
    delta: (text) => events.delta(text),
  });
}
