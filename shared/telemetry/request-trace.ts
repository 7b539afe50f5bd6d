// What is known of a request's trace while it is served: where it came from, and how long the steps
// before its model or its reviewers took. It is stored with a run, so that the spans of a run that
// ends days later are those of the request that began it.

import { type Span, spanIdOf, traceIdOf } from "./span.ts";
import type { TraceContext } from "./trace-context.ts";

/** A step of the pipeline that had an end. */
export type TracedStep = {
  readonly name: "plan" | "association" | "admission" | "images" | "juror";
  readonly startedAt: number;
  readonly endedAt: number;
  /** It took the share of the key's limits that the isolate holds, and asked no object. */
  readonly isShared?: true;
};

export type RequestTrace = {
  /** Whether spans of it are exported; otherwise the caller's context is passed on as it came. */
  readonly isRecorded: boolean;
  /** The caller's place in its own trace; null where it sent none. */
  readonly caller: TraceContext | null;
  /** The context of the HTTP request, where the message in it has another. */
  readonly transport?: TraceContext;
  /** Unix milliseconds. */
  readonly receivedAt: number;
  /** In the order of their beginnings. More are added while the request is served. */
  readonly steps: TracedStep[];
};

type TraceStart = {
  /** In the message's `_meta`. */
  readonly message: TraceContext | null;
  /** In the headers of the HTTP request that brought it. */
  readonly transport: TraceContext | null;
  readonly receivedAt: number;
  /**
   * Whether spans are exported anywhere, and of a trace that begins here. A caller's trace is
   * recorded if the caller records it.
   */
  readonly isExported: boolean;
  readonly isChosen: boolean;
};

/**
 * The trace of a request; undefined where there is nothing to record or to pass on. The message's
 * own context is the parent, and that of its transport a link (semantic conventions for MCP,
 * "Context propagation").
 */
export function startTrace({ message, transport, receivedAt, isExported, isChosen }: TraceStart): RequestTrace | undefined {
  const caller = message ?? transport;
  const isRecorded = isExported && (caller === null ? isChosen : caller.isSampled);
  if (!isRecorded && caller === null) return undefined;
  const isLinked = message !== null && transport !== null && transport.spanId !== message.spanId;
  return { isRecorded, caller, ...(isLinked ? { transport } : {}), receivedAt, steps: [] };
}

/** The place of a span of this run, by its label. */
export const positionIn = ({ caller }: Pick<RequestTrace, "caller">, run: string, label: string): TraceContext => ({
  traceId: caller?.traceId ?? traceIdOf(run),
  spanId: spanIdOf(run, label),
  isSampled: true,
  ...(caller?.state === undefined ? {} : { state: caller.state }),
});

export const rootLabel = "request";

/** Where a span stands: its ids, and its parent's. */
export type SpanPosition = Pick<Span, "traceId" | "spanId" | "parent" | "state">;

/**
 * The places of spans right under the request's own, by their labels. What they share is computed
 * once.
 */
export function positionsUnder(trace: Pick<RequestTrace, "caller">, run: string): (label: string) => SpanPosition {
  const { traceId, spanId: rootId, state } = positionIn(trace, run, rootLabel);
  const shared = { traceId, parent: { spanId: rootId, isRemote: false }, ...(state === undefined ? {} : { state }) };
  return (label) => ({ ...shared, spanId: spanIdOf(run, label) });
}

/**
 * Of the attempt with this number at a model, counted from 1 through all candidates of one call.
 */
export const attemptLabel = (call: number, attempt: number): string => `call ${call} attempt ${attempt}`;

/**
 * What a provider or an MCP server gets with an attempt; null where there is nothing to pass on.
 */
export const contextOfAttempt = (trace: RequestTrace | undefined, run: string, call: number, attempt: number): TraceContext | null =>
  trace?.isRecorded === true ? positionIn(trace, run, attemptLabel(call, attempt)) : (trace?.caller ?? null);
