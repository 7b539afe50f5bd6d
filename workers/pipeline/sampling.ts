// One sampling request through the pipeline, whatever door it came in by: association, limits, plan; then the fast path
// in this Worker, or a run that waits for people.
//
// Nothing is spent before association and limits have passed. What the doors add is their own wire and nothing else.

import type { Refusal } from "../../shared/outcome/outcome.ts";
import { contentIdentity, samplingIdentity } from "../../shared/protocol/identity.ts";
import { type RequestId, idKey } from "../../shared/protocol/json-rpc.ts";
import type { ParsedSampling } from "../../shared/protocol/revision-2025.ts";
import { digestOf } from "../../shared/encoding.ts";
import type { GrantQuery } from "../../shared/policy/grant.ts";
import type { SamplingRequest } from "../../shared/protocol/sampling.ts";
import type { Note } from "../../shared/provider/call.ts";
import { type ServerContext, withContext } from "../../shared/relay/context.ts";
import { type Limits, defaultLimits } from "../../shared/policy/limits.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import { type Answer, refusalAnswer } from "../../shared/run/answer.ts";
import { grantQueryOf } from "../../shared/run/granting.ts";
import { type Asker, type Attachment, type RunOpening, type WaitingServer, decidersDigest, gatesOf } from "../../shared/run/opening.ts";
import type { Provenance } from "../../shared/review/view.ts";
import type { ModelFacts } from "../../shared/run/present.ts";
import { type Plan, plannedNotes, planRun } from "../../shared/run/plan.ts";
import { runIdOf, runRandomLength } from "../../shared/sealed-id.ts";
import type { Env } from "../env.ts";
import type { AdmitAnswer, KeyObject } from "../objects/key.ts";
import { keyStub, runStub, sessionStub } from "../objects/names.ts";
import type { AssociateAnswer, SessionObject } from "../objects/session.ts";
import { lookupIn } from "../providers/model-call.ts";
import { providerReady } from "../providers/ready.ts";
import { settingsOf } from "../settings.ts";
import { documentsOf } from "../stores/documents.ts";
import type { KeyRecord } from "../stores/keys.ts";
import { keep, takeReleased, takeSettled } from "./bookkeeping.ts";
import { answerFast } from "./fast.ts";
import { awaitRun, parseAnswer } from "./wait.ts";

/**
 * `line`: the caller holds the line. `detached`: a task or an asynchronous request; a run in any case. `relay`: an MCP server
 * waits, and a run that is opened for it posts the answer by itself. `alwaysRun`: nobody here stays until the model has answered.
 */
export type Wish =
  | { readonly kind: "line" }
  | { readonly kind: "detached"; readonly ttlMs: number | null }
  | { readonly kind: "relay"; readonly waiting: WaitingServer; readonly alwaysRun: boolean };

export type SamplingCall = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  readonly id: RequestId;
  /** As they came, for the digests. */
  readonly params: unknown;
  readonly parsed: ParsedSampling;
  readonly wish: Wish;
  /** What may be added where the server asks for context and the policy lets it have some. */
  readonly context?: () => Promise<ServerContext>;
  /** How sure the association is, where it is not the host's claim. */
  readonly provenance?: Provenance;
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
};

/** What was begun for a request that may be served. */
export type Begun =
  | { readonly kind: "answered"; readonly answer: Answer }
  /** The model is being asked: the answer is under way, whether or not anybody waits for it. */
  | { readonly kind: "fast"; readonly answer: Promise<Answer> }
  /** `posts`: the run itself posts its answer to the MCP server that waits. */
  | { readonly kind: "run"; readonly run: string; readonly posts: boolean };

type Prepared = {
  readonly call: SamplingCall;
  readonly run: string;
  readonly now: number;
  readonly asker: Asker;
  readonly attachment: Attachment;
  readonly contentDigest: string;
  readonly identicalDigest: string;
  readonly session: DurableObjectStub<SessionObject>;
  readonly keyObject: DurableObjectStub<KeyObject>;
  readonly limits: Limits;
  /** What was added to the request. */
  readonly added?: Note;
};

