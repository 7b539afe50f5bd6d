// One request through the pipeline, whatever door it came in by: association, limits, plan; then the fast path in this
// Worker, or a run that waits for people.
//
// Nothing is spent before association and limits have passed. What the doors add is their own wire and nothing else.

import type { AssociateAnswer, SessionCalls } from "../stubs/session-calls.ts";
import type { AdmitAnswer, KeyCalls } from "../stubs/key-calls.ts";
import type { ImageDigests } from "../../shared/image/image-digests.ts";
import type { Outcome, Refusal } from "../../shared/model/outcome.ts";
import type { GrantQuery } from "../../shared/policy/grant.ts";
import { type Limits, defaultLimits } from "../../shared/policy/limits.ts";
import { findReplyRisks, highestRisk } from "../../shared/policy/risk.ts";
import type { SamplingRequest } from "../../shared/model/sampling.ts";
import type { CallTerms, Note } from "../../shared/model/call.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import { isReplyAsked } from "../../shared/run/lifecycle.ts";
import { grantQueryOf } from "../../shared/run/granting.ts";
import {
  type Asker,
  type Attachment,
  type CacheTerms,
  type RunOpening,
  type WaitingServer,
  decidersDigest,
  gatesOf,
  identicalDigest,
} from "../../shared/run/opening.ts";
import type { ModelFacts } from "../../shared/run/present.ts";
import { type Plan, plannedNotes, planRun } from "../../shared/run/plan.ts";
import { runIdOf, runRandomLength } from "../../shared/sealed-id.ts";
import type { Env } from "../platform/env.ts";
import { keyStub, runStub } from "../stubs/stubs.ts";
import { lookupIn } from "../platform/lookup.ts";
import { providerReady } from "../providers/ready.ts";
import { settingsOf } from "../platform/settings.ts";
import { ConfigurationUnavailable, type Documents, documentsOf } from "../stores/documents.ts";
import type { KeyRecord } from "../stores/keys.ts";
import { keep, tellingReleased, tellingSettled } from "./bookkeeping.ts";
import { approvedBefore, cacheTermsOf } from "./cache.ts";
import { countCalls } from "./calls.ts";
import { answerFast } from "./fast.ts";
import { recordRefusal } from "./refusals.ts";
import { takeRoom, toldRoom } from "./room.ts";
import { awaitRun, parseOutcome } from "./wait.ts";

/**
 * `line`: the caller holds the line. `detached`: a task or an asynchronous request; a run in any case. `relay`: an MCP server
 * waits, and a run that is opened for it posts the answer by itself. `alwaysRun`: nobody here stays until the model has answered.
 */
export type Wish =
  | { readonly kind: "line" }
  | { readonly kind: "detached"; readonly ttlMs: number | null }
  | { readonly kind: "relay"; readonly waiting: WaitingServer; readonly alwaysRun: boolean };

/** A request as a door hands it to the pipeline: neutral, and with all that the door knows of who asks and of what it repeats. */
export type Ask = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  readonly door: RunOpening["door"];
  readonly asker: Asker;
  readonly request: SamplingRequest;
  /** The context that was asked for and is not given. */
  readonly contextIgnored: "thisServer" | "allServers" | null;
  /** What was added to the request. */
  readonly added?: Note;
  /** The digests of its images, which are plain rasters by now (`plain-request.ts`). */
  readonly images?: readonly ImageDigests[];
  /** Where a function is to be run: the request says it, and routing is not asked. */
  readonly destination?: Candidate;
  /** The session that remembers the request, and by which names. */
  readonly session: DurableObjectStub<SessionCalls>;
  readonly attachment: Attachment;
  /** It serves no client request: the session knows it by itself. */
  readonly alone: boolean;
  /** An id that stands for the request whatever its session. */
  readonly claim?: string;
  /** Gives that id back where it was claimed elsewhere than in `session`. */
  readonly unclaim?: () => Promise<void>;
  /** What the asker calls the request, for its record. */
  readonly requestId?: string;
  /** It is of no session: `session` only remembers it. */
  readonly sessionless?: true;
  /** A repeat has the same attachment and the same digest; the same attachment with another is refused. */
  readonly digest: string;
  /** A digest of what is asked for: equal for requests of one key that one reply could answer, whoever asks. */
  readonly content: string;
  readonly wish: Wish;
  /** How the model is to be called, where the asker says it. */
  readonly terms?: CallTerms;
  readonly cache?: { readonly ttlMs: number; /** What a cached reply depends on beside the request. */ readonly within: string | null };
  /** The run under which its key has let it in already; absent: a new one. */
  readonly run?: string;
  /** Hears the reply as the model gives it, where no gate is closed. */
  readonly onDelta?: (text: string) => void;
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
};

