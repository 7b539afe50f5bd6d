// What a run exports of itself once it has ended and is delivered: its spans, made from its record,
// and its data point.

import { reviewsIn } from "../../../../shared/telemetry/gate-spans.ts";
import { requestSpans } from "../../../../shared/telemetry/request-spans.ts";
import { tracedCalls, tracedInput } from "../../../../shared/run/traced-run.ts";
import type { Env } from "../../../platform/env.ts";
import { logEvent } from "../../../platform/log.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { writeDataPoint } from "../../../telemetry/data-point.ts";
import { postSpans } from "../../../telemetry/otlp-export.ts";
import { summaryOf } from "../deliver/run-account.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import type { CurrentRun, RunDeps } from "../run-deps.ts";
import type { StoredInput } from "../tables/run-store.ts";

/** A collector that fails for longer loses the spans: nothing waits for them. */
const mostAttempts = 5;

/** Whether anything is exported of a run. */
export const hasTelemetry = (env: Env, { trace }: StoredInput): boolean =>
  env.METRICS !== undefined || (trace?.isRecorded === true && settingsOf(env).otlp !== undefined);

/** True where there is nothing left to do. Spans that are exported twice are the same spans. */
export async function exportRun({ env, store, now }: RunDeps, { attempts }: OutboxRow, { input, state }: CurrentRun): Promise<boolean> {
  const { otlp } = settingsOf(env);
  const events = store.events.all(input.id);
  if (attempts === 0) {
    const reviewedMs = reviewsIn(events).reduce((sum, { openedAt, endedAt }) => sum + (endedAt ?? now()) - openedAt, 0);
    writeDataPoint(env, { line: summaryOf(store, input, state), endpoint: input.endpoint, reviewedMs });
  }
  const { trace } = input;
  if (otlp === undefined || trace?.isRecorded !== true) return true;
  // Where the content cannot be read any more, neither can what kind of request it was.
  const kind = store.requestVersion(1)?.request.kind ?? "chat";
  const failure = await postSpans(otlp, () => requestSpans(tracedInput(input, trace), tracedCalls(input, kind), events));
  if (failure === null) return true;
  const isLast = attempts + 1 >= mostAttempts;
  if (isLast) logEvent("telemetry.exportFailed", { run: input.id, count: 1, ...failure });
  return isLast;
}
