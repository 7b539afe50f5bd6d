// A `sampling/createMessage` on its way into the pipeline: which client request it serves, what it
// repeats, and the context that is added where its server asks for some and the policy allows it.

import { digestOf } from "../../../shared/encoding.ts";
import { requestText } from "../../../shared/receipt/claims.ts";
import { textDigest } from "../../../shared/run/run-receipt.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
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

type SamplingCall = Pick<PipelineRequest, "env" | "ctx" | "key" | "responseMode" | "receipts" | "signal" | "trace"> & {
  readonly id: RequestId;
  /** As they came, for the digests. */
  readonly params: unknown;
  readonly parsed: ParsedSampling;
  /** The revision by which the params were read. */
  readonly revision: string;
  /** The context that may be added. */
  readonly context?: () => Promise<ServerContext>;
  /** How the relay found which request is served; absent where the host says so. */
  readonly evidence?: Evidence;
};

/** Begins a sampling request, or attaches to what is running for the same one. */
export async function beginSampling(call: SamplingCall): Promise<Result<Started, Refusal>> {
  const { env, ctx, key, parsed, responseMode, signal, evidence } = call;
  const { session: sessionName, originating } = parsed.meta;
  if (sessionName === undefined) return err({ kind: "notAssociated", why: "noSession" });
  if (originating === undefined) return err({ kind: "notAssociated", why: "noOriginatingRequest" });
  const { server } = originating;
  const session = sessionStub(env, key.id, sessionName);
  const content = once(() => contentIdentity(call.params));
  const incoming: MessageRequest = {
    env,
    ctx,
    key,
    ...servedBy(originating, evidence),
    revision: call.revision,
    request: parsed.request,
    contextIgnored: parsed.contextIgnored ?? null,
    association: {
      kind: "clientRequest",
      session,
      requestRef: { session: session.id.toString(), originating: originatingKey(server, originating.id), request: idKey(call.id) },
    },
    digest: samplingIdentity(call.params),
    asked: once(() => textDigest(requestText("sampling/createMessage", call.params))),
    ...(call.receipts === undefined ? {} : { receipts: call.receipts }),
    content,
    responseMode,
    signal,
    trace: call.trace,
  };
  const plain = await plainRequest(incoming, pointerInto(call.params));
  if (!plain.ok) return plain;
  if (plain.value.kind === "attached") return ok(plain.value.started);
  const { planned } = plain.value;
  const plan = planned ?? (await planFor(plain.value.incoming));
  return (await withAddedContext(plain.value.incoming, call, plan)) ?? begin(plain.value.incoming, plan);
}

/**
 * Begins the request with the context that its server asked for, where its rule and the extended
 * request's rule allow that; null where nothing is added.
 */
async function withAddedContext(
  incoming: MessageRequest,
  { context }: SamplingCall,
  plan: Result<Plan, Refusal>,
): Promise<Result<Started, Refusal> | null> {
  if (
    incoming.request.kind !== "chat" ||
    incoming.contextIgnored === null ||
    context === undefined ||
    !plan.ok ||
    plan.value.gatePolicy.context !== "thisServer"
  )
    return null;
  const added = withContext(incoming.request, await context());
  if (added === null) return null;
  const { request, parts, characters } = added;
  const again = await planFor({ ...incoming, request });
  if (!again.ok || again.value.gatePolicy.context !== "thisServer") return null;
  const extended: MessageRequest = {
    ...incoming,
    request,
    contextIgnored: null,
    content: once(() => digestOf("countersign/with-context/v1", { content: incoming.content(), context: request.systemPrompt })),
    notes: [...(incoming.notes ?? []), { kind: "contextAdded", parts, characters }],
  };
  return begin(extended, again);
}

/**
 * Where a server's request came from, and what it serves. `evidence`: the relay's; absent where the
 * host says which request is served.
 */
export const servedBy = (
  { server, method, name, inferred }: Pick<OriginatingRequest, "server" | "name" | "inferred"> & { readonly method: string },
  evidence?: Evidence,
): Pick<PipelineRequest, "endpoint" | "requestor"> =>
  evidence === undefined
    ? { endpoint: "sampling", requestor: { server, method, name, provenance: inferred === true ? "inferred" : "claimed" } }
    : { endpoint: "relay", requestor: { server, method, name, provenance: provenanceOf[evidence], evidence } };

/** The key of an originating request: server and id, the id with its JSON type. */
export const originatingKey = (server: string, id: RequestId): string => JSON.stringify([server, id]);
