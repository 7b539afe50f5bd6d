// A request of the control door on its way into the pipeline: it serves no client request, and is known by its own id in whatever
// session of its key it comes.

import { digestOf } from "../../shared/encoding.ts";
import type { Envelope } from "../../shared/control/envelope.ts";
import type { Refusal } from "../../shared/outcome/outcome.ts";
import type { SamplingRequest } from "../../shared/protocol/sampling.ts";
import type { Result } from "../../shared/result.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Asker } from "../../shared/run/opening.ts";
import type { Plan } from "../../shared/run/plan.ts";
import { controlStub, sessionStub } from "../objects/names.ts";
import { type Ask, type Begun, begin } from "./begin.ts";

/** What stands where a sampling request has the client request that it serves. */
const noOriginating = "control";

export type ControlCall = Pick<Ask, "env" | "ctx" | "key" | "signal" | "onDelta"> & {
  readonly envelope: Envelope;
  /** `envelopeIdentity` of the envelope as it came. */
  readonly identity: string;
  readonly request: SamplingRequest;
  /** Whether the request holds what was said in its session before. */
  readonly hasHistory: boolean;
  /** Where a function is to be run. `position`: which of an envelope's calls it is, where a model chose several. */
  readonly destination?: { readonly candidate: Candidate; readonly position: number | null };
  /** Why it is not to be begun: it may only find what was begun for it before. */
  readonly refusal?: Refusal;
};

/** Begins what an envelope asks for, or attaches to what is already under way for the same one. */
export async function beginControl(call: ControlCall): Promise<Result<Begun, Refusal>> {
  const { env, key, envelope, identity, destination, refusal } = call;
  const { sessionId } = envelope.context;
  const ids = controlStub(env, key.id, envelope.requestId);
  const planned: Result<Plan, Refusal> | undefined = refusal === undefined ? undefined : { ok: false, error: refusal };
  if (sessionId === undefined) return begin(askOf(call, ids, true), planned);
  if (!(await ids.claim(envelope.requestId, identity))) return { ok: false, error: { kind: "sameIdOtherParams" } };
  const begun = await begin(askOf(call, sessionStub(env, key.id, sessionId), false), planned);
  // A refused request may be sent again in other words under its id, unless a function of it has run.
  if (!begun.ok && (destination?.position ?? null) === null) await ids.unclaim(envelope.requestId, identity);
  return begun;
}

function askOf(call: ControlCall, session: Ask["session"], isSharedByKey: boolean): Ask {
  const { env, ctx, key, signal, envelope, identity, request, destination, onDelta } = call;
  const { control, context, requestId } = envelope;
  const position = destination?.position ?? null;
  const isFunction = request.task === "function";
  return {
    env,
    ctx,
    key,
    door: "control",
    asker: askerOf(envelope, destination?.candidate),
    requestId,
    request,
    contextIgnored: null,
    ...(destination === undefined ? {} : { destination: destination.candidate }),
    session,
    attachment: {
      session: session.id.toString(),
      originating: noOriginating,
      request: position === null ? JSON.stringify(requestId) : JSON.stringify([requestId, position]),
    },
    alone: true,
    // Only the first request of an envelope takes its id; those that follow from it have it already.
    ...(isSharedByKey && position === null ? { claim: requestId } : {}),
    digest: position === null ? identity : digestOf("countersign/control-call/v1", { identity, request }),
    identicalDigest: digestOf("countersign/identical-control/v1", isFunction ? { identity, position } : { request }),
    wish: { kind: "line" },
    terms: { timeoutMs: control.timeoutMs, priority: control.priority, ...(control.retryable && !isFunction ? {} : { once: true }) },
    ...(control.cacheSeconds === undefined || isFunction
      ? {}
      : { cache: { ttlMs: control.cacheSeconds * 1000, within: call.hasHistory ? (context.sessionId ?? null) : null } }),
    ...(onDelta === undefined ? {} : { onDelta }),
    signal,
  };
}

/** No MCP server asks: the key's client does, for a task, or for a function on a server. */
const askerOf = ({ task }: Envelope, destination: Candidate | undefined): Asker =>
  destination === undefined
    ? { server: "control", method: "control", name: task.type, provenance: "own" }
    : { server: destination.providerName, method: "tools/call", name: destination.model.name, provenance: "own" };
