// The calls of a LedgerObject and their values. It imports no object.

import type { JsonOf } from "../../shared/json/json-of.ts";
import type { LinePage, LinePlace } from "../../shared/record/line-list.ts";
import type { Refusal } from "../../shared/model/outcome.ts";
import type { LineFilters } from "../../shared/record/line-query.ts";
import type { DecisionFact } from "../../shared/record/decisions.ts";
import type { LineTotals } from "../../shared/record/line-totals.ts";
import type { ServerFailures } from "../../shared/record/health-failures.ts";
import type { ServerMonths } from "../../shared/record/server-use.ts";
import type { Breakdown, Dimension } from "../../shared/record/usage-breakdown.ts";
import type { UsageSum } from "../../shared/record/usage.ts";
import type { ReplayedRequest } from "../../shared/record/policy-replay.ts";
import type { LoggedActs } from "../../shared/record/operators.ts";
import type { Endpoint, LineState, RecordEvent, TreeHead } from "../../shared/record/record.ts";
import type { RunSummary } from "../../shared/record/run-summary.ts";
import type { ReservedRequest } from "../../shared/run/unknown-outcome.ts";
import type { ToolCalls } from "../../shared/record/tool-calls.ts";
import type { NamedOutcomes } from "../../shared/telemetry/recent-outcomes.ts";
import type { MetricSums } from "../../shared/telemetry/metric-sums.ts";

/**
 * A notice as lists show it. A link's claims and random bytes are stored; its token is computed
 * when the notice is listed.
 */
export type NoticeRow = {
  readonly id: string;
  readonly at: number;
  readonly channel: string;
  readonly reviewer: string;
  readonly run: string;
  readonly gate: "request" | "response";
  /** `sent`, `failed`, or how the review ended. */
  readonly state: string;
  /** Why a notice did not go out. */
  readonly fault?: string;
  /** For the outbox channel only. */
  readonly link: { readonly reviewer: number; readonly expiresAtSeconds: number; readonly random: string } | null;
};

export type LedgerEntry = {
  readonly events: readonly RecordEvent[];
  readonly summary: RunSummary | null;
  readonly notices?: readonly NoticeRow[];
  /** When a run's object has work next, in Unix milliseconds; null: the run is deleted. */
  readonly expected?: Expected | { readonly run: string; readonly dueAt: null };
  readonly flood?: Flood;
};

/** A run, and when its object has work next, in Unix milliseconds. */
export type Expected = { readonly run: string; readonly dueAt: number };

/**
 * Refusals that are counted: how many there are so far. Each report of the same flood has a higher
 * count.
 */
export type Flood = {
  readonly run: string;
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly reason: Refusal["kind"];
  readonly since: number;
  readonly until: number;
  readonly count: number;
};

/** Every member narrows the list. */
export type RunsQuery = LineFilters & {
  /** `open`: every run that has not ended. `unanswered`: every one that ended without a reply. */
  readonly state?: LineState | "open" | "unanswered";
  /** One of its models answered; of a failure, one of its own that failed. */
  readonly provider?: { readonly name: string; readonly models: readonly string[] };
  /** Somebody approved or denied it: this person, where one is named. */
  readonly decided?: { readonly by: string | null };
  /**
   * A part of the run's id, of its key's, of a server's, tool's, model's or reviewer's name; or one
   * of these keys.
   */
  readonly search?: { readonly text: string; readonly keys: readonly string[] };
  /** Begun then or later, in Unix milliseconds. */
  readonly since?: number;
  /** Begun before then, in Unix milliseconds. */
  readonly until?: number;
  /** Only the lines after this one, in the order of the list. */
  readonly after?: LinePlace;
  readonly limit: number;
  /** So many lines are looked at, and no more. */
  readonly mostRead?: number;
};

/** What requests are added up. */
export type TotalsQuery = Omit<RunsQuery, "limit" | "after" | "mostRead">;

/** `stoppedAt`: what is older than this place was not read; null: it is all in the totals. */
export type ShardTotals = LineTotals & { readonly stoppedAt: LinePlace | null };

/** The calls of a server's tools, begun then or later (Unix milliseconds). */
export type ToolCallsQuery = { readonly server: string; readonly since: number };

/** `isPartial`: there are older ones, which were not read. */
export type ShardToolCalls = { readonly isPartial: boolean; readonly tools: readonly ToolCalls[] };

/** Requests begun from `since` to `after`, newest first. */
export type ReplayQuery = Required<Pick<RunsQuery, "since" | "after" | "limit">>;

