// Association and admission: what a request repeats, and whether its key admits it. Two calls to
// two objects, in an order that depends on the case; nothing is spent before both have passed.

import type { Refusal } from "../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { grantQueryOf } from "../../shared/run/granting.ts";
import type { Plan } from "../../shared/run/plan.ts";
import { settingsOf } from "../platform/settings.ts";
import { timed } from "../telemetry/begin-trace.ts";
import type { AdmitAnswer } from "../stubs/key-calls.ts";
import { type AssociateAnswer, type AssociateInput, associateIn } from "../stubs/session-calls.ts";
import { enqueue, withReleased, withSettled } from "./write-behind.ts";
import { notAdmitted, countCalls } from "./calls.ts";
import type { KnownAssociation, PipelineRequest } from "./pipeline-request.ts";
import { keySharesOf } from "./key-shares.ts";
import { type GrantsAsked, type RunContext, isDurable } from "./run-context.ts";
import { affordable } from "./spending.ts";

export type Repeat = Extract<AssociateAnswer, { kind: "repeat" }>;

export type Admitted =
  /** `plan` may be a refusal: what is running for the same request is found all the same. */
  | { readonly kind: "repeat"; readonly earlier: Repeat; readonly plan: Result<Plan, Refusal> }
  | {
      readonly kind: "fresh";
      /** With the gates that grants open. */
      readonly plan: Plan;
      /** An earlier attempt reserved the request and was cut off. */
      readonly takenOver: boolean;
      /** A run that answers an identical request, or null. */
      readonly identical: string | null;
    };

const leaseSlackMs = 10_000;

/** The request's part of a call to `associate`. */
export const sessionQuery = (association: KnownAssociation, digest: string) => ({
  originating: association.requestRef.originating,
  request: association.requestRef.request,
  digest,
  alone: association.kind !== "clientRequest",
  reservation: reservedBy(association),
});

/** The id that is reserved with the request in its session. */
const reservedBy = (association: KnownAssociation): string | null => (association.kind === "sessionless" ? association.reserves : null);

/** Forgets the reservation of this very run, so that the same request may come again. */
export async function forgetReservation({ request: { association }, run }: RunContext): Promise<void> {
  if (association.kind === "unrepeatable") return;
  const { originating, request } = association.requestRef;
  await association.session.forget(originating, request, run, reservedBy(association));
}

const leaseMsOf = ({ request }: RunContext): number => settingsOf(request.env).modelTimeoutMs + leaseSlackMs;
const waitMsOf = (context: RunContext, { gates }: Plan): number => leaseMsOf(context) + 2 * gates.deadlineSeconds * 1000;

/** `notCounted`: the session did not begin, since its key has no room for it. */
type Associated = Exclude<AssociateAnswer, { kind: "notBegun" }> | { readonly kind: "notCounted"; readonly refusal: Refusal };

/** `reserve`: reserves a fresh request. `durable`: for a run, whose reservation does not expire. */
type Reserving = {
  readonly reserve: boolean;
  readonly durable: boolean;
  /** As in `AssociateInput`. */ readonly sessionPermitUntil?: number | null;
};

/**
 * Asks the session and, where another object knows the request's id, that one at the same time.
 * Nothing begins before both have agreed: where the id stands for another request, the session
 * forgets this one.
 */
const associate = (context: RunContext, how: Reserving): Promise<Associated> =>
  timed(context.request.trace, "association", () => associateNow(context, how));

async function associateNow(context: RunContext, how: Reserving): Promise<Associated> {
  const { association } = context.request;
  if (association.kind === "unrepeatable") return { kind: "fresh", takenOver: false };
  const reserving = association.kind === "ownRequest" ? association.reserveRequestId() : true;
  const [asked, reserved] = await Promise.allSettled([askSession(context, association, how), reserving]);
  if (asked.status === "rejected") throw asked.reason;
  if (reserved.status === "fulfilled" && reserved.value) return asked.value;
  if (how.reserve && asked.value.kind === "fresh") await forgetReservation(context);
  if (reserved.status === "rejected") throw reserved.reason;
  return { kind: "conflict" };
}

/** Asks the session; where it would begin, its key counts it first. */
async function askSession(context: RunContext, association: KnownAssociation, how: Reserving): Promise<Associated> {
  const session = countedSession(association);
  const asked = await askOnce(context, association, how, session === null ? {} : { sessionPermitUntil: how.sessionPermitUntil ?? null });
  if (asked.kind !== "notBegun") return asked;
  if (session === null) throw new Error("askSession: a session that is not counted needs no permit");
  const begun = await context.keyObject.beginSession(session, context.limits);
  if (begun.kind !== "begun") return { kind: "notCounted", refusal: notAdmitted(begun) };
  const again = await askOnce(context, association, how, { sessionPermitUntil: begun.until });
  if (again.kind === "notBegun") throw new Error("askSession: the permit to begin was over before it arrived");
  return again;
}

