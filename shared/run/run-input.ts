// What a run is opened with: everything that was found out about a request before a person was asked or a task was begun.

import type { Provenance } from "../model/gate.ts";
import { digestOf } from "../encoding.ts";
import type { ImageDigests } from "../image/image-digests.ts";
import { type Endpoint, type RecordFact, idWord } from "../record/record.ts";
import type { GatePlan, Reach } from "../policy/evaluate.ts";
import type { GrantPass } from "../policy/grant.ts";
import { type RiskNote, riskAbove, riskLevels } from "../policy/risk.ts";
import type { SamplingReply, SamplingRequest } from "../model/sampling.ts";
import type { RequestId } from "../wire/json-rpc.ts";
import type { CallTerms, Note, Usage } from "../model/call.ts";
import { type Evidence, evidenceWords } from "../association/evidence.ts";
import type { Candidate } from "../routing/choose.ts";
import type { RunGates } from "./lifecycle.ts";

/** One sampling request in one session that this run answers. */
export type RequestRef = { readonly session: string; readonly originating: string; readonly request: string };

export type Requestor = {
  readonly server: string;
  readonly method: string;
  readonly name: string;
  readonly provenance: Provenance;
  /** At the relay: how it was found which request is served. */
  readonly evidence?: Evidence;
};

/** An MCP server that waits for the answer to its sampling request. */
export type WaitingServer = {
  /** Its name in the servers document. */
  readonly server: string;
  readonly session: string | null;
  readonly revision: string;
  readonly id: RequestId;
};

/** A reply from the cache, and what people approved of it. */
export type CachedReply = {
  readonly reply: SamplingReply;
  readonly facts: { readonly candidate: string; readonly notes: readonly Note[] };
  /** Unix milliseconds. */
  readonly at: number;
  /** Which gates people approved it at, and who was asked (`decidersDigest`). */
  readonly approved: { readonly request: boolean; readonly response: boolean; readonly deciders: string };
  /** It is not what the model wrote, but what a reviewer made of that. */
  readonly edited?: true;
};

/** What a reply from the cache costs. */
export const nothingSpent: Usage = { inputTokens: 0, outputTokens: 0 };

export type CacheTerms = {
  readonly digest: string;
  readonly ttlMs: number;
  /** What is delivered in place of a call, where nobody edits the request. */
  readonly found?: CachedReply;
};

export type RunInput = {
  readonly id: string;
  readonly createdAt: number;
  /** Which endpoint the request came through. */
  readonly endpoint: Endpoint;
  /** `expiresAt`: Unix milliseconds, where it does. */
  readonly key: { readonly id: string; readonly name: string; readonly owner: string | null; readonly expiresAt?: number };
  readonly requestor: Requestor;
  /** What the requestor calls the request; at the control endpoint only. */
  readonly requestId?: string;
  /** It is of no session, so that nothing can be allowed for one; at the control endpoint only. */
  readonly sessionless?: true;
  readonly request: SamplingRequest;
  /** In failover order: what reviewers see and what the call never leaves. */
  readonly candidates: readonly Candidate[];
  /** What the policy says; `gatesOf` says which gates are closed in truth. */
  readonly plan: GatePlan;
  /** The gates among them that grants open for this request. */
  readonly granted?: readonly GrantPass[];
  readonly risks: readonly RiskNote[];
  /** What the first candidate will leave out or change, as far as it can be told before the call. */
  readonly notes: readonly Note[];
  readonly contextIgnored: string | null;
  /** The digests of its images, in their order; absent where it has none. */
  readonly images?: readonly ImageDigests[];
  readonly takenOver: boolean;
  /**
   * `sync`: a caller holds the connection, and may give up. `task`: a task, or an asynchronous request. `callback`: an MCP server
   * waits, and the run itself posts the answer to it.
   */
  readonly mode: "sync" | "task" | "callback";
  /** With `callback`: where the server waits. */
  readonly waiting?: WaitingServer;
  /** For a task: how long its result is asked to be kept, in milliseconds. */
  readonly ttlMs: number | null;
  /** How the model is to be called; absent: as the gateway's settings say. */
  readonly call?: CallTerms;
  /** Unix milliseconds: no gate stays open, and no call goes on, after this. */
  readonly endsAt?: number;
  /** The reply is kept for identical requests, or comes from there. */
  readonly cache?: CacheTerms;
  /** `identicalDigest`. */
  readonly identicalDigest: string;
  readonly requestRef: RequestRef;
};

/** One version of what is to be sent: the request and the models it may go to, in order. */
export type RequestVersion = { readonly request: SamplingRequest; readonly models: readonly string[] };

