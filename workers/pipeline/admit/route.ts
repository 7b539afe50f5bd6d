// The route of a planned request, decided here alone: it is answered at once, or becomes a run.

import { isMessage } from "../../../shared/model/subject/subject.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import { closedGates, stagesOf } from "../../../shared/run/stages.ts";
import { findRisks, highestRisk } from "../../../shared/policy/risk.ts";
import { approvedBefore } from "../plan/cached-reply.ts";
import type { RunContext } from "../run-context.ts";

/** `fast`: the Worker answers it, and writes the record behind. `run`: a RunObject keeps it. */
export type Route = "fast" | "run";

export function routeOf({ incoming: { endpoint, responseMode, request, act }, cache }: RunContext, plan: Plan): Route {
  if (responseMode.kind === "task" || (responseMode.kind === "callback" && responseMode.alwaysRun)) return "run";
  // A tool must not run twice: its run is stored before the call, and no repeat takes over a lost
  // call. What its caller calls is only decided here.
  if (!isMessage(request) && act === undefined) return "run";
  // The result of a call that is made elsewhere comes back to its run.
  if (endpoint === "approvals" && act === "release") return "run";
  // Where the reply's risk may close a gate, a run stores the reply before a reviewer sees it: a
  // crash costs neither a second call nor the review. The risk of a cached reply is found here.
  const found = cache?.found;
  const closed = closedGates(stagesOf({ ...plan, act }), {
    isEdited: false,
    // Only where a condition asks for it.
    get risk() {
      return found === undefined ? "high" : highestRisk(findRisks(found.reply));
    },
  });
  return (closed.request || closed.response) && !approvedBefore(plan, closed, cache) ? "run" : "fast";
}
