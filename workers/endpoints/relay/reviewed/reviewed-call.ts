// A client's `tools/call` before it goes into its cell: what an operator has stopped is refused.
// Where a rule of the policy is about calls, it is planned, and what needs a person waits here. The
// client's connection is held meanwhile. Only the approval that this request claims lets it go on,
// once: byte for byte as it came, or with the arguments that a reviewer approved.
//
// A client that is not held long enough calls again: the same call finds its review.

import type { LoginAccount } from "../../../../shared/credential/login-account.ts";
import { type JsonObject, digestOf, fromUtf8, toBase64url, utf8ToBytes } from "../../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import { edited } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import type { ProviderError } from "../../../../shared/model/call.ts";
import type { Approved, Outcome, Refusal } from "../../../../shared/model/outcome.ts";
import { type ToolCall, argumentsJsonOf, definitionOf } from "../../../../shared/model/subject/tool-call.ts";
import type { CallFacts } from "../../../../shared/model/judged-request.ts";
import { hintsOf } from "../../../../shared/policy/tool-hints.ts";
import type { RunProgress } from "../../../../shared/review/view.ts";
import { once } from "../../../../shared/once.ts";
import { mayMaskReply } from "../../../../shared/run/masked-reply.ts";
import { outcomeUnknownError } from "../../../../shared/provider/provider-error.ts";
import type { Plan } from "../../../../shared/run/plan.ts";
import {
  callMethod,
  editedNotice,
  noticeText,
  saysTimeout,
  takenNotice,
  unknownNotice,
  waitingNotice,
} from "../../../../shared/relay/call-notices.ts";
import { callResult, refusedNotice, relayedCall } from "../../../../shared/run/relayed-tool-call.ts";
import { mayReviewReply, stagesOf } from "../../../../shared/run/stages.ts";
import { type RequestId, failure, idKey, responseMessage, success, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { isStateless, readStateless } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { jsonResponse } from "../../../http/json-response.ts";
import { keepAliveJson, keptAlive, within } from "../../../http/keep-alive.ts";
import { countedSession } from "../../../pipeline/admit/limits.ts";
import { begin } from "../../../pipeline/begin.ts";
import type { Association, PipelineRequest } from "../../../pipeline/pipeline-request.ts";
import { originatingKey } from "../../../pipeline/incoming/sampling-call.ts";
import { mayKeepResult, planFor } from "../../../pipeline/plan/plan-request.ts";
import { recordRefusal } from "../../../pipeline/record/refusals.ts";
import { watchKey } from "../../../pipeline/wait/key-watch.ts";
import { stopOf } from "../../../pipeline/spend/stops.ts";
import { awaitRun, isCallerLeft } from "../../../pipeline/wait/wait.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { knownTool, noteToolUse } from "../../../stores/tools.ts";
import type { Claim, Returned } from "../../../stubs/run-calls.ts";
import { runStub, sessionStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import { refuseKnown } from "../../auth.ts";
import { ResponseStream, eventResponse } from "../calls/response-stream.ts";
import { associationSession } from "../sampling/relay-sampling.ts";
import { type PostedMessage, sessionOf } from "../sessions/session-relay.ts";
import { loginChange } from "../own-login.ts";
import { type WatchedRelayRequest, hasCallRules, refuseWith, stoppedCall } from "../relay-request.ts";
import { type AnswerSink, caughtResult, passAnswer } from "./call-answer.ts";
import { withArguments, withoutTasksIn } from "./sent-call.ts";
import { withReceipt } from "./sent-receipt.ts";
import { type TaskWish, asTask, runsTasksHere, taskCreated, taskWishOf } from "./tasked-call.ts";
import { broughtBack, comeBack, contentOf, mostTimes } from "./waiting-state.ts";

/** Sends the message into its cell. */
type Send = (message: PostedMessage, relay: WatchedRelayRequest) => Promise<Response>;

/** A call that a rule may be about, with all that goes on with it. */
type ReviewedCall = {
  readonly c: AppContext;
  readonly relay: WatchedRelayRequest;
  readonly message: PostedMessage;
  readonly send: Send;
  readonly id: RequestId;
  readonly call: ToolCall;
  readonly isStateless: boolean;
  /** How often its client came back with it. */
  readonly times: number;
  /** Unix milliseconds. */
  readonly cameAt: number;
  /** The client takes no other result than a task of 2025-11-25. */
  readonly wantsTask: boolean;
  /** Null: it wants no task. */
  readonly wish: TaskWish | null;
  /** The session that the held response ends with; empty: its key alone. */
  readonly endsWith: string;
  readonly incoming: PipelineRequest;
};

/** Answers a message, whose calls wait for what the policy asks of them. */
export async function throughReview(c: AppContext, relay: WatchedRelayRequest, message: PostedMessage, send: Send): Promise<Response> {
  const values: readonly unknown[] = Array.isArray(message.value) ? message.value : [message.value];
  const calls = values.filter((each) => objectOf(each)?.["method"] === callMethod);
  if (calls.length === 0 && !values.some(cancels)) return send(message, relay);
  const [isRuled, stopped] = await Promise.all([hasCallRules(c, relay), calls.length === 0 ? null : stoppedCall(c, relay)]);
  if (stopped !== null) return refusedUnread(c, relay, message, stopped);
  if (!isRuled && !relay.server.receipts && !runsTasksHere(c, relay)) return send(message, relay);
  if (calls.length === 0) return withdrawn(c, relay, message, send);
  if (Array.isArray(message.value)) return batched(c, relay, message, calls, send);
  const read = await readCall(c, { ...relay, slow: undefined }, message, send);
  if (read instanceof Response) return read;
  const planned = await planFor(read.incoming);
  const wish = planned.ok && (read.wish?.isAlways === true || mayWait(read, planned.value)) ? read.wish : null;
  if (planned.ok && isUnnamed(planned.value) && !relay.server.receipts && wish === null) {
    const scope = await stopOfCall(c, relay, read.call, countedSession(read.incoming.association));
    return scope === null ? send(message, relay) : refused(read, { kind: "stopped", scope });
  }
  const begun = await begin(wish === null ? read.incoming : asTask(c, relay, read.id, wish, read.incoming), planned);
  if (!begun.ok) return refused(read, begun.error);
  const started = begun.value;
  if (started.kind === "run") return wish === null ? held(read, started.run) : taskCreated(c, read.id, started.run, read.isStateless);
  const outcome = await started.outcome;
  return outcome.kind === "approved" && planned.ok ? allowed(read, planned.value, outcome) : answered(read, callResult(outcome, "", false));
}

/** Whether a call becomes a task; where a session's client asks for one, also if it is masked. */
const mayWait = ({ isStateless: stateless }: ReviewedCall, plan: Plan): boolean =>
  stateless ? plan.gatePolicy.request === "review" || mayReviewReply(stagesOf({ ...plan, act: "release" })) : !isPlain(plan);

/** Nobody has to decide, and the result passes as it comes. */
const isPlain = (plan: Plan): boolean => plan.gatePolicy.request === "allow" && plan.redacted === null && !mayKeepResult(plan);

/** No rule is about it, in shadow or not: there is nothing to record. */
const isUnnamed = (plan: Plan): boolean => isPlain(plan) && plan.gatePolicy.rule === "default" && plan.gatePolicy.shadow === undefined;

/** The stop that is for a call, which a person may have stopped although no rule is about it. */
const stopOfCall = (c: AppContext, { name: server }: WatchedRelayRequest, { tool }: ToolCall, session: string | null) =>
  stopOf({ env: c.env, ctx: c.executionCtx }, { key: c.var.key.id, server, call: { tool, session } }, Date.now());

/** A batch has calls that pass as they come, or none of it is sent. */
async function batched(
  c: AppContext,
  relay: WatchedRelayRequest,
  message: PostedMessage,
  calls: readonly unknown[],
  send: Send,
): Promise<Response> {
  const session = await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const name = sessionStub(c.env, c.var.key.id, associationSession(session)).id.toString();
  for (const each of calls) {
    const call = relayedCall(utf8ToBytes(JSON.stringify(each)), each, relay.name);
    const plan = call.ok ? await planFor(plannedBy(c, relay, call.value, (await toolOf(c, relay, call.value)).facts)) : null;
    const isStopped = call.ok && (await stopOfCall(c, relay, call.value, name)) !== null;
    if (plan === null || !plan.ok || !isPlain(plan.value) || isStopped || relay.server.receipts)
      return refuseWith(c, 400, "Send each tools/call by itself: one of this batch needs a decision, and nothing of the batch was sent");
  }
  return send(message, relay);
}

/** What is known of the tool beside its name: what a reviewer is shown, and what rules judge. */
async function toolOf(c: AppContext, relay: WatchedRelayRequest, { tool }: ToolCall) {
  const known = await knownTool(c.env, relay, tool, c.var.key.id);
  const facts: CallFacts = {
    hints: hintsOf(known.annotations ?? undefined, relay.server.trustAnnotations),
    firstUse: known.isFirstUse,
    ...(known.state === "unknown" ? {} : { definitionChanged: known.state !== "accepted" }),
  };
  return { definition: known.definition === null ? null : definitionOf(known.definition), facts };
}

const plannedBy = (c: AppContext, relay: WatchedRelayRequest, call: ToolCall, facts: CallFacts) => ({
  env: c.env,
  ctx: c.executionCtx,
  key: c.var.key,
  endpoint: "relay" as const,
  requestor: {
    server: relay.name,
    method: callMethod,
    name: call.tool,
    provenance: "observed" as const,
    ...(relay.server.login?.account === undefined ? {} : { account: relay.server.login.account }),
  },
  request: call,
  call: facts,
  receipts: relay.server.receipts,
});

/** The call, or the response where its cell would refuse it anyway. */
async function readCall(c: AppContext, relay: WatchedRelayRequest, came: PostedMessage, send: Send): Promise<ReviewedCall | Response> {
  const headerOf = (name: string): string | null => c.req.raw.headers.get(name);
  const stateless = isStateless(came.value, headerOf);
  if (stateless && !readStateless(came.value, headerOf).ok) return send(came, relay);
  const message = stateless ? broughtBack(settingsOf(c.env).keys, relay, came) : { ...came, times: 0 };
  if (message === null) return refuseWith(c, 400, "Invalid params: this requestState is not one of this call", {}, -32_602);
  const { value, body } = message;
  const session = stateless ? null : await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const id = toRequestId(objectOf(value)?.["id"]);
  if (id === undefined) return refuseWith(c, 400, "A tools/call needs an id: a text or a whole number");
  const call = relayedCall(body, value, relay.name);
  if (!call.ok) return jsonResponse(failure(id, { code: -32_602, message: call.error }), stateless ? 400 : 200);
  const { definition, facts } = await toolOf(c, relay, call.value);
  const name = session === null ? "" : associationSession(session);
  // No request repeats another: the same call finds its review by what it is.
  const request = `call.${toBase64url(crypto.getRandomValues(new Uint8Array(refLength)))}`;
  const association: Association =
    session === null
      ? { kind: "unrepeatable", requestRef: { session: null, originating: callMethod, request } }
      : ((stub) => ({
          kind: "clientRequest" as const,
          session: stub,
          requestRef: { session: stub.id.toString(), originating: callKey(relay.name, id), request },
        }))(sessionStub(c.env, c.var.key.id, name));
  const { account } = relay.server.login ?? {};
  const content = once(() => (account === undefined ? contentOf(relay, body) : ofAccount(contentOf(relay, body), account)));
  const incoming: PipelineRequest = {
    ...plannedBy(c, relay, { ...call.value, ...(definition === null ? {} : { definition }) }, facts),
    requestId: idKey(id),
    contextIgnored: null,
    act: "release",
    association,
    digest: request,
    content,
    responseMode: { kind: "sync" },
    isRetry: true,
    signal: new AbortController().signal,
  };
  const wish = taskWishOf(message, session);
  const [{ times }, wantsTask, cameAt] = [message, !stateless && wish !== null, Date.now()];
  return {
    cameAt,
    c,
    relay,
    message,
    send,
    id,
    call: call.value,
    isStateless: stateless,
    times,
    wantsTask,
    wish,
    endsWith: name,
    incoming,
  };
}

const refLength = 16;

/** A call for one account is another call than the same for another: it gets another review. */
const ofAccount = (content: string, account: LoginAccount): string => digestOf("countersign/call-of-account/v1", { content, account });

/** The client's request as its session knows it, apart from what is sampled for it. */
const callKey = (server: string, id: RequestId): string => `call.${originatingKey(server, id)}`;

const cancels = (value: unknown): boolean => objectOf(value)?.["method"] === "notifications/cancelled";

/**
 * Cancellations withdraw the reviews of their calls, before the server hears of them. A client that
 * only timed out may call again, and its review goes on.
 */
async function withdrawn(c: AppContext, relay: WatchedRelayRequest, message: PostedMessage, send: Send): Promise<Response> {
  const values: readonly unknown[] = Array.isArray(message.value) ? message.value : [message.value];
  const ids = values.filter(cancels).flatMap((each) => {
    const { requestId, reason } = objectOf(objectOf(each)?.["params"]) ?? {};
    const id = toRequestId(requestId);
    return id === undefined
      ? []
      : [{ key: callKey(relay.name, id), cause: saysTimeout(reason) ? "timedOut" : "originatingRequest" } as const];
  });
  const session = isStateless(message.value, (name) => c.req.raw.headers.get(name)) ? null : await sessionOf(c, relay);
  if (session === null || session instanceof Response || ids.length === 0) return send(message, relay);
  const stub = sessionStub(c.env, c.var.key.id, associationSession(session));
  await Promise.all(ids.map(({ key, cause }) => stub.endOriginating([key], cause, false)));
  return send(message, relay);
}

/** A result of the gateway's own as the whole response. */
const answered = (call: AnsweredCall, result: JsonObject): Response => jsonResponse(responseWith(call, result));

/** What the gateway's own response to a call depends on. */
type AnsweredCall = Pick<ReviewedCall, "c" | "relay" | "id" | "isStateless" | "wantsTask">;

function responseWith({ id, isStateless: stateless, wantsTask }: AnsweredCall, result: JsonObject): JsonObject {
  // The only result that a client takes here is a task.
  if (wantsTask) return responseMessage(id, { error: { code: -1, message: noticeText(result), data: objectOf(result["_meta"]) ?? {} } });
  return { ...success(id, stateless ? { resultType: "complete", ...result } : result) };
}

/** Refuses a message that has calls, before they are read. */
function refusedUnread(
  c: AppContext,
  relay: WatchedRelayRequest,
  { value }: PostedMessage,
  refusal: Refusal,
): Promise<Response> | Response {
  const message = objectOf(value);
  const params = objectOf(message?.["params"]);
  const tool = typeof params?.["name"] === "string" ? params["name"].slice(0, longestName).toWellFormed() : "";
  const id = toRequestId(message?.["id"]);
  if (id === undefined) return refuseKnown(c, "relay", refusal, { server: relay.name, method: callMethod });
  const stateless = isStateless(value, (name) => c.req.raw.headers.get(name));
  const wantsTask = !stateless && params?.["task"] !== undefined;
  return refused({ c, relay, id, isStateless: stateless, wantsTask, call: { tool } }, refusal);
}

const longestName = 512;

function refused(read: AnsweredCall & { readonly call: Pick<ToolCall, "tool"> }, refusal: Refusal): Promise<Response> | Response {
  const { c, relay, call } = read;
  const about = { server: relay.name, method: callMethod, name: call.tool };
  const result = refusedNotice(refusal);
  if (result === null) return refuseKnown(c, "relay", refusal, about);
  recordRefusal(c.env, c.executionCtx, { key: c.var.key.id, endpoint: "relay", ...about }, refusal);
  return answered(read, result);
}

/** Whether these arguments, as JSON, are others than those that came. */
const isOther = ({ call }: ReviewedCall, after: string): boolean => argumentsJsonOf(call) !== after;

const messageWith = ({ message, call }: ReviewedCall, after: string): PostedMessage => withArguments(message, argumentsJsonOf(call), after);

/** The policy lets it pass, or a grant does; its result may still be masked. */
async function allowed(read: ReviewedCall, plan: Plan, { call, receiptFacts }: Approved & Outcome): Promise<Response> {
  const terms = plan.redaction === null ? {} : { redaction: plan.redaction };
  const sent = await withReceipt(read.c.env, read.relay, messageWith(read, argumentsJsonOf(call)), receiptFacts);
  await noteToolUse(read.c.env, read.relay, call.tool, read.incoming.key.id);
  if (!mayMaskReply(terms)) return read.send(sent, read.relay);
  return output(read, async (sink) => {
    const response = await read.send(sent, read.relay);
    const caught = await caughtResult(response, read.id, sink, { terms, call });
    if (caught.kind === "round") return { response: caught.response };
    return { response: responseWith(read, caught.kind === "result" ? caught.shown : unknownNotice(null)) };
  });
}

/** Where a held response goes: events as they come, and the response last. */
type HeldSink = AnswerSink & {
  readonly say: (state: RunProgress) => void;
  readonly left: AbortSignal;
  /** Whether its client is still there. */
  readonly reachesClient: () => Promise<boolean>;
};
/** Null: it is written already. */
type HeldResponse = { readonly response: JsonObject | string | null };

/** What a call waits for, for its client. */
const progressWords: Readonly<Record<RunProgress, string>> = {
  waiting: "Waiting for a person to review the call",
  generating: "The call is running",
  responseReview: "Waiting for a person to review the result",
  completed: "Delivering the result",
  rejected: "Delivering the decision",
  expired: "Nobody decided in time",
  cancelled: "The call was withdrawn",
  failed: "The call failed",
};

/** A response that is held: as events where the client takes them, else as one JSON value. */
function output(read: ReviewedCall, work: (sink: HeldSink) => Promise<HeldResponse>): Response {
  const { c, id, incoming, endsWith } = read;
  const broken = (quote: string): JsonObject => ({
    ...failure(id, { code: -32_603, message: `Something went wrong at the gateway (${quote})` }),
  });
  if (!/text\/event-stream/i.test(c.req.header("Accept") ?? ""))
    return keepAliveJson(
      keptAlive<HeldResponse>(c.req.raw.signal, {
        work: (say, left) => work({ say, left, pass: null, reachesClient: async () => !left.aborted }),
        encode: ({ response }) => (typeof response === "string" ? response : JSON.stringify(response)),
        broken: (quote) => ({ response: broken(quote) }),
        heartbeatMs: settingsOf(c.env).heartbeatMs,
      }),
    );
  const token = toRequestId(objectOf(objectOf(objectOf(read.message.value)?.["params"])?.["_meta"])?.["progressToken"]);
  const stream = new ResponseStream({
    env: c.env,
    ctx: c.executionCtx,
    key: incoming.key,
    id,
    progressToken: token,
    session: endsWith,
    // An approval that comes before a heartbeat would be claimed for nobody.
    disconnected: c.req.raw.signal,
  });
  stream.run(async () => {
    const { response } = await work({
      say: (state) => stream.say(state, progressWords),
      left: stream.left,
      pass: (event) => stream.write(event),
      reachesClient: () => stream.reachesClient(),
    });
    if (typeof response !== "string") return response;
    await stream.write(response);
    return null;
  });
  return eventResponse(stream);
}

/** Holds the client while people decide. */
const held = (read: ReviewedCall, run: string): Response => output(read, (sink) => new HeldCall(read, run, sink).response());

const toldMs = 5_000;
const asksForMore: ProviderError = { kind: "providerError", then: "stop", detail: "asksForMore" };

/** One request of the client that waits for a run. */
class HeldCall {
  readonly #read: ReviewedCall;
  readonly #run: string;
  readonly #sink: HeldSink;
  readonly #watching = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The state that the run was in last. */
  #state: RunProgress = "waiting";
  #keepsOn = false;

  constructor(read: ReviewedCall, run: string, sink: HeldSink) {
    this.#read = read;
    this.#run = run;
    this.#sink = sink;
  }

  async response(): Promise<HeldResponse> {
    const { env } = this.#read.c;
    const approved = Promise.withResolvers<"approved">();
    // A juror may have taken a part of what its client waits for.
    this.#hold(Date.now() - this.#read.cameAt);
    // Once the call is sent, its result is the run's also where its client leaves.
    this.#sink.left.addEventListener("abort", () => this.#keepsOn || this.#watching.abort("left"), { once: true });
    if (this.#sink.left.aborted) this.#watching.abort("left");
    const outcome = awaitRun(env, this.#run, (state) => this.#reached(state, approved.resolve), this.#watching.signal);
    outcome.catch(() => {});
    try {
      const first = await Promise.race([outcome, approved.promise]);
      return first === "approved" ? await this.#released(outcome) : this.#ended(first, false);
    } catch (error) {
      const { aborted, reason } = this.#watching.signal;
      if (!aborted && !isCallerLeft(error)) throw error;
      // Nobody reads what is said to a client that has left.
      if (reason !== "held") return { response: null };
      // A client of 2026-07-28 comes back by itself.
      if (this.#read.isStateless && this.#read.times < mostTimes) {
        const { c, relay, id, message, times } = this.#read;
        return { response: comeBack(settingsOf(c.env).keys, { id, message, content: contentOf(relay, message.body), times }) };
      }
      return this.#says(waitingNotice(this.#run, this.#state === "responseReview" ? "response" : "request"));
    } finally {
      clearTimeout(this.#timer);
    }
  }

  #hold(spentMs = 0): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#watching.abort("held"), Math.max(0, settingsOf(this.#read.c.env).holdMs - spentMs));
  }

  #reached(state: RunProgress, approved: (value: "approved") => void): void {
    if (state === "responseReview" && this.#state !== state) this.#hold();
    this.#state = state;
    this.#sink.say(state);
    if (state === "generating") approved("approved");
  }

  #says(result: JsonObject): HeldResponse {
    return { response: responseWith(this.#read, result) };
  }

  #ended(outcome: Outcome, sent: boolean): HeldResponse {
    const response = responseWith(this.#read, callResult(outcome, this.#run, sent));
    if (outcome.kind !== "ran") return { response };
    const text = utf8ToBytes(JSON.stringify(response));
    return { response: objectOf(parseJson(fromUtf8(this.#withNotice(text, argumentsJsonOf(outcome.call))))) };
  }

  #withNotice(response: Uint8Array, ran: string): Uint8Array {
    return isOther(this.#read, ran) ? edited(response, editedNotice(response, argumentsJsonOf(this.#read.call), ran)) : response;
  }

  /** Claims the approval, sends the call, and reports what came of it. */
  async #released(outcome: Promise<Outcome>): Promise<HeldResponse> {
    const { c, relay, incoming } = this.#read;
    clearTimeout(this.#timer);
    // An approval is not claimed for a client that has left: it finds it when it calls again.
    if (!(await this.#sink.reachesClient())) return { response: null };
    // Nor for one whose login is no longer the one that was shown.
    const change = await loginChange(c.env, relay);
    if (change !== null) return this.#says(change);
    const stub = runStub(c.env, this.#run);
    const claim: Claim = readJsonOf(await stub.claim(incoming.association.requestRef));
    switch (claim.kind) {
      case "taken":
        return this.#says(takenNotice(this.#run));
      case "ended":
        return this.#ended(await outcome, false);
      case "running":
        this.#hold();
        return this.#ended(await outcome, true);
      case "claimed":
        return this.#sent(claim, outcome);
      default:
        return claim satisfies never;
    }
  }

  async #sent(claim: Extract<Claim, { kind: "claimed" }>, outcome: Promise<Outcome>): Promise<HeldResponse> {
    const { c, relay, id, send } = this.#read;
    const at = Date.now();
    const took = (): { at: number; durationMs: number } => ({ at, durationMs: Date.now() - at });
    this.#keepsOn = claim.keepsResult;
    const watch = watchKey(c.env, c.var.key);
    const over = claim.keepsResult ? watch.over : AbortSignal.any([watch.over, this.#sink.left]);
    try {
      const given = argumentsJsonOf(claim.approved.call);
      const isEdited = isOther(this.#read, given);
      await noteToolUse(c.env, relay, this.#read.call.tool, c.var.key.id);
      const sent = await withReceipt(c.env, relay, messageWith(this.#read, given), claim.receipt);
      const answer = await send(claim.keepsResult ? withoutTasksIn(sent) : sent, { ...relay, over, isEdited });
      if (claim.keepsResult) {
        const caught = await caughtResult(answer, id, this.#sink, null);
        if (caught.kind === "round") {
          await this.#report(claim.call, { kind: "failed", fault: asksForMore, took: took() }, outcome);
          return { response: caught.response };
        }
        await this.#report(claim.call, { ...caught, took: took() });
        return this.#ended(await outcome, true);
      }
      const passed = await passAnswer(answer, id, this.#sink, (bytes) => this.#withNotice(bytes, given), over);
      await this.#report(claim.call, { ...passed.returned, took: took() }, outcome);
      return passed.response === undefined ? this.#says(unknownNotice(this.#run)) : { response: passed.response };
    } catch (error) {
      if (this.#watching.signal.reason === "held") throw error;
      logEvent("request.failed", { quote: "", error: errorClass(error) });
      await this.#report(claim.call, { kind: "failed", fault: outcomeUnknownError, took: took() }, outcome);
      return this.#says(unknownNotice(this.#run));
    } finally {
      watch.done();
    }
  }

  /**
   * Where this does not reach the run, the call counts as lost when this request ends. `told`: the
   * client hears of it from here, and the run has to know that, or it would tell the same call.
   */
  async #report(call: number, returned: Returned, told?: Promise<Outcome>): Promise<void> {
    try {
      await runStub(this.#read.c.env, this.#run).returned(call, jsonOf(returned));
      if (told !== undefined) await within(told, toldMs);
    } catch (error) {
      logEvent("request.failed", { quote: "", error: errorClass(error) });
    }
  }
}