/** What a reviewer approves at the request gate: the neutral request and the ordered list of models and providers. */
export function requestDigest(version: RequestVersion, candidates: readonly Candidate[]): string {
  const models = inOrder(candidates, version.models).map(({ model }) => ({ id: model.id, provider: model.provider, name: model.name }));
  return digestOf("countersign/request/v1", { request: version.request, models });
}

/**
 * The digest by which a key knows a run that an identical request may take over: one that asks for the same, for the same tool of the
 * same server, and is tied to it as surely. `boundTo` is the rule's: where it is wider, any tool of the server will do.
 * @param content A digest of what is asked for.
 */
export const identicalDigest = ({ server, method, name, provenance }: Requestor, boundTo: Reach, content: string): string =>
  digestOf("countersign/identical/v2", { server, provenance, tool: boundTo === "tool" ? { method, name } : null, content });

/** What a reviewer approves at the response gate. */
export const replyDigest = (reply: SamplingReply): string => digestOf("countersign/reply/v1", reply);

/** The candidates in a version's order. An id that is no candidate names nothing: the list can be reordered, never widened. */
export const inOrder = (candidates: readonly Candidate[], ids: readonly string[]): Candidate[] =>
  ids.flatMap((id) => candidates.filter(({ model }) => model.id === id));

/**
 * The gates at which a person must decide: those that the policy closes and no grant opens. A grant for the reply was given
 * for the reply to the request as it is asked: where a reviewer edits that, the response gate is as the policy says
 * (`responseIfEdited`). Where the reply has a risk of `responseIfRisk` or a higher one, it closes too: so says the rule, or the
 * grant, which was given for a reply with less.
 */
export function gatesOf({ plan, granted = [] }: Pick<RunInput, "plan" | "granted">): RunGates {
  const isClosed = (gate: "request" | "response"): boolean => plan[gate] === "review" && granted.every((pass) => pass.gate !== gate);
  const ceilings = granted.flatMap(({ gate, replyRiskAtMost }) =>
    gate === "response" && replyRiskAtMost !== undefined ? [riskAbove(replyRiskAtMost)] : [],
  );
  return {
    request: isClosed("request"),
    response: isClosed("response"),
    responseIfEdited: plan.response === "review",
    responseIfRisk: riskLevels.find((level) => [plan.replyRisk, ...ceilings].includes(level)) ?? null,
  };
}

/** Equal where the same rule asks the same people in the same way: what some of them saw counts for no other. */
export const decidersDigest = ({ rule, quorum, selfApproval, owner, reviewers }: GatePlan): string =>
  digestOf("countersign/deciders/v1", {
    rule,
    quorum,
    selfApproval,
    // What somebody approved for another is not approved for themself.
    barred: selfApproval ? null : owner,
    reviewers: reviewers.map(({ name }) => name),
  });

/** The first events of a run's record: what was asked, and what let it through a gate that the policy closes. */
export const inputFacts = (input: Omit<RunInput, "request">, digest: string): RecordFact[] => [
  receivedFact(input, digest),
  ...(input.granted ?? []).map(({ gate, grant, by }): RecordFact => ({ kind: "grantUsed", gate, grant, by })),
];

/** For whom a run was taken over, or its kept reply taken: ids and names, and a digest of the request's place. */
export const adoptedFact = (
  { server, method, name, provenance }: Requestor,
  endpoint: RunInput["endpoint"],
  requestRef: RequestRef,
): RecordFact => ({
  kind: "adopted",
  server,
  method,
  name,
  provenance,
  endpoint,
  request: digestOf("countersign/attachment/v1", { ...requestRef }),
});

/** The first event of a run's record. */
const receivedFact = (input: Omit<RunInput, "request">, digest: string): RecordFact => ({
  kind: "received",
  key: input.key.id,
  server: input.requestor.server,
  method: input.requestor.method,
  name: input.requestor.name,
  provenance: input.requestor.provenance,
  ...(input.requestor.evidence === undefined ? {} : { association: evidenceWords[input.requestor.evidence] }),
  endpoint: input.endpoint,
  ...(input.requestId === undefined ? {} : { requestId: idWord(input.requestId) }),
  requestDigest: digest,
  rule: input.plan.rule,
  requestGate: input.plan.request,
  responseGate: input.plan.response,
  ...(input.plan.replyRisk === null ? {} : { replyRisk: input.plan.replyRisk }),
  models: input.candidates.map(({ model }) => model.id),
  risks: input.risks.map(({ kind }) => kind),
  contextIgnored: input.contextIgnored,
  takenOver: input.takenOver,
  ...(input.images === undefined ? {} : { images: input.images }),
});
