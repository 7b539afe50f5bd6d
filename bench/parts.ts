// The parts of the benchmark by name, in the order in which they run.

import type { Settings } from "./options.ts";
import type { Findings } from "./report.ts";
import type { Rig } from "./rig.ts";
import { budgets } from "./parts/budgets.ts";
import { bill } from "./parts/bill.ts";
import { cold } from "./parts/cold.ts";
import { consolePages } from "./parts/console.ts";
import { decision } from "./parts/decision.ts";
import { failover } from "./parts/failover.ts";
import { flood } from "./parts/flood.ts";
import { growth } from "./parts/growth.ts";
import { lane } from "./parts/lane.ts";
import { overhead } from "./parts/overhead.ts";
import { relay } from "./parts/relay.ts";
import { searching } from "./parts/search.ts";
import { streaming } from "./parts/streaming.ts";
import { traces } from "./parts/traces.ts";
import { waiting } from "./parts/waiting.ts";

export type Part = {
  /** What it measures, in one line. */
  readonly about: string;
  readonly run: (rig: Rig, settings: Settings) => Promise<Findings>;
};

export const parts: Readonly<Record<string, Part>> = {
  overhead: { about: "what a request costs through the gateway, beside forwarders and Portkey's gateway", run: overhead },
  budgets: { about: "what budgets add to a request on the fast path", run: budgets },
  traces: { about: "what exporting spans adds to a request on the fast path", run: traces },
  streaming: { about: "the time to the first token of a stream", run: streaming },
  failover: { about: "what it costs where the first provider is overloaded and the second is asked", run: failover },
  decision: { about: "from a reviewer's press to the caller's last byte, with a thousand callers waiting", run: decision },
  waiting: { about: "ten thousand requests that wait at once: objects awake, bytes, rows, none lost", run: waiting },
  bill: { about: "counted operations to dollars: approved requests, and reviews of an hour", run: bill },
  relay: { about: "what the relay adds to a tool call that does not sample, beside another MCP proxy", run: relay },
  growth: { about: "how a request's time grows with models, size, session and ledger, as pictures", run: growth },
  console: { about: "what the console's pages take with a hundred thousand requests in the ledger", run: consolePages },
  search: { about: "what lists of requests and searches take with a hundred thousand requests in the ledger", run: searching },
  cold: { about: "the bundle, the start of the Worker, and the first request", run: cold },
  lane: { about: "what a model's concurrency limit costs where no request waits", run: lane },
  flood: { about: "what a flood from one key does to the requests of another", run: flood },
};
