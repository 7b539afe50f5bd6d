// A request of the API under /v1 on its way into the pipeline: the key's client asks for itself,
// or, with a scoped token, a server asks for the client request that its token is for.

import type { TokenClaims } from "../../../shared/credential/scoped-token.ts";
import { digestOf } from "../../../shared/encoding.ts";
import type { Note } from "../../../shared/model/call.ts";
import type { PointedError, Refusal } from "../../../shared/model/outcome.ts";
import { once } from "../../../shared/once.ts";
import { V1_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import type { BlockPointer } from "../../../shared/wire/mcp-2025/content-rules.ts";
import type { ImageAddress } from "../../../shared/wire/openai/conversation.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import type { SamplingRequest } from "../../../shared/model/sampling.ts";
import { type Result, ok } from "../../../shared/result.ts";
import { fetchImages } from "../../media/envelope-images.ts";
import { documentsOf } from "../../stores/documents.ts";
import { sessionById, v1Stub } from "../../stubs/stubs.ts";
import { begin } from "../begin.ts";
import type { Association, MessageRequest, PipelineRequest, Started } from "../pipeline-request.ts";
import { plainRequest } from "./plain-request.ts";

export type V1Call = Pick<PipelineRequest, "env" | "ctx" | "key" | "signal" | "onDelta" | "trace"> & {
  /** What is asked for, as the record and the page have it. */
  readonly what: "chat.completions" | "responses" | "embeddings";
  readonly request: SamplingRequest;
  /** The body as it came, for the digest of a request that may be repeated. */
  readonly body: unknown;
  /** The caller's `Idempotency-Key`; null where it sent none. */
  readonly idempotencyKey: string | null;
  /** Whether the caller's SDK says that it asks again. */
  readonly isRetry: boolean;
  /** Of the token that was presented; null for an API key. */
  readonly claims: TokenClaims | null;
  /** Images to fetch first, and where each block stands in the body. */
  readonly addresses: readonly ImageAddress[];
  readonly pointerOf: BlockPointer;
  readonly notes: readonly Note[];
};

/** Begins the request, or attaches to what is running for the same one. */
export async function beginV1(call: V1Call): Promise<Result<Started, Refusal>> {
  const fetch = call.addresses.length === 0 ? undefined : (request: SamplingRequest) => withFetched(call, request);
  const plain = await plainRequest(requestOf(call), call.pointerOf, fetch);
  if (!plain.ok) return plain;
  if (plain.value.kind === "attached") return ok(plain.value.started);
  return begin(plain.value.incoming, plain.value.planned);
}

function requestOf({
  env,
  ctx,
  key,
  signal,
  onDelta,
  what,
  request,
  body,
  idempotencyKey,
  isRetry,
  claims,
  addresses,
  notes,
  trace,
}: V1Call): MessageRequest {
  // A token that is for other models may not get this one's reply.
  const models = claims?.models ?? null;
  // An image that is yet to be fetched is known by its address.
  const images = addresses.map(({ url }) => url);
  return {
    env,
    ctx,
    key,
    endpoint: "v1",
    requestor:
      claims === null
        ? { server: V1_SERVER, method: "v1", name: what, provenance: "own" }
        : { server: claims.server, method: claims.method, name: claims.name, provenance: claims.provenance },
    ...(idempotencyKey === null ? {} : { requestId: idempotencyKey }),
    request,
    ...(notes.length === 0 ? {} : { notes }),
    association: associationOf(env, key.id, idempotencyKey, claims),
    digest: idempotencyKey === null ? "" : digestOf("countersign/v1-request/v1", { what, body, models }),
    content: once(() => digestOf("countersign/identical-v1/v1", { request, images, models })),
    responseMode: { kind: "sync" },
    ...(isRetry ? { isRetry } : {}),
    ...(onDelta === undefined ? {} : { onDelta }),
    signal,
    trace,
  };
}

/** Stands for the client request that a request of the key itself serves. */
const noOriginating = "v1";

function associationOf(env: V1Call["env"], keyId: string, id: string | null, claims: TokenClaims | null): Association {
  const request = id ?? crypto.randomUUID();
  if (claims !== null)
    return {
      kind: "clientRequest",
      session: sessionById(env, claims.session),
      requestRef: { session: claims.session, originating: claims.originating, request: `v1 ${request}` },
    };
  if (id === null) return { kind: "unrepeatable", requestRef: { session: null, originating: noOriginating, request } };
  const session = v1Stub(env, keyId, id);
  return {
    kind: "sessionless",
    session,
    reserves: null,
    requestRef: { session: session.id.toString(), originating: noOriginating, request },
  };
}

const imagesTimeoutMs = 15_000;

/** The request with the images that it names by their addresses, or every error. */
async function withFetched(
  { env, ctx, key, addresses }: V1Call,
  request: SamplingRequest,
): Promise<Result<SamplingRequest, readonly PointedError[]>> {
  const { policy } = await documentsOf(env, Date.now(), (work) => ctx.waitUntil(work));
  // The member of the body that all of them are in.
  const all = `/${addresses[0]?.pointer.split("/")[1] ?? ""}`;
  const fetched = await fetchImages(
    addresses.map(({ url }) => ({ type: "url", value: url })),
    policy.imageHosts,
    { limitBytes: (key.limits ?? defaultLimits).bodyBytes, timeoutMs: imagesTimeoutMs },
    { all, of: (index) => addresses[index]?.pointer ?? all },
  );
  if (!fetched.ok) return fetched;
  const images = new Map(addresses.map(({ message, block }, i) => [`${message} ${block}`, fetched.value[i]]));
  const messages = request.messages.map((message, m) => ({
    ...message,
    content: message.content.map((block, b) => {
      const image = images.get(`${m} ${b}`);
      return image === undefined ? block : { type: "image" as const, data: image.data, mimeType: image.mimeType };
    }),
  }));
  return ok({ ...request, messages });
}
