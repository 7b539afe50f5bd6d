// A request as an endpoint hands it to the pipeline, and what is started for it.

import type { ImageDigests } from "../../shared/image/image-digests.ts";
import type { Note, CallTerms } from "../../shared/model/call.ts";
import type { Outcome } from "../../shared/model/outcome.ts";
import type { SamplingRequest } from "../../shared/model/sampling.ts";
import type { Candidate } from "../../shared/routing/choose.ts";
import type { Requestor, RequestRef, RunInput, WaitingServer } from "../../shared/run/run-input.ts";
import type { Env } from "../platform/env.ts";
import type { KeyRecord } from "../stores/keys.ts";
import type { SessionCalls } from "../stubs/session-calls.ts";

/**
 * How the requestor gets its answer. `sync`: on the connection that is held. `task`: a task or an asynchronous request; a run in any case.
 * `callback`: an MCP server waits, and a run that is opened for it posts the answer by itself; with `alwaysRun` nobody here stays until the
 * model has answered.
 */
export type ResponseMode =
  | { readonly kind: "sync" }
  | { readonly kind: "task"; readonly ttlMs: number | null }
  | { readonly kind: "callback"; readonly waiting: WaitingServer; readonly alwaysRun: boolean };

/** Which object remembers the request, and what it is known by there. A repeat has the same `requestRef`. */
export type Association = {
  readonly session: DurableObjectStub<SessionCalls>;
  readonly requestRef: RequestRef;
} & (
  | /** It serves a client request of its session. */ { readonly kind: "clientRequest" }
  /**
   * It serves none, and is remembered in a session of its requestor. Its id is reserved elsewhere: `releaseRequestId` gives it back where the
   * request is refused.
   */
  | { readonly kind: "ownRequest"; readonly releaseRequestId?: () => Promise<void> }
  /** It serves none and is of no session: the object of its id remembers it. `reserves`: the id that is reserved with it. */
  | { readonly kind: "sessionless"; readonly reserves: string | null }
);

/** Neutral, and with all that the endpoint knows of who asks and of what it repeats. */
export type PipelineRequest = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  readonly endpoint: RunInput["endpoint"];
  readonly requestor: Requestor;
  readonly request: SamplingRequest;
  /** The context that was asked for and is not given. */
  readonly contextIgnored: "thisServer" | "allServers" | null;
  /** What was added to the request. */
  readonly added?: Note;
  /** The digests of its images, which are plain rasters by now (`plain-request.ts`). */
  readonly images?: readonly ImageDigests[];
  /** Where a function is to be run: the request says it, and routing is not asked. */
  readonly destination?: Candidate;
  readonly association: Association;
  /** What the requestor calls the request, for its record. */
  readonly requestId?: string;
  /** The same request reference with another digest is refused. */
  readonly digest: string;
  /** A digest of what is asked for: equal for requests of one key that one reply could answer, whoever asks. */
  readonly content: string;
  readonly responseMode: ResponseMode;
  /** How the model is to be called, where the requestor says it. */
  readonly terms?: CallTerms;
  readonly cache?: { readonly ttlMs: number; /** What a cached reply depends on beside the request. */ readonly within: string | null };
  /** The run under which its key has let it in already; absent: a new one. */
  readonly run?: string;
  /** Hears the reply as the model gives it, where no gate is closed. */
  readonly onDelta?: (text: string) => void;
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal;
};

/** What was started for a request that may be served. */
export type Started =
  | { readonly kind: "answered"; readonly outcome: Outcome }
  /** The model is being asked: the outcome is under way, whether or not anybody waits for it. */
  | {
      readonly kind: "fast";
      readonly outcome: Promise<Outcome>;
      /** Another caller is getting it: this one has no place of its own under way. */
      readonly attached: boolean;
    }
  /** `posts`: the run itself posts its answer to the MCP server that waits. */
  | { readonly kind: "run"; readonly run: string; readonly posts: boolean };
