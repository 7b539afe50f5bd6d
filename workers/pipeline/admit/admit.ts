// Admission: what a request repeats, whether its key admits it, and by which route it goes on. A
// refusal undoes what was reserved, and nothing is spent before all have agreed.

import type { Refusal } from "../../../shared/model/outcome.ts";
import type { GrantQuery } from "../../../shared/policy/grant.ts";
import { isToolCall } from "../../../shared/model/subject/subject.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { grantQueryOf } from "../../../shared/run/granting.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import { candidatesOf } from "../../../shared/run/work.ts";
import type { AdmitAnswer } from "../../stubs/key-calls.ts";
import type { AssociateAnswer } from "../../stubs/session-calls.ts";
import { type Associated, associate, associationRefusal, forgetReservation } from "./associate.ts";
import { notAdmitted } from "./calls.ts";
import { admitWithinLimits, countedSession, refusedLook } from "./limits.ts";
import { withVerdict } from "./juror.ts";
import { type Route, routeOf } from "./route.ts";
import type { RunContext } from "../run-context.ts";
import { affordable } from "../spend/spending.ts";
import { enqueue } from "../record/write-behind.ts";

export type Repeat = Extract<AssociateAnswer, { kind: "repeat" }>;

export type Admitted =
  /** `plan` may be a refusal: what is running for the same request is found all the same. */
  | { readonly kind: "repeat"; readonly earlier: Repeat; readonly plan: Result<Plan, Refusal> }
  | {
      readonly kind: "fresh";
      /** With the gates that grants open. */
      readonly plan: Plan;
      readonly route: Route;
      /** An earlier attempt reserved the request and was cut off. */
      readonly takenOver: boolean;
      /** A run that answers an identical request, or null. */
      readonly identical: string | null;
      /** Takes back the uses of grants that were counted for it. */
      readonly giveBackGrants: () => void;
    };

/**
 * The key's limits and the session are asked side by side where the key has room, and the limits
 * first where it may not. First also for a run: a repeat opens the run that is reserved for its
 * request, so that it is reserved only after its key has admitted it.
 */
export async function admit(context: RunContext, planned: Result<Plan, Refusal>): Promise<Result<Admitted, Refusal>> {
  const { incoming, run, keyObject } = context;
  const { env, ctx, key } = incoming;
  const policyRoute = planned.ok ? routeOf(context, planned.value) : "fast";
  const grants = planned.ok && policyRoute === "run" ? await grantsToAsk(context, planned.value) : ok(null);
  if (!grants.ok) return grants;

  const limits = admitWithinLimits(context, planned.ok ? policyRoute : null, grants.value);
  const beside = limits.hasRoom ? associate(context, planned.ok ? policyRoute : null) : null;
  const [admitted, early] = await Promise.all([limits.answer, beside]);
  const passed = withPasses(planned, admitted);
  // Only a request that is new, and that no run of an identical one waits for.
  const isNew = admitted.kind === "admitted" && admitted.identical === null && grants.value?.asked === "fresh";
  const plan = passed.ok && isNew ? ok(await withVerdict(context, passed.value)) : passed;
  const route = plan.ok && plan !== planned ? routeOf(context, plan.value) : policyRoute;
  const associated = early ?? (await associateAfter(context, admitted, plan.ok ? route : null));

  const releaseLease = (): void => enqueue(env, ctx, { key: { id: key.id, run } });
  const giveBackGrants = (): void => {
    if (grants.value !== null && plan.ok && plan.value.granted !== undefined)
      ctx.waitUntil(keyObject().giveBackGrants(grants.value.identity, run));
  };
  const refuse = (refusal: Refusal): Result<Admitted, Refusal> => {
    releaseLease();
    if (associated?.kind === "fresh" && plan.ok) ctx.waitUntil(forgetReservation(context));
    return err(refusal);
  };
  if (admitted.kind === "revoked") return refuse(notAdmitted(admitted));
  if (associated?.kind === "repeat") {
    releaseLease();
    return ok({ kind: "repeat", earlier: associated, plan });
  }
  const refused = associated === null ? null : associationRefusal(associated);
  // A use of a grant that was counted at the moment when the session ended stays counted: that can
  // never admit two requests.
  if (refused !== null) return refuse(refused);
  if (admitted.kind === "refused") return refuse(notAdmitted(admitted));
  if (!plan.ok) return refuse(plan.error);
  const unaffordable = route === "run" || incoming.act !== undefined ? await refuseUnaffordable(context, plan.value) : null;
  if (unaffordable !== null) {
    giveBackGrants();
    return refuse(unaffordable);
  }
  const takenOver = associated?.kind === "fresh" && associated.takenOver;
  return ok({ kind: "fresh", plan: plan.value, route, takenOver, identical: admitted.identical, giveBackGrants });
}

/**
 * What to ask of the key's grants; null where the policy leaves nothing to ask, or the session
 * refuses the request anyway. The session is asked first, without reserving: a repeat attaches to
 * what is running for it, and uses no grant.
 */
async function grantsToAsk(context: RunContext, plan: Plan): Promise<Result<GrantQuery | null, Refusal>> {
  const { incoming, run } = context;
  const { requestor, association, digest } = incoming;
  const query = grantQueryOf({ run, plan, request: plan.request, requestor, requestRef: association.requestRef, params: digest });
  if (query === null) return ok(null);
  const refusal = await refusedLook(incoming);
  if (refusal !== null) return err(refusal);
  const seen = await associate(context, null);
  if (seen.kind === "repeat") return ok({ ...query, asked: "repeat" });
  return ok(seen.kind === "fresh" ? { ...query, asked: seen.takenOver ? "takenOver" : "fresh" } : null);
}

const withPasses = (planned: Result<Plan, Refusal>, answer: AdmitAnswer): Result<Plan, Refusal> =>
  planned.ok && answer.kind === "admitted" && answer.passes.length > 0 ? ok({ ...planned.value, granted: answer.passes }) : planned;

/** After the key's answer; null where no session is to be woken for it. */
async function associateAfter(context: RunContext, answer: AdmitAnswer, reserve: Route | null): Promise<Associated | null> {
  if (answer.kind === "admitted") return associate(context, reserve, answer.sessionPermitUntil);
  return answer.kind === "refused" && answer.mayLook ? associate(context, null) : null;
}

/**
 * The refusal of a request that becomes a run and that could not be sent as things are: nobody is
 * asked to review what is stopped or above its budget. What a model answers at once is checked when
 * it is sent.
 */
async function refuseUnaffordable({ incoming, cache }: RunContext, { gatePolicy, work }: Plan): Promise<Refusal | null> {
  if (cache?.found !== undefined) return null;
  const { env, ctx, key, requestor, request, association } = incoming;
  const call = isToolCall(request) ? { tool: request.tool, session: countedSession(association) } : undefined;
  const { cheaperWithinBudget } = gatePolicy;
  return affordable(
    { env, ctx, key: { ...key, owner: key.owner ?? null }, server: requestor.server, request, call, cheaperWithinBudget },
    candidatesOf(work),
  );
}