/** What was begun for a request that may be served. */
export type Begun =
  | { readonly kind: "answered"; readonly outcome: Outcome }
  /** The model is being asked: the answer is under way, whether or not anybody waits for it. */
  | {
      readonly kind: "fast";
      readonly outcome: Promise<Outcome>;
      /** Another caller is getting it: this one has no place of its own under way. */
      readonly attached: boolean;
    }
  /** `posts`: the run itself posts its answer to the MCP server that waits. */
  | { readonly kind: "run"; readonly run: string; readonly posts: boolean };

type Prepared = {
  readonly ask: Ask;
  readonly run: string;
  readonly now: number;
  readonly keyObject: DurableObjectStub<KeyCalls>;
  readonly limits: Limits;
  readonly cache: CacheTerms | null;
  /** `identicalDigest`. */
  readonly identical: string;
};

/** What would become of the request: which models, which gates. Asks nobody and reserves nothing. */
export async function planFor(
  ask: Pick<Ask, "env" | "ctx" | "key" | "asker" | "request" | "destination" | "terms">,
): Promise<Result<Plan, Refusal>> {
  const { env, ctx, key, asker, request, destination, terms } = ask;
  const documents = await documentsOrNull(env, ctx);
  if (documents === null) return err({ kind: "configurationUnavailable" });
  return planRun({
    ...documents,
    request,
    asker,
    key,
    ready: readyIn(env),
    ...(destination === undefined ? {} : { destination }),
    ...(terms?.once === undefined ? {} : { once: terms.once }),
  });
}

async function documentsOrNull(env: Env, ctx: Pick<ExecutionContext, "waitUntil">): Promise<Documents | null> {
  try {
    return await documentsOf(env, Date.now(), (work) => ctx.waitUntil(work));
  } catch (error) {
    if (error instanceof ConfigurationUnavailable) return null;
    throw error;
  }
}

export const newRunId = (env: Env): string => runIdOf(settingsOf(env).keys, crypto.getRandomValues(new Uint8Array(runRandomLength)));

/** Begins a request, or attaches to what is already under way for the same one. `planned`: what `planFor` made of it, where that was asked. */
export async function begin(ask: Ask, planned?: Result<Plan, Refusal>): Promise<Result<Begun, Refusal>> {
  const plan = planned ?? (await planFor(ask));
  const { env, key } = ask;
  const prepared: Prepared = {
    ask,
    run: ask.run ?? newRunId(env),
    now: Date.now(),
    keyObject: keyStub(env, key.id),
    limits: key.limits ?? defaultLimits,
    // Where there is no plan nothing is begun, nor taken over.
    identical: identicalDigest(ask.asker, plan.ok ? plan.value.gates.boundTo : "tool", ask.content),
    cache: ask.cache === undefined || !plan.ok ? null : await cacheTermsOf(env, key.id, ask, plan.value, ask.cache),
  };
  return admit(prepared, plan);
}

