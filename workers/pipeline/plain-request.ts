// A request whose images have become plain rasters, before it is planned, shown or sent. A repeat finds what is under way by the bytes as
// they came, and decodes nothing.

import { imagesIn, withImages } from "../../shared/image/content-images.ts";
import { imageErrorWords } from "../../shared/image/image-error.ts";
import type { PointedError, Refusal } from "../../shared/model/outcome.ts";
import { defaultLimits } from "../../shared/policy/limits.ts";
import type { BlockPointer } from "../../shared/wire/mcp-2025/content-rules.ts";
import type { Message } from "../../shared/model/sampling.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Plan } from "../../shared/run/plan.ts";
import { type ErrorOf, plainImages } from "../media/plain-images.ts";
import { sessionQuery } from "./admit.ts";
import { begin } from "./begin.ts";
import { planFor } from "./plan-request.ts";
import type { PipelineRequest, Started } from "./pipeline-request.ts";
import { enqueue } from "./write-behind.ts";
import { letIn } from "./control-call.ts";

/** `planned`: its plan, where that refuses it. `begun`: the same request was sent before, and this one attached to it. */
export type PlainRequest =
  | { readonly kind: "ready"; readonly ask: PipelineRequest; readonly planned?: Result<Plan, Refusal> }
  | { readonly kind: "begun"; readonly begun: Started };

/**
 * The request with a plain raster in the place of each image. One without images is as it was, and so is one that its plan refuses, which is to be begun with that plan.
 * Refused: what its key's limits do not let in, since decoding is work; and images that cannot be one raster for everybody, each with its place.
 */
export async function plainRequest(ask: PipelineRequest, pointerOf: BlockPointer): Promise<Result<PlainRequest, Refusal>> {
  const { env, ctx, key, request } = ask;
  const given = request.messages.flatMap(({ content }, message) => imagesIn(content).map((image) => ({ ...image, message })));
  if (given.length === 0) return ok({ kind: "ready", ask });
  const planned = await planFor(ask);
  if (!planned.ok) return ok({ kind: "ready", ask, planned });
  const entered = await letIn({ env, ctx, key });
  if (!entered.ok) return entered;
  const earlier = await attach({ ...ask, run: entered.value });
  if (earlier !== null) return ok({ kind: "begun", begun: earlier });
  const plain = await plainImages(env, given);
  if (!plain.ok) {
    enqueue(env, ctx, { key: { id: key.id, run: entered.value } });
    return err({ kind: "invalidParams", errors: pointed(plain.error, (index) => pointerAt(given[index], pointerOf)) });
  }
  const replacements = plain.value.map(({ data, mimeType }) => ({ data, mimeType })).values();
  const messages = request.messages.map((message): Message => ({ ...message, content: withImages(message.content, replacements) }));
  const images = plain.value.map(({ digests }) => digests);
  return ok({ kind: "ready", ask: { ...ask, request: { ...request, messages }, images, run: entered.value } });
}

/** The faults in words, each at its place. */
export const pointed = (faults: readonly ErrorOf[], pointerOf: (index: number) => string): PointedError[] =>
  faults.map(({ index, fault }) => ({ pointer: pointerOf(index), message: imageErrorWords(fault) }));

function pointerAt(
  image: { readonly message: number; readonly block: number; readonly at: string } | undefined,
  pointerOf: BlockPointer,
): string {
  return image === undefined ? "" : `${pointerOf(image.message, image.block)}${image.at}`;
}

/** Where nothing can be begun: only what was begun before is found. */
const beginsNothing: Refusal = { kind: "noLongerKept" };

/**
 * What is under way for the same request, or over; null where there is nothing, or where it has to be begun to be found out: a fast answer
 * that another caller is getting, and a caller who wants a task of it.
 */
async function attach(ask: PipelineRequest & { readonly run: string }): Promise<Started | null> {
  const { association, key, responseMode } = ask;
  if (responseMode.kind === "task") return null;
  const seen = await association.session.associate({
    ...sessionQuery(ask),
    run: ask.run,
    leaseMs: 0,
    roundsLimit: (key.limits ?? defaultLimits).roundsPerOriginatingRequest,
    reserve: false,
    durable: false,
    settled: [],
  });
  if (seen.kind !== "repeat" || seen.state === "fast") return null;
  const begun = await begin(ask, err(beginsNothing));
  return begun.ok ? begun.value : null;
}
