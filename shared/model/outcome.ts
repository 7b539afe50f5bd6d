// How a sampling request can end, and every way it can be refused before it begins: facts, with
// their evidence.
//
// What a caller may know of each is in describe.ts; what the record keeps is in shared/record/.

import type { ReceiptFacts } from "../receipt/facts.ts";
import type { LimitName, Gate, KeyEnd, KeyScope } from "./gate.ts";
import type { JsonObject } from "../encoding.ts";
import type { JudgedRequest } from "./judged-request.ts";
import type { ReasonPhrase } from "../words/reasons.ts";
import type { SamplingReply } from "./sampling.ts";
import { type Releasable, isToolCall } from "./subject/subject.ts";
import type { ToolCall, ToolResult } from "./subject/tool-call.ts";
import type { Attempt, StopScope, Note, Usage } from "./call.ts";

/** A token for `/v1`, as the answer to a request for one has it. */
export type MadeToken = {
  readonly token: string;
  /** Null where the gateway has no PUBLIC_URL. */
  readonly baseUrl: string | null;
  /** ISO 8601. */
  readonly expiresAt: string;
  /** Null: every model that the key may use. */
  readonly models: readonly string[] | null;
  readonly maxUsd: number;
};

/** What a reply's `_meta` says of its run (design: POST /sampling). */
export type RunMeta = {
  readonly id: string;
  readonly model: { readonly id: string; readonly why: string };
  readonly edited: { readonly request: boolean; readonly response: boolean };
  readonly usage: Usage & { readonly costUsd: number };
  /**
   * What was left out or changed on the way to the model. A wire whose results have no place for it
   * leaves it out.
   */
  readonly notes?: readonly Note[];
  /** Unix milliseconds: when the reply was made, where it comes from the cache. */
  readonly cachedAt?: number;
  /** In the place of a reply, where the server asked for one. */
  readonly token?: MadeToken;
};

/**
 * What was asked for, by which a wire writes the reply. `offeredTools`: the request had tools, so
 * that the reply may use several.
 */
type Answered = { readonly kind: "chat"; readonly offeredTools: boolean } | { readonly kind: "embedding" };

export type Completed = {
  readonly kind: "completed";
  readonly answered: Answered;
  readonly reply: SamplingReply;
  readonly meta: RunMeta;
};

/** A tool has run. `call`: as it was made; a reviewer may have changed its arguments. */
export type Ran = { readonly kind: "ran"; readonly call: ToolCall; readonly result: ToolResult; readonly meta: RunMeta };

/**
 * A tool's call that may be made by whoever asked, or what else they do themselves: nothing was
 * done here. `call`: as it was approved.
 */
export type Approved<Request extends Releasable = Releasable> = {
  readonly kind: "approved";
  readonly call: Request;
  /** A reviewer changed it. */
  readonly edited: boolean;
  /** `policy`: no rule asks a person. `grant`: a person gave it earlier. */
  readonly by: "person" | "grant" | "policy";
  readonly run: string;
};

/**
 * What became of a form. `accept`: somebody sent an answer (null: they opened the address).
 * `decline`: somebody pressed no. Everything else is `cancel`, and never the one for the other.
 */
export type Elicited =
  | { readonly kind: "elicited"; readonly action: "accept"; readonly content: JsonObject | null }
  | { readonly kind: "elicited"; readonly action: "decline" | "cancel" };

export type PointedError = { readonly pointer: string; readonly message: string };

/** Why a credential is refused, or that there is none. */
export type CredentialError =
  | "missing"
  | "missingBesideAuthorization"
  | "missingAtControl"
  | "unknown"
  | "revoked"
  | "expired"
  /**
   * Not a token that can be read, or not signed by its issuer with the configured algorithm and a
   * key of the issuer's.
   */
  | "tokenInvalid"
  | "tokenExpired"
  | "tokenWithoutExpiry"
  | "tokenLongLived"
  | "tokenTooEarly"
  | "tokenIssuer"
  | "tokenAudience"
  /** Its `sub` stands for no API key, or for one that does not exist. */
  | "tokenSubject"
  /** An OAuth access token that is none, is over, was revoked, or is for another server. */
  | "accessToken"
  /** Several were presented, all of them valid, and they are of different keys. */
  | "credentialsDisagree"
  /** A scoped token that this gateway did not make, or not with a signing key that counts now. */
  | "scopedTokenUnknown"
  | "scopedTokenExpired";

/**
 * `broken`: its server's answer is no list of tools. `taskOnly`: it runs only as a task of MCP.
 * `uncheckableSchema`: its server declares a schema by which arguments cannot be checked here.
 * `noToolsWorker`: the Worker that asks servers for their tools did not answer.
 */
export type FunctionError = "noSuchTool" | "taskOnly" | "unreachable" | "noCredential" | "broken" | "uncheckableSchema" | "noToolsWorker";

/**
 * What ended a run before its time: its requestor, the client request that it served, their
 * session, an operator, an operator's stop of all sampling, of its server's or of its key's, the
 * end of its key, or a reviewer who put a form away without an answer.
 */
export type CancelCause = "caller" | "originatingRequest" | "session" | "admin" | "stopped" | KeyEnd | "dismissed";

