// A function call that is validated and handed back: nothing is sent anywhere, so nobody is asked; it counts for the key's limits
// and stands in the record like any other request.

import { chainEvents, idWord, type RunSummary } from "../../shared/outcome/record.ts";
import type { Refusal } from "../../shared/outcome/outcome.ts";
import { defaultLimits } from "../../shared/policy/limits.ts";
import { CONTROL_SERVER } from "../../shared/protocol/meta.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { controlStub, keyStub } from "../objects/names.ts";
import { newRunId } from "./begin.ts";
import { keep, tellingReleased } from "./bookkeeping.ts";
import type { ControlCall } from "./control.ts";

const leaseMs = 10_000;

/** Refused: a key that is revoked or over its limits, an id that something else has. */
export async function handBack({
  env,
  ctx,
  key,
  envelope,
  identity,
}: Pick<ControlCall, "env" | "ctx" | "key" | "envelope" | "identity">): Promise<Result<null, Refusal>> {
  const run = newRunId(env);
  const limits = key.limits ?? defaultLimits;
  const ids = controlStub(env, key.id, envelope.requestId);
  const [claimed, admitted] = await Promise.all([
    ids.claim(envelope.requestId, identity),
    tellingReleased(env, ctx, key.id, async (released) => keyStub(env, key.id).admit({ run, limits, leaseMs, identical: run, released })),
  ]);
  // What was refused may be sent again in other words under its id.
  if (claimed && admitted.kind !== "admitted") await ids.unclaim(envelope.requestId, identity);
  if (admitted.kind === "revoked") return err({ kind: "unauthorized", why: "revoked" });
  if (admitted.kind === "refused")
    return err({ kind: "rateLimited", limit: admitted.limit, max: admitted.max, retryAfterMs: admitted.retryAfterMs });
  const now = Date.now();
  const name = envelope.task.type;
  const summary: RunSummary = {
    run,
    key: key.id,
    server: CONTROL_SERVER,
    name,
    createdAt: now,
    endedAt: now,
    state: "completed",
    cause: null,
    model: null,
    inputTokens: 0,
    outputTokens: 0,
    costUsd: 0,
  };
  const events = () => chainEvents(run, null, now, [{ kind: "handedBack", key: key.id, requestId: idWord(envelope.requestId) }]);
  keep(env, ctx, { key: { id: key.id, run }, ...(claimed ? { entry: { run, make: () => ({ events: events(), summary }) } } : {}) });
  return claimed ? ok(null) : err({ kind: "sameIdOtherParams" });
}
