// One call of one model: what is asked, and of whom.

import type { ChatRequest } from "../model/sampling.ts";
import type { Candidate } from "../routing/choose.ts";

export type ModelCall = {
  readonly request: ChatRequest;
  readonly candidate: Candidate;
  /** The reply's text was handed on while it came: what was said cannot be unsaid. */
  readonly streamed?: true;
};
