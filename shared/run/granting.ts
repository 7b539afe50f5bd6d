// Between a run and the grants of its key: whether a review may offer one, which grant an approval
// gives, and a later request's query. It counts nothing and opens no gate: shared/policy/grant.ts
// does.

import type { Gate } from "../model/gate.ts";
import { digestOf } from "../encoding.ts";
import type { RecordFact } from "../record/record.ts";
import { type GatePlan, isWithin, peopleOfPlan } from "../policy/evaluate.ts";
import {
  type Grant,
  type GrantQuery,
  type GrantScope,
  type Tool,
  argumentDigests,
  longestGrantMs,
  requestCharacters,
  microUsd,
  shapeDigest,
  sizeCeiling,
} from "../policy/grant.ts";
import { isSamePerson } from "../policy/person.ts";
import { type Addresses, isRoom } from "../notice-channels.ts";
import { type RiskNote, type SeenRisk, findRisks, highestRisk } from "../policy/risk.ts";
import { outputLimit } from "../model/sampling.ts";
import { type SubjectReply, type SubjectRequest, isMessage, isToolCall } from "../model/subject/subject.ts";
import type { GrantRequest } from "../review/form.ts";
import type { GrantOffer } from "../review/view.ts";
import { sizeOf, worstCostUsd } from "../routing/price.ts";
import { type Requestor, type RequestRef, type RunInput, requestDigest } from "./run-input.ts";
import { type PlannedWork, candidatesOf, modelIdsOf } from "./work.ts";

export type OfferFacts = {
  readonly gate: Gate;
  readonly gatePolicy: Pick<GatePlan, "grants" | "grantsInferred" | "boundTo" | "quorum" | "request" | "response">;
  readonly requestor: Pick<Requestor, "provenance">;
  /** Of the request. */
  readonly risks: readonly Pick<RiskNote, "level">[];
  /** At the response gate. */
  readonly reply: SubjectReply | null;
  /** The reviewer who would give it. */
  readonly reviewer: Addresses;
  /** The current versions; 1 also before there is a reply. */
  readonly requestVersion: number;
  readonly replyVersion: number;
  /** The request has no session: its object is shared with unrelated requests. */
  readonly sessionless?: true | undefined;
  /** Version 1. */
  readonly request: SubjectRequest | null;
};

/**
 * The grant that may be offered with an approval, or null. Offered where the rules enable grants,
 * one approval decides, the rules close the gate, it is known which tool asks (or the rules allow
 * inference), and neither the request nor the reply was edited. A room gives none, because a grant
 * has a person's name. A form with an edit or another choice of model gives none either.
 */
export function offerOf({
  gate,
  gatePolicy,
  requestor,
  risks,
  reply,
  reviewer,
  requestVersion,
  replyVersion,
  sessionless,
  request,
}: OfferFacts): GrantOffer | null {
  if (!mayUseGrants(gatePolicy, requestor) || gatePolicy[gate] !== "review" || isRoom(reviewer)) return null;
  if (requestVersion !== 1 || replyVersion !== 1) return null;
  const wider = (["tool", "server", "key"] as const).filter((reach) => isWithin(reach, gatePolicy.boundTo));
  return {
    scopes: sessionless === true ? wider : ["session", ...wider],
    risk: highestRisk(risks),
    replyRisk: replyRiskAt(gate, reply),
    ...(request !== null && isToolCall(request) ? { arguments: argumentDigests(request).map(({ name }) => name) } : {}),
  };
}

/** At the response gate the highest risk of the reply; without a reply no risk is allowed. */
const replyRiskAt = (gate: Gate, reply: SubjectReply | null): SeenRisk | null =>
  gate === "request" ? null : reply === null ? "none" : highestRisk(findRisks(reply));

/**
 * Whether grants may count. Where the served client request is only inferred, a server could wait
 * until a granted tool is the one in flight.
 */
const mayUseGrants = (
  { grants, grantsInferred, quorum }: Pick<GatePlan, "grants" | "grantsInferred" | "quorum">,
  { provenance }: Pick<Requestor, "provenance">,
): boolean => grants && quorum === 1 && (provenance !== "inferred" || grantsInferred);

type GivingFacts = {
  readonly input: Omit<RunInput, "request">;
  /** Version 1. */
  readonly request: SubjectRequest;
  readonly gate: Gate;
  /** At the response gate: the reply that is approved. */
  readonly reply: SubjectReply | null;
  /** The reviewer's name. */
  readonly by: string;
};

/**
 * The grant that a reviewer gives with an approval. One review gives one, under one id, so that
 * giving it twice is fine. Its money is the worst case of all its uses.
 * @param now Unix milliseconds.
 */
