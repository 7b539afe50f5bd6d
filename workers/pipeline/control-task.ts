// What an envelope comes to: one request of the pipeline, or none where a call is handed back, or several where a model chooses functions
// that run here. Each goes through the pipeline by itself; nothing here decides what may be done.

import { type ControlCall as FunctionCall, callOf, chosenIn, endedCall, validatedCall } from "../../shared/control/answered-call.ts";
import type { ControlTask, GivenImage, Turn } from "../../shared/control/envelope.ts";
import { checkArguments } from "../../shared/control/function-arguments.ts";
import { type RegisteredFunction, functionCandidate, registeredFunction } from "../../shared/control/functions.ts";
import { choiceRequest, embeddingRequest, functionCallRequest, generationRequest } from "../../shared/control/neutral.ts";
import { translationRequest } from "../../shared/control/translation.ts";
import type { JsonObject } from "../../shared/encoding.ts";
import { describeRefusal } from "../../shared/outcome/describe.ts";
import type { PointedError, Refusal, RunMeta } from "../../shared/outcome/outcome.ts";
import { defaultLimits } from "../../shared/policy/limits.ts";
import { RUN_META } from "../../shared/protocol/result-2025.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { RunProgress } from "../../shared/review/view.ts";
import type { Answer } from "../../shared/run/answer.ts";
import { conversationStub, keyStub, runStub } from "../objects/names.ts";
import { documentsOf, serversOf } from "../stores/documents.ts";
import { type ImageData, fetchImages } from "../upstream/images.ts";
import { functionSchema } from "../upstream/tool-call.ts";
import type { Begun } from "./begin.ts";
import { type ControlCall, beginControl } from "./control.ts";
import { handBack } from "./handed-back.ts";
import { awaitRun } from "./wait.ts";

export type EnvelopeCall = Pick<ControlCall, "env" | "ctx" | "key" | "signal" | "onDelta" | "envelope" | "identity">;

/** What came of an envelope: the answer of its request, and what became of the calls where it asked for some. */
export type Ending = {
  /** Null where a call is handed back: nothing was asked of anybody. */
  readonly answer: Answer | null;
  readonly calls?: readonly FunctionCall[];
};

/** Work that has begun. `ending` may be asked for once; it never rejects for a reason that the caller is to know. */
export type Doing<E = Ending> = {
  /** Where nobody has to be waited for. */
  readonly soon: Promise<E> | null;
  readonly ending: (onProgress: (state: RunProgress) => void, left: AbortSignal) => Promise<E>;
};

/** Begins what an envelope asks for. Refused: what can be told before anything is asked of anybody. */
export async function beginEnvelope(call: EnvelopeCall): Promise<Result<Doing, Refusal>> {
  const { task } = call.envelope;
  switch (task.type) {
    case "text_generation":
    case "multimodal_generation":
      return generate(call, task);
    case "translation":
      return single(call, { request: translationRequest({ ...call.envelope, task }), hasHistory: false });
    case "embedding":
      return single(call, { request: embeddingRequest({ ...call.envelope, task }), hasHistory: false });
    case "function_call":
      return task.call === undefined ? choose(call, task) : callFunction(call, task, task.call);
    default:
      return task satisfies never;
  }
}

async function generate(
  call: EnvelopeCall,
  task: Extract<ControlTask, { type: "text_generation" | "multimodal_generation" }>,
): Promise<Result<Doing, Refusal>> {
  const images = task.type === "multimodal_generation" ? await imagesOf(call, task.images) : ok([]);
  const history = await historyOf(call);
  return single(call, {
    request: generationRequest({ ...call.envelope, task }, { history, images: images.ok ? images.value : [] }),
    hasHistory: history.length > 0,
    // Images that are gone since do not keep a repeat from its answer.
    ...(images.ok ? {} : { refusal: images.error }),
  });
}

/** What was said before: as the request gives it, or as it is kept for the session. */
async function historyOf({ env, key, envelope: { context } }: EnvelopeCall): Promise<readonly Turn[]> {
  if (context.history !== undefined) return context.history;
  const kept = context.sessionId === undefined ? null : await conversationStub(env, key.id, context.sessionId).read();
  return kept === null ? [] : (JSON.parse(kept) as Turn[]); // written by ConversationObject from turns that were parsed
}

const imagesTimeoutMs = 15_000;

