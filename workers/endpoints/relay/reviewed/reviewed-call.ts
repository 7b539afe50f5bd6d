// A client's `tools/call` before it goes into its cell: what an operator has stopped is refused.
// Where a rule of the policy is about calls, it is planned, and what needs a person waits. The
// files here, in the order in which a call passes them:
//
//   read-call       which call it is, and what is known of its tool
//   held-call       its client is held meanwhile (waiting-state: it comes back by itself)
//   tasked-call     or it is a task (declared-tasks, task-requests, task-states: of its client)
//   approved-call   sends it once it may be sent (sent-call, sent-receipt: what changes in it;
//                   own-ids: whom its client cancels)
//   approved-task   by a task's run, for a client that is not there
//   call-answer     the server's response in the answer; gateway-response: the gateway's own

import { fromUtf8 } from "../../../../shared/encoding.ts";
import { elementsOf, whole } from "../../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { type Approved, type Outcome, isApprovedCall } from "../../../../shared/model/outcome.ts";
import type { ToolCall } from "../../../../shared/model/subject/tool-call.ts";
import { callMethod, saysTimeout, unknownNotice } from "../../../../shared/relay/call-notices.ts";
import { paramsOf } from "../../../../shared/relay/messages.ts";
import { mayMaskReply } from "../../../../shared/run/masked-reply.ts";
import type { Plan } from "../../../../shared/run/plan.ts";
import { callResult, relayedCall } from "../../../../shared/run/relayed-tool-call.ts";
import { mayReviewReply, stagesOf } from "../../../../shared/run/stages.ts";
import { toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { isStateless } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { countedSession } from "../../../pipeline/admit/limits.ts";
import { begin } from "../../../pipeline/begin.ts";
import { mayKeepResult, planFor } from "../../../pipeline/plan/plan-request.ts";
import { stopOf } from "../../../pipeline/spend/stops.ts";
import type { RequestFailure } from "../../../mcp-client/request-failure.ts";
import { sessionStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import { intoCell } from "../into-cell.ts";
import { type WatchedRelayRequest, hasCallRules, refuseWith, stoppedCall } from "../relay-request.ts";
import { associationSession } from "../sampling/relay-sampling.ts";
import { type PostedMessage, sessionOf } from "../sessions/session-relay.ts";
import { preparedCall } from "./approved-call.ts";
import { asksForMore, caughtIn, maskedResult } from "./call-answer.ts";
import { held } from "./held-call.ts";
import { answered, heldResponse, refused, refusedUnread, responseWith } from "./gateway-response.ts";
import { type ReviewedCall, callKey, plannedBy, readCall, toolOf } from "./read-call.ts";
import { ownIdOf, whileKnownAs } from "./own-ids.ts";
import { cancellationOf, underOwnId, withoutTasksIn } from "./sent-call.ts";
import { asTask, runsTasksHere, taskCreated } from "./tasked-call.ts";

/** Answers a message, whose calls wait for what the policy asks of them. */
export async function throughReview(c: AppContext, relay: WatchedRelayRequest, message: PostedMessage): Promise<Response> {
  const values: readonly unknown[] = Array.isArray(message.value) ? message.value : [message.value];
  const calls = values.filter((each) => objectOf(each)?.["method"] === callMethod);
  // Also where no rule is about calls any more: a review of a rule that was may still wait.
  if (calls.length === 0) return withdrawn(c, relay, message);
  const [isRuled, stopped] = await Promise.all([hasCallRules(c, relay), stoppedCall(c, relay)]);
  if (stopped !== null) return refusedUnread(c, relay, message, stopped);
  if (!isRuled && !relay.server.receipts && !runsTasksHere(c, relay)) return withdrawn(c, relay, message);
  if (Array.isArray(message.value)) return batched(c, relay, message);
  const read = await readCall(c, { ...relay, slow: undefined }, message);
  if (read instanceof Response) return read;
  const planned = await planFor(read.incoming);
  const wish = planned.ok && (read.wish?.isAlways === true || mayWait(read, planned.value)) ? read.wish : null;
  if (planned.ok && isUnnamed(planned.value) && !relay.server.receipts && wish === null) {
    const scope = await stopOfCall(c, relay, read.call, countedSession(read.incoming.association));
    return scope === null ? intoCell(c, relay, read.message) : refused(read, { kind: "stopped", scope });
  }
  const begun = await begin(wish === null ? read.incoming : asTask(c, relay, read.id, wish, read.incoming), planned);
  if (!begun.ok) return refused(read, begun.error);
  const started = begun.value;
  if (started.kind === "run") return wish === null ? held(read, started.run) : taskCreated(c, read.id, started.run, read.isStateless);
  const outcome = await started.outcome;
  return isApprovedCall(outcome) && planned.ok ? allowed(read, planned.value, outcome) : answered(read, callResult(outcome, "", false));
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
async function batched(c: AppContext, relay: WatchedRelayRequest, message: PostedMessage): Promise<Response> {
  const session = await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const name = sessionStub(c.env, c.var.key.id, associationSession(session)).id.toString();
  const spans = elementsOf(message.body, whole(message.body));
  for (const { from, to } of spans) {
    // As it was written: a parser would keep one of two members of one name.
    const body = message.body.subarray(from, to);
    const each = parseJson(fromUtf8(body));
    if (objectOf(each)?.["method"] !== callMethod) continue;
    const call = relayedCall(body, each, relay.name);
    const plan = call.ok ? await planFor(plannedBy(c, relay, call.value, (await toolOf(c, relay, call.value)).facts)) : null;
    const isStopped = call.ok && (await stopOfCall(c, relay, call.value, name)) !== null;
    if (plan === null || !plan.ok || !isPlain(plan.value) || isStopped || relay.server.receipts)
      return refuseWith(c, 400, "Send each tools/call by itself: one of this batch needs a decision, and nothing of the batch was sent");
  }
  return withdrawn(c, relay, message);
}

const cancels = (value: unknown): boolean => objectOf(value)?.["method"] === "notifications/cancelled";

/**
 * Passes a message, whose cancellations withdraw the reviews of their calls before the server hears
 * of them. A client that
 * only timed out may call again, and its review goes on.
 */
async function withdrawn(c: AppContext, relay: WatchedRelayRequest, message: PostedMessage): Promise<Response> {
  const values: readonly unknown[] = Array.isArray(message.value) ? message.value : [message.value];
  const ids = values.filter(cancels).flatMap((each) => {
    const { requestId, reason } = paramsOf(each) ?? {};
    const id = toRequestId(requestId);
    return id === undefined
      ? []
      : [{ key: callKey(relay.name, id), cause: saysTimeout(reason) ? "timedOut" : "originatingRequest" } as const];
  });
  const hasSession = ids.length > 0 && !isStateless(message.value, c.req.raw.headers);
  const session = hasSession ? await sessionOf(c, relay) : null;
  if (session === null || session instanceof Response) return intoCell(c, relay, message);
  const stub = sessionStub(c.env, c.var.key.id, associationSession(session));
  await Promise.all(ids.map(({ key, cause }) => stub.endOriginating([key], cause, false)));
  for (const { key } of ids) {
    const own = ownIdOf(associationSession(session), key);
    if (own !== undefined) await intoCell(c, relay, cancellationOf(own, "The call was cancelled")).then(({ body }) => body?.cancel());
  }
  return intoCell(c, relay, message);
}

/** The policy lets it pass, or a grant does; its result may still be masked. */
async function allowed(read: ReviewedCall, plan: Plan, { call, receiptFacts }: Approved<ToolCall> & Outcome): Promise<Response> {
  const { c, id, isStateless: stateless, sharesIds, endsWith } = read;
  const terms = plan.redaction === null ? {} : { redaction: plan.redaction };
  const { message, relay } = await preparedCall(read, call, receiptFacts);
  if (!mayMaskReply(terms)) return intoCell(c, relay, message);
  const sent = withoutTasksIn(sharesIds ? underOwnId(message) : message, !stateless);
  const own = toRequestId(objectOf(sent.value)?.["id"]) ?? id;
  return heldResponse(read, async (sink) => {
    const found = await whileKnownAs(own, { session: endsWith, call: callKey(relay.name, id) }, async () => {
      const failures: RequestFailure[] = [];
      const answer = await intoCell(c, { ...relay, reportFailure: (failure) => void failures.push(failure) }, sent);
      // The relay's own refusals have the client's id.
      return caughtIn(answer, failures.length === 0 ? own : id, sink);
    });
    if (found !== null && asksForMore(found, stateless)) return { response: found.message };
    return { response: responseWith(read, (found === null ? null : maskedResult(found, terms, call)) ?? unknownNotice(null)) };
  });
}