/** Begins a sampling request, or attaches to what is already under way for the same one. */
export async function beginSampling(call: SamplingCall): Promise<Result<Begun, Refusal>> {
  const { env, parsed, key } = call;
  const { session: sessionName, originating } = parsed.meta;
  if (sessionName === undefined) return err({ kind: "notAssociated", why: "noSession" });
  if (originating === undefined) return err({ kind: "notAssociated", why: "noOriginatingRequest" });
  const { server, method, name } = originating;
  const now = Date.now();
  const settings = settingsOf(env);
  const session = sessionStub(env, key.id, sessionName);
  const contentDigest = contentIdentity(call.params);
  const prepared: Prepared = {
    call,
    run: runIdOf(settings.keys, crypto.getRandomValues(new Uint8Array(runRandomLength))),
    now,
    asker: { server, method, name, provenance: call.provenance ?? (originating.inferred === true ? "inferred" : "claimed") },
    attachment: { session: session.id.toString(), originating: originatingKey(server, originating.id), request: idKey(call.id) },
    contentDigest,
    identicalDigest: digestOf("countersign/identical/v1", { server, content: contentDigest }),
    session,
    keyObject: keyStub(env, key.id),
    limits: key.limits ?? defaultLimits,
  };
  const documents = await documentsOf(env, now, (work) => call.ctx.waitUntil(work));
  const planFor = (request: SamplingRequest): Result<Plan, Refusal> =>
    planRun({ ...documents, request, asker: prepared.asker, key, ready: readyIn(env) });
  const plan = planFor(parsed.request);
  return (await withAddedContext(prepared, plan, planFor)) ?? admit(prepared, plan);
}

/**
 * The same request with the context that its server asked for: where the rule allows that, and where the rule for what it has become
 * does too. Null where nothing is added.
 */
async function withAddedContext(
  prepared: Prepared,
  plan: Result<Plan, Refusal>,
  planFor: (request: SamplingRequest) => Result<Plan, Refusal>,
): Promise<Result<Begun, Refusal> | null> {
  const { call } = prepared;
  const { contextIgnored: asked, ...parsed } = call.parsed;
  if (asked === undefined || call.context === undefined || !plan.ok || plan.value.gates.context !== "thisServer") return null;
  const added = withContext(parsed.request, await call.context());
  const again = added === null ? null : planFor(added.request);
  if (added === null || again === null || !again.ok || again.value.gates.context !== "thisServer") return null;
  const { request, parts, characters } = added;
  const identicalDigest = digestOf("countersign/identical/v1", { identical: prepared.identicalDigest, context: request.systemPrompt });
  const extended: Prepared = {
    ...prepared,
    call: { ...call, parsed: { ...parsed, request } },
    identicalDigest,
    added: { kind: "contextAdded", parts, characters },
  };
  return admit(extended, again);
}

async function admit(prepared: Prepared, planned: Result<Plan, Refusal>): Promise<Result<Begun, Refusal>> {
  const { call, attachment, session, keyObject, limits, run } = prepared;
  const digest = samplingIdentity(call.params, prepared.contentDigest);
  const mayWait = planned.ok && isDurable(planned.value, call);
  const leaseMs = settingsOf(call.env).modelTimeoutMs + leaseSlackMs;
  const associateIf = (reserve: boolean, durable: boolean): Promise<AssociateAnswer> =>
    session.associate({
      originating: attachment.originating,
      request: attachment.request,
      digest,
      run,
      leaseMs,
      roundsLimit: limits.roundsPerOriginatingRequest,
      reserve,
      durable,
      settled: takeSettled(call.env, attachment.session),
    });
  const admitWith = (query: GrantQuery | null): Promise<AdmitAnswer> =>
    keyObject.admit({
      run,
      limits,
      leaseMs: mayWait && planned.ok ? leaseMs + 2 * planned.value.gates.deadlineSeconds * 1000 : leaseMs,
      identical: prepared.identicalDigest,
      released: takeReleased(call.env, call.key.id),
      ...(query === null ? {} : { grants: { query: JSON.stringify(query), leaseMs } }),
    });
  const query = planned.ok ? await queryOf(prepared, planned.value, digest, () => associateIf(false, mayWait)) : null;
  const withPasses = (answer: AdmitAnswer): Result<Plan, Refusal> =>
    planned.ok && answer.kind === "admitted" && answer.passes.length > 0 ? ok({ ...planned.value, granted: answer.passes }) : planned;
  // A repeat opens the run of what is reserved for one: so that is reserved only once the key's limits have let it in.
  const [associated, admitted] = mayWait
    ? await admitWith(query).then(async (answer) => {
        const plan = withPasses(answer);
        return [await associateIf(answer.kind === "admitted", plan.ok && isDurable(plan.value, call)), answer] as const;
      })
    : await Promise.all([associateIf(planned.ok, false), admitWith(null)]);
  const plan = withPasses(admitted);
  // Whatever ends here gives its place back; a reservation of this very run is forgotten with it.
  const giveUp = (refusal: Refusal): Result<Begun, Refusal> => {
    keep(call.env, call.ctx, { key: { id: call.key.id, run } });
    if (associated.kind === "fresh" && plan.ok) call.ctx.waitUntil(session.forget(attachment.originating, attachment.request, run));
    return err(refusal);
  };
  if (admitted.kind === "revoked") return giveUp({ kind: "unauthorized", why: "revoked" });
  if (associated.kind === "repeat") {
    keep(call.env, call.ctx, { key: { id: call.key.id, run } });
    return repeat(prepared, associated, plan);
  }
  const refused = refusalOf(associated);
  // A use of a grant that was counted in the moment in which the session ended stays counted: that can never let two through.
  if (refused !== null) return giveUp(refused);
  if (admitted.kind === "refused")
    return giveUp({ kind: "rateLimited", limit: admitted.limit, max: admitted.max, retryAfterMs: admitted.retryAfterMs });
  if (!plan.ok) return giveUp(plan.error);

  const takenOver = associated.kind === "fresh" && associated.takenOver;
  const waiting = call.wish.kind === "relay" ? call.wish.waiting : null;
  const adopted =
    admitted.identical === null
      ? "refused"
      : await runStub(call.env, admitted.identical).adopt(attachment, gatesIn(plan.value), decidersDigest(plan.value.gates), waiting);
  if (admitted.identical !== null && adopted !== "refused") {
    await session.adopted(attachment.originating, attachment.request, admitted.identical);
    keep(call.env, call.ctx, { key: { id: call.key.id, run } });
    // The session has the request with that run from now on: no repeat of it passes by this use.
    if (query !== null && plan.value.granted !== undefined) call.ctx.waitUntil(keyObject.giveBackGrants(query.identity, run));
    return ok({ kind: "run", run: admitted.identical, posts: adopted === "posts" });
  }
  const opening = openingOf(prepared, plan.value, takenOver);
  if (isDurable(plan.value, call)) {
    await runStub(call.env, run).open(JSON.stringify(opening));
    return ok({ kind: "run", run, posts: call.wish.kind === "relay" });
  }
  const answer = answerFast({ env: call.env, ctx: call.ctx, opening, signal: call.signal });
  call.ctx.waitUntil(answer);
  return ok({ kind: "fast", answer });
}

