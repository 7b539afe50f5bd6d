// A `sampling/createMessage` on its way into the pipeline: which client request it serves, what it
// repeats, and the context that is added where its server asks for some and the policy allows it.

import { digestOf } from "../../../shared/encoding.ts";
import { requestText } from "../../../shared/receipt/claims.ts";
import { textDigest } from "../../../shared/run/run-receipt.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { samplingMethod } from "../../../shared/relay/messages.ts";
import type { elicitationMethod } from "../../../shared/relay/url-elicitation.ts";
import { contentIdentity, samplingIdentity } from "../../../shared/wire/identity.ts";
import { once } from "../../../shared/once.ts";
import { type RequestId, idKey } from "../../../shared/wire/json-rpc.ts";
import type { OriginatingRequest } from "../../../shared/wire/mcp-2025/meta.ts";
import { type ParsedSampling, pointerInto } from "../../../shared/wire/mcp-2025/sampling-params.ts";
import { type ServerContext, withContext } from "../../../shared/relay/added-context.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { type Evidence, provenanceOf } from "../../../shared/association/evidence.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import { sessionStub } from "../../stubs/stubs.ts";
import { begin } from "../begin.ts";
import { planFor } from "../plan/plan-request.ts";
import type { MessageRequest, PipelineRequest, Started } from "../pipeline-request.ts";
import { plainRequest } from "./plain-request.ts";

/** A request of an MCP server, for a client request that it is to serve. */
export type ServerCall = Pick<PipelineRequest, "env" | "ctx" | "key" | "responseMode" | "receipts" | "signal" | "trace"> & {
  readonly id: RequestId;
  /** As they came, for the digests. */
  readonly params: unknown;
  /** The revision by which the params were read. */
  readonly revision: string;
  /** How the relay found which request is served; absent where the host says so. */
  readonly evidence?: Evidence;
};

type SamplingCall = ServerCall & {
  readonly parsed: ParsedSampling;
  /** The context that may be added. */
  readonly context?: () => Promise<ServerContext>;
};

/** Begins a sampling request, or attaches to what is running for the same one. */
export async function beginSampling({ parsed, context, ...call }: SamplingCall): Promise<Result<Started, Refusal>> {
  const { session: sessionName, originating } = parsed.meta;
  if (sessionName === undefined) return err({ kind: "notAssociated", why: "noSession" });
  if (originating === undefined) return err({ kind: "notAssociated", why: "noOriginatingRequest" });
  const { request, contextIgnored } = parsed;
  const incoming: MessageRequest = {
    ...servedRequest(samplingMethod, call, { session: sessionName, originating }),
    request,
    ...(contextIgnored === undefined ? {} : { contextIgnored }),
  };
  const plain = await plainRequest(incoming, pointerInto(call.params));
  if (!plain.ok) return plain;
  if (plain.value.kind === "attached") return ok(plain.value.started);
  return beginWithContext(plain.value.incoming, context, plain.value.planned ?? (await planFor(plain.value.incoming)));
}

/**
 * With the context that the request's server asked for, where its rule and the extended request's
 * rule allow that.
 */
async function beginWithContext(
  incoming: MessageRequest,
  context: SamplingCall["context"],
  plan: Result<Plan, Refusal>,
): Promise<Result<Started, Refusal>> {
  const { request, contextIgnored, notes = [] } = incoming;
  const isAllowed = (each: Result<Plan, Refusal>): boolean => each.ok && each.value.gatePolicy.context === "thisServer";
  if (request.kind !== "chat" || contextIgnored === undefined || context === undefined || !isAllowed(plan)) return begin(incoming, plan);
  const added = withContext(request, await context());
  if (added === null) return begin(incoming, plan);
  const again = await planFor({ ...incoming, request: added.request });
  if (!isAllowed(again)) return begin(incoming, plan);
  const { contextIgnored: _added, ...rest } = incoming;
  const { systemPrompt } = added.request;
  const extended: MessageRequest = {
    ...rest,
    request: added.request,
    content: once(() => digestOf("countersign/with-context/v1", { content: incoming.content(), context: systemPrompt })),
    notes: [...notes, { kind: "contextAdded", parts: added.parts, characters: added.characters }],
  };
  return begin(extended, again);
}

/**
 * All of the request but its content: where it came from, which client request of its session it
 * serves, and what it repeats.
 */
export function servedRequest(
  method: typeof samplingMethod | typeof elicitationMethod,
  { id, params, evidence, ...call }: ServerCall,
  { session: name, originating }: { readonly session: string; readonly originating: OriginatingRequest },
): Omit<PipelineRequest, "request"> {
  const { server, inferred } = originating;
  const requestor = { server, method: originating.method, name: originating.name };
  const session = sessionStub(call.env, call.key.id, name);
  return {
    ...call,
    ...(evidence === undefined
      ? { endpoint: "sampling", requestor: { ...requestor, provenance: inferred === true ? "inferred" : "claimed" } }
      : { endpoint: "relay", requestor: { ...requestor, provenance: provenanceOf[evidence], evidence } }),
    association: {
      kind: "clientRequest",
      session,
      requestRef: { session: session.id.toString(), originating: originatingKey(server, originating.id), request: idKey(id) },
    },
    digest: samplingIdentity(params),
    asked: once(() => textDigest(requestText(method, params))),
    content: once(() => contentIdentity(params)),
  };
}

/** The key of an originating request: server and id, the id with its JSON type. */
export const originatingKey = (server: string, id: RequestId): string => JSON.stringify([server, id]);