export function grantFrom({ input, request, gate, reply, by }: GivingFacts, asked: GrantRequest, now: number): Grant {
  const { work, key, requestRef, requestor } = input;
  const exact = asked.what === "exact";
  const replyRisk = replyRiskAt(gate, reply);
  const characters = requestCharacters(request);
  const charactersAtMost = exact ? characters : sizeCeiling(characters);
  return {
    id: grantIdOf(key.id, digestOf("countersign/grant/v1", { run: input.id, gate }).slice(0, 22)),
    key: key.id,
    gate,
    scope: scopeOf(asked.scope, requestRef, requestor),
    what: asked.what,
    digest: forAccount(
      requestor,
      exact ? requestDigest({ request, models: modelIdsOf(work) }, work) : shapeDigest(request, candidatesOf(work)),
    ),
    ...(exact || asked.pinned === undefined ? {} : { pinned: argumentDigests(request).filter(({ name }) => asked.pinned?.includes(name)) }),
    charactersAtMost,
    maxTokensAtMost: outputOf(request),
    riskAtMost: highestRisk(input.risks),
    ...(replyRisk === null ? {} : { replyRiskAtMost: replyRisk }),
    provenance: requestor.provenance,
    by,
    run: input.id,
    rule: input.gatePolicy.rule,
    givenAt: now,
    expiresAt: now + Math.min(asked.hours * 3_600_000, longestGrantMs),
    usesGiven: asked.uses,
    usesLeft: asked.uses,
    spendLeftMicroUsd: asked.uses * microUsd(maxCostUsd(request, work, charactersAtMost - characters)),
    lastUsedAt: null,
    revokedAt: null,
  };
}

/** What was allowed for one account at a server is not allowed for another. */
const forAccount = ({ account }: Pick<Requestor, "account">, digest: string): string =>
  account === undefined ? digest : digestOf("countersign/grant-of-account/v1", { digest, account });

export const grantedFact = ({ id, gate, by, scope, what, usesGiven, expiresAt }: Grant): RecordFact => ({
  kind: "granted",
  gate,
  grant: id,
  by,
  scope: scope.kind,
  what,
  uses: usesGiven,
  expiresAt: new Date(expiresAt).toISOString(),
});

/** A grant's id has its key's id in it, because the key's object stores it. */
export const grantIdOf = (key: string, own: string): string => `${key}.${own}`;

/** The key's id in a grant's id; undefined for any other text. */
export const keyOfGrantId = (id: string): string | undefined => /^(key_[a-z0-9]{1,32})\.[A-Za-z0-9_-]{22}$/.exec(id)?.[1];

type GrantQueryFacts = {
  readonly run: string;
  readonly plan: { readonly work: PlannedWork; readonly gatePolicy: GatePlan; readonly risks: readonly RiskNote[] };
  readonly request: SubjectRequest;
  readonly requestor: Requestor;
  readonly requestRef: RequestRef;
  /** The digest by which the session knows a repeat. */
  readonly params: string;
};

/**
 * A request's query for its key's grants, without `asked`, which the session knows. Null where no
 * grant can count: both gates are open, each approval needs a passkey, or the current rules do not
 * enable grants or need several approvals, and it is no call.
 */
export function grantQueryOf({ run, plan, request, requestor, requestRef, params }: GrantQueryFacts): Omit<GrantQuery, "asked"> | null {
  const { gatePolicy, work, risks } = plan;
  const closed = (["request", "response"] as const).filter((gate) => gatePolicy[gate] === "review");
  const mayUse = mayUseGrants(gatePolicy, requestor);
  // An operator's bypass counts for a call whatever the rules enable.
  if (closed.length === 0 || gatePolicy.passkey === true || !(mayUse || isToolCall(request))) return null;
  return {
    gates: closed,
    ...(mayUse ? {} : { onlyBypass: true }),
    identity: digestOf("countersign/grant-use/v1", { ...requestRef, params }),
    run,
    exact: forAccount(requestor, requestDigest({ request, models: modelIdsOf(work) }, work)),
    shape: forAccount(requestor, shapeDigest(request, candidatesOf(work))),
    session: requestRef.session,
    server: requestor.server,
    tool: toolOf(requestor),
    ...(isToolCall(request) ? { arguments: argumentDigests(request) } : {}),
    boundTo: gatePolicy.boundTo,
    characters: requestCharacters(request),
    maxTokens: outputOf(request),
    risk: highestRisk(risks),
    provenance: requestor.provenance,
    worstCostMicroUsd: microUsd(maxCostUsd(request, work, 0)),
    rule: gatePolicy.rule,
    deciders: peopleOfPlan(gatePolicy)
      .filter((person) => !isRoom(person) && (gatePolicy.selfApproval || !isSamePerson(gatePolicy.owner, person.name)))
      .map(({ name }) => name),
  };
}

/** A tool and a person write no tokens. */
const outputOf = (request: SubjectRequest): number => (isMessage(request) ? outputLimit(request) : 0);

const toolOf = ({ method, name }: Requestor): Tool => ({ method, name });

function scopeOf(scope: GrantRequest["scope"], { session }: RequestRef, requestor: Requestor): GrantScope {
  const { server } = requestor;
  switch (scope) {
    case "session":
      if (session === null) throw new Error("scopeOf: a request without a session is offered no grant for one");
      return { kind: "session", session, server, tool: toolOf(requestor) };
    case "tool":
      return { kind: "tool", server, tool: toolOf(requestor) };
    case "server":
      return { kind: "server", server };
    case "key":
      return { kind: "key" };
    default:
      return scope satisfies never;
  }
}

/** The worst case of the most expensive model, for a request with `more` further characters. */
function maxCostUsd(request: SubjectRequest, work: PlannedWork, more: number): number {
  if (!isMessage(request)) return 0;
  const size = sizeOf(request);
  const longer = { ...size, textBytes: size.textBytes + more };
  return Math.max(0, ...candidatesOf(work).map((candidate) => worstCostUsd(candidate, longer, outputLimit(request))));
}
