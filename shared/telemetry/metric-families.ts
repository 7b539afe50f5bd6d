// The metrics of GET /metrics: names, labels and what they mean. The dashboard's queries and
// docs/telemetry.md are checked against this list.
//
// Labels have our own words, and names from the operator's documents: no person, no key, nothing
// that a caller made up.

export type Family = {
  readonly help: string;
  readonly labels: readonly string[];
} & ({ readonly type: "counter" | "gauge" } | { readonly type: "histogram"; readonly bounds: readonly number[] });

/** In seconds, as times are in Prometheus. */
const modelSeconds = [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120] as const;
const peopleSeconds = [5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200, 21_600, 86_400] as const;

/** Sums of what the record has. They never decrease. */
export const countedFamilies = {
  countersign_requests_total: { type: "counter", help: "Requests that have ended, by how they ended.", labels: ["endpoint", "outcome"] },
  countersign_refusals_total: { type: "counter", help: "Refused requests of known keys, by reason.", labels: ["endpoint", "reason"] },
  countersign_model_attempts_total: {
    type: "counter",
    help: "Attempts at models and functions: answered, cached, or why they failed.",
    labels: ["model", "outcome"],
  },
  countersign_model_seconds: {
    type: "histogram",
    help: "How long the attempts took that were answered.",
    labels: ["model"],
    bounds: modelSeconds,
  },
  countersign_tokens_total: { type: "counter", help: "Tokens of answered attempts.", labels: ["model", "direction"] },
  countersign_cost_usd_total: { type: "counter", help: "What answered attempts cost, by the routing table's prices.", labels: ["model"] },
  countersign_review_seconds: {
    type: "histogram",
    help: "How long people took, from a review's opening to its end.",
    labels: ["gate", "outcome"],
    bounds: peopleSeconds,
  },
  countersign_reviews_opened_total: { type: "counter", help: "Reviews that were opened.", labels: ["gate"] },
  countersign_grants_used_total: { type: "counter", help: "Gates that a grant opened.", labels: ["gate"] },
  countersign_edits_total: { type: "counter", help: "Edits of requests and replies by reviewers.", labels: ["gate"] },
  countersign_notices_total: {
    type: "counter",
    help: "Notices to reviewers: sent, or why they were not.",
    labels: ["channel", "state"],
  },
} as const satisfies Readonly<Record<string, Family>>;

/** How things stand when they are read. */
const gaugeFamilies = {
  countersign_open_requests: { type: "gauge", help: "Requests that have not ended, by what they wait for.", labels: ["state"] },
  countersign_budget_used_ratio: {
    type: "gauge",
    help: "How much of a budget is used, reservations left out; of one with parts the most of any.",
    labels: ["budget", "unit", "per"],
  },
  countersign_budget_parts_used_up: {
    type: "gauge",
    help: "Parts of a budget of which nothing is left.",
    labels: ["budget", "unit", "per"],
  },
  countersign_budget_parts_left_out: {
    type: "gauge",
    help: "Parts of budgets that were not read, because there are too many.",
    labels: [],
  },
  countersign_behind: {
    type: "gauge",
    help: "1 where the record has events that are not counted yet; the next reading counts more.",
    labels: [],
  },
} as const satisfies Readonly<Record<string, Family>>;

export type CountedName = keyof typeof countedFamilies;
export type GaugeName = keyof typeof gaugeFamilies;

export const families: Readonly<Record<CountedName | GaugeName, Family>> = { ...countedFamilies, ...gaugeFamilies };