/**
 * Why a request leaves its run. `timedOut`: its client waits no longer, and may ask the same again;
 * as `originatingRequest` where the run is not about a call that its client comes back for.
 */
export type WithdrawCause = CancelCause | "timedOut";

/**
 * Why a sampling request belongs to no client request. The last four are the relay's: its server
 * asked on the stream of a request about an unknown task; nothing shows which request it serves,
 * and the server's `association` setting is `strict`; or none is in flight; or several are, and the
 * setting is not `inFlight`.
 */
export type NotAssociated =
  | "noSession"
  | "noOriginatingRequest"
  | "originatingRequestEnded"
  | "sessionEnded"
  | "unknownTask"
  | "nothingShown"
  | "noneInFlight"
  | "severalInFlight";

/** Why a request is refused before it begins. */
export type Refusal =
  | { readonly kind: "notJson" }
  | { readonly kind: "notSingleRequest"; readonly why: string }
  | { readonly kind: "unauthorized"; readonly why: CredentialError }
  /** The key is valid, but not for this endpoint. */
  | { readonly kind: "wrongScope"; readonly scope: KeyScope }
  /** The keys of the token's issuer cannot be fetched now, so the token cannot be verified. */
  | { readonly kind: "issuerUnavailable" }
  /** Neither KV nor the ConfigObject can be read, so it is not known what is allowed. */
  | { readonly kind: "configurationUnavailable" }
  /**
   * `unknown`: the limit for a caller that is not known yet, because the credential is in the body.
   */
  | { readonly kind: "tooLarge"; readonly limitBytes: number; readonly unknown?: true }
  | { readonly kind: "notJsonType" }
  | { readonly kind: "unknownMethod"; readonly method: string }
  | { readonly kind: "invalidParams"; readonly errors: readonly PointedError[] }
  | { readonly kind: "toolResultMissing"; readonly pointer: string }
  | { readonly kind: "toolResultsMixed"; readonly pointer: string }
  | { readonly kind: "notAssociated"; readonly why: NotAssociated }
  | { readonly kind: "sameIdOtherParams" }
  | {
      readonly kind: "rateLimited";
      readonly limit: LimitName;
      readonly max: number;
      readonly retryAfterMs: number;
    }
  | { readonly kind: "tooManyRounds"; readonly max: number }
  | { readonly kind: "flooded" }
  /** `budget`: its name. `resetsAt`: when it begins anew, in Unix milliseconds. */
  | { readonly kind: "budgetUsedUp"; readonly budget: string; readonly resetsAt: number }
  /** An operator stopped it. */
  | { readonly kind: "stopped"; readonly scope: StopScope }
  /**
   * `judged`: for the record, where a rule of the policy refuses it. `asTask`: it would be allowed,
   * or reviewed, as an ordinary call.
   */
  | { readonly kind: "policyRefused"; readonly rule: string; readonly judged?: JudgedRequest; readonly asTask?: true }
  /**
   * The rule does not allow self-approval, and the API key's owner is none of the policy's
   * reviewers.
   */
  | { readonly kind: "ownerUnknown"; readonly rule: string; readonly judged?: JudgedRequest }
  /**
   * `named`: a model was asked for by name, so that only it and its equivalents were considered.
   */
  | { readonly kind: "noModel"; readonly reasons: readonly { readonly model: string; readonly why: ReasonPhrase }[]; readonly named?: true }
  /** A registered function that cannot be run at its server now. */
  | { readonly kind: "functionUnavailable"; readonly function: string; readonly why: FunctionError }
  | { readonly kind: "unknownTask" }
  /** A repeat of a request whose run was deleted at the end of its retention. */
  | { readonly kind: "noLongerKept" }
  | { readonly kind: "taskEnded"; readonly status: string }
  | { readonly kind: "broken"; readonly quote: string };

/** The refusal of a request whose key has ended. */
export const keyEndRefusal = (keyEnd: KeyEnd): Extract<Refusal, { kind: "unauthorized" }> => ({
  kind: "unauthorized",
  why: keyEnd === "keyRevoked" ? "revoked" : "expired",
});

/**
 * How a request can end: what runs, caches and repeats store, and what every wire encodes.
 * `receiptFacts`: a receipt is to be signed. `receipt`: the signed one.
 */
export type Outcome = Ending & { readonly receiptFacts?: ReceiptFacts; readonly receipt?: string };

type Ending =
  | Completed
  | Ran
  | Approved
  | Elicited
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "rejected"; readonly gate: Gate; readonly reason: string | null }
  | { readonly kind: "undeliverable"; readonly gate: Gate }
  | { readonly kind: "expired"; readonly gate: Gate }
  /** `key`: present where the end of its key cancelled it. */
  | { readonly kind: "cancelled"; readonly key?: KeyEnd }
  | { readonly kind: "failed"; readonly attempts: readonly Attempt[] }
  | { readonly kind: "broken"; readonly quote: string };

/** Whether a tool's call may be made, by a caller who asks for nothing else. */
export const isApprovedCall = (outcome: Outcome): outcome is Approved<ToolCall> & Outcome =>
  outcome.kind === "approved" && isToolCall(outcome.call);

/** A JSON-RPC error for the caller, and the HTTP status where no response has begun. */
export type Described = {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
  readonly retryAfterMs?: number;
};
