// The same request again: it attaches to what is running, so that no reviewer is asked twice and
// the model is paid once.

import { jsonOf, readJsonOf } from "../../../shared/json/json-of.ts";
import type { Outcome, Refusal } from "../../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { type RunInput, nothingSpent } from "../../../shared/run/run-input.ts";
import type { Plan } from "../../../shared/run/plan.ts";
import type { ModelFacts } from "../../../shared/run/present.ts";
import { runStub } from "../../stubs/stubs.ts";
import type { Repeat } from "../admit/admit.ts";
import { recordRefusal } from "../record/refusals.ts";
import type { PipelineRequest, Started } from "../pipeline-request.ts";
import { type RunContext, runInputOf } from "../run-context.ts";
import { awaitStarted } from "../wait/wait.ts";

/** Begins a request once more, where the one that it waited for was cut off. */
type BeginAgain = (incoming: PipelineRequest, planned?: Result<Plan, Refusal>) => Promise<Result<Started, Refusal>>;

/**
 * Attaches to the earlier attempt. Refused: where that is no longer kept, or this attempt may not
 * begin it.
 */
export async function attach(
  context: RunContext,
  earlier: Repeat,
  plan: Result<Plan, Refusal>,
  again: BeginAgain,
): Promise<Result<Started, Refusal>> {
  const { env, responseMode, association } = context.incoming;
  const posts = responseMode.kind === "callback";
  if (responseMode.kind === "task" && earlier.state !== "durable" && plan.ok) return asRun(context, earlier, plan.value, again);
  if (earlier.state === "settled") {
    return earlier.result === null ? err({ kind: "noLongerKept" }) : ok({ kind: "answered", outcome: readJsonOf(earlier.result) });
  }
  if (earlier.state === "fast") return ok({ kind: "fast", outcome: awaitFast(context, plan, again), isCounted: false });
  if (earlier.ended || !plan.ok) {
    if ((await runStub(env, earlier.run).snapshot()) !== null) return ok({ kind: "run", run: earlier.run, posts });
    // It is reserved and not open yet, and this attempt may not open it.
    return err(earlier.ended || plan.ok ? { kind: "noLongerKept" } : plan.error);
  }
  // The earlier attempt may have been cut off before it opened the run: opening twice is the same
  // as once.
  await runStub(env, earlier.run).open(
    jsonOf({ ...runInputOf(context, plan.value, true), id: earlier.run, requestRef: association.requestRef }),
  );
  return ok({ kind: "run", run: earlier.run, posts });
}

/**
 * A fast-path request is repeated as a task: its outcome becomes an ended run, under the same id.
 */
async function asRun(context: RunContext, earlier: Repeat, plan: Plan, again: BeginAgain): Promise<Result<Started, Refusal>> {
  let text = earlier.result;
  if (earlier.state === "fast") {
    const outcome = await awaitFirst(context, ok(plan), again);
    // A refusal of this request is not the outcome of the first.
    if (!outcome.ok) return outcome;
    text = jsonOf(outcome.value);
  }
  if (text === null) return err({ kind: "noLongerKept" });
  const input: RunInput = { ...runInputOf(context, plan, false), id: earlier.run };
  const facts: ModelFacts = { candidate: null, usage: nothingSpent, notes: [] };
  // The fast path wrote its record already.
  await runStub(context.incoming.env, earlier.run).storeEnded(jsonOf(input), text, jsonOf(facts), jsonOf([]));
  return ok({ kind: "run", run: earlier.run, posts: false });
}

/** The first request's outcome for an open connection, where a refusal is an outcome too. */
async function awaitFast(context: RunContext, plan: Result<Plan, Refusal>, again: BeginAgain): Promise<Outcome> {
  const { env, ctx, key, endpoint, requestor, requestId } = context.incoming;
  const outcome = await awaitFirst(context, plan, again);
  if (outcome.ok) return outcome.value;
  const refusal = outcome.error;
  recordRefusal(
    env,
    ctx,
    { key: key.id, endpoint, server: requestor.server, method: requestor.method, name: requestor.name, requestId },
    refusal,
  );
  return { kind: "refused", refusal };
}

const awaitStepMs = 25_000;

/** Waits for another caller's fast-path outcome; takes over where that call was cut off. */
async function awaitFirst(
  { incoming: { run: _givenBack, ...incoming } }: RunContext,
  plan: Result<Plan, Refusal>,
  again: BeginAgain,
): Promise<Result<Outcome, Refusal>> {
  const { association } = incoming;
  if (association.kind === "unrepeatable") throw new Error("awaitFirst: a request without an id has no repeat");
  const { session, requestRef } = association;
  // A reset of the session's object ends the wait; nothing is lost.
  const result = await session.awaitResult(requestRef.originating, requestRef.request, awaitStepMs).catch(() => null);
  if (result !== null) return ok(readJsonOf(result));
  // No outcome: the first request is still running, was cut off, or was refused after all (a
  // limit), as this one may be. A request that could not be planned does not begin in its place.
  const begun = await again({ ...incoming, responseMode: { kind: "sync" } }, plan.ok ? undefined : plan);
  if (!begun.ok) return begun;
  return ok(await awaitStarted(incoming.env, begun.value, () => {}, incoming.signal));
}