async function admit(prepared: Prepared, planned: Result<Plan, Refusal>): Promise<Result<Begun, Refusal>> {
  const { ask, keyObject, limits, run, identical } = prepared;
  const { attachment, session } = ask;
  const mayWait = planned.ok && isDurable(planned.value, prepared);
  const leaseMs = settingsOf(ask.env).modelTimeoutMs + leaseSlackMs;
  const waitMs = ({ gates }: Plan): number => leaseMs + 2 * gates.deadlineSeconds * 1000;
  const grantedMs = planned.ok && planned.value.gates.replyRisk !== null ? waitMs(planned.value) : leaseMs;
  const associateIf = (reserve: boolean, durable: boolean): Promise<AssociateAnswer> =>
    tellingSettled(ask.env, ask.ctx, attachment.session, async (settled) =>
      session.associate({
        originating: attachment.originating,
        request: attachment.request,
        digest: ask.digest,
        alone: ask.alone,
        claim: ask.claim ?? null,
        run,
        leaseMs,
        roundsLimit: limits.roundsPerOriginatingRequest,
        reserve,
        durable,
        settled,
      }),
    );
  const admitWith = (query: GrantQuery | null): Promise<AdmitAnswer> =>
    toldRoom(ask.key.id, () =>
      tellingReleased(ask.env, ask.ctx, ask.key.id, async (released) =>
        keyObject.admit({
          run,
          limits,
          leaseMs: mayWait && planned.ok ? waitMs(planned.value) : leaseMs,
          identical,
          released,
          ...(query === null ? {} : { grants: { query: JSON.stringify(query), leaseMs: grantedMs } }),
        }),
      ),
    );
  // No session is woken for who may not ask it.
  const look = async (): Promise<Result<AssociateAnswer, Refusal>> => {
    const over = takeRoom(ask.key.id) ? null : await countCalls(ask.env, ask.key);
    return over === null ? ok(await associateIf(false, mayWait)) : err(over);
  };
  const queried = planned.ok ? await queryOf(prepared, planned.value, look) : ok(null);
  if (!queried.ok) return queried;
  const query = queried.value;
  const withPasses = (answer: AdmitAnswer): Result<Plan, Refusal> =>
    planned.ok && answer.kind === "admitted" && answer.passes.length > 0 ? ok({ ...planned.value, granted: answer.passes }) : planned;
  // A repeat opens the run of what is reserved for one: so that is reserved only once the key's limits have let it in. What is answered
  // at once asks both together where there is room for it.
  const [associated, admitted] =
    mayWait || !takeRoom(ask.key.id)
      ? await admitWith(query).then(async (answer) => {
          if (answer.kind === "revoked" || (answer.kind === "refused" && !answer.mayLook)) return [null, answer] as const;
          const plan = withPasses(answer);
          const reserves = plan.ok && answer.kind === "admitted";
          return [await associateIf(reserves, plan.ok && isDurable(plan.value, prepared)), answer] as const;
        })
      : await Promise.all([associateIf(planned.ok, false), admitWith(null)]);
  const plan = withPasses(admitted);
  // Whatever ends here gives its place back; a reservation of this very run is forgotten with it.
  const giveUp = (refusal: Refusal): Result<Begun, Refusal> => {
    keep(ask.env, ask.ctx, { key: { id: ask.key.id, run } });
    if (associated?.kind === "fresh" && plan.ok)
      ask.ctx.waitUntil(session.forget(attachment.originating, attachment.request, run, ask.claim ?? null));
    return err(refusal);
  };
  if (admitted.kind === "revoked") return giveUp({ kind: "unauthorized", why: "revoked" });
  if (associated?.kind === "repeat") {
    keep(ask.env, ask.ctx, { key: { id: ask.key.id, run } });
    return repeat(prepared, associated, plan);
  }
  const refused = associated === null ? null : refusalOf(associated);
  // A use of a grant that was counted in the moment in which the session ended stays counted: that can never let two through.
  if (refused !== null) return giveUp(refused);
  if (admitted.kind === "refused")
    return giveUp({ kind: "rateLimited", limit: admitted.limit, max: admitted.max, retryAfterMs: admitted.retryAfterMs });
  if (!plan.ok) return giveUp(plan.error);

  const takenOver = associated?.kind === "fresh" && associated.takenOver;
  const waiting = ask.wish.kind === "relay" ? ask.wish.waiting : null;
  const adopted =
    // A function that was run for another request is run again for this one.
    admitted.identical === null || ask.request.task === "function"
      ? "refused"
      : await runStub(ask.env, admitted.identical).adopt({
          attachment,
          asker: ask.asker,
          door: ask.door,
          gates: gatesIn(plan.value),
          deciders: decidersDigest(plan.value.gates),
          waiting,
        });
  if (admitted.identical !== null && adopted !== "refused") {
    await session.adopted(attachment.originating, attachment.request, admitted.identical);
    keep(ask.env, ask.ctx, { key: { id: ask.key.id, run } });
    // The session has the request with that run from now on: no repeat of it passes by this use.
    if (query !== null && plan.value.granted !== undefined) ask.ctx.waitUntil(keyObject.giveBackGrants(query.identity, run));
    return ok({ kind: "run", run: admitted.identical, posts: adopted === "posts" });
  }
  const opening = openingOf(prepared, plan.value, takenOver);
  if (isDurable(plan.value, prepared)) {
    await runStub(ask.env, run).open(JSON.stringify(opening));
    return ok({ kind: "run", run, posts: ask.wish.kind === "relay" });
  }
  const outcome = answerFast({
    env: ask.env,
    ctx: ask.ctx,
    opening,
    signal: ask.signal,
    forget: async () => {
      await session.forget(attachment.originating, attachment.request, run, ask.claim ?? null);
      await ask.unclaim?.();
    },
    ...(ask.onDelta === undefined ? {} : { onDelta: ask.onDelta }),
  });
  ask.ctx.waitUntil(outcome);
  return ok({ kind: "fast", outcome, attached: false });
}

