// The start of an admitted request: it adopts the run of an identical request whose requestor left,
// opens a run, or is answered at once.

import { jsonOf } from "../../../shared/json/json-of.ts";
import { decidersDigest, isMessageInput } from "../../../shared/run/run-input.ts";
import { isMessage } from "../../../shared/model/subject/subject.ts";
import { startSlowTimer } from "../../platform/slow-timer.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { Admitted } from "../admit/admit.ts";
import { keySharesOf } from "../admit/key-shares.ts";
import { enqueue } from "../record/write-behind.ts";
import { answerApproved, answerFast } from "./fast.ts";
import type { Started } from "../pipeline-request.ts";
import { stagesOf } from "../../../shared/run/stages.ts";
import { type RunContext, requestInputOf, runInputOf } from "../run-context.ts";
import { exportAttached } from "../record/traced.ts";

type Fresh = Extract<Admitted, { kind: "fresh" }>;

export async function start(context: RunContext, admitted: Fresh): Promise<Started> {
  const { incoming, run } = context;
  const { env, ctx, key, responseMode } = incoming;
  const adopted = await adoptIdentical(context, admitted);
  if (adopted !== null) return adopted;
  const { plan, route, takenOver } = admitted;
  if (route === "run") {
    keySharesOf(env).index(key.id, context.identical());
    await runStub(env, run).open(jsonOf(runInputOf(context, plan, takenOver)));
    return { kind: "run", run, posts: responseMode.kind === "callback" };
  }
  const input = requestInputOf(context, plan, takenOver);
  if (!isMessageInput(input)) return { kind: "answered", outcome: await answerApproved({ context, plan, input }) };
  const slow = startSlowTimer();
  const outcome = answerFast({ context, plan, input, slow });
  ctx.waitUntil(outcome);
  return { kind: "fast", outcome, slow, isCounted: true };
}

/** Null where there is no such run, or it cannot be adopted. */
async function adoptIdentical(context: RunContext, { plan, identical, giveBackGrants }: Fresh): Promise<Started | null> {
  const { incoming, run } = context;
  const { env, ctx, key, association, request, act, requestor, endpoint, responseMode } = incoming;
  const { requestRef } = association;
  // A tool that ran for another request runs again for this one.
  if (identical === null || (!isMessage(request) && act === undefined)) return null;
  const adopted = await runStub(env, identical).adopt({
    requestRef,
    requestor,
    endpoint,
    stages: stagesOf({ ...plan, act }),
    deciders: decidersDigest(plan.gatePolicy),
    waiting: responseMode.kind === "callback" ? responseMode.waiting : null,
    isRetry: incoming.isRetry === true,
  });
  if (adopted === "refused") return null;
  if (association.kind !== "unrepeatable") await association.session.adopted(requestRef.originating, requestRef.request, identical);
  enqueue(env, ctx, { key: { id: key.id, run } });
  // The session knows that run for the request from now on: no repeat passes by this use.
  giveBackGrants();
  exportAttached(context);
  return { kind: "run", run: identical, posts: adopted === "posts" };
}
