// How it was found which client request a sampling request serves, where it came through the relay; and how sure that makes it.

import type { Provenance } from "../model/gate.ts";

export type Evidence =
  /** It came on the response stream of that very request. */
  | "responseStream"
  /** It names the task that the server made for that request. */
  | "namedTask"
  /** Nothing was shown: no other request was in flight. */
  | "onlyInFlight"
  /** Nothing was shown: of several requests in flight this one began last. */
  | "newestInFlight";

/**
 * What the server showed was seen by the relay. A server that lies can do so by a response stream as well as by a task. Where it showed
 * nothing the relay inferred, and a rule or a grant for observed requests is not for this one.
 */
export const provenanceOf: Readonly<Record<Evidence, Extract<Provenance, "observed" | "inferred">>> = {
  responseStream: "observed",
  namedTask: "observed",
  onlyInFlight: "inferred",
  newestInFlight: "inferred",
};

/** As the record says it. */
export const evidenceWords: Readonly<Record<Evidence, string>> = {
  responseStream: "observed on the request's own stream",
  namedTask: "observed: the server named the request's task",
  onlyInFlight: "inferred: the only request in flight",
  newestInFlight: "inferred: the newest of several requests in flight",
};