async function imagesOf(
  { env, ctx, key, envelope }: EnvelopeCall,
  images: readonly GivenImage[],
): Promise<Result<readonly ImageData[], Refusal>> {
  const refusal = images.some(({ type }) => type === "url") ? await keptOut({ env, key }) : null;
  if (refusal !== null) return err(refusal);
  const { policy } = await documentsOf(env, Date.now(), (work) => ctx.waitUntil(work));
  const fetched = await fetchImages(images, policy.imageHosts, {
    limitBytes: (key.limits ?? defaultLimits).bodyBytes,
    timeoutMs: Math.min(envelope.control.timeoutMs, imagesTimeoutMs),
  });
  return fetched.ok ? fetched : err({ kind: "invalidParams", errors: fetched.error });
}

/** Why a key may not come in now. Asked before anything is fetched for a request; counts nothing. */
async function keptOut({ env, key }: Pick<EnvelopeCall, "env" | "key">): Promise<Refusal | null> {
  const kept = await keyStub(env, key.id).look(key.limits ?? defaultLimits);
  if (kept === null) return null;
  return kept.kind === "revoked"
    ? { kind: "unauthorized", why: "revoked" }
    : { kind: "rateLimited", limit: kept.limit, max: kept.max, retryAfterMs: kept.retryAfterMs };
}

async function single(call: EnvelopeCall, asked: Pick<ControlCall, "request" | "hasHistory" | "refusal">): Promise<Result<Doing, Refusal>> {
  const begun = await beginControl({ ...call, ...asked });
  return begun.ok ? ok(doing(call, begun.value)) : begun;
}

type Answered = { readonly answer: Answer };

/** One request of the pipeline, as far as it has begun. */
function doing({ env }: EnvelopeCall, begun: Begun): Doing<Answered> {
  if (begun.kind === "run") {
    return {
      soon: null,
      ending: async (onProgress, left) => ({ answer: await awaitRun(env, begun.run, onProgress, left) }),
    };
  }
  const ending = begun.kind === "answered" ? Promise.resolve({ answer: begun.answer }) : begun.answer.then((answer) => ({ answer }));
  return {
    soon: ending,
    ending: (onProgress) => {
      if (begun.kind === "fast") onProgress("generating");
      return ending;
    },
  };
}

type FunctionTask = Extract<ControlTask, { type: "function_call" }>;
/** A call that somebody made: the caller, or a model. */
type GivenCall = { readonly name: string; readonly input: JsonObject };

const givenAt = "/task/parameters/function_call";

/** The call is given: it is validated, and then runs where it is registered, or is handed back. */
async function callFunction(
  call: EnvelopeCall,
  task: FunctionTask,
  { name, parameters }: NonNullable<FunctionTask["call"]>,
): Promise<Result<Doing, Refusal>> {
  const given: GivenCall = { name, input: parameters };
  const found = await findFunction(call, task.functions, given, { name: `${givenAt}/name`, parameters: `${givenAt}/parameters` });
  if (!found.ok) return found;
  if (!isRegistered(found.value)) {
    const { refusal } = found.value;
    const handed = refusal === undefined ? await handBack(call) : err(refusal);
    return handed.ok ? ok(over({ answer: null, calls: [validatedCall(given)] })) : handed;
  }
  const begun = await beginControl({ ...call, ...onServer(found.value, given, null) });
  if (!begun.ok) return begun;
  const { soon, ending } = doing(call, begun.value);
  const withCall = ({ answer }: Answered): Ending => ({ answer, calls: [callOf(given, answer)] });
  return ok({ soon: soon?.then(withCall) ?? null, ending: async (onProgress, left) => withCall(await ending(onProgress, left)) });
}

/** A function that there is. `refusal`: it is not to be run with these arguments, or not now; what ran before has its answer all the same. */
type Found<R extends RegisteredFunction | null = RegisteredFunction | null> = {
  /** A server's tool, or null: it runs at the caller's. */
  readonly registered: R;
  readonly refusal?: Refusal;
};
const isRegistered = (found: Found): found is Found<RegisteredFunction> => found.registered !== null;

/** The request that runs a function where it is registered. */
const onServer = ({ registered: { server, tool }, refusal }: Found<RegisteredFunction>, { input }: GivenCall, position: number | null) => ({
  request: functionCallRequest({ name: tool, parameters: input }, `call_${(position ?? 0) + 1}`),
  hasHistory: false,
  destination: { candidate: functionCandidate(server, tool), position },
  ...(refusal === undefined ? {} : { refusal }),
});

const over = (ending: Ending): Doing => ({ soon: Promise.resolve(ending), ending: () => Promise.resolve(ending) });

