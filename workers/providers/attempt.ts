// One attempt at one candidate: send, read, translate, within a time. What goes wrong comes back as a fault without a provider's words.

import { textWithin } from "../text-within.ts";
import { err, ok, type Result } from "../../shared/result.ts";
import { fromAnthropic, toAnthropic } from "../../shared/provider/anthropic.ts";
import type { ModelCall, ModelReply, ProviderFault } from "../../shared/provider/call.ts";
import { cannotCarry } from "../../shared/provider/carry.ts";
import { answerDemo, demoModelName, embedDemo } from "../../shared/provider/demo.ts";
import { fromEmbeddings, toEmbeddings, type EmbeddingReply } from "../../shared/provider/embedding.ts";
import {
  badCallFault,
  brokenAnswer,
  cancelledFault,
  connectionFault,
  faultOfStatus,
  notReadyFault,
  retryAfterMs,
  timeoutFault,
} from "../../shared/provider/fault.ts";
import { fromOpenAI, toOpenAI } from "../../shared/provider/openai.ts";
import type { SamplingRequest } from "../../shared/protocol/sampling.ts";
import { parseJson } from "../../shared/provider/narrow.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { createClients } from "./clients.ts";
import { providerReady } from "./ready.ts";

/** `signal`: the caller no longer wants an answer. */
export type Limits = { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined };

/** Runs the function that the request's one tool use names, on the MCP server that the candidate stands for. */
export type RunFunction = (request: SamplingRequest, candidate: Candidate, limits: Limits) => Promise<Result<ModelReply, ProviderFault>>;

/** Gets the text of a reply in pieces while it comes. Together they are the text of the reply. */
export type OnDelta = (text: string) => void;

export type Surroundings = {
  readonly clients: ReturnType<typeof createClients>;
  readonly lookup: (name: string) => string | undefined;
  readonly now: () => number;
  readonly runFunction?: RunFunction;
};

/**
 * One attempt at a model's reply, or at a function's result. The notes of the translation there come before those of the way back.
 */
export async function attemptReply(
  call: ModelCall,
  around: Surroundings,
  limits: Limits,
  _onDelta?: OnDelta,
): Promise<Result<ModelReply, ProviderFault>> {
  const { provider, model } = call.candidate;
  if (provider.kind === "mcp") return around.runFunction?.(call.request, call.candidate, limits) ?? err(notReadyFault);
  if (provider.kind === "demo") return answerDemo(call);
  const ready = providerReady(provider, around.lookup);
  if (!ready.ok) return err(notReadyFault);
  // Routing has asked this already; an edit after that may have brought content that this model cannot take.
  if (cannotCarry(call.request, model, provider.kind) !== undefined) return err(badCallFault);
  const { notes, answer } =
    provider.kind === "anthropic"
      ? askAnthropic(call, around.clients.anthropic(ready.value))
      : askOpenAI(call, around.clients.openai(ready.value));
  const response = await within(limits, around.now, answer.ask);
  if (!response.ok) return response;
  const reply = answer.read(response.value);
  return reply.ok && notes.length > 0 ? ok({ ...reply.value, notes: [...notes, ...reply.value.notes] }) : reply;
}

type Answer<T> = { readonly ask: (signal: AbortSignal) => Promise<Response>; readonly read: (body: unknown) => Result<T, ProviderFault> };

function askAnthropic(call: ModelCall, client: ReturnType<Surroundings["clients"]["anthropic"]>) {
  const { params, notes } = toAnthropic(call);
  const answer: Answer<ModelReply> = {
    ask: (signal) => client.messages.create(params, { signal }).asResponse(),
    read: (body) => fromAnthropic(body, call),
  };
  return { notes, answer };
}

function askOpenAI(call: ModelCall, client: ReturnType<Surroundings["clients"]["openai"]>) {
  const { params, notes } = toOpenAI(call);
  const answer: Answer<ModelReply> = {
    ask: (signal) => client.chat.completions.create(params, { signal }).asResponse(),
    read: (body) => fromOpenAI(body, call),
  };
  return { notes, answer };
}

/** One attempt at vectors for texts. Anthropic's API has no embeddings: such a candidate is answered with a fault. */
export async function attemptEmbedding(
  call: { readonly texts: readonly string[]; readonly candidate: Candidate },
  around: Surroundings,
  limits: Limits,
): Promise<Result<EmbeddingReply, ProviderFault>> {
  const { texts, candidate } = call;
  if (candidate.provider.kind === "demo") return ok({ ...embedDemo(texts), model: demoModelName });
  if (candidate.provider.kind === "anthropic") return err(badCallFault);
  const ready = providerReady(candidate.provider, around.lookup);
  if (!ready.ok) return err(notReadyFault);
  const client = around.clients.openai(ready.value);
  const params = toEmbeddings(texts, candidate.model);
  const response = await within(limits, around.now, (signal) => client.embeddings.create(params, { signal }).asResponse());
  return response.ok ? fromEmbeddings(response.value, texts, candidate.model) : response;
}

/**
 * Sends and reads the whole body as JSON before the time is over; an attempt that takes longer, or that the caller gave up, is
 * aborted, so that no connection stays open. The body is read here and not by the SDK, which takes any text for an answer.
 */
async function within(
  limits: Limits,
  now: () => number,
  ask: (signal: AbortSignal) => Promise<Response>,
): Promise<Result<unknown, ProviderFault>> {
  const attempt = new AbortController();
  let cancelled = false;
  const timer = setTimeout(() => attempt.abort(), limits.timeoutMs);
  const cancel = (): void => {
    cancelled = true;
    attempt.abort();
  };
  limits.signal?.addEventListener("abort", cancel, { once: true });
  let answered = false;
  try {
    const response = await ask(attempt.signal);
    answered = true;
    const text = await boundedText(response);
    if (text === undefined) return err(brokenAnswer("tooLarge"));
    const body = parseJson(text);
    return body === undefined ? err(brokenAnswer("notJson")) : ok(body);
  } catch (error) {
    if (attempt.signal.aborted) return err(cancelled ? cancelledFault : timeoutFault);
    return err(answered ? brokenAnswer() : faultOfError(error, now()));
  } finally {
    clearTimeout(timer);
    limits.signal?.removeEventListener("abort", cancel);
  }
}

/** Many times the longest reply that a model gives; an object of 128 MB holds a reply several times over. */
const mostBytes = 16 * 1024 * 1024;

/** The body's text, or undefined where it is longer than any reply: what is over the limit is not read. */
async function boundedText(response: Response): Promise<string | undefined> {
  const { body, headers } = response;
  if (body === null) return "";
  // A length is kept by the connection itself; one of compressed bytes says nothing of what they become.
  const length = Number(headers.get("Content-Length") ?? Number.NaN);
  if (length <= mostBytes && !headers.has("Content-Encoding")) return response.text();
  return textWithin(body, mostBytes);
}

/**
 * What the SDK threw before there was an answer: an error with the status of the response, or one about the connection. Anything
 * else is a call that could not be made, such as a credential that no header can hold. Messages are not looked at: they may hold the key.
 */
function faultOfError(error: unknown, now: number): ProviderFault {
  if (!(error instanceof Error)) return connectionFault;
  if ("status" in error && typeof error.status === "number") {
    const headers = "headers" in error && error.headers instanceof Headers ? error.headers : new Headers();
    const wait = retryAfterMs({ retryAfterMs: headers.get("retry-after-ms"), retryAfter: headers.get("retry-after") }, now);
    return faultOfStatus(error.status, wait);
  }
  return error.name === "TypeError" && !("cause" in error) ? badCallFault : connectionFault;
}
