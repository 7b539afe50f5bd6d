// What may be asked of a SessionObject, and the values of those calls. It imports no object.

import type { Reservation } from "../../shared/association/session.ts";
import type { CancelCause } from "../../shared/model/outcome.ts";

export type AssociateInput = {
  /** The originating request's key: server and id, as `originatingKey` writes it. */
  readonly originating: string;
  /** The sampling request's JSON-RPC id with its type. */
  readonly request: string;
  readonly digest: string;
  readonly run: string;
  readonly leaseMs: number;
  readonly roundsLimit: number;
  /** It serves no client request (the control endpoint): nothing is remembered of one. */
  readonly alone: boolean;
  /** An id that stands for the request in every session of the key: taken with the reservation, and refused where something else has it. */
  readonly reservation: string | null;
  /** False where the request will be refused anyway: association is judged and nothing is written. */
  readonly reserve: boolean;
  /** True where the request becomes a run: its RunObject has it from the start, and no lease runs out. */
  readonly durable: boolean;
  /** Answers to earlier requests that have not been told yet. */
  readonly settled: readonly Settled[];
};

/** The outcome of a fast-path request: JSON of `Outcome`. */
export type Settled = { readonly originating: string; readonly request: string; readonly run: string; readonly result: string };

export type AssociateAnswer =
  | { readonly kind: "fresh"; readonly takenOver: boolean }
  /** `ended`: the run is over and may have been deleted with its time. */
  | {
      readonly kind: "repeat";
      readonly run: string;
      readonly state: Reservation["state"];
      readonly ended: boolean;
      readonly result: string | null;
    }
  | { readonly kind: "conflict" }
  | { readonly kind: "ended"; readonly what: "session" | "originatingRequest" }
  | { readonly kind: "tooManyRounds"; readonly limit: number };

/** A client request on its way through the relay. */
export type InFlightRow = {
  /** Its JSON-RPC id with its type. */
  readonly request: string;
  /** The originating request's key: the same request, or the one that its task runs for. */
  readonly originating: string;
  /** The originating request, as JSON. */
  readonly named: string;
};

export interface SessionCalls extends Rpc.DurableObjectBranded {
  /** Judges a sampling request and, where it is fresh, reserves it: in one call, so that of two repeats one is fresh. */
  associate(input: AssociateInput): AssociateAnswer;
  /**
   * Takes an id for what has this digest, in whatever session it is; false where something else has it. Kept for a day after it was
   * reserved last.
   */
  reserveRequestId(id: string, digest: string): boolean;
  /** The request that reserved the id was refused: the id is free again, unless another request reserved it for the same and was not refused. */
  releaseRequestId(id: string, digest: string): void;
  /** The request is answered by an earlier run that it adopted. Where its originating request ended meanwhile, it is withdrawn there. */
  adopted(originating: string, request: string, run: string): Promise<void>;
  /** Fast-path requests have their answers: kept for repeats, and given to those who wait for them now. */
  settle(answers: readonly Settled[]): void;
  /** A request that was reserved and then refused is forgotten, so that the same id can be used again, and was no round. `claimed`: the id that it reserved. */
  forget(originating: string, request: string, run: string, claimed: string | null): void;
  /** Waits for a fast-path answer that another caller is getting; null when none came within `waitMs`: ask again. */
  awaitResult(originating: string, request: string, waitMs: number): Promise<string | null>;
  /** The run that answers these requests is over: they are not to be withdrawn from it any more. It may be told before `adopted` is. */
  runEnded(run: string, requests: readonly Claim[]): void;
  /**
   * Ends originating requests: their open runs are cancelled, later sampling for them is refused, for as long as they are known.
   * `begins`: also in a session of which nothing is known yet; false where that is so and it must not.
   */
  endOriginating(ended: readonly string[], cause: CancelCause, begins: boolean): Promise<boolean>;
  /** Client requests are on their way through the relay. `holder` is the stream that answers for them. */
  openInFlight(requests: readonly InFlightRow[], holder: string): void;
  /** Another stream goes on with a request; nothing where it was answered or given up. */
  resumeInFlight(request: string, holder: string): void;
  renewInFlight(holder: string): void;
  /** The stream broke: its requests are not in flight, unless somebody resumes them. */
  leaveInFlight(holder: string): void;
  /** A server runs a client's request as a task: what it asks while the task's result is waited for serves that request. */
  keepTask(id: string, named: string): void;
  /** The request that a task runs for, as JSON, or null. */
  taskServes(id: string): string | null;
  /** What the server said of itself at the beginning, where it may be added to what it asks. */
  keepInstructions(text: string): void;
  instructions(): string | null;
  /** They were answered. What was sampled for them is over with them, but for what `goesOn` as a task. */
  closeInFlight(requests: readonly string[], goesOn: boolean): Promise<void>;
  /**
   * What may be served by a request that no response stream shows, as JSON: the request that the named task runs for, and those in
   * flight, newest first.
   */
  associationSigns(task: string | null): { readonly task: string | null; readonly inFlight: string[] };
  isEnded(): boolean;
  /** Ends the session: its name stays ended for as long as it is known. `begins`: as in `endOriginating`. */
  endSession(begins: boolean): Promise<boolean>;
  /**
   * The requestor withdrew one sampling request. Two servers of a session may use the same id: without the originating
   * request only an id that names one open run is acted on.
   */
  cancelRequest(request: string, originating: string | null): Promise<void>;
  /**
   * The MCP server that asked did not wait any longer. The run goes on for its next try, whatever becomes of the originating request;
   * where the run is of another kind, this is a withdrawal.
   */
  abandonRequest(request: string, originating: string | null): Promise<void>;
}

/** One sampling request of this session. */
export type Claim = { readonly originating: string; readonly request: string };