/**
 * What to ask of the key's grants; null where the policy leaves nothing to ask, or the session refuses the request anyway.
 * The session is looked at first, without reserving: a repeat stays with what is under way for it, and uses nothing up.
 */
async function queryOf(
  { ask, run }: Prepared,
  plan: Plan,
  look: () => Promise<Result<AssociateAnswer, Refusal>>,
): Promise<Result<GrantQuery | null, Refusal>> {
  const { asker, attachment, request } = ask;
  const query = grantQueryOf({ run, plan, request, asker, attachment, params: ask.digest });
  if (query === null) return ok(null);
  const seen = await look();
  if (!seen.ok) return seen;
  if (seen.value.kind === "repeat") return ok({ ...query, asked: "repeat" });
  return ok(seen.value.kind === "fresh" ? { ...query, asked: seen.value.takenOver ? "takenOver" : "fresh" } : null);
}

/** The same request again: it attaches to what is under way, nobody is asked twice and the model is paid once. */
async function repeat(
  prepared: Prepared,
  earlier: Extract<AssociateAnswer, { kind: "repeat" }>,
  plan: Result<Plan, Refusal>,
): Promise<Result<Begun, Refusal>> {
  const { ask } = prepared;
  if (ask.wish.kind === "detached" && earlier.state !== "durable" && plan.ok) return asRun(prepared, earlier, plan.value);
  if (earlier.state === "settled") {
    return earlier.result === null ? err({ kind: "noLongerKept" }) : ok({ kind: "answered", outcome: parseOutcome(earlier.result) });
  }
  if (earlier.state === "fast") return ok({ kind: "fast", outcome: awaitFast(prepared, plan), attached: true });
  if (earlier.ended || !plan.ok) {
    if ((await runStub(ask.env, earlier.run).snapshot()) !== null)
      return ok({ kind: "run", run: earlier.run, posts: ask.wish.kind === "relay" });
    // It was reserved and is yet to be opened, which this try may not do.
    return err(earlier.ended || plan.ok ? { kind: "noLongerKept" } : plan.error);
  }
  // Reserved, and perhaps cut off before the run was opened: opening twice is opening once.
  await runStub(ask.env, earlier.run).open(
    JSON.stringify({ ...openingOf(prepared, plan.value, true), id: earlier.run, attachment: ask.attachment }),
  );
  return ok({ kind: "run", run: earlier.run, posts: ask.wish.kind === "relay" });
}

/** A fast-path request is asked for once more, now as a task: its answer becomes a run that is over, under the same id. */
async function asRun(
  prepared: Prepared,
  earlier: Extract<AssociateAnswer, { kind: "repeat" }>,
  plan: Plan,
): Promise<Result<Begun, Refusal>> {
  let text = earlier.result;
  if (earlier.state === "fast") {
    const answer = await awaitFirst(prepared, ok(plan));
    // A refusal of this request is no answer of the first one's.
    if (!answer.ok) return answer;
    text = JSON.stringify(answer.value);
  }
  if (text === null) return err({ kind: "noLongerKept" });
  const opening: RunOpening = { ...openingOf(prepared, plan, false), id: earlier.run };
  const facts: ModelFacts = { candidate: "", usage: { inputTokens: 0, outputTokens: 0 }, notes: [] };
  // The fast path wrote its record already.
  await runStub(prepared.ask.env, earlier.run).keep(JSON.stringify(opening), text, JSON.stringify(facts), "[]");
  return ok({ kind: "run", run: earlier.run, posts: false });
}

