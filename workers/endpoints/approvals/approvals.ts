// POST /approvals: whoever is about to call a tool asks for people's decision, and calls it itself.

import { Hono } from "hono";
import * as z from "zod";
import type { JsonObject } from "../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { ProviderError } from "../../../shared/model/call.ts";
import type { Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { type ToolCall, definitionOf } from "../../../shared/model/subject/tool-call.ts";
import { toolResultOf } from "../../../shared/run/functions.ts";
import { callRequestor } from "../../../shared/run/run-input.ts";
import { callResult } from "../../../shared/run/relayed-tool-call.ts";
import { parseRunId } from "../../../shared/sealed-id.ts";
import { answerOf, approvalAnswer, resultAnswer } from "../../../shared/wire/approvals/approval-answer.ts";
import { approvalRequest, returnedResult } from "../../../shared/wire/approvals/approval-request.ts";
import { describeRefusal } from "../../../shared/wire/describe.ts";
import { defaultCodec } from "../../../shared/wire/mcp-codecs.ts";
import { statusOf } from "../../../shared/wire/status.ts";
import { jsonResponse } from "../../http/json-response.ts";
import { badIdempotencyKey, idempotencyKeyOf, prefersAsync, wantsEvents } from "../../http/request-headers.ts";
import { countCalls } from "../../pipeline/admit/calls.ts";
import { beginApproval, withdrawApproval } from "../../pipeline/incoming/approval-call.ts";
import { signedOutcome } from "../../pipeline/receipts.ts";
import { recordRefusal } from "../../pipeline/record/refusals.ts";
import { settingsOf } from "../../platform/settings.ts";
import { paths, runPath } from "../../platform/urls.ts";
import type { Returned } from "../../stubs/run-calls.ts";
import { runStub } from "../../stubs/stubs.ts";
import { beginTrace, transportContext } from "../../telemetry/begin-trace.ts";
import { named } from "../answer-schema.ts";
import type { App, AppContext } from "../app-context.ts";
import { refuse, requireCounted, requireKey } from "../auth.ts";
import { asJson, asJsonOrEvents, configurationUnavailable, inHeader, inPath, jsonBody, rpcError, tooLarge } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerDecision, bodyOf } from "./decision-response.ts";

export const approvalRoutes = new Hono<App>();

const approval = named("Approval", approvalAnswer);

const requestApproval = describe("requestApproval", {
  summary: "People's decision about a tool's call that the caller makes itself: held until they have decided",
  parameters: [
    inHeader("Accept", "text/event-stream for comments and one event; anything else for one JSON value"),
    inHeader("Prefer", "respond-async: 202 and a run to ask about"),
    inHeader("Idempotency-Key", "The same key with the same body is the same request, and gets the same decision"),
  ],
  body: jsonBody(named("ApprovalRequest", approvalRequest)),
  200: asJsonOrEvents(approval, "The decision; only `approved` lets the call be made. White space or comments come before it"),
  202: asJson(
    named("ApprovalAsked", () => z.object({ id: z.string() })),
    "Asynchronous: the run that was made",
    { Location: "The run", "Preference-Applied": "respond-async" },
  ),
  400: rpcError("-32700: not JSON; -32602: not valid, or not exact: a member twice, a number that is rounded"),
  403: rpcError("-1: stopped by an operator, or a key whose owner is unknown; -32014: a key without the scope sampling"),
  409: rpcError("-32600: the Idempotency-Key was used before with another body, or its decision is no longer kept"),
  413: tooLarge,
  415: rpcError("-32016: not application/json"),
  503: configurationUnavailable,
});

approvalRoutes.post(paths.approvals, requestApproval, requireKey, async (c) => {
  const requestId = idempotencyKeyOf(c.req.raw.headers);
  const refusedUnread = refusing(c, { requestId });
  if (requestId === null && c.req.header("Idempotency-Key") !== undefined) return refusedUnread(badIdempotencyKey);
  const body = await bodyOf(c, approvalRequest());
  if (!body.ok) return refusedUnread(body.error);
  const {
    tool,
    server,
    arguments: input,
    inputResponses,
    schema: inputSchema,
    returnsResult = false,
    asTask = false,
    ...said
  } = body.value;
  const answers = inputResponses === undefined ? {} : { inputResponses };
  const trace = beginTrace(c.env, transportContext(c.req.raw.headers));
  const isAsync = prefersAsync(c.req.raw.headers);
  const refused = refusing(c, { requestId, server, tool, trace });
  if (isAsync && returnsResult) return refused({ kind: "invalidParams", errors: [heldAlone] });
  const call: ToolCall = {
    kind: "toolCall",
    server,
    tool,
    arguments: input,
    ...answers,
    definition: definitionOf({ ...said, inputSchema }),
  };
  const begun = await beginApproval({
    env: c.env,
    ctx: c.executionCtx,
    key: c.var.key,
    signal: c.req.raw.signal,
    trace,
    requestor: callRequestor(call),
    call,
    within: {},
    requestId,
    session: null,
    isAsync,
    returnsResult,
    asTask,
  });
  if (!begun.ok) return refused(begun.error);
  const { started, requestRef } = begun.value;
  if (isAsync && started.kind === "run") return detached(started.run, c, refused);
  return answerDecision(c, started, {
    requestRef,
    encode: answerOf,
    refuse: refused,
    asEvents: wantsEvents(c.req.raw.headers),
  });
});

const heldAlone = { pointer: "/returnsResult", message: "is for a request that is held, without Prefer: respond-async" };

