// One request through the pipeline, from any endpoint; an endpoint adds only its wire. Each step is
// a file:
//
//   plan-request   which models may answer, which gates are closed
//   run-context    the run's id, the key's limits, the cached reply
//   admit          what it repeats, and whether its key admits it: nothing is spent before both
//                  have passed; where people will be asked: that it is not stopped, and fits into
//                  its budgets
//   repeat         a repeat attaches to what is running for the same request
//   start-run      adopts an identical run, opens a run that waits for people, or calls the model
//                  from here (fast)

import type { Refusal } from "../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Plan } from "../../shared/run/plan.ts";
import { admit, grantsToAsk, refuseUnaffordable } from "./admit.ts";
import { planFor } from "./plan-request.ts";
import { attach } from "./repeat.ts";
import type { PipelineRequest, Started } from "./pipeline-request.ts";
import { contextOf } from "./run-context.ts";
import { adoptIdentical, start } from "./start-run.ts";
import { exportAttached } from "./traced.ts";

/**
 * Begins a request, or attaches to what is running for the same one. `planned`: the result of
 * `planFor`, where that was called already.
 */
export async function begin(request: PipelineRequest, planned?: Result<Plan, Refusal>): Promise<Result<Started, Refusal>> {
  const plan = planned ?? (await planFor(request));
  const context = await contextOf(request, plan);
  const grants = await grantsToAsk(context, plan);
  if (!grants.ok) return grants;
  const admitted = await admit(context, plan, grants.value);
  if (!admitted.ok) return admitted;
  if (admitted.value.kind === "repeat") {
    const attached = await attach(context, admitted.value.earlier, admitted.value.plan, begin);
    if (attached.ok) exportAttached(context);
    return attached;
  }
  const unaffordable = await refuseUnaffordable(context, admitted.value, grants.value);
  if (unaffordable !== null) return err(unaffordable);
  const adopted = await adoptIdentical(context, admitted.value, grants.value);
  if (adopted !== null) exportAttached(context);
  return ok(adopted ?? (await start(context, admitted.value)));
}
