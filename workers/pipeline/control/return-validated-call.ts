// A function call that is validated and handed back: nothing is sent, so no reviewer is asked; it
// counts for the key's limits and is recorded like any other request.

import { numberEvents, idWord } from "../../../shared/record/record.ts";
import { type RunSummary, uncalled } from "../../../shared/record/run-summary.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { CONTROL_SERVER } from "../../../shared/wire/mcp-2025/meta.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import { controlStub } from "../../stubs/stubs.ts";
import { enqueue } from "../record/write-behind.ts";
import type { ControlCall } from "./control-call.ts";
import { admitBeforePlanning } from "../admit/limits.ts";

/** Refused: a key that is revoked or over its limits, and an id that stands for another request. */
export async function returnValidatedCall({
  env,
  ctx,
  key,
  envelope,
  identity,
}: Pick<ControlCall, "env" | "ctx" | "key" | "envelope" | "identity">): Promise<Result<null, Refusal>> {
  const admitted = await admitBeforePlanning({ env, ctx, key });
  if (!admitted.ok) return admitted;
  const run = admitted.value;
  const reserved = await controlStub(env, key.id, envelope.requestId).reserveRequestId(envelope.requestId, identity);
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
    ...uncalled,
  };
  const events = () => numberEvents(run, null, now, [{ kind: "handedBack", key: key.id, requestId: idWord(envelope.requestId) }]);
  enqueue(env, ctx, { key: { id: key.id, run }, ...(reserved ? { entry: { run, make: () => ({ events: events(), summary }) } } : {}) });
  return reserved ? ok(null) : err({ kind: "sameIdOtherParams" });
}
