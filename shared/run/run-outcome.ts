// The outcome of a run that has ended, as every wire encodes it.

import type { Approved, Completed, Elicited, MadeToken, Outcome, Ran, RunMeta } from "../model/outcome.ts";
import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import type { Releasable } from "../model/subject/subject.ts";
import { type ToolCall, toolName } from "../model/subject/tool-call.ts";
import { type ModelReply, type Note, tokensOf } from "../model/call.ts";
import { unreachable } from "../result.ts";
import { type Candidate, whySentence } from "../routing/choose.ts";
import { costUsd } from "../routing/price.ts";
import { type End, isKeyEnd } from "./lifecycle.ts";
import { writtenModel } from "../review/written.ts";
import { whyEn } from "../words/en/why-en.ts";
import { textOf } from "../words/text.ts";
import { type RunInput, nothingSpent } from "./run-input.ts";

/**
 * The `_meta` of a reply: which run, which model and why, what people changed, and what it cost.
 */
export const runMeta = (
  { id }: Pick<RunInput, "id">,
  candidate: Candidate,
  model: Pick<ModelReply, "usage" | "notes">,
  edited: RunMeta["edited"],
  cachedAt?: number,
): RunMeta => ({
  id,
  model: { id: candidate.model.id, why: whySentence(candidate.why) },
  edited,
  ...(model.notes.length > 0 ? { notes: model.notes } : {}),
  ...(cachedAt === undefined ? {} : { cachedAt }),
  usage: { ...tokensOf(model.usage), costUsd: costUsd(candidate, model.usage) },
});

/**
 * The `_meta` of a reply that a reviewer wrote: without their name. No model was asked, and nothing
 * was spent.
 */
export const writtenMeta = ({ id }: Pick<RunInput, "id">, edited: RunMeta["edited"]): RunMeta => ({
  id,
  model: { id: writtenModel, why: "A person wrote this reply; no model was asked." },
  edited,
  usage: { ...nothingSpent, costUsd: 0 },
});

/**
 * The outcome of a request that a token answers in the place of a reply. No model was asked, and
 * nothing was spent. `id`: of the token's event in the record.
 */
export const tokenOutcome = (id: string, token: MadeToken): Completed => ({
  kind: "completed",
  answered: { kind: "chat", offeredTools: false },
  reply: { content: [{ type: "text", text: "A token for /v1 is in _meta." }], model: tokenModel, stopReason: "endTurn" },
  meta: {
    id,
    model: { id: tokenModel, why: "The server asked for a token in the place of a reply; no model was asked." },
    edited: { request: false, response: false },
    usage: { ...nothingSpent, costUsd: 0 },
    token,
  },
});

const tokenModel = "countersign-token";

/** `request` is the one that was sent. */
export const completed = (reply: SamplingReply, request: SamplingRequest, meta: RunMeta): Completed => ({
  kind: "completed",
  answered: request.kind === "chat" ? { kind: "chat", offeredTools: request.tools !== undefined } : { kind: "embedding" },
  reply,
  meta,
});

/** The `_meta` of a tool's result: which tool in the place of a model. */
export const callMeta = ({ id }: Pick<RunInput, "id">, call: ToolCall, notes: readonly Note[], edited: RunMeta["edited"]): RunMeta => ({
  id,
  model: { id: toolName(call), why: textOf(whyEn.function, { tool: call.tool, server: call.server }, "en-GB") },
  edited,
  ...(notes.length > 0 ? { notes } : {}),
  usage: { ...nothingSpent, costUsd: 0 },
});

/**
 * The outcome of what its caller does. `reviewed`: a person decided it, and it has this version
 * now.
 */
export const approvedRequest = <Request extends Releasable>(
  { id, granted = [] }: Pick<RunInput, "id" | "granted">,
  call: Request,
  reviewed: { readonly version: number } | null,
): Approved<Request> => ({
  kind: "approved",
  call,
  edited: reviewed !== null && reviewed.version > 1,
  by: reviewed !== null ? "person" : granted.some(({ gate }) => gate === "request") ? "grant" : "policy",
  run: id,
});

/**
 * What became of a form that nobody answered. A denial is what somebody said: everything else that
 * ends a run is no word of anybody's.
 */
export const unanswered = ({ kind }: Exclude<End, { kind: "completed" }>): Elicited => ({
  kind: "elicited",
  action: kind === "rejected" ? "decline" : "cancel",
});

/**
 * The outcome of a run that ended without a reply. It has the reviewer's reason only with
 * `tellReason`.
 */
export function outcomeOfEnd(
  end: Exclude<End, { kind: "completed" }>,
  tellReason: boolean,
  attempts: Extract<Outcome, { kind: "failed" }>["attempts"],
  run: string,
): Exclude<Outcome, Completed | Ran | Approved | Elicited> {
  switch (end.kind) {
    case "rejected":
      return { kind: "rejected", gate: end.gate, reason: tellReason ? end.reason : null };
    case "undeliverable":
    case "expired":
      return { kind: end.kind, gate: end.gate };
    case "cancelled":
      return { kind: "cancelled", ...(isKeyEnd(end.cause) ? { key: end.cause } : {}) };
    case "failed":
      return end.why === undefined ? { kind: "failed", attempts } : { kind: "broken", quote: run };
    default:
      return unreachable(end);
  }
}
