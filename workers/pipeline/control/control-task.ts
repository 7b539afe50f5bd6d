// An envelope as requests of the pipeline: one, or none where a call is handed back, or several
// where a model chooses functions that run here. Each goes through the pipeline by itself; nothing
// here decides what is allowed.

import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { SlowTimer } from "../../platform/slow-timer.ts";
import {
  type ControlCall as FunctionCall,
  callOf,
  chosenIn,
  endedCall,
  validatedCall,
} from "../../../shared/wire/control/answered-call.ts";
import type { ControlTask, GivenImage, Turn } from "../../../shared/wire/control/envelope.ts";
import { checkArguments } from "../../../shared/wire/control/function-arguments.ts";
import { registeredFunction } from "../../../shared/run/functions.ts";
import { choiceRequest, embeddingRequest, generationRequest } from "../../../shared/wire/control/neutral.ts";
import { translationRequest } from "../../../shared/wire/control/translation.ts";
import { type ToolCall, definitionOf } from "../../../shared/model/subject/tool-call.ts";
import { type SubjectRequest, isToolCall } from "../../../shared/model/subject/subject.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { describeRefusal } from "../../../shared/wire/describe.ts";
import type { Outcome, PointedError, Refusal, RunMeta } from "../../../shared/model/outcome.ts";
import { keyAllows } from "../../../shared/policy/tool-names.ts";
import { redactionTermsOf } from "../../../shared/policy/redaction-terms.ts";
import { redactText, rulesAt } from "../../../shared/redaction/redact.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { CONTROL_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { RunProgress } from "../../../shared/review/view.ts";
import { conversationStub, runStub } from "../../stubs/stubs.ts";
import { documentsOf, serversOf } from "../../stores/documents.ts";
import { type ImageData, fetchImages, imagePointer } from "../../media/envelope-images.ts";
import { type PlainImage, plainImages } from "../../media/plain-images.ts";
import { functionSchema } from "../../mcp-client/functions.ts";
import { timed, traceAgain } from "../../telemetry/begin-trace.ts";
import type { Started } from "../pipeline-request.ts";
import { enqueue } from "../record/write-behind.ts";
import { type ControlCall, beginControl, planControl } from "./control-call.ts";
import { admitBeforePlanning } from "../admit/limits.ts";
import { recordRefusal } from "../record/refusals.ts";
import { returnValidatedCall } from "./return-validated-call.ts";
import { pointed } from "../incoming/plain-request.ts";
import { awaitStarted, isCounted } from "../wait/wait.ts";
import { ownRules } from "../../../shared/policy/own-rules.ts";

export type EnvelopeCall = Pick<ControlCall, "env" | "ctx" | "key" | "signal" | "onDelta" | "envelope" | "identity" | "trace">;

/**
 * The end of an envelope: the outcome of its request, and of its function calls where it asked for
 * some.
 */
export type Ending = {
  /** Null where a call is handed back: no model, no server and no reviewer was asked. */
  readonly outcome: Outcome | null;
  readonly calls?: readonly FunctionCall[];
};

/**
 * Work that has begun. `ending` may be called once; it never rejects for a reason that the caller
 * is to know.
 */
export type Doing<E = Ending> = {
  /** The ending, where no reviewer has to be waited for; null otherwise. */
  readonly soon: Promise<E> | null;
  /** Of the work for it. */
  readonly slow?: SlowTimer | undefined;
  /**
   * It has a lease among the key's `concurrent` requests for as long as its model call takes, and
   * ends with the key.
   */
  readonly isCounted: boolean;
  readonly ending: (onProgress: (state: RunProgress) => void, left: AbortSignal) => Promise<E>;
};

