// The only place that logs. An event has a name and a few facts of known kinds; there is no way to
// pass text from outside.
//
// Prompts, replies, tokens and keys never reach a log: no parameter here can carry one, and errors
// are logged by their class alone, because their messages may quote what they choked on.

import type { OutboxKind, ScheduleKind } from "../stubs/run-calls.ts";
import type { Dependent } from "../stubs/key-calls.ts";
import type { WitnessProblem } from "../stubs/ledger-calls.ts";

type LogFacts = {
  /** Which kind of row of a run's outbox. */
  readonly effect?: OutboxKind;
  /** Which row of a run's schedule. */
  readonly clock?: ScheduleKind;
  /** Which kind of thing of a key. */
  readonly what?: Dependent["kind"];
  /** Why a witness did not take a checkpoint. */
  readonly problem?: WitnessProblem;
  readonly run?: string;
  readonly status?: number;
  readonly attempt?: number;
  readonly quote?: string;
  readonly error?: string;
  readonly count?: number;
};

export type LogEvent =
  | "request.failed"
  | "writeBehind.flushFailed"
  | "config.publishFailed"
  | "config.recordFailed"
  | "config.documentInvalid"
  | "inbox.devicesFailed"
  | "issuer.keysUnavailable"
  | "run.effectFailed"
  | "run.alarmFailed"
  | "receipt.failed"
  | "run.scheduleFailed"
  | "run.unreadable"
  | "object.storedByLaterVersion"
  | "key.endFailed"
  | "key.alarmFailed"
  | "key.checkFailed"
  | "queue.alarmFailed"
  | "config.alarmFailed"
  | "ledger.alarmFailed"
  | "ledger.witnessFailed"
  | "session.alarmFailed"
  | "session.writeFailed"
  | "digest.alarmFailed"
  | "inbox.alarmFailed"
  | "inbox.issuerFailed"
  | "inbox.issuerRefused"
  | "inbox.mailFailed"
  | "inbox.signOutFailed"
  | "sweep.failed"
  | "session.cancelFailed"
  | "cache.failed"
  | "lastCall.failed"
  | "kept.forgetFailed"
  | "call.forgetFailed"
  | "bridge.failed"
  | "budget.alarmFailed"
  | "budget.noticeFailed"
  | "budget.unverified"
  | "alert.alarmFailed"
  | "alert.sendFailed"
  | "alert.lookFailed"
  | "oauth.alarmFailed"
  | "stop.alarmFailed"
  | "stop.withdrawFailed"
  | "relay.rememberFailed"
  | "images.failed"
  | "tools.failed"
  | "tools.recordFailed"
  | "pages.failed"
  | "telemetry.exportFailed"
  | "metrics.failed";

/** Writes one line of JSON. */
export function logEvent(event: LogEvent, facts: LogFacts = {}): void {
  // oxlint-disable-next-line no-console -- this file is the one that may
  console.error(JSON.stringify({ event, ...facts }));
}

/**
 * The class of an error and nothing of its message: its `name`, because minifying renames the class
 * itself. A name that is no word is not a class's.
 */
export function errorClass(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return /^\w{1,60}$/.test(error.name) ? error.name : "Error";
}
