// The trace of a request that arrives, and the times of its steps. Where no spans are exported it
// costs two looks at its headers.

import { type RequestTrace, type TracedStep, startTrace } from "../../shared/telemetry/request-trace.ts";
import { type TraceContext, traceContextIn, traceContextOf } from "../../shared/telemetry/trace-context.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";

/** The context in the headers of an HTTP request. */
export function transportContext(headers: Headers): TraceContext | null {
  const header = headers.get("traceparent");
  return header === null ? null : traceContextOf(header, headers.get("tracestate"));
}

/**
 * Begins now; undefined where there is nothing to record or to pass on.
 * @param transport Of the HTTP request that brought it.
 * @param params Of the message in it, whose `_meta` may have a context of its own; undefined where
 *   there is none.
 */
export function beginTrace(env: Env, transport: TraceContext | null, params?: unknown): RequestTrace | undefined {
  const { otlp } = settingsOf(env);
  const message = params === undefined ? null : traceContextIn(params);
  if (otlp === undefined && transport === null && message === null) return undefined;
  return startTrace({
    message,
    transport,
    receivedAt: Date.now(),
    isExported: otlp !== undefined,
    isChosen: otlp !== undefined && (otlp.share === 1 || Math.random() < otlp.share),
  });
}

/** The trace of a further request that comes of the same one. */
export const traceAgain = (trace: RequestTrace | undefined): RequestTrace | undefined =>
  trace === undefined ? undefined : { ...trace, receivedAt: Date.now(), steps: [] };

/** Does the work, and notes how long it took where the trace is recorded. */
export async function timed<T>(trace: RequestTrace | undefined, name: TracedStep["name"], work: () => Promise<T>): Promise<T> {
  if (trace?.isRecorded !== true) return work();
  const startedAt = Date.now();
  try {
    return await work();
  } finally {
    trace.steps.push({ name, startedAt, endedAt: Date.now() });
  }
}
