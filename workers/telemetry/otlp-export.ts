// Exports spans over OTLP/HTTP after the response. A lost export is a lost span and nothing else:
// it delays and fails no request.
//
// The spans of this isolate's requests go out together, made only then. So many requests wait at
// most; more of them are left out and counted.

import { otlpTraces } from "../../shared/telemetry/otlp.ts";
import type { Span } from "../../shared/telemetry/span.ts";
import type { Env } from "../platform/env.ts";
import { isolateState } from "../platform/isolate.ts";
import { errorClass, logEvent } from "../platform/log.ts";
import type { OtlpSettings } from "../platform/otlp-settings.ts";
import { settingsOf } from "../platform/settings.ts";
import { version } from "../platform/version.ts";

/** Requests whose spans wait, and of how many one export has them. */
const mostWaiting = 500;
const mostInExport = 100;
const exportAfterMs = 500;
const timeoutMs = 5_000;
/**
 * An export goes on while there is more, and no longer than this: the platform ends a Worker that
 * works on after its response.
 */
const longestMs = 20_000;
const abandonedAfterMs = longestMs + timeoutMs;
const logEveryMs = 60_000;

type Waiting = {
  readonly requests: (() => readonly Span[])[];
  /**
   * When the running export began, in Unix milliseconds; after `abandonedAfterMs` its Worker counts
   * as cut off.
   */
  exportingSince: number | null;
  /** Requests whose spans were lost since this was last logged. */
  lost: number;
  loggedAt: number;
};

const waitingOf = isolateState((): Waiting => ({ requests: [], exportingSince: null, lost: 0, loggedAt: 0 }));

/**
 * Exports the spans of one request soon. `make` is called then; what it throws is a lost span too.
 */
export function exportSpans(env: Env, ctx: Pick<ExecutionContext, "waitUntil">, make: () => readonly Span[]): void {
  const { otlp } = settingsOf(env);
  if (otlp === undefined) return;
  const waiting = waitingOf(env);
  const now = Date.now();
  if (waiting.requests.length >= mostWaiting) lose(waiting, 1, now, { error: "full" });
  else waiting.requests.push(make);
  if (waiting.exportingSince !== null && now - waiting.exportingSince < abandonedAfterMs) return;
  waiting.exportingSince = now;
  underWay += 1;
  ctx.waitUntil(exportWaiting(otlp, waiting, now + longestMs).finally(() => (underWay -= 1)));
}

let underWay = 0;

/** How many exports of this isolate go on after responses. */
export const exportsUnderWay = (): number => underWay;

async function exportWaiting(otlp: OtlpSettings, waiting: Waiting, end: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, exportAfterMs));
  while (waiting.requests.length > 0 && Date.now() < end) {
    const requests = waiting.requests.splice(0, mostInExport);
    const failure = await postSpans(otlp, () => requests.flatMap((make) => make()));
    if (failure !== null) lose(waiting, requests.length, Date.now(), failure);
  }
  waiting.exportingSince = null;
}

/** Logged at most once a minute, with the number of requests. */
function lose(waiting: Waiting, requests: number, now: number, failure: ExportFailure): void {
  waiting.lost += requests;
  if (now - waiting.loggedAt < logEveryMs) return;
  logEvent("telemetry.exportFailed", { count: waiting.lost, ...failure });
  waiting.lost = 0;
  waiting.loggedAt = now;
}

/** `error`: the class of what was thrown, or `full` where too many waited. */
type ExportFailure = { readonly status: number } | { readonly error: string };

/**
 * One export; null where the collector took it. No redirect is followed: it could carry the
 * credential elsewhere.
 */
export async function postSpans(otlp: OtlpSettings, make: () => readonly Span[]): Promise<ExportFailure | null> {
  try {
    const body = JSON.stringify(otlpTraces({ serviceName: otlp.serviceName, version }, make()));
    const response = await fetch(otlp.tracesUrl, {
      method: "POST",
      headers: { ...otlp.headers, "Content-Type": "application/json", "User-Agent": `countersign/${version}` },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    response.body?.cancel().catch(() => {});
    return response.ok ? null : { status: response.status };
  } catch (error) {
    return { error: errorClass(error) };
  }
}