/**
 * Begins an envelope's work. Refused: what can be refused before a model, a server or a reviewer is
 * asked.
 */
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
  const { plain, ...more } = task.type === "multimodal_generation" ? await imagesOf(call, task.images) : { plain: [] };
  const history = await historyOf(call);
  const images = plain.map(({ data, mimeType }) => ({ data, mimeType }));
  const request = generationRequest({ ...call.envelope, task }, { history, images });
  return single(call, { request, hasHistory: history.length > 0, ...more });
}

/** The earlier turns: as the request gives them, or as they are kept for the session. */
async function historyOf({ env, key, envelope: { context } }: EnvelopeCall): Promise<readonly Turn[]> {
  if (context.history !== undefined) return context.history;
  const kept = context.sessionId === undefined ? null : await conversationStub(env, key.id, context.sessionId).read();
  return kept === null ? [] : readJsonOf(kept);
}

const imagesTimeoutMs = 15_000;

async function imagesOf(
  { env, ctx, key, envelope, trace }: EnvelopeCall,
  given: readonly GivenImage[],
): Promise<{ readonly plain: readonly PlainImage[] } & Prepared> {
  const admitted = await admitBeforePlanning({ env, ctx, key, trace });
  if (!admitted.ok) return { plain: [], planned: admitted };
  const { policy } = await documentsOf(env, Date.now(), (work) => ctx.waitUntil(work));
  const startedAt = Date.now();
  const fetched = await fetchImages(given, policy.imageHosts, {
    limitBytes: (key.limits ?? defaultLimits).bodyBytes,
    timeoutMs: Math.min(envelope.control.timeoutMs, imagesTimeoutMs),
  });
  const made = fetched.ok ? await timed(trace, "images", () => rastersOf(env, fetched.value)) : fetched;
  const run = admitted.value;
  if (made.ok) return { plain: made.value, images: made.value.map(({ digests }) => digests), run, spentMs: Date.now() - startedAt };
  // A repeat gets its answer even where its images are gone by now.
  return { plain: [], run, planned: err({ kind: "invalidParams", errors: made.error }) };
}

async function rastersOf(env: EnvelopeCall["env"], fetched: readonly ImageData[]): Promise<Result<readonly PlainImage[], PointedError[]>> {
  const plain = await plainImages(env, fetched);
  return plain.ok ? plain : err(pointed(plain.error, imagePointer));
}

/** What is known, and what time is used up, before a request begins. */
type Prepared = Pick<ControlCall, "planned" | "run" | "spentMs" | "images">;

async function single(call: EnvelopeCall, asked: Pick<ControlCall, "request" | "hasHistory"> & Prepared): Promise<Result<Doing, Refusal>> {
  const begun = await beginControl({ ...call, ...asked });
  return begun.ok ? ok(doing(call, begun.value)) : begun;
}

type Answered = { readonly outcome: Outcome };

/** One request of the pipeline that has begun. */
function doing({ env }: EnvelopeCall, begun: Started): Doing<Answered> {
  const soon = begun.kind === "run" ? null : Promise.resolve(begun.outcome).then((outcome) => ({ outcome }));
  return {
    soon,
    slow: begun.kind === "fast" ? begun.slow : undefined,
    isCounted: isCounted(begun),
    ending: async (onProgress, left) => {
      if (begun.kind === "fast") onProgress("generating");
      return soon ?? { outcome: await awaitStarted(env, begun, onProgress, left) };
    },
  };
}

type FunctionTask = Extract<ControlTask, { type: "function_call" }>;
/** A function call that the caller or a model made. */
type GivenCall = { readonly name: string; readonly input: JsonObject };

const givenAt = "/task/parameters/function_call";

/**
 * Validates the caller's own call, and then runs it where its function is registered, or hands it
 * back.
 */
