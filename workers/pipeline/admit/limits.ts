// The limits of a key, behind one interface: a request is admitted from the share of them that this
// isolate holds, or by the KeyObject. No other step knows which.

import { jsonOf } from "../../../shared/json/json-of.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import type { GrantQuery } from "../../../shared/policy/grant.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { AdmitAnswer } from "../../stubs/key-calls.ts";
import { keyStub } from "../../stubs/stubs.ts";
import { timed } from "../../telemetry/begin-trace.ts";
import { countCalls, notAdmitted } from "./calls.ts";
import { keySharesOf } from "./key-shares.ts";
import type { PipelineRequest } from "../pipeline-request.ts";
import type { Route } from "./route.ts";
import { type RunContext, newRunId } from "../run-context.ts";
import { type EndedOfKey, enqueue, withReleased } from "../record/write-behind.ts";

const leaseSlackMs = 10_000;

/**
 * How long a run may take to begin, a juror's answer included, in milliseconds. Its own lease
 * covers its reviews from then on, and ends with it: a request that was cut off before, or that
 * adopted another run, holds a place no longer than this.
 */
const beginningMs = 40_000;

/** How long a model call may take, in milliseconds. */
export const leaseMsOf = ({ incoming: { env } }: RunContext): number => settingsOf(env).modelTimeoutMs + leaseSlackMs;

/** The object's id of the session that the key counts; null where the request has none. */
export const countedSession = ({ kind, requestRef }: PipelineRequest["association"]): string | null =>
  kind === "sessionless" ? null : requestRef.session;

type LimitsAnswer = {
  readonly answer: AdmitAnswer | Promise<AdmitAnswer>;
  /** The key has room for the request: its session may be asked before the answer is there. */
  readonly hasRoom: boolean;
};

/**
 * Asks for a lease within the key's limits, and with it for the gates that its grants open and a
 * run of an identical request. No run is admitted from a share. `route`: null where the request
 * has no plan, and will be refused.
 */
export function admitWithinLimits(context: RunContext, route: Route | null, grants: GrantQuery | null): LimitsAnswer {
  const { incoming, run, identical, now, limits, keyObject } = context;
  const { env, ctx, key, trace, association } = incoming;
  const shares = keySharesOf(env);
  // A request that has its run was admitted before, and is renewed by the KeyObject.
  if (route !== "run" && incoming.run === undefined && shares.admit(key.id, run, identical, now)) {
    if (trace?.isRecorded === true) trace.steps.push({ name: "admission", startedAt: now, endedAt: now, isShared: true });
    return { answer: fromShare, hasRoom: true };
  }
  const hasRoom = route !== "run" && shares.mayLook(key.id);
  const callMs = leaseMsOf(context);
  const leaseMs = route === "run" ? beginningMs : callMs;
  const ask = async (ended: EndedOfKey): Promise<AdmitAnswer> => {
    const share = shares.asking(key.id, Date.now(), route === "fast");
    const shareFor = share.isWanted ? leaseMs : null;
    const asked = grants === null ? {} : { grants: { query: jsonOf(grants), leaseMs: callMs } };
    const answer = await keyObject()
      .admit({ run, session: countedSession(association), limits, identical: identical(), ...ended, shareFor, leaseMs, ...asked })
      .finally(share.over);
    share.answered(answer);
    // The flush gives a share back where no other request follows.
    if (answer.kind === "admitted" && answer.share !== null) enqueue(env, ctx, {});
    return answer;
  };
  return { answer: timed(trace, "admission", () => withReleased(env, ctx, key.id, ask)), hasRoom };
}

const fromShare: AdmitAnswer = { kind: "admitted", identical: null, passes: [], share: null, sessionPermitUntil: null, hasRoom: true };

/**
 * The refusal of a key that is over its limits, before its session is woken; null where it has
 * room.
 */
export const refusedLook = async ({ env, key }: PipelineRequest): Promise<Refusal | null> =>
  keySharesOf(env).mayLook(key.id) ? null : countCalls(env, key);

/** Long enough to fetch what a request needs before it can be planned. */
const preparingMs = 60_000;

/**
 * Admits and counts a request for which something is fetched or decoded before it is planned, so
 * that no key has more fetched than its limits allow. The request then begins with this run id, and
 * is not counted again.
 */
export async function admitBeforePlanning({
  env,
  ctx,
  key,
  trace,
}: Pick<PipelineRequest, "env" | "ctx" | "key" | "trace">): Promise<Result<string, Refusal>> {
  const run = newRunId(env);
  const limits = key.limits ?? defaultLimits;
  const admitted = await timed(trace, "admission", () =>
    withReleased(env, ctx, key.id, async (ended) =>
      keyStub(env, key.id).admit({ run, limits, leaseMs: preparingMs, session: null, identical: run, ...ended, shareFor: null }),
    ),
  );
  return admitted.kind === "admitted" ? ok(run) : err(notAdmitted(admitted));
}
