// One request through the pipeline, from any endpoint; an endpoint adds only its wire. The folders
// are the steps:
//
//   incoming   an endpoint's call becomes a PipelineRequest; of the control endpoint: control/
//   plan       which models may answer, which gates are closed; a cached reply
//   admit      what it repeats (associate), whether its key admits it (limits), and its route; for
//              a run also that it is not stopped, and fits into its budgets
//   start      a repeat attaches to what is running for the same request; any other request adopts
//              an identical run, opens a run that waits for people, or is answered here (fast)
//   spend      whether an attempt at a model may be sent
//   record     what is written after the response; refusals
//   wait       a caller's wait for a run, tasks, the end of a key meanwhile

import type { Refusal } from "../../shared/model/outcome.ts";
import { type Result, ok } from "../../shared/result.ts";
import type { Plan } from "../../shared/run/plan.ts";
import { admit } from "./admit/admit.ts";
import { planFor } from "./plan/plan-request.ts";
import { attach } from "./start/repeat.ts";
import type { PipelineRequest, Started } from "./pipeline-request.ts";
import { contextOf } from "./run-context.ts";
import { start } from "./start/start-run.ts";
import { exportAttached } from "./record/traced.ts";

/**
 * Begins a request, or attaches to what is running for the same one. `planned`: the result of
 * `planFor`, where that was called already.
 */
export async function begin(incoming: PipelineRequest, planned?: Result<Plan, Refusal>): Promise<Result<Started, Refusal>> {
  const plan = planned ?? (await planFor(incoming));
  const context = await contextOf(incoming, plan);
  const admitted = await admit(context, plan);
  if (!admitted.ok) return admitted;
  if (admitted.value.kind === "fresh") return ok(await start(context, admitted.value));
  const attached = await attach(context, admitted.value.earlier, admitted.value.plan, begin);
  if (attached.ok) exportAttached(context);
  return attached;
}
