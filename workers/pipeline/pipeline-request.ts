// A request as an endpoint hands it to the pipeline, and what is started for it.

import type { ImageDigests } from "../../shared/image/image-digests.ts";
import type { Note, CallTerms } from "../../shared/model/call.ts";
import type { CallFacts } from "../../shared/model/judged-request.ts";
import type { Outcome } from "../../shared/model/outcome.ts";
import type { SamplingRequest } from "../../shared/model/sampling.ts";
import type { SubjectRequest } from "../../shared/model/subject/subject.ts";
import type { Requestor, RequestRef, RunInput, WaitingServer } from "../../shared/run/run-input.ts";
import type { RelayedRequest, ToolWork } from "../../shared/run/work.ts";
import type { RequestTrace } from "../../shared/telemetry/request-trace.ts";
import type { Env } from "../platform/env.ts";
import type { SlowTimer } from "../platform/slow-timer.ts";
import type { KeyRecord } from "../stores/keys.ts";
import type { SessionCalls } from "../stubs/session-calls.ts";

/**
 * How the requestor gets its response. `sync`: on its open connection. `task`: a task or an
 * asynchronous request, always a run; `relayed`: which the run sends itself. `callback`: an MCP
 * server waits, and a run that is opened for it posts the outcome; with `alwaysRun` there always is
 * one, so that no Worker waits for a model.
 */
export type ResponseMode =
  | { readonly kind: "sync" }
  | { readonly kind: "task"; readonly ttlMs: number | null; readonly relayed?: RelayedRequest }
  | { readonly kind: "callback"; readonly waiting: WaitingServer; readonly alwaysRun: boolean };

/** Which object knows the request, and by which reference. A repeat has the same `requestRef`. */
export type Association =
  /**
   * It serves no client request, and has no id: no object knows it, and no other request is its
   * repeat.
   */
  { readonly kind: "unrepeatable"; readonly requestRef: RequestRef & { readonly session: null } } | KnownAssociation;

export type KnownAssociation = {
  readonly session: DurableObjectStub<SessionCalls>;
  readonly requestRef: RequestRef & { readonly session: string };
} & (
  | /** It serves a client request of its session. */ { readonly kind: "clientRequest" }
  /**
   * It serves none, and is known in a session of its requestor. Its id is reserved elsewhere, once
   * however often that is asked: false where it stands for another request. Where the request is
   * refused, `releaseRequestId` releases what was reserved.
   */
  | { readonly kind: "ownRequest"; readonly reserveRequestId: () => Promise<boolean>; readonly releaseRequestId: () => Promise<void> }
  /**
   * It serves none and has no session: the object of its id knows it. `reserves`: the id that is
   * reserved with it.
   */
  | { readonly kind: "sessionless"; readonly reserves: string | null }
);

/**
 * Neutral, with everything that the endpoint knows of the requestor and of what the request
 * repeats.
 */
export type PipelineRequest = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  readonly endpoint: RunInput["endpoint"];
  /** The revision of MCP by which it was read; absent where it came by none. */
  readonly revision?: string;
  readonly requestor: Requestor;
  readonly request: SubjectRequest;
  /** The context that the request asks for and does not get; absent where it asks for none. */
  readonly contextIgnored?: "thisServer" | "allServers";
  /** Of a tool's call: who makes it; absent: the gateway does. */
  readonly act?: Exclude<ToolWork["act"], "tool">;
  /** The digest of what its server sent, for a receipt; absent of a call, which is sent on. */
  readonly asked?: () => string;
  /** Its server's entry wants receipts, also where no rule does. */
  readonly receipts?: boolean;
  /** What was added to the request, and what of it no model gets. */
  readonly notes?: readonly Note[];
  /** The digests of its images, which are plain rasters by now (`plain-request.ts`). */
  readonly images?: readonly ImageDigests[];
  readonly association: Association;
  /** What the requestor calls the request, for its record. */
  readonly requestId?: string;
  /** The same request reference with another digest is refused. */
  readonly digest: string;
  /**
   * A digest of the content: equal for requests of one key that one reply could answer, from any
   * requestor. Few requests need it.
   */
  readonly content: () => string;
  /**
   * The same of a call that has gone to its server: less may tell two of them apart. Absent: as
   * before.
   */
  readonly sentContent?: () => string;
  readonly responseMode: ResponseMode;
  /**
   * The requestor says that it asked before and left: an identical request's run answers this one,
   * also where its caller seems to be there.
   */
  readonly isRetry?: true;
  /** Of a tool's call: what the rules know of the tool beside its name. */
  readonly call?: CallFacts;
  /** The requestor's terms for the model call. */
  readonly terms?: CallTerms;
  readonly cache?: { readonly ttlMs: number; /** What a cached reply depends on beside the request. */ readonly within: string | null };
  /** The run under which its key admitted it already; absent: a new one. */
  readonly run?: string;
  /** Gets the reply's text as the model streams it, where no gate is closed. */
  readonly onDelta?: (text: string) => void;
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
  readonly trace?: RequestTrace | undefined;
};

/** A request for a model's reply. */
export type MessageRequest = PipelineRequest & { readonly request: SamplingRequest };

/** What was started for an admitted request. */
export type Started =
  | { readonly kind: "answered"; readonly outcome: Outcome }
  /** The model is being called, also where its caller leaves. */
  | {
      readonly kind: "fast";
      readonly outcome: Promise<Outcome>;
      /** Of this call; absent where it is another caller's. */
      readonly slow?: SlowTimer;
      /** It has a lease among the requests of its key; another caller's call has none for this. */
      readonly isCounted: boolean;
    }
  /** `posts`: the run itself posts its answer to the MCP server that waits. */
  | { readonly kind: "run"; readonly run: string; readonly posts: boolean };
