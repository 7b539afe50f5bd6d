// The calls of a SessionObject and their values. It imports no object.

import type { Originating } from "../../shared/association/relay-association.ts";
import type { Reservation, ReservationRequest } from "../../shared/association/session.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { Outcome, WithdrawCause } from "../../shared/model/outcome.ts";
import type { ReservedFacts } from "../../shared/run/unknown-outcome.ts";

export type AssociateInput = ReservationRequest & {
  /** The originating request's key: server and id, as `originatingKey` writes it. */
  readonly originating: string;
  /** The sampling request's JSON-RPC id with its type. */
  readonly request: string;
  /**
   * An id that stands for the request in every session of the key: reserved with it, and a conflict
   * where another request has it.
   */
  readonly reservation: string | null;
  /** False where the request will be refused anyway: it is associated and nothing is written. */
  readonly reserve: boolean;
  /**
   * For the record, should the Worker be cut off before its line is written. Null: a run writes it.
   */
  readonly facts: ReservedFacts | null;
  /**
   * Until when a session that its key counts may begin with this request, in Unix milliseconds.
   * Null: it may not, unless it has begun. Absent: it is not counted.
   */
  readonly sessionPermitUntil?: number | null;
  /** Outcomes of earlier requests that this session does not have yet. */
  readonly settled: readonly Settled[];
};

/** The outcome of a fast-path request. `isRecorded`: the record is known to have its line. */
export type Settled = SessionRequest & { readonly run: string; readonly result: JsonOf<Outcome>; readonly isRecorded: boolean };

export type AssociateAnswer =
  | { readonly kind: "fresh"; readonly takenOver: boolean }
  /** `ended`: the run has ended and may be deleted. */
  | {
      readonly kind: "repeat";
      readonly run: string;
      readonly state: Reservation["state"];
      readonly ended: boolean;
      readonly result: JsonOf<Outcome> | null;
    }
  | { readonly kind: "conflict" }
  /** The session would begin: its key has to count it first. Nothing is reserved. */
  | { readonly kind: "notBegun" }
  | { readonly kind: "ended"; readonly what: "session" | "originatingRequest" }
  | { readonly kind: "tooManyRounds"; readonly limit: number };

/** A client request on its way through the relay. */
export type InFlightRow = {
  /** Its JSON-RPC id with its type. */
  readonly request: string;
  /** The originating request's key: the same request, or the one that its task runs for. */
  readonly originating: string;
  /** The originating request. */
  readonly named: JsonOf<Originating>;
};

export type SessionSigns = {
  /** The request that the named task runs for. */
  readonly task: JsonOf<Originating> | null;
  /** Newest first. */
  readonly inFlight: JsonOf<Originating>[];
};

export interface SessionCalls extends Rpc.DurableObjectBranded {
  /**
   * Associates a sampling request and, where it is fresh, reserves it: in one call, so that of two
   * repeats only one is fresh. Unless it becomes a run, the answer does not wait until the
   * reservation is confirmed.
   */
  associate(question: JsonOf<AssociateInput>): JsonOf<AssociateAnswer>;
  /**
   * Reserves an id for this digest, in every session; false where it stands for another. Kept for a
   * day after it was last reserved.
   */
  reserveRequestId(id: string, digest: string): boolean;
  /**
   * Frees the id of a refused request, unless another request reserved it for the same digest and
   * was not refused.
   */
  releaseRequestId(id: string, digest: string): void;
  /**
   * The request adopted an earlier run, which answers it. Where its originating request ended
   * meanwhile, it is withdrawn there.
   */
  adopted(originating: string, request: string, run: string): Promise<void>;
  /**
   * Stores the outcomes of fast-path requests for repeats, and gives them to the callers that wait
   * now.
   */
  settle(answers: JsonOf<readonly Settled[]>): void;
  /**
   * Forgets a request that was reserved and then refused: its id is free again, and it was no
   * round. `reservation`: the id it reserved. `isAnswered`: its line is on its way to the record.
   */
  forget(reserved: SessionRequest & { readonly run: string }, reservation: string | null, isAnswered: boolean): void;
  /**
   * Waits for a fast-path outcome that another caller is getting; null where none came within
   * `waitMs`: ask again.
   */
  awaitResult(originating: string, request: string, waitMs: number): Promise<JsonOf<Outcome> | null>;
  /**
   * The run that answers these requests has ended: they are no longer to be withdrawn from it. May
   * come before `adopted`.
   */
  runEnded(run: string, requests: readonly SessionRequest[]): void;
  /**
   * Ends originating requests: their open runs are cancelled, and later sampling for them is
   * refused for as long as they are known. `begins`: also in a session that is not known yet;
   * without it such a session stays unknown, and the answer is false.
   */
  endOriginating(ended: readonly string[], cause: WithdrawCause, begins: boolean): Promise<boolean>;
  /**
   * Client requests are on their way through the relay. `holder`: the stream on which they are
   * answered.
   */
  openInFlight(requests: readonly InFlightRow[], holder: string): void;
  /**
   * Another stream continues a request; changes nothing where the request was answered or
   * cancelled.
   */
  resumeInFlight(request: string, holder: string): void;
  renewInFlight(holder: string): void;
  /** The stream broke: its requests are not in flight until another stream resumes them. */
  leaveInFlight(holder: string): void;
  /**
   * A server runs a client's request as a task: sampling while the client waits for the task's
   * result serves that request.
   */
  keepTask(id: string, named: JsonOf<Originating>): void;
  /** The request that a task runs for, or null. */
  taskServes(id: string): JsonOf<Originating> | null;
  /** The runs of requests under originating keys that begin so, newest first. */
  runsOf(keys: string, from: number, most: number): string[];
  /**
   * The server's instructions from `initialize`, where they may be added to its sampling requests.
   */
  keepInstructions(text: string): void;
  instructions(): string | null;
  /** The level of `logging/setLevel`, for a server that wants it with each request. */
  keepLogLevel(level: string): void;
  logLevel(): string | null;
  /**
   * The requests were answered: sampling for them ends, except for a request that `goesOn` as a
   * task.
   */
  closeInFlight(requests: readonly string[], goesOn: boolean): Promise<void>;
  /** The candidates for a sampling request that came on no response stream. */
  associationSigns(task: string | null): SessionSigns;
  /**
   * Opens an originating request for which a token is made; false where it or its session has
   * ended. `mustBeInFlight`: also where it is not on its way through the relay now.
   */
  openOriginating(key: string, mustBeInFlight: boolean): boolean;
  isEnded(): boolean;
  /** Whether its key counts it: it has begun, was not ended, and is not forgotten. */
  isAlive(): boolean;
  /** Ends the session for as long as it is known. `begins`: as in `endOriginating`. */
  endSession(begins: boolean): Promise<boolean>;
  /**
   * The requestor cancelled one sampling request. Two servers of a session may use the same id:
   * without the originating request only an id of exactly one open run cancels it.
   */
  cancelRequest(request: string, originating: string | null): Promise<boolean>;
  /**
   * The MCP server stopped waiting. A run in callback mode goes on for the server's next attempt,
   * also where the originating request ends; any other run is withdrawn.
   */
  abandonRequest(request: string, originating: string | null): Promise<void>;
}

/** One sampling request of this session. */
export type SessionRequest = { readonly originating: string; readonly request: string };

/** `associate` of this session. Between objects a text costs less than the values in it. */
export const associateIn = async (
  session: Pick<DurableObjectStub<SessionCalls>, "associate">,
  input: AssociateInput,
): Promise<AssociateAnswer> => readJsonOf(await session.associate(jsonOf(input)));
