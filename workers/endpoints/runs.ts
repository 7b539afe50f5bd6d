// A run's state and result, and its cancellation, for the key that made it or an operator.

import { readJsonOf } from "../../shared/json/json-of.ts";
import { Hono } from "hono";
import * as z from "zod";
import { text, time } from "../../shared/json/answer-fields.ts";
import type { Outcome } from "../../shared/model/outcome.ts";
import type { Operator } from "../../shared/record/record.ts";
import { answerOf } from "../../shared/wire/approvals/approval-answer.ts";
import { defaultCodec } from "../../shared/wire/mcp-codecs.ts";
import { parseRunId } from "../../shared/sealed-id.ts";
import { runStub } from "../stubs/stubs.ts";
import type { RunSnapshot } from "../stubs/run-calls.ts";
import { iso } from "../http/iso-time.ts";
import { countCalls } from "../pipeline/admit/calls.ts";
import { unlessStopped } from "../pipeline/incoming/approval-call.ts";
import { signedOutcome } from "../pipeline/receipts.ts";
import { settingsOf } from "../platform/settings.ts";
import { callerOf } from "../stores/keys.ts";
import { paths } from "../platform/urls.ts";
import { named } from "./answer-schema.ts";
import { inPath, asJson, noGoodKey, rateLimited, rpcErrorObject } from "./openapi/answers.ts";
import { describe } from "./openapi/describe.ts";
import { operatorOf, presentedKey, refuseKey, refuseKnown } from "./auth.ts";
import type { App, AppContext } from "./app-context.ts";
import { taskOf } from "../pipeline/wait/tasks.ts";

export const runRoutes = new Hono<App>();

const unknown = { error: "This key has no such run; runs are deleted after their retention time" };

const ofRun = { auth: "either", parameters: [inPath("id", "The run's id")] } as const;
const refusals = { 401: noGoodKey, 429: rateLimited, 404: "No such run of this key" };

const runAnswer = named("Run", () =>
  z.object({
    id: text(),
    state: text(),
    status: z.enum(["working", "completed", "failed", "cancelled"]),
    server: text(),
    name: text(),
    createdAt: time(),
    updatedAt: time(),
    result: z.looseObject({}).exactOptional(),
    error: rpcErrorObject().exactOptional(),
  }),
);

const getRun = describe("getRun", {
  summary: "The state of a run, and its result or error once it is decided",
  ...ofRun,
  200: asJson(runAnswer, "The run"),
  ...refusals,
});

runRoutes.get(paths.run, getRun, async (c) => {
  const found = await findRun(c);
  if (found instanceof Response) return found;
  const { snapshot } = found;
  return c.json(
    {
      id: snapshot.id,
      state: snapshot.state,
      status: taskOf(snapshot).status,
      server: snapshot.server,
      name: snapshot.name,
      createdAt: iso(snapshot.createdAt),
      updatedAt: iso(snapshot.updatedAt),
      ...(snapshot.outcome === null
        ? {}
        : answerIn(snapshot, await signedOutcome(c.env, await outcomeNow(c, found, readJsonOf(snapshot.outcome)), defaultCodec.encode))),
    },
    200,
    { "Cache-Control": "no-store" },
  );
});

/** What a key may act by now; what an operator reads is how it was decided. */
async function outcomeNow({ env, executionCtx: ctx }: AppContext, { snapshot, operator }: FoundRun, outcome: Outcome): Promise<Outcome> {
  const isCallers = operator === null && snapshot.endpoint === "approvals";
  return isCallers ? unlessStopped({ env, ctx, key: { id: snapshot.key } }, outcome) : outcome;
}

const answerIn = ({ id, act }: RunSnapshot, outcome: Outcome) =>
  act === null || outcome.kind === "ran" ? defaultCodec.encode(outcome) : { result: answerOf(outcome, id) };

const cancelRun = describe("cancelRun", {
  summary: "Cancels a run",
  ...ofRun,
  204: "It is cancelled",
  ...refusals,
  409: "The run is over",
});

runRoutes.delete(paths.run, cancelRun, async (c) => {
  const found = await findRun(c);
  if (found instanceof Response) return found;
  const cancelled = await runStub(c.env, found.snapshot.id).cancel(found.operator === null ? "caller" : "admin", found.operator);
  if (!cancelled) return c.json({ error: "The run has already ended" }, 409);
  return c.body(null, 204);
});

type FoundRun = { readonly snapshot: RunSnapshot; readonly operator: Operator | null };

async function findRun(c: AppContext): Promise<FoundRun | Response> {
  const caller = await runCaller(c);
  if (caller instanceof Response) return caller;
  const id = c.req.param("id") ?? "";
  const snapshot = parseRunId(settingsOf(c.env).keys, id) === undefined ? null : await runStub(c.env, id).snapshot();
  if (snapshot === null || (caller.key !== null && snapshot.key !== caller.key)) return c.json(unknown, 404);
  return { snapshot, operator: caller.operator };
}

/** Who asks about a run: an operator, who may see any, or a key by its id. */
export async function runCaller(c: AppContext): Promise<{ readonly key: string | null; readonly operator: Operator | null } | Response> {
  const presented = presentedKey(c.req.raw.headers);
  const operator = operatorOf(c.env, presented);
  const known = operator !== null ? null : await callerOf(c.env, presented, Date.now());
  if (known?.kind === "refused") return refuseKey(c, known.why);
  if (known !== null) c.set("key", known.record);
  const refusal = known === null ? null : await countCalls(c.env, known.record);
  if (refusal !== null) return refuseKnown(c, "sampling", refusal);
  return { key: known === null ? null : known.record.id, operator };
}
