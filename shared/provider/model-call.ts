// One call of one model: the request, and the candidate that gets it.

import type { ChatRequest } from "../model/sampling.ts";
import type { Candidate } from "../routing/choose.ts";

export type ModelCall = {
  readonly request: ChatRequest;
  readonly candidate: Candidate;
  /** The reply's text was delivered while it came, and cannot be withdrawn. */
  readonly streamed?: true;
};
