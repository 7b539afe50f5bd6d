// What is exported of a request when it ends in this Worker: its spans and its data point. A run
// exports its own.

import type { RecordEvent } from "../../../shared/record/record.ts";
import type { RunSummary } from "../../../shared/record/run-summary.ts";
import type { RequestInput } from "../../../shared/run/run-input.ts";
import { tracedCalls, tracedInput } from "../../../shared/run/traced-run.ts";
import { type TracedRequest, briefSpans, requestSpans } from "../../../shared/telemetry/request-spans.ts";
import type { RequestTrace } from "../../../shared/telemetry/request-trace.ts";
import type { Env } from "../../platform/env.ts";
import { writeDataPoint } from "../../telemetry/data-point.ts";
import { exportSpans } from "../../telemetry/otlp-export.ts";
import type { RunContext } from "../run-context.ts";

type Background = Pick<ExecutionContext, "waitUntil">;

/**
 * A request that was answered at once. `events`: called when the spans are made, after the
 * response.
 */
export function exportAnswered(
  env: Env,
  ctx: Background,
  input: RequestInput,
  line: RunSummary,
  events: () => readonly RecordEvent[],
): void {
  writeDataPoint(env, { line, endpoint: input.endpoint, reviewedMs: 0 });
  const { trace } = input;
  if (trace?.isRecorded !== true) return;
  exportSpans(env, ctx, () => requestSpans(tracedInput(input, trace), tracedCalls(input, input.request.kind), events()));
}

/** A request that gets the outcome of an earlier one: its own few steps. */
export function exportAttached({ incoming, run }: RunContext): void {
  const { env, ctx, trace, endpoint, key, revision, requestor } = incoming;
  if (trace?.isRecorded !== true) return;
  const { server, method, name } = requestor;
  const at = Date.now();
  exportSpans(env, ctx, () =>
    briefSpans({ run, trace, endpoint, key: key.id, revision, server, method, name }, { at, outcome: "attached", error: null }),
  );
}

type RefusedRequest = Omit<TracedRequest, "revision" | "trace"> & { readonly trace?: RequestTrace | undefined };

type Refusing = {
  /** Its line in lists: made only where it is needed. */
  readonly line: () => RunSummary;
  /** The refusal's kind. */
  readonly reason: string;
};

export function exportRefused(env: Env, ctx: Background, { trace, ...request }: RefusedRequest, { line, reason }: Refusing): void {
  if (env.METRICS !== undefined) writeDataPoint(env, { line: line(), endpoint: request.endpoint, reviewedMs: 0 });
  if (trace?.isRecorded !== true) return;
  const at = Date.now();
  exportSpans(env, ctx, () => briefSpans({ ...request, trace }, { at, outcome: "refused", error: reason }));
}