/** The same for a line that is held: a refusal is an answer there. */
async function awaitFast(prepared: Prepared, plan: Result<Plan, Refusal>): Promise<Outcome> {
  const { env, ctx, key, door, asker, requestId } = prepared.ask;
  const answer = await awaitFirst(prepared, plan);
  if (answer.ok) return answer.value;
  recordRefusal(env, ctx, { key: key.id, door, server: asker.server, method: asker.method, name: asker.name, requestId }, answer.error);
  return { kind: "refused", refusal: answer.error };
}

/** Waits for the fast-path answer that another caller is getting; takes over where that one vanished. */
async function awaitFirst({ ask: { run: _givenBack, ...ask } }: Prepared, plan: Result<Plan, Refusal>): Promise<Result<Outcome, Refusal>> {
  const { session, attachment } = ask;
  // Where the session's object was reset, the wait is over and nothing is lost.
  const result = await session.awaitResult(attachment.originating, attachment.request, awaitStepMs).catch(() => null);
  if (result !== null) return ok(parseOutcome(result));
  // Nothing came: the first one is still at it, vanished, or was refused after all (a limit), as this one may be.
  // What could not be planned is not begun in its place.
  const begun = await begin({ ...ask, wish: { kind: "line" } }, plan.ok ? undefined : plan);
  if (!begun.ok) return begun;
  return ok(await (begun.value.kind === "run" ? awaitRun(ask.env, begun.value.run, () => {}, ask.signal) : begun.value.outcome));
}

const leaseSlackMs = 10_000;
const awaitStepMs = 25_000;

const gatesIn = ({ gates, granted = [] }: Plan): ReturnType<typeof gatesOf> => gatesOf({ plan: gates, granted });

function isDurable(plan: Plan, { ask: { wish, request }, cache }: Prepared): boolean {
  if (wish.kind === "detached" || (wish.kind === "relay" && wish.alwaysRun)) return true;
  // What a function does cannot be done twice: its run is there before it is called, and no repeat takes a lost call over.
  if (request.task === "function") return true;
  const gates = gatesIn(plan);
  // Where the reply's risk may close a gate, a run has the reply in its tables before anybody looks at it: a crash costs neither a second
  // call nor the review. What is in the cache is looked at here.
  const found = cache?.found;
  const risk = found === undefined || gates.responseIfRisk === null ? "high" : highestRisk(findReplyRisks(found.reply));
  const closed = { request: gates.request, response: isReplyAsked(gates, false, risk) };
  return (closed.request || closed.response) && !approvedBefore(plan, closed, cache);
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

function openingOf({ ask, run, now, cache, identical }: Prepared, plan: Plan, takenOver: boolean): RunOpening {
  const { key, request, wish, terms, added } = ask;
  return {
    id: run,
    createdAt: now,
    door: ask.door,
    key: {
      id: key.id,
      name: key.name,
      owner: key.owner ?? null,
      ...(key.expiresAt === undefined ? {} : { expiresAt: key.expiresAt }),
    },
    asker: ask.asker,
    ...(ask.requestId === undefined ? {} : { requestId: ask.requestId }),
    ...(ask.sessionless === undefined ? {} : { sessionless: ask.sessionless }),
    request,
    candidates: plan.candidates,
    plan: plan.gates,
    ...(plan.granted === undefined ? {} : { granted: plan.granted }),
    risks: plan.risks,
    notes: [...(added === undefined ? [] : [added]), ...plannedNotes(request, plan)],
    contextIgnored: ask.contextIgnored,
    ...(ask.images === undefined ? {} : { images: ask.images }),
    takenOver,
    mode: modes[wish.kind],
    ...(wish.kind === "relay" ? { waiting: wish.waiting } : {}),
    ttlMs: wish.kind === "detached" ? wish.ttlMs : null,
    ...(terms === undefined ? {} : { call: terms }),
    ...(terms?.timeoutMs !== undefined && plan.gates.timeoutCoversReview ? { endsAt: now + terms.timeoutMs } : {}),
    ...(cache === null ? {} : { cache }),
    identicalDigest: identical,
    attachment: ask.attachment,
  };
}

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
