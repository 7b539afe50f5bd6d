// The spans of a request's attempts at models and functions, from the events of its record.
//
// Names are those of OpenTelemetry's semantic conventions for GenAI and MCP, in the repository
// open-telemetry/semantic-conventions-genai as of autumn 2026 (status: development; it refers to
// the general conventions 1.44). They want one span for all retries: here each attempt has one,
// because a failover asks another provider.

import type { Attempt, Usage } from "../model/call.ts";
import type { RecordEvent, RecordFact } from "../record/record.ts";
import { type SpanPosition, attemptLabel } from "./request-trace.ts";
import { type Attributes, type Span } from "./span.ts";

/** What may be asked, as the routing table has it. */
type TracedModel = { readonly id: string; readonly provider: string; readonly name: string };

export type TracedCalls = {
  readonly positionOf: (label: string) => SpanPosition;
  readonly operation: "chat" | "embeddings" | "execute_tool";
  /** 0 where the request does not say. */
  readonly maxTokens: number;
  readonly models: readonly TracedModel[];
};

type Answered = Extract<RecordFact, { readonly kind: "answered" }>;

/**
 * One for each attempt, and one for each call whose end nobody knows because the object that made
 * it was reset.
 */
export function modelSpans(calls: TracedCalls, events: readonly RecordEvent[]): Span[] {
  let begun: { readonly call: number; readonly at: number } | null = null;
  return events.flatMap(({ at, fact }) => {
    switch (fact.kind) {
      case "called": {
        const lost = begun !== null && fact.again && begun.call < fact.call ? [lostSpan(calls, begun.call, begun.at, at)] : [];
        begun = { call: fact.call, at };
        return lost;
      }
      case "answered":
        return [...failedSpans(calls, fact.call, fact.attempts), answeredSpan(calls, fact)];
      case "callFailed":
        return failedSpans(calls, fact.call, fact.attempts);
      default:
        return [];
    }
  });
}

const failedSpans = (calls: TracedCalls, call: number, attempts: readonly Attempt[]): Span[] =>
  attempts.map(({ model, provider, at, durationMs, fault }, index) => ({
    ...spanOf(calls, call, index + 1, { id: model, provider }),
    startedAt: at,
    endedAt: at + durationMs,
    attributes: {
      ...attributesOf(calls, index + 1, { id: model, provider }),
      "error.type": fault.kind,
      ...(fault.detail === undefined ? {} : { "countersign.error.detail": fault.detail }),
      ...(fault.status === undefined ? {} : { "http.response.status_code": fault.status }),
      ...(fault.usage === undefined ? {} : usageOf(fault.usage)),
    },
    isError: true,
  }));

function answeredSpan(calls: TracedCalls, fact: Answered): Span {
  const attempt = fact.attempts.length + 1;
  return {
    ...spanOf(calls, fact.call, attempt, { id: fact.model }),
    startedAt: fact.took.at,
    endedAt: fact.took.at + fact.took.durationMs,
    attributes: {
      ...attributesOf(calls, attempt, { id: fact.model }),
      ...(calls.operation === "execute_tool" ? {} : modelAnswer(fact)),
      "countersign.cost.usd": { double: fact.costUsd },
    },
    isError: false,
  };
}

const modelAnswer = ({ realModel, stopReason, usage }: Answered): Attributes => ({
  "gen_ai.response.model": realModel,
  ...(stopReason === "" ? {} : { "gen_ai.response.finish_reasons": [stopReason] }),
  ...usageOf(usage),
});

const lostSpan = (calls: TracedCalls, call: number, startedAt: number, endedAt: number): Span => ({
  ...spanOf(calls, call, 1, {}),
  startedAt,
  endedAt,
  attributes: { ...attributesOf(calls, 1, {}), "error.type": "outcomeUnknown" },
  isError: true,
});

/** Null: it is not known which one was asked. */
type SpanModel = { readonly id?: string; readonly provider?: string };

function spanOf({ positionOf, operation, models }: TracedCalls, call: number, attempt: number, { id }: SpanModel) {
  const name = models.find((each) => each.id === id)?.name;
  const called = operation === "execute_tool" ? "tools/call" : operation;
  return {
    ...positionOf(attemptLabel(call, attempt)),
    name: name === undefined ? called : `${called} ${name}`,
    kind: "client" as const,
    events: [],
    links: [],
  };
}

function attributesOf({ operation, maxTokens, models }: TracedCalls, attempt: number, { id, provider }: SpanModel): Attributes {
  const model = models.find((each) => each.id === id);
  const servedBy = provider ?? model?.provider;
  const common = {
    "gen_ai.operation.name": operation,
    ...(id === undefined ? {} : { "countersign.model": id }),
    "countersign.attempt": attempt,
  };
  if (operation === "execute_tool")
    return { ...common, "mcp.method.name": "tools/call", ...(model === undefined ? {} : { "gen_ai.tool.name": model.name }) };
  return {
    ...common,
    ...(servedBy === undefined ? {} : { "gen_ai.provider.name": servedBy }),
    ...(model === undefined ? {} : { "gen_ai.request.model": model.name }),
    ...(maxTokens === 0 ? {} : { "gen_ai.request.max_tokens": maxTokens }),
  };
}

const usageOf = ({ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: Usage): Attributes => ({
  "gen_ai.usage.input_tokens": inputTokens,
  "gen_ai.usage.output_tokens": outputTokens,
  ...(cachedInputTokens === undefined ? {} : { "gen_ai.usage.cache_read.input_tokens": cachedInputTokens }),
  ...(cacheWriteTokens === undefined ? {} : { "gen_ai.usage.cache_write.input_tokens": cacheWriteTokens }),
});
