// A request of the control endpoint on its way into the pipeline: it serves no client request, and
// is known by its own id in every session of its key.

import { digestOf } from "../../../shared/encoding.ts";
import type { Envelope } from "../../../shared/wire/control/envelope.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { CONTROL_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { type SubjectRequest, isToolCall } from "../../../shared/model/subject/subject.ts";
import { once } from "../../../shared/once.ts";
import type { Result } from "../../../shared/result.ts";
import { type Requestor, callRequestor } from "../../../shared/run/run-input.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import { controlStub, sessionStub } from "../../stubs/stubs.ts";
import type { SessionCalls } from "../../stubs/session-calls.ts";
import { begin } from "../begin.ts";
import { planFor } from "../plan/plan-request.ts";
import type { KnownAssociation, PipelineRequest, Started } from "../pipeline-request.ts";

/** Stands for the client request that a sampling request serves. */
const noOriginating = "control";

export type ControlCall = Pick<PipelineRequest, "env" | "ctx" | "key" | "signal" | "onDelta" | "images" | "trace"> & {
  readonly envelope: Envelope;
  /** `envelopeIdentity` of the envelope as it came. */
  readonly identity: string;
  readonly request: SubjectRequest;
  /** Whether the request has earlier turns of its session. */
  readonly hasHistory: boolean;
  /** Of a tool's call that a model chose: its index in the envelope. */
  readonly position?: number;
  /**
   * The result of `planControl`; or why it may not begin, so that it only finds what was begun for
   * it before.
   */
  readonly planned?: Result<Plan, Refusal>;
  /** The run under which its key admitted it already (`admitBeforePlanning`). */
  readonly run?: string;
  /** How much of its timeout is used up, in milliseconds. */
  readonly spentMs?: number;
};

/** The plan of the request. Asks only the policy and the routing table. */
export const planControl = (call: ControlCall): Promise<Result<Plan, Refusal>> =>
  planFor(requestOf(call, { kind: "sessionless", session: controlStub(call.env, call.key.id, call.envelope.requestId), reserves: null }));

/** Begins an envelope's request, or attaches to what is running for the same one. */
export async function beginControl(call: ControlCall): Promise<Result<Started, Refusal>> {
  const { env, key, envelope, identity, planned } = call;
  const { sessionId } = envelope.context;
  const ids = controlStub(env, key.id, envelope.requestId);
  // Only the first request of an envelope reserves its id; the calls that follow from it have it
  // already.
  const isFirst = call.position === undefined;
  if (sessionId === undefined)
    return begin(requestOf(call, { kind: "sessionless", session: ids, reserves: isFirst ? envelope.requestId : null }), planned);
  const ofId = reservationOf(ids, envelope.requestId, identity, isFirst);
  const begun = await begin(requestOf(call, { kind: "ownRequest", session: sessionStub(env, key.id, sessionId), ...ofId }), planned);
  if (!begun.ok) await ofId.releaseRequestId();
  return begun;
}

/**
 * `isReleased`: a refused request may be changed and sent again under its id; not where a function
 * of it has run.
 */
function reservationOf(ids: DurableObjectStub<SessionCalls>, id: string, digest: string, isReleased: boolean) {
  let reserving: Promise<boolean> | null = null;
  return {
    reserveRequestId: (): Promise<boolean> => (reserving ??= ids.reserveRequestId(id, digest)),
    releaseRequestId: async (): Promise<void> => {
      const isReserved = isReleased && reserving !== null && (await reserving);
      reserving = null;
      if (isReserved) await ids.releaseRequestId(id, digest);
    },
  };
}

/** An association before its request reference is known. */
type Unnamed<A> = A extends KnownAssociation ? Omit<A, "requestRef"> : never;

function requestOf(call: ControlCall, association: Unnamed<KnownAssociation>): PipelineRequest {
  const { env, ctx, key, signal, envelope, identity, request, position = null, images, onDelta, run, trace, spentMs = 0 } = call;
  const { control, context, requestId } = envelope;
  const isRun = isToolCall(request);
  // A request with other terms for the call adopts no identical run.
  const called = { retryable: control.retryable, timeoutMs: control.timeoutMs };
  return {
    env,
    ctx,
    key,
    endpoint: "control",
    requestor: requestorOf(envelope, request),
    requestId,
    request,
    ...(images === undefined ? {} : { images }),
    association: {
      ...association,
      requestRef: {
        session: association.session.id.toString(),
        originating: noOriginating,
        request: position === null ? JSON.stringify(requestId) : JSON.stringify([requestId, position]),
      },
    },
    // Its definition may change while a repeat must still find it.
    digest: position === null ? identity : digestOf("countersign/control-call/v1", { identity, request: { ...request, definition: null } }),
    content: once(() => digestOf("countersign/identical-control/v1", isRun ? { identity, position } : { request, called })),
    responseMode: { kind: "sync" },
    terms: {
      timeoutMs: Math.max(1, control.timeoutMs - spentMs),
      priority: control.priority,
      ...(control.retryable && !isRun ? {} : { once: true }),
    },
    ...(control.cacheSeconds === undefined || isRun
      ? {}
      : { cache: { ttlMs: control.cacheSeconds * 1000, within: call.hasHistory ? (context.sessionId ?? null) : null } }),
    ...(onDelta === undefined ? {} : { onDelta }),
    ...(run === undefined ? {} : { run }),
    signal,
    trace,
  };
}

/** The key's client asks, not an MCP server: for a task, or for a function on a server. */
const requestorOf = ({ task }: Envelope, request: SubjectRequest): Requestor =>
  isToolCall(request) ? callRequestor(request) : { server: CONTROL_SERVER, method: "control", name: task.type, provenance: "own" };