async function callFunction(
  call: EnvelopeCall,
  task: FunctionTask,
  { name, parameters }: NonNullable<FunctionTask["call"]>,
): Promise<Result<Doing, Refusal>> {
  const given: GivenCall = { name, input: parameters };
  const found = await findFunction(call, task.functions, given, {
    position: null,
    name: `${givenAt}/name`,
    input: `${givenAt}/parameters`,
  });
  if (!found.ok) return found;
  if (found.value === "theCallers") {
    const handed = await returnValidatedCall(call);
    return handed.ok ? ok(over({ outcome: null, calls: [validatedCall(given)] })) : handed;
  }
  const begun = await beginControl(found.value);
  if (!begun.ok) return begun;
  const { soon, slow, isCounted, ending } = doing(call, begun.value);
  const withCall = ({ outcome }: Answered): Ending => ({ outcome, calls: [callOf(given, outcome)] });
  return ok({
    soon: soon?.then(withCall) ?? null,
    slow,
    isCounted,
    ending: async (onProgress, left) => withCall(await ending(onProgress, left)),
  });
}

const over = (ending: Ending): Doing => ({ soon: Promise.resolve(ending), isCounted: false, ending: () => Promise.resolve(ending) });

type CallPointers = {
  /** The index of the call in the envelope, where a model chose it. */
  readonly position: number | null;
  /** Pointers to the call's name and to its arguments. */
  readonly name: string;
  readonly input: string;
};

/**
 * The request that runs a registered function, with everything that decides whether it may run; or
 * `theCallers`, for a function that runs at the caller and whose arguments are valid. Refused: an
 * unknown name, and invalid arguments of a caller's function.
 */
async function findFunction(
  call: EnvelopeCall,
  functions: FunctionTask["functions"],
  { name, input }: GivenCall,
  at: CallPointers,
): Promise<Result<ControlCall | "theCallers", Refusal>> {
  const { env, ctx } = call;
  const servers = await serversOf(env, Date.now(), (work) => ctx.waitUntil(work));
  const registered = registeredFunction(servers, name);
  const defined = functions.find((each) => each.name === name);
  const ofCaller: JsonObject[] = defined?.parameters === undefined ? [] : [defined.parameters];
  if (registered === undefined) {
    const message = "is not a function of this request, and not one that is registered here";
    if (defined === undefined) return err({ kind: "invalidParams", errors: [{ pointer: at.name, message }] });
    const refusal = misfit(ofCaller, input, at.input);
    return refusal === null ? ok("theCallers") : err(refusal);
  }
  const { server, tool } = registered;
  if (call.key.tools !== undefined && !keyAllows(call.key.tools, registered))
    return err({ kind: "policyRefused", rule: ownRules.keyTools });
  const toRun: ToolCall = { kind: "toolCall", server, tool, arguments: input };
  const asked: ControlCall = {
    ...call,
    // A function that a model chose is a request of its own.
    trace: at.position === null ? call.trace : traceAgain(call.trace),
    request: toRun,
    hasHistory: false,
    ...(at.position === null ? {} : { position: at.position }),
  };
  // A refused call begins all the same, so that a repeat of one that ran gets its answer.
  const planned = await planControl(asked);
  if (!planned.ok) return ok({ ...asked, planned });
  const admitted = await admitBeforePlanning(asked);
  if (!admitted.ok) return ok({ ...asked, planned: admitted });
  const run = admitted.value;
  const schema = await functionSchema(env, server, tool);
  if (!schema.ok)
    return ok({ ...asked, run, planned: err({ kind: "functionUnavailable", function: `${server}/${tool}`, why: schema.error }) });
  const refusal = misfit([...ofCaller, schema.value.inputSchema], input, at.input);
  if (refusal !== null) return ok({ ...asked, run, planned: err(refusal) });
  // Planned again with what the reviewer is shown, and the warnings about it.
  const shown: ControlCall = { ...asked, run, request: { ...toRun, definition: definitionOf(schema.value) } };
  return ok({ ...shown, planned: await planControl(shown) });
}

/** The refusal of a call's arguments by these schemas; null where all accept them. */
function misfit(schemas: readonly JsonObject[], input: JsonObject, at: string): Refusal | null {
  const errors = schemas.flatMap((schema) => {
    const checked = checkArguments(schema, input, at);
    return checked.ok ? [] : checked.error;
  });
  return errors.length === 0 ? null : { kind: "invalidParams", errors };
}