/**
 * What to ask of the key's grants; null where the policy leaves nothing to ask, or the session refuses the request anyway.
 * The session is looked at first, without reserving: a repeat stays with what is under way for it, and uses nothing up.
 */
async function queryOf(
  { call, run, asker, attachment }: Prepared,
  plan: Plan,
  params: string,
  look: () => Promise<AssociateAnswer>,
): Promise<GrantQuery | null> {
  const owner = call.key.owner ?? null;
  const query = grantQueryOf({ run, plan, request: call.parsed.request, asker, attachment, params, owner });
  if (query === null) return null;
  const seen = await look();
  if (seen.kind === "repeat") return { ...query, asked: "repeat" };
  return seen.kind === "fresh" ? { ...query, asked: seen.takenOver ? "takenOver" : "fresh" } : null;
}

/** The same request again: it attaches to what is under way, nobody is asked twice and the model is paid once. */
async function repeat(
  prepared: Prepared,
  earlier: Extract<AssociateAnswer, { kind: "repeat" }>,
  plan: Result<Plan, Refusal>,
): Promise<Result<Begun, Refusal>> {
  const { call, attachment } = prepared;
  if (call.wish.kind === "detached" && earlier.state !== "durable" && plan.ok) return asRun(prepared, earlier, plan.value);
  if (earlier.state === "settled") {
    return earlier.result === null ? err({ kind: "noLongerKept" }) : ok({ kind: "answered", answer: parseAnswer(earlier.result) });
  }
  if (earlier.state === "fast") return ok({ kind: "fast", answer: awaitFast(prepared) });
  if (earlier.ended || !plan.ok) {
    return (await runStub(call.env, earlier.run).snapshot()) === null
      ? err({ kind: "noLongerKept" })
      : ok({ kind: "run", run: earlier.run, posts: call.wish.kind === "relay" });
  }
  // Reserved, and perhaps cut off before the run was opened: opening twice is opening once.
  await runStub(call.env, earlier.run).open(JSON.stringify({ ...openingOf(prepared, plan.value, true), id: earlier.run, attachment }));
  return ok({ kind: "run", run: earlier.run, posts: call.wish.kind === "relay" });
}

