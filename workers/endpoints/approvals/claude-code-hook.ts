// POST /hooks/claude-code: Claude Code asks before it calls a tool, by its own hook of type http.
// Whatever goes wrong is answered with a denial, since Claude Code goes on after any error.

import { Hono } from "hono";
import * as z from "zod";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { type ToolCall, definitionOf } from "../../../shared/model/subject/tool-call.ts";
import { callRequestor } from "../../../shared/run/run-input.ts";
import * as claudeCode from "../../../shared/wire/approvals/claude-code.ts";
import { describeRefusal } from "../../../shared/wire/describe.ts";
import { jsonResponse } from "../../http/json-response.ts";
import { beginApproval } from "../../pipeline/incoming/approval-call.ts";
import { recordRefusal, thrownRefusal } from "../../pipeline/record/refusals.ts";
import { paths } from "../../platform/urls.ts";
import { callerOf } from "../../stores/keys.ts";
import { beginTrace, transportContext } from "../../telemetry/begin-trace.ts";
import { named } from "../answer-schema.ts";
import type { App, AppContext } from "../app-context.ts";
import { isFlooding, presentedKey } from "../auth.ts";
import { asJson, jsonBody, jsonObject } from "../openapi/answers.ts";
import { describe } from "../openapi/describe.ts";
import { answerDecision, bodyOf } from "./decision-response.ts";

export const claudeCodeRoutes = new Hono<App>();

/** Claude Code waits for 600 seconds where its settings say nothing. */
const defaultWaitSeconds = 590;

const query = z.object({
  wait: z.coerce
    .number()
    .int()
    .min(1)
    .max(86_400)
    .default(defaultWaitSeconds)
    .describe("For how many seconds the hook waits: less than its `timeout` in Claude Code's settings"),
});

const hook = describe("claudeCodeHook", {
  summary: "Claude Code's PreToolUse hook of type http: people decide about a call before it is made",
  auth: "key",
  query,
  body: jsonBody(named("ClaudeCodeHook", claudeCode.hookEvent)),
  200: asJson(jsonObject, "The hook's output, after white space while people decide; a refusal is a denial. Empty for any other event"),
});

claudeCodeRoutes.onError((error) => denied(thrownRefusal(error)));

claudeCodeRoutes.post(paths.claudeCodeHook, hook, async (c) => {
  const refused = await refuseCaller(c);
  if (refused !== null) return denied(refused);
  const refuse = refusing(c, {});
  const wait = query.safeParse(c.req.query());
  if (!wait.success) return refuse({ kind: "invalidParams", errors: [{ pointer: "/wait", message: "must be 1 to 86400 seconds" }] });
  const event = await bodyOf(c, claudeCode.hookEvent());
  if (!event.ok) return refuse(event.error);
  if (event.value.hook_event_name !== claudeCode.preToolUse) return c.body(null, 200);
  const given = claudeCode.hookCall().safeParse(event.value);
  if (!given.success) return refuse({ kind: "invalidParams", errors: [{ pointer: "", message: "is no call of Claude Code's" }] });
  const { session_id: session, cwd, tool_name: tool, tool_input: input, tool_use_id: use } = given.data;
  const definition = definitionOf({ description: `Claude Code calls it in the directory ${cwd}` });
  const call: ToolCall = { kind: "toolCall", server: claudeCode.CLAUDE_CODE_SERVER, tool, arguments: input, definition };
  const trace = beginTrace(c.env, transportContext(c.req.raw.headers));
  const cameAt = Date.now();
  const refuseCall = refusing(c, { name: tool, trace });
  const started = await beginApproval({
    env: c.env,
    ctx: c.executionCtx,
    key: c.var.key,
    signal: c.req.raw.signal,
    trace,
    requestor: callRequestor(call),
    call,
    within: { session },
    requestId: use ?? null,
    session,
    isAsync: false,
    returnsResult: false,
    asTask: false,
  });
  if (!started.ok) return refuseCall(started.error);
  return answerDecision(c, started.value.started, {
    encode: (outcome) => claudeCode.hookOutput(outcome, input),
    refuse: refuseCall,
    // A juror may have taken a part of the wait.
    hold: {
      milliseconds: Math.max(0, wait.data.wait * 1000 - (Date.now() - cameAt)),
      answer: claudeCode.hookDenial(claudeCode.hookStillWaiting),
    },
  });
});

/** As `requireKey`; null where the key is good. */
async function refuseCaller(c: AppContext): Promise<Refusal | null> {
  const caller = await callerOf(c.env, presentedKey(c.req.raw.headers), Date.now());
  if (caller.kind === "refused") return (await isFlooding(c, "keys")) ? { kind: "flooded" } : { kind: "unauthorized", why: caller.why };
  c.set("key", caller.record);
  if (caller.record.scopes.includes("sampling")) return null;
  const refusal: Refusal = { kind: "wrongScope", scope: "sampling" };
  refusing(c, {})(refusal);
  return refusal;
}

const refusing =
  (c: AppContext, about: Pick<Parameters<typeof recordRefusal>[2], "name" | "trace">) =>
  (refusal: Refusal): Response => {
    const refused = { key: c.var.key.id, server: claudeCode.CLAUDE_CODE_SERVER, method: "tools/call", ...about };
    recordRefusal(c.env, c.executionCtx, { endpoint: "approvals", ...refused }, refusal);
    return denied(refusal);
  };

/** With 200: Claude Code would go on after any other status. */
const denied = (refusal: Refusal): Response =>
  jsonResponse(
    refusal.kind === "policyRefused"
      ? claudeCode.hookOutput({ kind: "refused", refusal }, {})
      : claudeCode.hookDenial(`Countersign refused this call: ${describeRefusal(refusal).message}`),
  );
