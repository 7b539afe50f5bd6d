// The parts of the benchmark by name, in the order in which they run.

import type { Settings } from "./options.ts";
import type { Findings } from "./report.ts";
import type { Rig } from "./rig.ts";
import { away } from "./parts/away.ts";
import { bill } from "./parts/bill.ts";
import { consolePages } from "./parts/console.ts";
import { cpu } from "./parts/cpu.ts";
import { decision } from "./parts/decision.ts";
import { growth } from "./parts/growth.ts";
import { overhead } from "./parts/overhead.ts";
import { record } from "./parts/record.ts";
import { relay } from "./parts/relay.ts";
import { size } from "./parts/size.ts";
import { streaming } from "./parts/streaming.ts";
import { tail } from "./parts/tail.ts";
import { waiting } from "./parts/waiting.ts";
import { work } from "./parts/work.ts";

export type Part = {
  /** What it measures, in one line. */
  readonly about: string;
  readonly run: (rig: Rig, settings: Settings) => Promise<Findings>;
};

export const parts: Readonly<Record<string, Part>> = {
  overhead: { about: "what a request costs through the gateway, beside forwarders and Portkey's gateway", run: overhead },
  cpu: { about: "CPU of the fast path beside that of another checkout, which --base names", run: cpu },
  work: { about: "the work of a request on the fast path, counted: the same on a busy machine", run: work },
  record: { about: "what it costs to have a request's line in the record before its answer", run: record },
  tail: { about: "the slowest of a hundred requests at a provider that takes 21 ms, as BerriAI measures it", run: tail },
  streaming: { about: "the time to the first token of a stream", run: streaming },
  decision: { about: "from a reviewer's press to the caller's last byte, with a thousand callers waiting", run: decision },
  waiting: { about: "ten thousand requests that wait at once: objects awake, bytes, rows, none lost", run: waiting },
  bill: { about: "counted operations to dollars: approved requests, and reviews of an hour", run: bill },
  relay: { about: "what the relay adds to a tool call that does not sample, beside another MCP proxy", run: relay },
  growth: { about: "how a request's time grows with models, size, session and ledger, as pictures", run: growth },
  console: { about: "what the console's pages take with a hundred thousand requests in the ledger", run: consolePages },
  size: { about: "the record with ten million requests: the console, an old request, verifying it", run: size },
  away: { about: "R2 away for an hour under load: who waits, what is lost, how it catches up", run: away },
};
