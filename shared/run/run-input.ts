// The input of a run: what is known of a request before a reviewer is asked or a task begins.

import type { Gate, Provenance } from "../model/gate.ts";
import { type JudgedRequest, judgedRecord } from "../model/judged-request.ts";
import { digestOf } from "../encoding.ts";
import { type Endpoint, type RecordFact, idWord } from "../record/record.ts";
import type { RequestUse } from "../record/request-use.ts";
import type { KeyBudget, TokenBudget } from "../budget/budgets.ts";
import type { GatePlan, Reach } from "../policy/evaluate.ts";
import { mayAsk } from "../policy/rules.ts";
import type { GrantPass } from "../policy/grant.ts";
import type { Redaction, RedactionTerms } from "../redaction/redact.ts";
import type { RiskNote } from "../policy/risk.ts";
import type { SamplingRequest } from "../model/sampling.ts";
import { type RequestVersion, type SubjectReply, type SubjectRequest, isMessage } from "../model/subject/subject.ts";
import type { ToolCall } from "../model/subject/tool-call.ts";
import type { RequestId } from "../wire/json-rpc.ts";
import type { CallTerms, Note, Usage } from "../model/call.ts";
import { type Evidence, evidenceWords } from "../association/evidence.ts";
import type { LoginAccount } from "../credential/login-account.ts";
import type { Candidate } from "../routing/choose.ts";
import { type ModelWork, type PlannedWork, type Work, candidatesOf, jurorOf, modelIdsOf } from "./work.ts";
import type { RequestTrace } from "../telemetry/request-trace.ts";

/**
 * A sampling request as its session knows it. `session`: null where none does, because the request
 * has no id that a repeat could have.
 */
export type RequestRef = { readonly session: string | null; readonly originating: string; readonly request: string };

export type Requestor = {
  readonly server: string;
  readonly method: string;
  readonly name: string;
  readonly provenance: Provenance;
  /** At the relay: how the served request was found. */
  readonly evidence?: Evidence;
  /** Of a call that is sent with the own login of the key's owner: whose account that is. */
  readonly account?: LoginAccount;
};

/** A client that asks for its own call of a tool. */
export const callRequestor = ({ server, tool }: ToolCall): Requestor => ({
  server,
  method: "tools/call",
  name: tool,
  provenance: "own",
});

/** An MCP server that waits for the answer to its sampling request. */
export type WaitingServer = {
  /** Its name in the servers document. */
  readonly server: string;
  readonly session: string | null;
  readonly revision: string;
  readonly id: RequestId;
  /** The key's owner, where the answer is sent with their own login at the server. */
  readonly owner?: string;
};

/** Of a reply from the cache. */
export const nothingSpent: Usage = { inputTokens: 0, outputTokens: 0 };

/** What is known of a request that begins, whether it becomes a run or is answered at once. */
export type RequestInput = {
  readonly id: string;
  readonly createdAt: number;
  readonly endpoint: Endpoint;
  /** `expiresAt`: Unix milliseconds. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly owner: string | null;
    readonly budget?: KeyBudget;
    readonly expiresAt?: number;
    /** The scoped token that was presented in the key's place. */
    readonly token?: TokenBudget;
  };
  readonly requestor: Requestor;
  /** The requestor's id of the request; where it serves no client request. */
  readonly requestId?: string;
  /** The request has no session, so no grant can be for one; where it serves no client request. */
  readonly sessionless?: true;
  /** As it may be sent: redacted. */
  readonly request: SubjectRequest;
  /** What was masked in it; absent where nothing was. */
  readonly redacted?: Redaction;
  /** The rules for its reply and its notices, as of when it came; absent where none apply. */
  readonly redaction?: RedactionTerms;
  /** What is to be done for it, by the kind of its subject. */
  readonly work: Work;
  /** The digest of what its server sent, for a receipt; absent where none may be asked for. */
  readonly asked?: string;
  /** A receipt goes with the answer, and with a call that is sent. */
  readonly receipts?: true;
  readonly policyVersion?: number;
  /** What the policy says. `stagesOf` adds the grants. */
  readonly gatePolicy: GatePlan;
  /** The closed gates that grants open for this request. */
  readonly granted?: readonly GrantPass[];
  readonly risks: readonly RiskNote[];
  /** What the rules judged it by. */
  readonly judged: JudgedRequest;
  readonly takenOver: boolean;
  /** What it uses of the protocol. */
  readonly use: RequestUse;
  /**
   * `sync`: a caller waits on a connection, and may disconnect. `task`: a task, or an asynchronous
   * request. `callback`: an MCP server waits, and the run posts the answer to it.
   */
  readonly mode: "sync" | "task" | "callback";
  /** With `callback`: where the server waits. */
  readonly waiting?: WaitingServer;
  /** For a task: for how many milliseconds the requestor wants the result stored. */
  readonly ttlMs: number | null;
  /** Absent: as the gateway's settings say. */
  readonly call?: CallTerms;
  /** Unix milliseconds: no review and no call lasts longer. */
  readonly endsAt?: number;
  readonly requestRef: RequestRef;
  /** Absent where nothing of it is recorded or passed on. */
  readonly trace?: RequestTrace;
};

/** The input of a request for a model's reply. */
export type MessageInput = RequestInput & { readonly request: SamplingRequest; readonly work: ModelWork };

export const isMessageInput = (input: RequestInput): input is MessageInput => input.work.kind === "message" && isMessage(input.request);

