// What the asker gets of a run that has ended: a result or an error, as a value that every wire can carry.

import type { Answer } from "../model/answer.ts";
import type { JsonObject } from "../encoding.ts";
import { describeOutcome, describeRefusal } from "../wire/describe.ts";
import type { Completed, Described, Outcome, Refusal, RunMeta } from "../model/outcome.ts";
import { toResult } from "../wire/mcp-2025/result.ts";
import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import type { ModelReply } from "../model/call.ts";
import { unreachable } from "../result.ts";
import type { Candidate } from "../routing/choose.ts";
import { costUsd } from "../routing/price.ts";
import { type End, isKeyEnd } from "./lifecycle.ts";
import type { RunOpening } from "./opening.ts";

/** The `_meta` of a reply: which run, which model and why, what people changed, and what it cost. */
export const runMeta = (
  { id, door }: Pick<RunOpening, "id" | "door">,
  candidate: Candidate,
  model: ModelReply,
  edited: RunMeta["edited"],
  cachedAt?: number,
): RunMeta => ({
  id,
  model: { id: candidate.model.id, why: candidate.why },
  edited,
  // MCP's own result has no place for them that a server would look at.
  ...(door === "control" && model.notes.length > 0 ? { notes: model.notes } : {}),
  ...(cachedAt === undefined ? {} : { cachedAt }),
  usage: { inputTokens: model.usage.inputTokens, outputTokens: model.usage.outputTokens, costUsd: costUsd(candidate.model, model.usage) },
});

/** The CreateMessageResult for a reply that may be delivered. `request` is the one that was sent. */
export function completedAnswer(reply: SamplingReply, request: SamplingRequest, meta: RunMeta): Answer {
  const { id, model, edited, usage, notes, cachedAt } = meta;
  const more: JsonObject = {
    ...(notes === undefined ? {} : { notes: notes.map((note) => ({ ...note }) as JsonObject) }),
    ...(cachedAt === undefined ? {} : { cachedAt }),
  };
  return { result: toResult(reply, request, { id, model: { ...model }, edited: { ...edited }, usage: { ...usage }, ...more }) };
}

export const errorAnswer = ({ code, message, data }: Described): Answer => ({
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

export const outcomeAnswer = (outcome: Exclude<Outcome, Completed>): Answer => errorAnswer(describeOutcome(outcome));
export const refusalAnswer = (refusal: Refusal): Answer => errorAnswer(describeRefusal(refusal));

/** What an ending without a reply is to the outside. The reviewer's reason is told only where the policy lets it be. */
export function outcomeOfEnd(
  end: Exclude<End, { kind: "completed" }>,
  tellReason: boolean,
  attempts: Extract<Outcome, { kind: "failed" }>["attempts"],
): Exclude<Outcome, Completed> {
  switch (end.kind) {
    case "rejected":
      return { kind: "rejected", gate: end.gate, reason: tellReason ? end.reason : null };
    case "undeliverable":
    case "expired":
      return { kind: end.kind, gate: end.gate };
    case "cancelled":
      return { kind: "cancelled", ...(isKeyEnd(end.cause) ? { key: end.cause } : {}) };
    case "failed":
      return { kind: "failed", attempts };
    default:
      return unreachable(end);
  }
}