/** Where a function runs, and whether it may be run so. Refused: a name that nobody knows. */
async function findFunction(
  { env, ctx, key }: EnvelopeCall,
  functions: FunctionTask["functions"],
  { name, input }: GivenCall,
  at: { readonly name: string; readonly parameters: string },
): Promise<Result<Found, Refusal>> {
  const invalid = (errors: readonly PointedError[]): Refusal => ({ kind: "invalidParams", errors });
  const servers = await serversOf(env, Date.now(), (work) => ctx.waitUntil(work));
  const registered = registeredFunction(servers, name) ?? null;
  const defined = functions.find((each) => each.name === name);
  if (registered === null && defined === undefined)
    return err(invalid([{ pointer: at.name, message: "names no function of this request, and none that is registered here" }]));
  const schemas: JsonObject[] = defined?.parameters === undefined ? [] : [defined.parameters];
  if (registered !== null) {
    const refusal = await keptOut({ env, key });
    if (refusal !== null) return ok({ registered, refusal });
    const schema = await functionSchema(env, registered.server, registered.tool);
    const whole = `${registered.server}/${registered.tool}`;
    if (!schema.ok) return ok({ registered, refusal: { kind: "functionUnavailable", function: whole, why: schema.error } });
    schemas.push(schema.value.inputSchema);
  }
  const errors = schemas.flatMap((schema) => {
    const checked = checkArguments(schema, input, at.parameters);
    return checked.ok ? [] : checked.error;
  });
  return ok({ registered, ...(errors.length === 0 ? {} : { refusal: invalid(errors) }) });
}

/** A model chooses: what it calls is validated, and then runs, one after the other, or is handed back. */
async function choose(call: EnvelopeCall, task: FunctionTask): Promise<Result<Doing, Refusal>> {
  const history = await historyOf(call);
  const begun = await beginControl({
    ...call,
    request: choiceRequest({ ...call.envelope, task }, { history }),
    hasHistory: history.length > 0,
  });
  if (!begun.ok) return begun;
  const { ending } = doing(call, begun.value);
  return ok({
    soon: null,
    ending: async (onProgress, left) => {
      const chosen = await ending(onProgress, left);
      const calls: FunctionCall[] = [];
      for (const [position, use] of chosenIn(chosen.answer).entries())
        calls.push(await runChosen(call, task, use, position, onProgress, left));
      return { ...chosen, calls };
    },
  });
}

async function runChosen(
  call: EnvelopeCall,
  { functions }: FunctionTask,
  given: GivenCall,
  position: number,
  onProgress: (state: RunProgress) => void,
  left: AbortSignal,
): Promise<FunctionCall> {
  const at = `/result/calls/${position}`;
  const found = await findFunction(call, functions, given, { name: `${at}/name`, parameters: `${at}/arguments` });
  if (!found.ok) return endedCall(given, describeRefusal(found.error));
  if (!isRegistered(found.value)) {
    const { refusal } = found.value;
    return refusal === undefined ? validatedCall(given) : endedCall(given, describeRefusal(refusal));
  }
  const begun = await beginControl({ ...call, ...onServer(found.value, given, position) });
  if (!begun.ok) return endedCall(given, describeRefusal(begun.error));
  const { answer } = await doing(call, begun.value).ending(onProgress, left);
  return callOf(given, answer);
}

/** What is kept of an exchange for its session, where that was asked for; once, however often the request is repeated. */
export async function remember({ env, key, envelope }: EnvelopeCall, result: JsonObject, text: string): Promise<void> {
  const { context, task, requestId } = envelope;
  if (context.rememberSeconds === undefined || context.sessionId === undefined || !("prompt" in task) || task.prompt === undefined) return;
  const { [RUN_META]: run } = result["_meta"] as unknown as { readonly [RUN_META]: RunMeta }; // `completedAnswer` made it
  // What a reviewer made of the prompt is what was said; what they took out of it is not kept.
  const prompt = run.edited.request ? await runStub(env, run.id).sentText() : task.prompt;
  const turns: Turn[] = [...(prompt === null ? [] : [{ role: "user" as const, content: prompt }]), { role: "assistant", content: text }];
  await conversationStub(env, key.id, context.sessionId).append({
    turnId: requestId,
    turns: JSON.stringify(turns),
    base: context.history === undefined ? "kept" : { history: JSON.stringify(context.history) },
    ttlMs: context.rememberSeconds * 1000,
  });
}