/** What a run knows beside it. */
export type RunInput = RequestInput & {
  /**
   * What was added to the request; and what the first candidate will leave out or change, as far as
   * known before the call.
   */
  readonly notes: readonly Note[];
  readonly identicalDigest: string;
  /** The digest by which it is found too, once the call that it is about has gone to its server. */
  readonly sentDigest?: string;
};

/**
 * The digest of what a reviewer approves at the request gate: the neutral request and the ordered
 * list of models and providers.
 */
export function requestDigest(version: RequestVersion, work: PlannedWork): string {
  const models = inOrder(candidatesOf(work), version.models).map(({ model }) => ({
    id: model.id,
    provider: model.provider,
    name: model.name,
  }));
  return digestOf("countersign/request/v1", { request: version.request, models });
}

/**
 * The digest by which a key finds a run that an identical request may take over: the same content,
 * tool, server and provenance. Where the rule's `boundTo` is wider than a tool, any tool of the
 * server.
 * @param content A digest of what is asked for.
 */
export const identicalDigest = (
  { server, method, name, provenance }: Requestor,
  { boundTo, redaction }: { readonly boundTo: Reach; readonly redaction: RedactionTerms | null },
  content: string,
): string =>
  digestOf("countersign/identical/v3", {
    server,
    provenance,
    tool: boundTo === "tool" ? { method, name } : null,
    content,
    // What was masked by other rules is another request, and its reply another reply.
    rules: redaction?.rules ?? [],
  });

/** The digest of what a reviewer approves at the response gate. */
export const replyDigest = (reply: SubjectReply): string => digestOf("countersign/reply/v1", reply);

/**
 * The digest of a reply that a reviewer wrote in the model's place, or of the answer to a form, as
 * the request gate decides it: with the request that it answers.
 */
export const writtenDigest = (version: RequestVersion, work: PlannedWork, reply: SubjectReply): string =>
  digestOf("countersign/written-reply/v1", { request: requestDigest(version, work), reply });

/**
 * The candidates in a version's order. Unknown ids are left out: the list can be reordered, never
 * widened.
 */
export const inOrder = (candidates: readonly Candidate[], ids: readonly string[]): Candidate[] =>
  ids.flatMap((id) => candidates.filter(({ model }) => model.id === id));

/**
 * Equal where the same rule asks the same people in the same way: an approval counts for no others.
 */
export const decidersDigest = ({ rule, quorum, selfApproval, owner, reviewers, passkey }: GatePlan): string =>
  digestOf("countersign/deciders/v1", {
    rule,
    quorum,
    selfApproval,
    // An approval of another person's request is no approval of one's own.
    barred: selfApproval ? null : owner,
    reviewers: reviewers.map(({ name }) => name),
    passkey,
  });

/**
 * The first events of a run's record: the request, what was masked in it, and the grants and the
 * juror that opened gates for it.
 */
export function inputFacts(input: Omit<RequestInput, "request">, digest: string): RecordFact[] {
  const juror = jurorOf(input.work);
  return [
    receivedFact(input, digest),
    ...redactedFacts("request", input.redacted ?? null),
    ...(input.granted ?? []).map(({ gate, grant, by, bypass }): RecordFact => ({
      kind: "grantUsed",
      gate,
      grant,
      by,
      ...(bypass === undefined ? {} : { bypass }),
    })),
    ...(juror === undefined ? [] : [{ kind: "jurorDecided" as const, ...juror }]),
  ];
}

/** That rules masked something, and how often: never what. */
export const redactedFacts = (gate: Gate, redaction: Pick<Redaction, "counts"> | null): RecordFact[] =>
  redaction === null ? [] : [{ kind: "redacted", gate, rules: redaction.counts }];

/**
 * A run, or its stored reply, now serves this request: names, and a digest of the request's ids.
 */
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

const receivedFact = (input: Omit<RequestInput, "request">, digest: string): RecordFact => ({
  kind: "received",
  key: input.key.id,
  server: input.requestor.server,
  method: input.requestor.method,
  name: input.requestor.name,
  provenance: input.requestor.provenance,
  ...(input.requestor.evidence === undefined ? {} : { association: evidenceWords[input.requestor.evidence] }),
  ...(input.requestor.account === undefined ? {} : { account: input.requestor.account }),
  endpoint: input.endpoint,
  ...(input.requestId === undefined ? {} : { requestId: idWord(input.requestId) }),
  requestDigest: digest,
  rule: input.gatePolicy.rule,
  requestGate: input.gatePolicy.confirm === true ? "confirm" : input.gatePolicy.request,
  responseGate: input.gatePolicy.response,
  ...(input.gatePolicy.replyRisk === null ? {} : { replyRisk: input.gatePolicy.replyRisk }),
  ...(mayAsk(input.gatePolicy)
    ? { asked: { reviewers: input.gatePolicy.reviewers.map(({ name }) => name), quorum: input.gatePolicy.quorum } }
    : {}),
  ...(input.gatePolicy.shadow === undefined ? {} : { shadow: input.gatePolicy.shadow }),
  judged: judgedRecord(input.judged),
  // A tool in the place of a model.
  models: input.work.kind === "message" ? modelIdsOf(input.work) : input.judged.models.map(({ id }) => id),
  risks: input.risks.map(({ kind }) => kind),
  contextIgnored: input.work.kind === "message" ? input.work.contextIgnored : null,
  takenOver: input.takenOver,
  ...(input.work.kind === "message" && input.work.images !== undefined ? { images: input.work.images } : {}),
});
