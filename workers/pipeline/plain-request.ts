// A request whose images are made plain rasters before it is shown or sent. A repeat finds what is running by its original bytes, and decodes
// nothing.

import { imagesIn, withImages } from "../../shared/image/content-images.ts";
import { imageErrorWords } from "../../shared/image/image-error.ts";
import type { PointedError, Refusal } from "../../shared/model/outcome.ts";
import { defaultLimits } from "../../shared/policy/limits.ts";
import type { BlockPointer } from "../../shared/wire/mcp-2025/content-rules.ts";
import type { Message } from "../../shared/model/sampling.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Plan } from "../../shared/run/plan.ts";
import { associateIn } from "../stubs/session-calls.ts";
import { type ErrorOf, plainImages } from "../media/plain-images.ts";
import { sessionQuery } from "./admit.ts";
import { begin } from "./begin.ts";
import { planFor } from "./plan-request.ts";
import type { PipelineRequest, Started } from "./pipeline-request.ts";
import { enqueue } from "./write-behind.ts";
import { letIn } from "./control-call.ts";

/** `planned`: its plan, where that refuses it. `attached`: the same request was sent before, and this one attached to it. */
export type PlainRequest =
  | { readonly kind: "ready"; readonly request: PipelineRequest; readonly planned?: Result<Plan, Refusal> }
  | { readonly kind: "attached"; readonly started: Started };

/**
 * The request with a plain raster in place of each image. Unchanged: a request without images, and one that its plan refuses, which is to begin
 * with that plan. Refused: a request that its key does not admit, since decoding is work; and images that do not decode to one raster, each
 * with its pointer.
 */
export async function plainRequest(asked: PipelineRequest, pointerOf: BlockPointer): Promise<Result<PlainRequest, Refusal>> {
  const { env, ctx, key, request } = asked;
  const given = request.messages.flatMap(({ content }, message) => imagesIn(content).map((image) => ({ ...image, message })));
  if (given.length === 0) return ok({ kind: "ready", request: asked });
  const planned = await planFor(asked);
  if (!planned.ok) return ok({ kind: "ready", request: asked, planned });
  const admitted = asked.run === undefined ? await letIn({ env, ctx, key }) : ok(asked.run);
  if (!admitted.ok) return admitted;
  const earlier = await attach({ ...asked, run: admitted.value });
  if (earlier !== null) return ok({ kind: "attached", started: earlier });
  const plain = await plainImages(env, given);
  if (!plain.ok) {
    enqueue(env, ctx, { key: { id: key.id, run: admitted.value } });
    return err({ kind: "invalidParams", errors: pointed(plain.error, (index) => pointerAt(given[index], pointerOf)) });
  }
  const replacements = plain.value.map(({ data, mimeType }) => ({ data, mimeType })).values();
  const messages = request.messages.map((message): Message => ({ ...message, content: withImages(message.content, replacements) }));
  const images = plain.value.map(({ digests }) => digests);
  return ok({ kind: "ready", request: { ...asked, request: { ...request, messages }, images, run: admitted.value } });
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
 * What is running or has ended for the same request; null where there is nothing, or where only `begin` can attach: to another caller's
 * fast-path call, and for a task.
 */
async function attach(asked: PipelineRequest & { readonly run: string }): Promise<Started | null> {
  const { association, key, responseMode } = asked;
  if (responseMode.kind === "task" || association.kind === "unrepeatable") return null;
  const seen = await associateIn(association.session, {
    ...sessionQuery(association, asked.digest),
    run: asked.run,
    leaseMs: 0,
    roundsLimit: (key.limits ?? defaultLimits).roundsPerOriginatingRequest,
    reserve: false,
    durable: false,
    settled: [],
  });
  if (seen.kind !== "repeat" || seen.state === "fast") return null;
  const started = await begin(asked, err(beginsNothing));
  return started.ok ? started.value : null;
}
