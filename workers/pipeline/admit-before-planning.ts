// Admission before a request is planned: for one of which something is fetched or decoded first.

import type { Refusal } from "../../shared/model/outcome.ts";
import { defaultLimits } from "../../shared/policy/limits.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { keyStub } from "../stubs/stubs.ts";
import { timed } from "../telemetry/begin-trace.ts";
import { notAdmitted } from "./calls.ts";
import type { PipelineRequest } from "./pipeline-request.ts";
import { newRunId } from "./run-context.ts";
import { withReleased } from "./write-behind.ts";

/** Long enough to fetch what a request needs before it can be planned. */
const preparingMs = 60_000;

/**
 * Admits and counts a request for which something is fetched first, so that no key has more fetched
 * than its limits allow. The request then begins with this run id, and is not counted again.
 */
export async function admitBeforePlanning({
  env,
  ctx,
  key,
  trace,
}: Pick<PipelineRequest, "env" | "ctx" | "key" | "trace">): Promise<Result<string, Refusal>> {
  const run = newRunId(env);
  const limits = key.limits ?? defaultLimits;
  const admitted = await timed(trace, "admission", () =>
    withReleased(env, ctx, key.id, async (ended) =>
      keyStub(env, key.id).admit({ run, limits, leaseMs: preparingMs, session: null, identical: run, ...ended, shareFor: null }),
    ),
  );
  return admitted.kind === "admitted" ? ok(run) : err(notAdmitted(admitted));
}