/** A fast-path request is asked for once more, now as a task: its answer becomes a run that is over, under the same id. */
async function asRun(
  prepared: Prepared,
  earlier: Extract<AssociateAnswer, { kind: "repeat" }>,
  plan: Plan,
): Promise<Result<Begun, Refusal>> {
  let text = earlier.result;
  if (earlier.state === "fast") {
    const answer = await awaitFirst(prepared);
    // A refusal of this request is no answer of the first one's.
    if (!answer.ok) return answer;
    text = JSON.stringify(answer.value);
  }
  if (text === null) return err({ kind: "noLongerKept" });
  const opening: RunOpening = { ...openingOf(prepared, plan, false), id: earlier.run };
  const facts: ModelFacts = { candidate: "", usage: { inputTokens: 0, outputTokens: 0 }, notes: [] };
  // The fast path wrote its record already.
  await runStub(prepared.call.env, earlier.run).keep(JSON.stringify(opening), text, JSON.stringify(facts), "[]");
  return ok({ kind: "run", run: earlier.run, posts: false });
}

/** The same for a line that is held: a refusal is an answer there. */
async function awaitFast(prepared: Prepared): Promise<Answer> {
  const answer = await awaitFirst(prepared);
  return answer.ok ? answer.value : refusalAnswer(answer.error);
}

/** Waits for the fast-path answer that another caller is getting; takes over where that one vanished. */
async function awaitFirst({ session, attachment, call }: Prepared): Promise<Result<Answer, Refusal>> {
  // Where the session's object was reset, the wait is over and nothing is lost.
  const result = await session.awaitResult(attachment.originating, attachment.request, awaitStepMs).catch(() => null);
  if (result !== null) return ok(parseAnswer(result));
  // Nothing came: the first one is still at it, vanished, or was refused after all (a limit), as this one may be.
  const begun = await beginSampling({ ...call, wish: { kind: "line" } });
  if (!begun.ok) return begun;
  return ok(await (begun.value.kind === "run" ? awaitRun(call.env, begun.value.run, () => {}, call.signal) : begun.value.answer));
}

const leaseSlackMs = 10_000;
const awaitStepMs = 25_000;

const gatesIn = ({ gates, granted = [] }: Plan): ReturnType<typeof gatesOf> => gatesOf({ plan: gates, granted });

function isDurable(plan: Plan, call: SamplingCall): boolean {
  const gates = gatesIn(plan);
  return gates.request || gates.response || call.wish.kind === "detached" || (call.wish.kind === "relay" && call.wish.alwaysRun);
}

function refusalOf(associated: Exclude<AssociateAnswer, { kind: "repeat" }>): Refusal | null {
  switch (associated.kind) {
    case "fresh":
      return null;
    case "conflict":
      return { kind: "sameIdOtherParams" };
    case "ended":
      return { kind: "notAssociated", why: associated.what === "session" ? "sessionEnded" : "originatingRequestEnded" };
    case "tooManyRounds":
      return { kind: "tooManyRounds", max: associated.limit };
    default:
      return associated satisfies never;
  }
}

const modes = { line: "wait", detached: "detached", relay: "relay" } as const;

function openingOf({ call, run, now, asker, attachment, identicalDigest, added }: Prepared, plan: Plan, takenOver: boolean): RunOpening {
  const { key, parsed, wish } = call;
  return {
    id: run,
    createdAt: now,
    door: wish.kind === "relay" || call.provenance === "observed" ? "relay" : "sampling",
    key: { id: key.id, name: key.name, owner: key.owner ?? null },
    asker,
    request: parsed.request,
    candidates: plan.candidates,
    plan: plan.gates,
    ...(plan.granted === undefined ? {} : { granted: plan.granted }),
    risks: plan.risks,
    notes: [...(added === undefined ? [] : [added]), ...plannedNotes(parsed.request, plan)],
    contextIgnored: parsed.contextIgnored ?? null,
    takenOver,
    mode: modes[wish.kind],
    ...(wish.kind === "relay" ? { waiting: wish.waiting } : {}),
    ttlMs: wish.kind === "detached" ? wish.ttlMs : null,
    identicalDigest,
    attachment,
  };
}

/** One text for one originating request: server and id, the id with its JSON type. */
export const originatingKey = (server: string, id: RequestId): string => JSON.stringify([server, id]);

const readiness = new WeakMap<object, (provider: Parameters<typeof providerReady>[0]) => string | undefined>();

/** Whether a provider can be used here. An isolate's environment does not change: each provider is judged once. */
export function readyIn(env: Env): (provider: Parameters<typeof providerReady>[0]) => string | undefined {
  let ready = readiness.get(env);
  if (ready === undefined) {
    const lookup = lookupIn(env);
    const judged = new WeakMap<object, string | undefined>();
    ready = (provider) => {
      if (!judged.has(provider)) {
        const verdict = providerReady(provider, lookup);
        judged.set(provider, verdict.ok ? undefined : verdict.error);
      }
      return judged.get(provider);
    };
    readiness.set(env, ready);
  }
  return ready;
}
