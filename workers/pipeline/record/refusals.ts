// Refused requests in the record: each by itself, and a flood as one count, so that refusing stays
// cheap and the record stays small.

import type { Flood, LedgerEntry } from "../../stubs/ledger-calls.ts";
import { numberEvents, type Endpoint, idWord, type RecordFact, providersWord } from "../../../shared/record/record.ts";
import { type RunSummary, uncalled } from "../../../shared/record/run-summary.ts";
import { judgedNames, judgedRecord } from "../../../shared/model/judged-request.ts";
import type { ParamsRefusal } from "../../../shared/json/issue-collector.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import { type RefusalFact, refusalFact } from "../../../shared/record/refusal-fact.ts";
import { callMethod } from "../../../shared/relay/call-notices.ts";
import { samplingMethod } from "../../../shared/relay/messages.ts";
import type { RequestTrace } from "../../../shared/telemetry/request-trace.ts";
import type { Env } from "../../platform/env.ts";
import { isolateState } from "../../platform/isolate.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import { ConfigurationUnavailable } from "../../stores/documents.ts";
import { newRunId } from "../run-context.ts";
import { exportRefused } from "./traced.ts";
import { enqueue } from "./write-behind.ts";

/** The refusal of a request whose params cannot be read. */
export const paramsRefusal = (refusal: ParamsRefusal): Refusal =>
  refusal.kind === "invalid" ? { kind: "invalidParams", errors: refusal.errors } : refusal;

/**
 * The refusal of a request at which something was thrown. Its id is in the log, unless the
 * documents could not be read, which is no fault of ours.
 */
export function thrownRefusal(error: unknown): Refusal {
  if (error instanceof ConfigurationUnavailable) return { kind: "configurationUnavailable" };
  const quote = crypto.randomUUID();
  logEvent("request.failed", { quote, error: errorClass(error) });
  return { kind: "broken", quote };
}

/** A refused request, as far as it could be read. */
export type Refused = {
  readonly key: string;
  readonly endpoint: Endpoint;
  readonly server?: string | undefined;
  readonly method?: string | undefined;
  readonly name?: string | undefined;
  /** What the requestor calls it. */
  readonly requestId?: string | undefined;
  readonly trace?: RequestTrace | undefined;
};

/**
 * So many a minute of one key, endpoint and reason are written one by one; the rest are counted.
 */
export const writtenOneByOne = 20;
const minuteMs = 60_000;

type Counting = {
  readonly since: number;
  written: number;
  /** Those that are counted; null while none are. */
  flood: { readonly run: string; count: number; isQueued: boolean } | null;
};

const countingsOf = isolateState(() => new Map<string, Counting>());
const mostCountings = 10_000;

function countingOf(env: Env, name: string, now: number): Counting {
  const ofEnv = countingsOf(env);
  const known = ofEnv.get(name);
  if (known !== undefined && now - known.since < minuteMs) return known;
  // A flood that was counted already is queued with its own count.
  if (ofEnv.size >= mostCountings) ofEnv.clear();
  const counting: Counting = { since: now, written: 0, flood: null };
  ofEnv.set(name, counting);
  return counting;
}

/**
 * Records the refusal of a known key's request. It costs the requestor no time: it is written
 * behind, in batches.
 */
export function recordRefusal(env: Env, ctx: Pick<ExecutionContext, "waitUntil">, refused: Refused, refusal: Refusal): void {
  const now = Date.now();
  const { key, endpoint } = refused;
  const counting = countingOf(env, `${key} ${endpoint} ${refusal.kind}`, now);
  if (counting.written < writtenOneByOne) {
    counting.written += 1;
    const run = newRunId(env);
    enqueue(env, ctx, { entry: { run, make: () => entryOf(run, now, refused, refusal) } });
    exportRefused(env, ctx, { ...refused, run }, { line: () => lineOf(run, now, refused, refusalFact(refusal)), reason: refusal.kind });
    return;
  }
  const flood = (counting.flood ??= { run: newRunId(env), count: 0, isQueued: false });
  flood.count += 1;
  if (flood.isQueued) return;
  flood.isQueued = true;
  const make = (): LedgerEntry => {
    flood.isQueued = false;
    const counted: Flood = {
      run: flood.run,
      key,
      endpoint,
      reason: refusal.kind,
      since: counting.since,
      until: counting.since + minuteMs,
      count: flood.count,
    };
    return { events: [], summary: null, flood: counted };
  };
  enqueue(env, ctx, { entry: { run: flood.run, make } });
}

function entryOf(run: string, at: number, refused: Refused, refusal: Refusal): LedgerEntry {
  const { key, endpoint, server = null, method = null, name = null, requestId } = refused;
  const reason = refusalFact(refusal);
  const fact: RecordFact = {
    kind: "refused",
    key,
    endpoint,
    server,
    method: method === null ? null : providersWord(method),
    name,
    ...(requestId === undefined ? {} : { requestId: idWord(requestId) }),
    reason,
    ...("judged" in refusal && refusal.judged !== undefined
      ? { judged: { ...judgedNames(refusal.judged), ...judgedRecord(refusal.judged) } }
      : {}),
  };
  return { events: numberEvents(run, null, at, [fact]), summary: lineOf(run, at, refused, reason) };
}

const lineOf = (run: string, at: number, { key, endpoint, server, method, name }: Refused, reason: RefusalFact): RunSummary => ({
  run,
  key,
  server: server ?? null,
  name: name ?? null,
  createdAt: at,
  endedAt: at,
  state: reason.kind === "broken" ? "failed" : "refused",
  cause: reason.kind === "broken" ? reason : { kind: "refused", reason },
  ...uncalled,
  ...(method === callMethod ? { call: true } : {}),
  ...(method !== samplingMethod ? {} : { use: { endpoint, revision: null, features: [], maxTokens: 0 } }),
});