const withdraw = describe("withdrawApproval", {
  summary: "Withdraws a request by its Idempotency-Key: nobody has to decide about it any more",
  parameters: [{ ...inHeader("Idempotency-Key", "The one of the request"), required: true }],
  204: "It is withdrawn. The run is cancelled, unless it answers another request too",
  400: rpcError("-32602: no Idempotency-Key, or one that cannot be"),
  403: rpcError("-32014: a key without the scope sampling"),
  404: "Nothing of this key's waits under it: it was not asked yet, or is decided",
});

approvalRoutes.delete(paths.approvals, withdraw, requireKey, requireCounted, async (c) => {
  const id = idempotencyKeyOf(c.req.raw.headers);
  if (id === null) return refusing(c, { requestId: null })(badIdempotencyKey);
  if (await withdrawApproval(c.env, c.var.key.id, id)) return c.body(null, 204);
  return c.json({ error: "Nothing waits under this Idempotency-Key" }, 404);
});

const returnResult = describe("returnResult", {
  summary: "What an approved call returned, for the rule about it: held until it may be delivered",
  parameters: [inPath("id", "The approval's id"), inHeader("Accept", "text/event-stream for comments and one event")],
  body: jsonBody(named("ReturnedResult", returnedResult)),
  200: asJsonOrEvents(named("ResultDelivery", resultAnswer), "What to deliver in the result's place, after white space or comments"),
  400: rpcError("-32700: not JSON; -32602: not valid"),
  403: rpcError("-32014: a key without the scope sampling"),
  404: "This key has no approved call of this id whose result comes back",
  413: tooLarge,
  415: rpcError("-32016: not application/json"),
});

approvalRoutes.post(paths.approvalResult, returnResult, requireKey, async (c) => {
  const run = c.req.param("id");
  const refused = refusing(c, { requestId: null });
  const body = await bodyOf(c, returnedResult(), { digits: false });
  if (!body.ok) return refused(body.error);
  const uncounted = await countCalls(c.env, c.var.key);
  if (uncounted !== null) return refused(uncounted);
  const stub = parseRunId(settingsOf(c.env).keys, run) === undefined ? null : runStub(c.env, run);
  const snapshot = (await stub?.snapshot()) ?? null;
  // Only what was claimed to be made elsewhere: of a task of the relay's the server has the result.
  const isElsewhere = snapshot?.endpoint === "approvals" && snapshot.act === "release" && snapshot.mode === "task";
  if (stub === null || snapshot?.key !== c.var.key.id || !isElsewhere)
    return c.json({ error: "This key has no such approved call whose result comes back" }, 404);
  if (snapshot.state === "generating") {
    const took = { at: snapshot.updatedAt, durationMs: Date.now() - snapshot.updatedAt };
    await stub.returned(null, jsonOf<Returned>({ ...returnedOf(body.value.result), took }));
  }
  return answerDecision(
    c,
    { kind: "run", run, posts: false },
    { encode: (outcome) => resultAnswerOf(outcome, run), refuse: refused, asEvents: wantsEvents(c.req.raw.headers) },
  );
});

/** A task, and a request for input, are no last word of a server's. */
function returnedOf(result: JsonObject) {
  const isLast = (result["resultType"] ?? "complete") === "complete" && result["task"] === undefined;
  const read = isLast ? toolResultOf(result) : null;
  if (read?.ok === true) return { kind: "result", result: read.value } as const;
  const fault: ProviderError = isLast
    ? { kind: "brokenAnswer", then: "stop" }
    : { kind: "providerError", then: "stop", detail: "asksForMore" };
  return { kind: "failed", fault } as const;
}

/** What the caller delivers: the result, or a notice in its place. */
const resultAnswerOf = (outcome: Outcome, run: string): z.infer<ReturnType<typeof resultAnswer>> => ({
  id: run,
  decision: outcome.kind === "ran" ? "approved" : answerOf(outcome, run).decision,
  result: callResult(outcome, run, true),
});

async function detached(run: string, c: AppContext, refused: (refusal: Refusal) => Response): Promise<Response> {
  const snapshot = await runStub(c.env, run).snapshot();
  if (snapshot === null) return refused({ kind: "noLongerKept" });
  if (snapshot.outcome !== null)
    return jsonResponse(answerOf(await signedOutcome(c.env, readJsonOf(snapshot.outcome), defaultCodec.encode), run));
  return jsonResponse({ id: run }, 202, { Location: runPath(run), "Preference-Applied": "respond-async" });
}

type About = Pick<Parameters<typeof recordRefusal>[2], "server" | "trace"> & { readonly tool?: string; readonly requestId: string | null };

/**
 * Records a refusal, and answers it. What the policy refuses is decided, like what a person does.
 */
const refusing =
  (c: AppContext, { tool: name, requestId, ...about }: About) =>
  (refusal: Refusal): Response => {
    const refused = { key: c.var.key.id, method: "tools/call", name, ...(requestId === null ? {} : { requestId }), ...about };
    recordRefusal(c.env, c.executionCtx, { endpoint: "approvals", ...refused }, refusal);
    if (refusal.kind === "policyRefused") return jsonResponse(answerOf({ kind: "refused", refusal }, null));
    const { body, status, headers } = refuse(refusal);
    // What JSON-RPC answers with 200 has a status here.
    return new Response(body, { status: status === 200 ? statusOf(describeRefusal(refusal)) : status, headers });
  };
