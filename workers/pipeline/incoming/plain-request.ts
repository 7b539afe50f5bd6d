// A request whose images are made plain rasters before it is shown or sent. A repeat finds what is
// running by its original bytes, and decodes nothing.

import { imagesIn, withImages } from "../../../shared/image/content-images.ts";
import { imageErrorWords } from "../../../shared/image/image-error.ts";
import type { PointedError, Refusal } from "../../../shared/model/outcome.ts";
import { defaultLimits } from "../../../shared/policy/limits.ts";
import type { BlockPointer } from "../../../shared/wire/mcp-2025/content-rules.ts";
import type { Message, SamplingRequest } from "../../../shared/model/sampling.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import { associateIn } from "../../stubs/session-calls.ts";
import { type ErrorOf, plainImages } from "../../media/plain-images.ts";
import { timed } from "../../telemetry/begin-trace.ts";
import { endedRefusal, sessionQuery } from "../admit/associate.ts";
import { begin } from "../begin.ts";
import { admitBeforePlanning } from "../admit/limits.ts";
import { planFor } from "../plan/plan-request.ts";
import type { MessageRequest, PipelineRequest, Started } from "../pipeline-request.ts";
import { enqueue } from "../record/write-behind.ts";

/**
 * `planned`: its plan, where that refuses it. `attached`: the same request was sent before, and
 * this one attached to it.
 */
type PlainRequest =
  | { readonly kind: "ready"; readonly incoming: MessageRequest; readonly planned?: Result<Plan, Refusal> }
  | { readonly kind: "attached"; readonly started: Started };

/**
 * The same request with the images that it names by their addresses; or every error with its
 * pointer.
 */
type FetchesImages = (request: SamplingRequest) => Promise<Result<SamplingRequest, readonly PointedError[]>>;

/**
 * The request with a plain raster in place of each image. Unchanged: a request without images, and
 * one that its plan refuses, which is to begin with that plan. Refused: a request that its key does
 * not admit, since fetching and decoding are work; one whose client request has ended; and images
 * that cannot be fetched or do not decode to one raster, each with its pointer.
 */
export async function plainRequest(
  incoming: MessageRequest,
  pointerOf: BlockPointer,
  fetch?: FetchesImages,
): Promise<Result<PlainRequest, Refusal>> {
  if (incoming.request.messages.every(({ content }) => imagesIn(content).length === 0)) return ok({ kind: "ready", incoming });
  const planned = await planFor(incoming);
  if (!planned.ok) return ok({ kind: "ready", incoming, planned });
  const admitted = await admitBeforePlanning(incoming);
  if (!admitted.ok) return admitted;
  const run = admitted.value;
  try {
    const earlier = await attach({ ...incoming, run });
    if (!earlier.ok) return release(incoming, run, earlier);
    if (earlier.value !== null) return ok({ kind: "attached", started: earlier.value });
    const plain = await timed(incoming.trace, "images", () => withPlainImages(incoming, pointerOf, fetch));
    return plain.ok ? ok({ kind: "ready", incoming: { ...incoming, ...plain.value, run } }) : release(incoming, run, plain);
  } catch (error) {
    release(incoming, run, null);
    throw error;
  }
}

/** Ends the lease under which the key admitted a request that goes no further. */
function release<T>({ env, ctx, key }: PipelineRequest, run: string, refused: T): T {
  enqueue(env, ctx, { key: { id: key.id, run } });
  return refused;
}

async function withPlainImages(
  incoming: MessageRequest,
  pointerOf: BlockPointer,
  fetch: FetchesImages = async (request) => ok(request),
): Promise<Result<Pick<MessageRequest, "request" | "images">, Refusal>> {
  const fetched = await fetch(incoming.request);
  if (!fetched.ok) return err({ kind: "invalidParams", errors: fetched.error });
  const request = fetched.value;
  const given = request.messages.flatMap(({ content }, message) => imagesIn(content).map((image) => ({ ...image, message })));
  const plain = await plainImages(incoming.env, given);
  if (!plain.ok) return err({ kind: "invalidParams", errors: pointed(plain.error, (index) => pointerAt(given[index], pointerOf)) });
  const replacements = plain.value.map(({ data, mimeType }) => ({ data, mimeType })).values();
  const messages = request.messages.map((message): Message => ({ ...message, content: withImages(message.content, replacements) }));
  return ok({ request: { ...request, messages }, images: plain.value.map(({ digests }) => digests) });
}

/** The images' errors in words, each with its pointer. */
export const pointed = (errors: readonly ErrorOf[], pointerOf: (index: number) => string): PointedError[] =>
  errors.map(({ index, error }) => ({ pointer: pointerOf(index), message: imageErrorWords(error) }));

function pointerAt(
  image: { readonly message: number; readonly block: number; readonly at: string } | undefined,
  pointerOf: BlockPointer,
): string {
  return image === undefined ? "" : `${pointerOf(image.message, image.block)}${image.at}`;
}

/** The plan of a request that may not begin: it only finds what was begun before. */
const beginsNothing: Refusal = { kind: "noLongerKept" };

/**
 * What is running or has ended for the same request; null where there is nothing, or where only
 * `begin` can attach: to another caller's fast-path call, and for a task. Refused: where its client
 * request or its session has ended.
 */
async function attach(incoming: PipelineRequest & { readonly run: string }): Promise<Result<Started | null, Refusal>> {
  const { association, key, responseMode } = incoming;
  if (responseMode.kind === "task" || association.kind === "unrepeatable") return ok(null);
  const seen = await associateIn(association.session, {
    ...sessionQuery(association, incoming.digest),
    run: incoming.run,
    leaseMs: 0,
    roundsLimit: (key.limits ?? defaultLimits).roundsPerOriginatingRequest,
    reserve: false,
    durable: false,
    facts: null,
    settled: [],
  });
  if (seen.kind === "ended") return err(endedRefusal(seen));
  if (seen.kind !== "repeat" || seen.state === "fast") return ok(null);
  const started = await begin(incoming, err(beginsNothing));
  return ok(started.ok ? started.value : null);
}