/** A request for `replay`, and its place in the list. */
export type ReplayRow = ReplayedRequest & { readonly createdAt: number };

export type NoticesQuery = { readonly open?: boolean; readonly before?: number; readonly limit: number };

/** `after`: only servers whose names come after this one, in the order of UTF-8 bytes. */
export type ServerUseQuery = { readonly after: string; readonly limit: number };

/** `isBehind`: not every line is counted yet. Each call counts some more. */
export type ShardUse = { readonly isBehind: boolean; readonly servers: readonly ServerMonths[] };

/**
 * `isBehind`: not every event is counted yet. Each call counts some more. `open`: how many requests
 * have not ended, by state.
 */
export type ShardMetrics = {
  readonly isBehind: boolean;
  readonly sums: MetricSums;
  readonly open: readonly (readonly [state: string, requests: number])[];
};

/** From a time to another one, in Unix milliseconds: what begins at `until` is not in it. */
export type UsageBetween = { readonly since: number; readonly until: number };

/** What the requests of an hour or day came to, with when it began, in Unix milliseconds. */
export type UsageAt = readonly [at: number, usage: UsageSum];

/**
 * What is absent is not asked for. Times are whole hours for `hours`, and whole days in UTC for the
 * others.
 */
export type UsageQuery = {
  readonly hours?: UsageBetween;
  readonly days?: UsageBetween;
  readonly by?: UsageBetween & { readonly dimension: Dimension };
};

/**
 * `isBehind`: not every line is counted yet. Each call counts some more, and the rest is counted
 * soon after it.
 */
export type ShardUsage = {
  readonly isBehind: boolean;
  /** No request ever came to this shard, as far as lines are kept. */
  readonly isEmpty: boolean;
  readonly hours: readonly UsageAt[];
  readonly days: readonly UsageAt[];
  readonly by: Breakdown;
};

/** The request whose review expires first. */
export type FirstDue = Pick<RunSummary, "run" | "server" | "name"> & { readonly deadlineAt: number };

/**
 * The requests of a shard that have not ended. `isPartial`: there are more than it looked at, which
 * were the oldest.
 */
export type ShardOpen = {
  readonly isPartial: boolean;
  readonly open: number;
  /** Those that wait for people. */
  readonly waiting: number;
  /** When the oldest that waits for people came, in Unix milliseconds. */
  readonly oldestAt: number | null;
  readonly firstDue: FirstDue | null;
};

/**
 * What failed in a shard. `isPartial`: there is more, of servers or causes that failed longer ago.
 */
export type ShardFailures = { readonly isPartial: boolean; readonly failures: readonly ServerFailures[] };

/** `isPartial`: there was more than is told apart, or than was read after the object woke. */
export type ShardRecent = { readonly isPartial: boolean; readonly outcomes: readonly NamedOutcomes[] };

/** Events in the order in which they came. `next`: where to go on; null: they are all. */
export type ShardEntries = { readonly events: readonly RecordEvent[]; readonly next: number | null };

/** A signed note, and the key that it is checked with, as `tlog-checkpoint` has them. */
export type SignedCheckpoint = { readonly note: string; readonly key: string };

/** An entry of the log by its index, with its hash as base64url. */
export type EntryPlace = { readonly index: number; readonly leaf: string };

/** `proof`: after C2SP `tlog-proof`. `key`: as `signed-note` hands it on. */
export type EntryProof = EntryPlace & { readonly entry: string; readonly proof: string; readonly key: string };

/**
 * Why the witness has not taken the last checkpoint of a log: it does not know the log, or not its
 * key; it saw another log under the name, or more of it; it did not cosign it with the key that is
 * expected; it did not answer as a witness does; or there was no key to sign it with.
 */
export type WitnessProblem = "unknownLog" | "otherKey" | "notContinued" | "ahead" | "uncosigned" | "away" | "unsigned";

/** Entries; `stored`: those in R2. `unpublished`: full bundles that are not there yet. */
export type LogStatus = {
  readonly size: number;
  readonly pruned: number;
  readonly stored: number;
  readonly hasBucket: boolean;
  readonly unpublished: number;
  /** Since when the oldest of these is full, in Unix milliseconds; null: there is none. */
  readonly unpublishedSince: number | null;
  /** Null: the witness took the last one, or there is none. */
  readonly witnessProblem: WitnessProblem | null;
  /** What the object stores. */
  readonly bytes: number;
  /** When the first entry arrived that the object has, in Unix milliseconds; null: it has none. */
  readonly since: number | null;
};