/**
 * Has a model choose calls. Each is validated, and then runs, one after the other, or is handed
 * back.
 */
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
    isCounted: false,
    ending: async (onProgress, left) => {
      const chosen = await ending(onProgress, left);
      releaseLease(call, begun.value);
      const calls: FunctionCall[] = [];
      for (const [position, use] of chosenIn(chosen.outcome).entries())
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
  const found = await findFunction(call, functions, given, { position, name: `${at}/name`, input: `${at}/arguments` });
  if (!found.ok) return refusedCall(call, given, found.error);
  if (found.value === "theCallers") return validatedCall(given);
  const begun = await beginControl(found.value);
  if (!begun.ok) return refusedCall(call, given, begun.error, found.value.request);
  const { outcome } = await doing(call, begun.value).ending(onProgress, left);
  releaseLease(call, begun.value);
  return callOf(given, outcome);
}

/** A refused function call, for the envelope's response; records the refusal. */
function refusedCall(
  { env, ctx, key, envelope, trace }: EnvelopeCall,
  given: GivenCall,
  refusal: Refusal,
  to?: SubjectRequest,
): FunctionCall {
  const { requestId } = envelope;
  const { server = CONTROL_SERVER, tool }: Partial<ToolCall> = to !== undefined && isToolCall(to) ? to : {};
  const about = {
    server,
    method: "tools/call",
    name: tool,
    requestId,
    trace: traceAgain(trace),
  };
  recordRefusal(env, ctx, { key: key.id, endpoint: "control", ...about }, refusal);
  return endedCall(given, describeRefusal(refusal));
}

/**
 * An ended run releases its lease by itself, but perhaps only after the next call of the same
 * envelope needs it.
 */
function releaseLease({ env, ctx, key }: EnvelopeCall, begun: Started): void {
  if (begun.kind === "run") enqueue(env, ctx, { key: { id: key.id, run: begun.run } });
}

/** What the policy's rules know of a request for a session. */
const requestFacts = ({ name }: EnvelopeCall["key"], task: string): Parameters<typeof redactionTermsOf>[2] => ({
  subject: "message",
  server: CONTROL_SERVER,
  tool: task,
  method: "control",
  keyName: name,
  provenance: "own",
});

/**
 * Keeps an exchange for its session, where the envelope asks for that; once, also for a repeated
 * request.
 */
export async function remember({ env, ctx, key, envelope }: EnvelopeCall, run: RunMeta, text: string): Promise<void> {
  const { context, task, requestId } = envelope;
  if (context.rememberSeconds === undefined || context.sessionId === undefined || !("prompt" in task) || task.prompt === undefined) return;
  const { policy } = await documentsOf(env, Date.now(), (work) => ctx.waitUntil(work));
  const terms = redactionTermsOf(policy.redaction, [], requestFacts(key, task.type));
  const kept = (text: string): string => (terms === null ? text : redactText(text, rulesAt(terms, "request")));
  // The conversation is kept as a reviewer edited it: what they removed is not kept.
  const sent = run.edited.request ? await runStub(env, run.id).sent() : { prompt: task.prompt };
  if (sent === null) return;
  const turns: Turn[] = [
    { role: "user", content: kept(sent.prompt) },
    { role: "assistant", content: text },
  ];
  await conversationStub(env, key.id, context.sessionId).append({
    keyId: key.id,
    turnId: requestId,
    turns: jsonOf(turns),
    base:
      context.history === undefined
        ? "kept"
        : { history: jsonOf(context.history.map((turn) => ({ ...turn, content: kept(turn.content) }))) },
    ...("edits" in sent ? { edits: sent.edits } : {}),
    ttlMs: context.rememberSeconds * 1000,
  });
}