/** The object's id of the session that the key counts; null where the request has none. */
const countedSession = ({ kind, requestRef }: PipelineRequest["association"]): string | null =>
  kind === "sessionless" ? null : requestRef.session;

type SessionPermit = Pick<AssociateInput, "sessionPermitUntil">;

const askOnce = (
  context: RunContext,
  association: KnownAssociation,
  { reserve, durable }: Reserving,
  permit: SessionPermit,
): Promise<AssociateAnswer> => {
  const { request, run, limits } = context;
  const { env, ctx, digest } = request;
  return withSettled(env, ctx, association.requestRef, async (settled) =>
    associateIn(association.session, {
      ...sessionQuery(association, digest),
      run,
      leaseMs: leaseMsOf(context),
      roundsLimit: limits.roundsPerOriginatingRequest,
      reserve,
      durable,
      ...permit,
      settled,
    }),
  );
};

/**
 * Asks the key for a lease within its limits, the gates that its grants open, and a run of an
 * identical request. `mayWait`: the lease covers the time of the reviews.
 */
const askKey = (...asked: Parameters<typeof askKeyNow>): Promise<AdmitAnswer> =>
  timed(asked[0].request.trace, "admission", () => askKeyNow(...asked));

const askKeyNow = (context: RunContext, plan: Result<Plan, Refusal>, mayWait: boolean, grants: GrantsAsked): Promise<AdmitAnswer> => {
  const { request, run, limits, identical, keyObject } = context;
  const { env, ctx, key } = request;
  const leaseMs = leaseMsOf(context);
  const grantedMs = plan.ok && plan.value.gates.replyRisk !== null ? waitMsOf(context, plan.value) : leaseMs;
  return withReleased(env, ctx, key.id, async (ended) => {
    const ask = keySharesOf(env).asking(key.id, Date.now(), plan.ok && !mayWait);
    const answer = await keyObject
      .admit({
        run,
        session: countedSession(request.association),
        limits,
        leaseMs: plan.ok && mayWait ? waitMsOf(context, plan.value) : leaseMs,
        identical: identical(),
        ...ended,
        shareFor: ask.isWanted ? leaseMs : null,
        ...(grants === null ? {} : { grants: { query: JSON.stringify(grants), leaseMs: grantedMs } }),
      })
      .finally(ask.over);
    ask.answered(answer);
    // The flush gives a share back where no other request follows.
    if (answer.kind === "admitted" && answer.share !== null) enqueue(env, ctx, {});
    return answer;
  });
};

/**
 * Admits the request from a share of the key's limits; null where the KeyObject has to be asked.
 */
function admitFromShare({ request, run, identical, now }: RunContext): AdmitAnswer | null {
  // A request that has its run was admitted before, and is renewed by the KeyObject.
  if (request.run !== undefined) return null;
  const isAdmitted = keySharesOf(request.env).admit(request.key.id, run, identical, now);
  if (isAdmitted && request.trace?.isRecorded === true) {
    const at = Date.now();
    request.trace.steps.push({ name: "admission", startedAt: at, endedAt: at, isShared: true });
  }
  return isAdmitted ? { kind: "admitted", identical: null, passes: [], share: null, sessionPermitUntil: null, hasRoom: true } : null;
}

/**
 * What to ask of the key's grants; null where the policy leaves nothing to ask, or the session
 * refuses the request anyway. The session is asked first, without reserving: a repeat attaches to
 * what is running for it, and uses no grant.
 */
export async function grantsToAsk(context: RunContext, planned: Result<Plan, Refusal>): Promise<Result<GrantsAsked, Refusal>> {
  if (!planned.ok) return ok(null);
  const plan = planned.value;
  const { request: asked, run } = context;
  const { requestor, association, digest, env, key } = asked;
  const query = grantQueryOf({ run, plan, request: plan.request, requestor, requestRef: association.requestRef, params: digest });
  if (query === null) return ok(null);
  // No session is woken for a key that is over its limit.
  const over = keySharesOf(env).mayLook(key.id) ? null : await countCalls(env, key);
  if (over !== null) return err(over);
  const seen = await associate(context, { reserve: false, durable: isDurable(plan, context) });
  if (seen.kind === "repeat") return ok({ ...query, asked: "repeat" });
  return ok(seen.kind === "fresh" ? { ...query, asked: seen.takenOver ? "takenOver" : "fresh" } : null);
}

/**
 * Associates the request and has its key admit it. A refusal leaves nothing behind: it releases the
 * lease and the reservation.
 */
