// One request through the pipeline, whatever endpoint it came in by. Each step is a file:
//
//   plan-request   which models may answer, which gates are closed
//   run-context    the run's id, the key's limits, what is in the cache
//   admit          what it repeats, and whether its key lets it in: nothing is spent before both have passed
//   repeat         the same request again attaches to what is under way
//   start          takes over an identical run, opens a run that waits for people, or asks the model from here (fast)
//
// What the endpoints add is their own wire and nothing else.

import type { Refusal } from "../../shared/model/outcome.ts";
import { type Result, ok } from "../../shared/result.ts";
import type { Plan } from "../../shared/run/plan.ts";
import { admit, grantsToAsk } from "./admit.ts";
import { planFor } from "./plan-request.ts";
import { attach } from "./repeat.ts";
import type { PipelineRequest, Started } from "./pipeline-request.ts";
import { contextOf } from "./run-context.ts";
import { adoptIdentical, start } from "./start-run.ts";

/** Begins a request, or attaches to what is already under way for the same one. `planned`: what `planFor` made of it, where that was asked. */
export async function begin(request: PipelineRequest, planned?: Result<Plan, Refusal>): Promise<Result<Started, Refusal>> {
  const plan = planned ?? (await planFor(request));
  const context = await contextOf(request, plan);
  const grants = await grantsToAsk(context, plan);
  if (!grants.ok) return grants;
  const admitted = await admit(context, plan, grants.value);
  if (!admitted.ok) return admitted;
  if (admitted.value.kind === "repeat") return attach(context, admitted.value.earlier, admitted.value.plan, begin);
  const adopted = await adoptIdentical(context, admitted.value, grants.value);
  return ok(adopted ?? (await start(context, admitted.value)));
}
