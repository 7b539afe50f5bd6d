// Association: which client request a request serves, and what it repeats. Its session is asked
// and, where another object knows the request's id, that one at the same time.

import type { Refusal } from "../../../shared/model/outcome.ts";
import { reservedFacts } from "../../../shared/run/unknown-outcome.ts";
import { type AssociateAnswer, type AssociateInput, associateIn } from "../../stubs/session-calls.ts";
import { timed } from "../../telemetry/begin-trace.ts";
import { notAdmitted } from "./calls.ts";
import { countedSession, leaseMsOf } from "./limits.ts";
import type { KnownAssociation } from "../pipeline-request.ts";
import type { Route } from "./route.ts";
import type { RunContext } from "../run-context.ts";
import { withSettled } from "../record/write-behind.ts";

/** `notCounted`: the session did not begin, since its key has no room for it. */
export type Associated = Exclude<AssociateAnswer, { kind: "notBegun" }> | { readonly kind: "notCounted"; readonly refusal: Refusal };

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

/**
 * Nothing begins before both objects have agreed: where the id stands for another request, the
 * session forgets this one.
 * @param reserve The route for which a fresh request is reserved; null: it is only looked for.
 * @param permitUntil As `AssociateInput.sessionPermitUntil`.
 */
export const associate = (context: RunContext, reserve: Route | null, permitUntil: number | null = null): Promise<Associated> =>
  timed(context.incoming.trace, "association", async () => {
    const { association } = context.incoming;
    if (association.kind === "unrepeatable") return { kind: "fresh", takenOver: false };
    const reserving = association.kind === "ownRequest" ? association.reserveRequestId() : true;
    const [asked, reserved] = await Promise.allSettled([askSession(context, association, reserve, permitUntil), reserving]);
    if (asked.status === "rejected") throw asked.reason;
    if (reserved.status === "fulfilled" && reserved.value) return asked.value;
    if (reserve !== null && asked.value.kind === "fresh") await forgetReservation(context);
    if (reserved.status === "rejected") throw reserved.reason;
    return { kind: "conflict" };
  });

/** Asks the session; where it would begin, its key counts it first. */
async function askSession(
  context: RunContext,
  association: KnownAssociation,
  reserve: Route | null,
  permitUntil: number | null,
): Promise<Associated> {
  const session = countedSession(association);
  const { incoming, run, limits, keyObject } = context;
  const ask = (permit: Pick<AssociateInput, "sessionPermitUntil">): Promise<AssociateAnswer> =>
    withSettled(incoming.env, incoming.ctx, association.requestRef, async (settled) =>
      associateIn(association.session, {
        ...sessionQuery(association, incoming.digest),
        run,
        leaseMs: leaseMsOf(context),
        roundsLimit: limits.roundsPerOriginatingRequest,
        reserve: reserve !== null,
        durable: reserve === "run",
        facts: reserve === "fast" ? reservedFacts(incoming) : null,
        ...permit,
        settled,
      }),
    );
  const asked = await ask(session === null ? {} : { sessionPermitUntil: permitUntil });
  if (asked.kind !== "notBegun") return asked;
  if (session === null) throw new Error("askSession: a session that is not counted needs no permit");
  const begun = await keyObject().beginSession(session, limits);
  if (begun.kind !== "begun") return { kind: "notCounted", refusal: notAdmitted(begun) };
  const again = await ask({ sessionPermitUntil: begun.until });
  if (again.kind === "notBegun") throw new Error("askSession: the permit to begin was over before it arrived");
  return again;
}

/**
 * Forgets the reservation of this very run, so that the same request may come again. `isAnswered`:
 * its line is on its way to the record.
 */
export async function forgetReservation({ incoming: { association }, run }: RunContext, isAnswered = false): Promise<void> {
  if (association.kind === "unrepeatable") return;
  const { originating, request } = association.requestRef;
  await association.session.forget({ originating, request, run }, reservedBy(association), isAnswered);
}

/** The refusal of a request whose client request or session has ended. */
export const endedRefusal = ({ what }: Extract<AssociateAnswer, { kind: "ended" }>): Refusal => ({
  kind: "notAssociated",
  why: what === "session" ? "sessionEnded" : "originatingRequestEnded",
});

export function associationRefusal(associated: Exclude<Associated, { kind: "repeat" }>): Refusal | null {
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
