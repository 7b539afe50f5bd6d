// The evidence for which client request a sampling request of the relay serves, and how sure that
// makes the association.

import type { Provenance } from "../model/gate.ts";

export type Evidence =
  /** The sampling request came on the response stream of that client request. */
  | "responseStream"
  /** The sampling request names the task that the server made for that client request. */
  | "namedTask"
  /**
   * The sampling request came inside the result of that client request, in a round of revision
   * 2026-07-28.
   */
  | "inputRound"
  /** The server showed nothing; no other request was in flight. */
  | "onlyInFlight"
  /** The server showed nothing; of several requests in flight this one began last. */
  | "newestInFlight";

/**
 * The relay observes what the server shows; a server that lies can do so by a response stream as
 * well as by a task. Where the server shows nothing, the relay infers, and a rule or a grant for
 * observed requests does not apply.
 */
export const provenanceOf: Readonly<Record<Evidence, Extract<Provenance, "observed" | "inferred">>> = {
  responseStream: "observed",
  namedTask: "observed",
  inputRound: "observed",
  onlyInFlight: "inferred",
  newestInFlight: "inferred",
};

/** The evidence as the record names it. */
export const evidenceWords: Readonly<Record<Evidence, string>> = {
  responseStream: "observed on the request's own stream",
  namedTask: "observed: the server named the request's task",
  inputRound: "observed in the request's own result",
  onlyInFlight: "inferred: the only request in flight",
  newestInFlight: "inferred: the newest of several requests in flight",
};