export interface LedgerCalls extends Rpc.DurableObjectBranded {
  /** Appends what is new in each entry; what is stored already stays. */
  append(entries: JsonOf<readonly LedgerEntry[]>): Promise<void>;
  /**
   * Appends that their outcome is unknown, of those that have no line. Twice is the same as once.
   */
  appendUnknown(requests: JsonOf<readonly ReservedRequest[]>): Promise<void>;
  /**
   * The runs that had work due before then (Unix milliseconds) and have not reported since, the
   * longest overdue first.
   */
  overdue(before: number, limit: number): Expected[];
  /**
   * Stores what the sweep found at a run, unless the run itself reported meanwhile. `dueAt`: null
   * where the run is deleted.
   */
  lookedAfter(was: Expected, dueAt: number | null): void;
  /**
   * Lines, newest first. It may have fewer than there are: `stoppedAt` is where the next call goes
   * on.
   */
  runs(runsQuery: RunsQuery): Promise<JsonOf<LinePage>>;
  /** What people decided in these requests of the shard: each request's decisions in order. */
  decisions(requests: readonly string[]): Promise<JsonOf<readonly DecisionFact[]>>;
  /**
   * The time, in Unix milliseconds, from which `totals` has all requests of the query; null: it has
   * all that there are.
   */
  reach(query: TotalsQuery): Promise<number | null>;
  /** What the requests of a query come to, the newest that one call reads. */
  totals(query: TotalsQuery): Promise<JsonOf<ShardTotals>>;
  /** How often each tool of a server was called. It reads a bounded number of lines, the newest. */
  toolCalls(query: ToolCallsQuery): Promise<JsonOf<ShardToolCalls>>;
  /** Requests with their first event, to be judged by another policy. */
  replay(replayQuery: ReplayQuery): Promise<JsonOf<ReplayRow[]>>;
  /** How many requests `replay` has in all, by `since` alone. */
  begunSince(since: number): Promise<number>;
  /** The line of one request; null where there is none, or none any more. */
  line(run: string): Promise<JsonOf<RunSummary> | null>;
  /** What servers' sampling came to, in the order of their names. */
  serverUse(serverUseQuery: ServerUseQuery): Promise<JsonOf<ShardUse>>;
  /** The shard's metrics. */
  metrics(): Promise<JsonOf<ShardMetrics>>;
  /** What requests came to. */
  usage(usageQuery: UsageQuery): Promise<JsonOf<ShardUsage>>;
  /** What waits now. */
  openNow(): JsonOf<ShardOpen>;
  /** What failed since then (Unix milliseconds), within the last hour. */
  failures(since: number): JsonOf<ShardFailures>;
  /** What the last hour's model calls, requests and reviews came to. */
  recent(): Promise<JsonOf<ShardRecent>>;
  /**
   * Notices, newest first. `open`: only of reviews that still wait. `before`: Unix milliseconds.
   */
  notices(noticesQuery: NoticesQuery): JsonOf<NoticeRow[]>;
  /** Events of a run after this number, in order. */
  events(run: string, after: number, limit: number): Promise<JsonOf<RecordEvent[]>>;
  /** The events of a run before this number, the newest first. */
  eventsBefore(before: { readonly run: string; readonly seq: number }, limit: number): Promise<JsonOf<RecordEvent[]>>;
  /** All events, from this entry of the log on. */
  entries(from: number): Promise<JsonOf<ShardEntries>>;
  /** A file of the log by its path (`tile/0/000`); null where there is none. */
  file(path: string): Promise<Uint8Array | null>;
  /** The checkpoint of the log as it is; null where the key cannot be read. */
  checkpoint(): Promise<SignedCheckpoint | null>;
  /** The last checkpoint that the witness cosigned; null where there is none. */
  cosigned(): Promise<SignedCheckpoint | null>;
  /** The newest entry of a run; null where there is none, or none any more. */
  place(run: string): Promise<EntryPlace | null>;
  /** The same with the proof that the log has it; null also where its key cannot be read. */
  proof(run: string): Promise<EntryProof | null>;
  /** The tree of the log as it is. */
  tree(): Promise<TreeHead>;
  /**
   * What the log has of a run. `changedAt`: the first event whose entry, or the full bundle with
   * it, is not what the log's tree has; 1 where the tree does not go on from `known`.
   */
  logged(run: string, known: TreeHead | null): Promise<LoggedActs>;
  logStatus(): LogStatus;
}
