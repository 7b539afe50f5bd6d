// A call that its sender waits with, or what else its sender does, on its way into the pipeline:
// people decide, and nothing is done from here.

import { type JsonObject, digestOf } from "../../../shared/encoding.ts";
import type { StopScope } from "../../../shared/model/call.ts";
import { type Outcome, type Refusal, isApprovedCall } from "../../../shared/model/outcome.ts";
import type { Releasable } from "../../../shared/model/subject/subject.ts";
import { once } from "../../../shared/once.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import type { RequestRef } from "../../../shared/run/run-input.ts";
import { approvalsStub, sessionStub } from "../../stubs/stubs.ts";
import { countedSession } from "../admit/limits.ts";
import { begin } from "../begin.ts";
import { mayKeepResult, planFor } from "../plan/plan-request.ts";
import type { Association, PipelineRequest, Started } from "../pipeline-request.ts";
import { stopOf } from "../spend/stops.ts";

type ApprovalCall = Pick<PipelineRequest, "env" | "ctx" | "key" | "signal" | "trace" | "requestor"> & {
  readonly call: Releasable;
  /**
   * What the decision is about beside the call: an identical call with the same takes over the
   * decision that nobody received.
   */
  readonly within: JsonObject;
  /** The sender's id of the request: the same id is the same request. */
  readonly requestId: string | null;
  /** The sender's session; null where it has none. */
  readonly session: string | null;
  /** The sender does not wait on its connection. */
  readonly isAsync: boolean;
  /** The sender brings what the tool returns, where a rule is about that. */
  readonly returnsResult: boolean;
  /**
   * The call is a task of its server's, whose result the sender cannot bring: nobody is asked where
   * a rule is about that.
   */
  readonly asTask: boolean;
};

type StartedApproval = {
  readonly started: Started;
  /** By which the sender claims an approval whose result comes back. */
  readonly requestRef: RequestRef;
};

/** Withdraws what its sender asked under this id. False where nothing of it waits. */
export const withdrawApproval = (env: ApprovalCall["env"], keyId: string, id: string): Promise<boolean> =>
  approvalsStub(env, keyId, id).cancelRequest(id, originating);

/** Begins the decision about a call, or attaches to what is running for the same request. */
export async function beginApproval(asked: ApprovalCall): Promise<Result<StartedApproval, Refusal>> {
  const request = requestOf(asked);
  const planned = await planFor(request);
  const isKept = planned.ok && mayKeepResult(planned.value);
  const comesBack = asked.returnsResult && isKept;
  const begun = await begin(
    comesBack ? { ...request, act: "release" } : request,
    isKept && asked.asTask ? err(noTask(planned.value)) : planned,
  );
  if (!begun.ok) return begun;
  // A repeat is not admitted anew, and finds an approval that may have been stopped since.
  const scope = await stopOfCall(asked, asked.call, countedSession(request.association));
  if (scope !== null) return err({ kind: "stopped", scope });
  return ok({ started: begun.value, requestRef: request.association.requestRef });
}

/**
 * The outcome as it may be told now: an approval that an operator or a reviewer has stopped since
 * is none. Of the stops of a tool, those for its key alone are known.
 */
export async function unlessStopped(
  asked: Pick<ApprovalCall, "env" | "ctx"> & { readonly key: { readonly id: string } },
  outcome: Outcome,
): Promise<Outcome> {
  const scope = isApprovedCall(outcome) ? await stopOfCall(asked, outcome.call, null) : null;
  return scope === null ? outcome : { kind: "refused", refusal: { kind: "stopped", scope } };
}

const stopOfCall = (
  asked: Parameters<typeof unlessStopped>[0],
  { server, tool }: Releasable,
  session: string | null,
): Promise<StopScope | null> => stopOf(asked, { key: asked.key.id, server, call: { tool, session } }, Date.now());

const noTask = ({ gatePolicy, judged }: Plan): Refusal => ({ kind: "policyRefused", rule: gatePolicy.rule, judged, asTask: true });

function requestOf({
  env,
  ctx,
  key,
  signal,
  trace,
  requestor,
  call,
  within,
  requestId,
  session,
  isAsync,
  returnsResult,
}: ApprovalCall): PipelineRequest {
  const decided = { call, within, ...(returnsResult ? { returnsResult } : {}) };
  return {
    env,
    ctx,
    key,
    endpoint: "approvals",
    requestor,
    ...(requestId === null ? {} : { requestId }),
    request: call,
    act: "none",
    association: associationOf(env, key.id, requestId, session),
    digest: requestId === null ? "" : digestOf("countersign/approval-request/v1", decided),
    content: once(() => digestOf("countersign/identical-approval/v1", decided)),
    responseMode: isAsync ? { kind: "task", ttlMs: null } : { kind: "sync" },
    signal,
    trace,
  };
}

/** Stands for the client request that a request of the key itself serves. */
const originating = "approvals";

function associationOf(env: ApprovalCall["env"], keyId: string, id: string | null, name: string | null): Association {
  const request = id ?? crypto.randomUUID();
  if (name !== null) {
    // No client's session has a space in its name.
    const session = sessionStub(env, keyId, `approvals ${name}`);
    const requestRef = { session: session.id.toString(), originating, request };
    return { kind: "ownRequest", session, requestRef, reserveRequestId: async () => true, releaseRequestId: async () => {} };
  }
  if (id === null) return { kind: "unrepeatable", requestRef: { session: null, originating, request } };
  const session = approvalsStub(env, keyId, id);
  return { kind: "sessionless", session, reserves: null, requestRef: { session: session.id.toString(), originating, request } };
}
