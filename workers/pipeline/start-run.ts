// The start of an admitted request: it adopts the run of an identical request whose requestor left,
// opens a run, or is answered at once.

import { type RunInput, decidersDigest, isMessageInput } from "../../shared/run/run-input.ts";
import { isMessage } from "../../shared/model/subject.ts";
import { startSlowTimer } from "../platform/slow-timer.ts";
import { runStub } from "../stubs/stubs.ts";
import { type Admitted, forgetReservation } from "./admit.ts";
import { keySharesOf } from "./key-shares.ts";
import { enqueue } from "./write-behind.ts";
import { answerFast } from "./fast.ts";
import type { Started } from "./pipeline-request.ts";
import { type GrantsAsked, type RunContext, gatesIn, asRunInput, isDurable, requestInputOf } from "./run-context.ts";

type Fresh = Extract<Admitted, { kind: "fresh" }>;

/** Null where there is no such run, or it cannot be adopted. */
export async function adoptIdentical(context: RunContext, { plan, identical }: Fresh, grants: GrantsAsked): Promise<Started | null> {
  const { request, run, keyObject } = context;
  const { env, ctx, key, association, requestor, endpoint, responseMode } = request;
  const { requestRef } = association;
  // A tool that ran for another request runs again for this one.
  if (identical === null || !isMessage(request.request)) return null;
  const adopted = await runStub(env, identical).adopt({
    requestRef,
    requestor,
    endpoint,
    gates: gatesIn(plan),
    deciders: decidersDigest(plan.gates),
    waiting: responseMode.kind === "callback" ? responseMode.waiting : null,
    isRetry: request.isRetry === true,
  });
  if (adopted === "refused") return null;
  if (association.kind !== "unrepeatable") await association.session.adopted(requestRef.originating, requestRef.request, identical);
  enqueue(env, ctx, { key: { id: key.id, run } });
  // The session knows that run for the request from now on: no repeat passes by this use.
  if (grants !== null && plan.granted !== undefined) ctx.waitUntil(keyObject.giveBackGrants(grants.identity, run));
  return { kind: "run", run: identical, posts: adopted === "posts" };
}

/**
 * Opens a run where the request has to be durable (`isDurable`); otherwise calls the model from
 * here.
 */
export async function start(context: RunContext, { plan, takenOver }: Fresh): Promise<Started> {
  const { request, run } = context;
  const { env, ctx, responseMode, signal, onDelta, association } = request;
  const input = requestInputOf(context, plan, takenOver);
  const runInput = (): RunInput => asRunInput(context, plan, input);
  if (!isMessageInput(input) || isDurable(plan, context)) {
    keySharesOf(env).index(request.key.id, context.identical());
    await runStub(env, run).open(JSON.stringify(runInput()));
    return { kind: "run", run, posts: responseMode.kind === "callback" };
  }
  const slow = startSlowTimer();
  const outcome = answerFast({
    env,
    ctx,
    input,
    runInput,
    signal,
    slow,
    forget: async () => {
      await forgetReservation(context);
      if (association.kind === "ownRequest") await association.releaseRequestId();
    },
    ...(onDelta === undefined ? {} : { onDelta }),
  });
  ctx.waitUntil(outcome);
  return { kind: "fast", outcome, slow, attached: false };
}
