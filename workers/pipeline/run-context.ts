// What every step of the pipeline knows of a request: its run's id, its key's limits, its identical
// digest, its cached reply.

import { type Limits, defaultLimits } from "../../shared/policy/limits.ts";
import type { Refusal } from "../../shared/model/outcome.ts";
import { useOf } from "../../shared/record/request-use.ts";
import { once } from "../../shared/once.ts";
import type { Result } from "../../shared/result.ts";
import { type RequestInput, type RunInput, identicalDigest } from "../../shared/run/run-input.ts";
import type { CacheTerms, Work } from "../../shared/run/work.ts";
import { type Plan, plannedNotes } from "../../shared/run/plan.ts";
import { newRunBytes, runIdOf, runRandomLength } from "../../shared/sealed-id.ts";
import type { Env } from "../platform/env.ts";
import { settingsOf } from "../platform/settings.ts";
import type { KeyCalls } from "../stubs/key-calls.ts";
import { keyStub } from "../stubs/stubs.ts";
import { cacheTermsOf } from "./plan/cached-reply.ts";
import type { PipelineRequest } from "./pipeline-request.ts";

export type RunContext = {
  readonly incoming: PipelineRequest;
  readonly run: string;
  readonly now: number;
  /** Made where it is asked: most requests have a share of their key's limits. */
  readonly keyObject: () => DurableObjectStub<KeyCalls>;
  readonly limits: Limits;
  readonly cache: CacheTerms | null;
  /** `identicalDigest`. */
  readonly identical: () => string;
};

/** Without a plan nothing begins, and no run is adopted. */
const noTerms = { boundTo: "tool", redaction: null } as const;

const identicalTerms = ({ gatePolicy, redaction }: Plan) => ({ boundTo: gatePolicy.boundTo, redaction });

export const newRunId = (env: Env): string =>
  runIdOf(settingsOf(env).keys, newRunBytes(Date.now(), crypto.getRandomValues(new Uint8Array(runRandomLength))));

export async function contextOf(incoming: PipelineRequest, plan: Result<Plan, Refusal>): Promise<RunContext> {
  const { env, key, cache, requestor } = incoming;
  const terms = plan.ok ? identicalTerms(plan.value) : noTerms;
  return {
    incoming,
    run: incoming.run ?? newRunId(env),
    now: Date.now(),
    keyObject: once(() => keyStub(env, key.id)),
    limits: key.limits ?? defaultLimits,
    identical: once(() => identicalDigest(requestor, terms, incoming.content())),
    cache: cache === undefined || !plan.ok ? null : await cacheTermsOf(env, key.id, requestor, plan.value, cache),
  };
}

/** A run's input. `takenOver`: an earlier attempt reserved the request and was cut off. */
export function runInputOf(context: RunContext, plan: Plan, takenOver: boolean): RunInput {
  const { incoming, identical } = context;
  const { requestor, notes = [], sentContent } = incoming;
  return {
    ...requestInputOf(context, plan, takenOver),
    ...askedDigest(incoming),
    notes: [...notes, ...plannedNotes(plan)],
    identicalDigest: identical(),
    ...(sentContent === undefined ? {} : { sentDigest: identicalDigest(requestor, identicalTerms(plan), sentContent()) }),
  };
}

/** What is planned, and what the request brought with it for that. */
function workOf({ incoming, cache }: RunContext, { work }: Plan): Work {
  const { act = "tool", contextIgnored = null, images, responseMode } = incoming;
  switch (work.kind) {
    case "message":
      return { ...work, contextIgnored, ...(images === undefined ? {} : { images }), ...(cache === null ? {} : { cache }) };
    case "toolCall": {
      const relayed = responseMode.kind === "task" ? responseMode.relayed : undefined;
      return { ...work, act, ...(relayed === undefined ? {} : { relayed }) };
    }
    default:
      return work;
  }
}

/** Also of a run that nobody wants one with: GET /receipts has it. */
const askedDigest = ({ asked }: PipelineRequest): Pick<RunInput, "asked"> => (asked === undefined ? {} : { asked: asked() });

const wantsReceipts = ({ receipts }: PipelineRequest, { gatePolicy }: Plan): boolean => receipts === true || gatePolicy.receipt;

export function requestInputOf(context: RunContext, plan: Plan, takenOver: boolean): RequestInput {
  const { incoming, run, now } = context;
  const { key, responseMode, terms, association } = incoming;
  return {
    id: run,
    createdAt: now,
    endpoint: incoming.endpoint,
    key: {
      id: key.id,
      name: key.name,
      owner: key.owner ?? null,
      ...(key.budget === undefined ? {} : { budget: key.budget }),
      ...(key.expiresAt === undefined ? {} : { expiresAt: key.expiresAt }),
      ...(key.token === undefined ? {} : { token: key.token }),
    },
    requestor: incoming.requestor,
    ...(incoming.requestId === undefined ? {} : { requestId: incoming.requestId }),
    ...(association.kind === "sessionless" || association.kind === "unrepeatable" ? { sessionless: true } : {}),
    request: plan.request,
    ...(plan.redacted === null ? {} : { redacted: plan.redacted }),
    ...(plan.redaction === null ? {} : { redaction: plan.redaction }),
    work: workOf(context, plan),
    gatePolicy: plan.gatePolicy,
    ...(plan.policyVersion === undefined ? {} : { policyVersion: plan.policyVersion }),
    ...(wantsReceipts(incoming, plan) ? { receipts: true, ...askedDigest(incoming) } : {}),
    ...(plan.granted === undefined ? {} : { granted: plan.granted }),
    risks: plan.risks,
    judged: plan.judged,
    takenOver,
    use: useOf({
      request: incoming.request,
      endpoint: incoming.endpoint,
      revision: incoming.revision ?? null,
      asksForContext: incoming.contextIgnored !== undefined || incoming.notes?.some(({ kind }) => kind === "contextAdded") === true,
      isTask: responseMode.kind === "task",
      isReviewed: plan.gatePolicy.request === "review" || plan.gatePolicy.response === "review",
    }),
    mode: responseMode.kind,
    ...(responseMode.kind === "callback" ? { waiting: responseMode.waiting } : {}),
    ttlMs: responseMode.kind === "task" ? responseMode.ttlMs : null,
    ...(terms === undefined ? {} : { call: terms }),
    ...(terms?.timeoutMs !== undefined && plan.gatePolicy.timeoutCoversReview ? { endsAt: now + terms.timeoutMs } : {}),
    requestRef: association.requestRef,
    ...(incoming.trace === undefined ? {} : { trace: incoming.trace }),
  };
}
