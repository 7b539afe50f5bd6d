// A data point for each request in Workers Analytics Engine, where the dataset METRICS is bound. No
// content, no person, no key's name.
//
// The order of blobs and doubles is what queries rely on: docs/telemetry.md. New ones go to the
// end.

import { type Endpoint, providersWord } from "../../shared/record/record.ts";
import type { RunSummary } from "../../shared/record/run-summary.ts";
import type { Env } from "../platform/env.ts";

type Measured = {
  readonly line: RunSummary;
  readonly endpoint: Endpoint;
  /** How long people took, in milliseconds. */
  readonly reviewedMs: number;
};

/** Writes it. Nothing waits for it, and where it fails it is lost. */
export function writeDataPoint({ METRICS }: Pick<Env, "METRICS">, { line, endpoint, reviewedMs }: Measured): void {
  if (METRICS === undefined) return;
  const { key, server, createdAt, endedAt, state, cause, model, inputTokens, outputTokens, costUsd } = line;
  try {
    METRICS.writeDataPoint({
      // What Analytics Engine samples by when there is too much.
      indexes: [key],
      blobs: [endpoint, state, reasonOf(cause), model ?? "", server === null ? "" : providersWord(server)],
      doubles: [(endedAt ?? createdAt) - createdAt, reviewedMs, inputTokens, outputTokens, costUsd],
    });
  } catch {
    // Over the platform's limit of points in one invocation.
  }
}

const reasonOf = (cause: RunSummary["cause"]): string => (cause === null ? "" : cause.kind === "refused" ? cause.reason.kind : cause.kind);
