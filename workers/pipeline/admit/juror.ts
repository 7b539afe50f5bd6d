// The juror of a rule is asked about a call that its key has admitted, that no grant lets pass and
// that finds no run of an identical call. Anything but its own clear yes has people asked.

import type { ProviderError } from "../../../shared/model/call.ts";
import type { ToolCall } from "../../../shared/model/subject/tool-call.ts";
import { isToolCall } from "../../../shared/model/subject/subject.ts";
import { type Juror, type JurorWhy, isWithinBounds, jurorRequest, readJurorAnswer } from "../../../shared/policy/juror.ts";
import { cannotCarry } from "../../../shared/provider/carry.ts";
import { toBase64url } from "../../../shared/encoding.ts";
import { type Candidate, chooseCandidates } from "../../../shared/routing/choose.ts";
import { type Plan, argumentsOf } from "../../../shared/run/plan.ts";
import type { ToolPlan } from "../../../shared/run/work.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { callModels } from "../../providers/call-model.ts";
import { documentsOf } from "../../stores/documents.ts";
import { timed } from "../../telemetry/begin-trace.ts";
import { readyIn } from "../plan/plan-request.ts";
import type { RunContext } from "../run-context.ts";
import { permitFor } from "../spend/spending.ts";
import { countedSession } from "./limits.ts";

type Question = { readonly context: RunContext; readonly plan: Plan; readonly juror: Juror; readonly call: ToolCall };

/**
 * The plan with what its juror says. As it is where it has none, or where a grant opens the gate.
 */
export async function withVerdict(context: RunContext, plan: Plan): Promise<Plan> {
  const { gatePolicy, granted = [], request } = plan;
  const { juror } = gatePolicy;
  if (juror === undefined || !isToolCall(request) || granted.some(({ gate }) => gate === "request")) return plan;
  const { model } = juror;
  const question = { context, plan, juror, call: request };
  const answer = await timed(context.incoming.trace, "juror", () => askWithin(question)).catch((error: unknown): Answer => {
    logEvent("request.failed", { run: context.run, error: errorClass(error) });
    return { why: "failed" };
  });
  const judged = (work: Omit<ToolPlan, "kind">): Plan => ({ ...plan, work: { kind: "toolCall", ...work } });
  if (answer === "pass") return judged({ juror: { model, verdict: "passed" } });
  const { why, reason } = answer;
  return judged({ juror: { model, verdict: "raised", why }, ...(reason === undefined ? {} : { jurorReason: reason }) });
}

type Answer = "pass" | { readonly why: JurorWhy; readonly reason?: string };

async function askWithin(question: Question): Promise<Answer> {
  const { context, plan, juror } = question;
  const { incoming, keyObject, run } = context;
  const given = argumentsOf(incoming.request, plan.request);
  if (given === undefined || !isWithinBounds(juror.bounds, plan.judged, given)) return { why: "outOfBounds" };
  const perHour = juror.bounds?.perHour ?? null;
  const opened = await keyObject().openJurorCase({ run, rule: plan.gatePolicy.rule, call: context.identical(), perHour });
  if (opened !== "open") return { why: opened };
  let answer: Answer = { why: "failed" };
  try {
    answer = await ask(question);
    return answer;
  } finally {
    if (answer !== "pass") await keyObject().jurorRaised(run);
  }
}

const markLength = 9;

/** One attempt at its model, from its own budget. */
async function ask({ context: { incoming }, plan, juror, call }: Question): Promise<Answer> {
  const { env, ctx, key, requestor, association } = incoming;
  const mark = toBase64url(crypto.getRandomValues(new Uint8Array(markLength)));
  const request = jurorRequest(juror, call, mark);
  const candidate = await candidateOf(incoming, juror, request);
  if (candidate === undefined) return { why: "noModel" };
  const spending = {
    env,
    ctx,
    request,
    server: requestor.server,
    cheaperWithinBudget: false,
    key: { id: key.id, owner: key.owner ?? null },
    call: { tool: call.tool, session: countedSession(association) },
    juror: { rule: plan.gatePolicy.rule, usdPerDay: juror.usdPerDay },
  };
  const terms = { once: true, timeoutMs: juror.timeoutSeconds * 1_000 } as const;
  const answered = await callModels(env, request, [candidate], terms, { permit: permitFor(spending, { mayShare: false }) });
  if (!answered.ok) return { why: whyOf(answered.error.at(-1)?.fault) };
  const answer = readJurorAnswer(answered.value.reply.reply, mark);
  if (answer === null) return { why: "unclear" };
  return answer.decision === "pass" ? "pass" : { why: "said", reason: answer.reason };
}

/** Its model, if it can answer now. */
async function candidateOf(
  { env, ctx, key, requestor }: RunContext["incoming"],
  { model }: Juror,
  request: ReturnType<typeof jurorRequest>,
): Promise<Candidate | undefined> {
  const { routing } = await documentsOf(env, Date.now(), (work) => ctx.waitUntil(work));
  const chosen = chooseCandidates({
    table: routing,
    request,
    key,
    server: requestor.server,
    ready: readyIn(env),
    cannotCarry: (asked, each, provider) => cannotCarry(asked, each, provider.kind),
    onlyModels: [model],
  });
  return chosen.ok ? chosen.value.ranked[0] : undefined;
}

const faults: Partial<Record<ProviderError["kind"], JurorWhy>> = {
  timeout: "timeout",
  queueFull: "timeout",
  queueTimeout: "timeout",
  overBudget: "overBudget",
  stopped: "stopped",
  brokenAnswer: "unclear",
};

const whyOf = (fault: ProviderError | undefined): JurorWhy => (fault === undefined ? "failed" : (faults[fault.kind] ?? "failed"));