export async function admit(context: RunContext, planned: Result<Plan, Refusal>, grants: GrantsAsked): Promise<Result<Admitted, Refusal>> {
  const { request, run } = context;
  const { env, ctx, key } = request;
  const { associated, admitted } = await askBoth(context, planned, grants);
  const plan = withPasses(planned, admitted);
  const releaseLease = (): void => enqueue(env, ctx, { key: { id: key.id, run } });
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
  const refused = associated === null ? null : refusalOf(associated);
  // A use of a grant that was counted at the moment when the session ended stays counted: that can
  // never admit two requests.
  if (refused !== null) return refuse(refused);
  if (admitted.kind === "refused") return refuse(notAdmitted(admitted));
  if (!plan.ok) return refuse(plan.error);
  const takenOver = associated?.kind === "fresh" && associated.takenOver;
  return ok({ kind: "fresh", plan: plan.value, takenOver, identical: admitted.identical });
}

type AdmissionAnswers = { readonly associated: Associated | null; readonly admitted: AdmitAnswer };

/**
 * A repeat opens the run that is reserved for its request: so a run is reserved only after the key
 * has admitted the request. A request that is answered at once asks its session alone, where this
 * isolate has a share of the key's limits, and both objects together, where the key had room when
 * it was last asked.
 */
async function askBoth(context: RunContext, planned: Result<Plan, Refusal>, grants: GrantsAsked): Promise<AdmissionAnswers> {
  const mayWait = planned.ok && isDurable(planned.value, context);
  const shared = mayWait ? null : admitFromShare(context);
  if (shared !== null) return { associated: await associate(context, { reserve: planned.ok, durable: false }), admitted: shared };
  if (!mayWait && keySharesOf(context.request.env).mayLook(context.request.key.id)) {
    const [associated, admitted] = await Promise.all([
      associate(context, { reserve: planned.ok, durable: false }),
      askKey(context, planned, mayWait, null),
    ]);
    return { associated, admitted };
  }
  const admitted = await askKey(context, planned, mayWait, grants);
  if (admitted.kind === "revoked" || (admitted.kind === "refused" && !admitted.mayLook)) return { associated: null, admitted };
  const plan = withPasses(planned, admitted);
  const reserve = plan.ok && admitted.kind === "admitted";
  const sessionPermitUntil = admitted.kind === "admitted" ? admitted.sessionPermitUntil : null;
  return {
    associated: await associate(context, { reserve, durable: plan.ok && isDurable(plan.value, context), sessionPermitUntil }),
    admitted,
  };
}

const withPasses = (planned: Result<Plan, Refusal>, answer: AdmitAnswer): Result<Plan, Refusal> =>
  planned.ok && answer.kind === "admitted" && answer.passes.length > 0 ? ok({ ...planned.value, granted: answer.passes }) : planned;

/** The refusal of a request whose client request or session has ended. */
export const endedRefusal = ({ what }: Extract<AssociateAnswer, { kind: "ended" }>): Refusal => ({
  kind: "notAssociated",
  why: what === "session" ? "sessionEnded" : "originatingRequestEnded",
});

function refusalOf(associated: Exclude<Associated, { kind: "repeat" }>): Refusal | null {
  switch (associated.kind) {
    case "fresh":
      return null;
    case "conflict":
      return { kind: "sameIdOtherParams" };
    case "notCounted":
      return associated.refusal;
    case "ended":
      return endedRefusal(associated);
    case "tooManyRounds":
      return { kind: "tooManyRounds", max: associated.limit };
    default:
      return associated satisfies never;
  }
}

/**
 * The refusal of an admitted request that becomes a run and that could not be sent as things are:
 * nobody is asked to review what is stopped or above its budget. It leaves nothing behind, as
 * `admit` does. Null where the request goes on; what is answered at once is checked when it is
 * sent.
 */
export async function refuseUnaffordable(
  context: RunContext,
  { plan }: Extract<Admitted, { kind: "fresh" }>,
  grants: GrantsAsked,
): Promise<Refusal | null> {
  const { request, run, keyObject, cache } = context;
  if (!isDurable(plan, context) || cache?.found !== undefined) return null;
  const { env, ctx, key, requestor, request: asked } = request;
  const { cheaperWithinBudget } = plan.gates;
  const owner = key.owner ?? null;
  const refusal = await affordable(
    { env, ctx, key: { ...key, owner }, server: requestor.server, request: asked, cheaperWithinBudget },
    plan.candidates,
  );
  if (refusal === null) return null;
  enqueue(env, ctx, { key: { id: key.id, run } });
  ctx.waitUntil(forgetReservation(context));
  if (grants !== null && plan.granted !== undefined) ctx.waitUntil(keyObject.giveBackGrants(grants.identity, run));
  return refusal;
}
