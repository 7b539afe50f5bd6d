// From a sampling request's preferences to a ranked list of models, deterministic and with its reasons.

import type { Model, Provider } from "./table.ts";

/** A model that can serve this request. `why` is one plain sentence for people; the list order is the failover order. */
export type Candidate = {
  readonly model: Model;
  readonly provider: Provider;
  readonly why: string;
  /** Worst case in US dollars: all input tokens as estimated, and `maxTokens` of output. */
  readonly worstCostUsd: number;
};
