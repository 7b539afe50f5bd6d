// The relay, for an object that is a client of it, or that sends a client's approved call. Objects
// import no endpoint, so the Worker's app hands it in when it is loaded.

import type { Json, JsonObject } from "../../shared/encoding.ts";
import type { RelayedRequest } from "../../shared/run/work.ts";
import type { ReportFailure } from "../mcp-client/request-failure.ts";
import type { Env } from "../platform/env.ts";
import type { KeyRecord } from "../stores/keys.ts";
import type { CallReturn, Claim, UnsentWhy } from "./run-calls.ts";

/** One request to the relay, of a client that was let in. */
export type InsideVisit = {
  readonly env: Env;
  readonly ctx: Pick<ExecutionContext, "waitUntil">;
  readonly key: KeyRecord;
  /** The server's name in the servers document. */
  readonly server: string;
  /** The client's own credential for the server, where the entry passes it on. */
  readonly authorization: string | null;
  /** Aborts when the key ends. */
  readonly over: AbortSignal;
  readonly reportFailure?: ReportFailure;
};

type InsideRelay = (visit: InsideVisit, request: Request) => Promise<Response>;

/**
 * What came of an approved call. `response`: the server's, as JSON; null where the run has it.
 * `unsent`: its last request was refused for its login before anything was done, or was not sent.
 */
export type ApprovedAnswer =
  | { readonly kind: "sent"; readonly returned: CallReturn; readonly response: string | null }
  | { readonly kind: "unsent"; readonly why: UnsentWhy };

/** A round of a call that is sent in its client's place (2026-07-28). */
export type CallRound = {
  /** How many requests the server got before. */
  readonly count: number;
  /** The state to bring back, as JSON has it; absent where there is none. */
  readonly requestState?: Json;
  /** What the server asks (`inputRequests`); null: it only wants to be asked again. */
  readonly asks: JsonObject | null;
};

/** As its run keeps it: the client's answers so far, and whether the next attempt has gone. */
export type KeptRound = CallRound & { readonly answers: JsonObject; readonly isSent: boolean };

/** The client of a call that is sent in its place. */
export type AbsentClient = {
  /** An event of the server's stream. `isQuestion`: one that the server wants a response to. */
  readonly tell: (event: string, isQuestion: boolean) => void;
  /**
   * Keeps the round, and gives the client's answers to it by their keys, right before the next
   * attempt goes: until then an instance that is lost loses nothing of the call.
   */
  readonly round: (round: CallRound) => Promise<JsonObject>;
};

type SendApproved = (
  visit: InsideVisit,
  relayed: RelayedRequest,
  claim: Extract<Claim, { readonly kind: "claimed" }>,
  client: AbsentClient,
  /** The round from which an instance after the first goes on; null: nothing was sent yet. */
  from: KeptRound | null,
) => Promise<ApprovedAnswer>;

let relay: { readonly inside: InsideRelay; readonly approved: SendApproved } | null = null;

export function handInRelay(inside: InsideRelay, approved: SendApproved): void {
  relay = { inside, approved };
}

const handedIn = () => {
  if (relay === null) throw new Error("insideRelay: the app has not handed it in");
  return relay;
};

export const insideRelay: InsideRelay = (visit, request) => handedIn().inside(visit, request);

/** Sends a client's approved call, with what it was approved with, or goes on with it. */
export const sendApproved: SendApproved = (...call) => handedIn().approved(...call);
