// The call of a tool that people approved last: the next review of the tool shows them what
// differs. It is content, kept for as long as content is, and for the same people alone.

import { type JsonOf, jsonOf } from "../../../../shared/json/json-of.ts";
import { isObject } from "../../../../shared/json/values.ts";
import type { ToolCall } from "../../../../shared/model/subject/tool-call.ts";
import { isToolCall } from "../../../../shared/model/subject/subject.ts";
import { redactRequest, rulesAt } from "../../../../shared/redaction/redact.ts";
import type { RunState } from "../../../../shared/run/lifecycle.ts";
import { decidersDigest } from "../../../../shared/run/run-input.ts";
import { errorClass, logEvent } from "../../../platform/log.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { lastCallStub } from "../../../stubs/stubs.ts";
import { currentRequest } from "../deliver/run-account.ts";
import { bookkeepingMs } from "../outbox/run-outbox.ts";
import type { RunDeps } from "../run-deps.ts";
import type { OutboxRow } from "../tables/outbox-rows.ts";
import type { RunStore, StoredInput } from "../tables/run-store.ts";

/** The call that the run is about, as it came; null where it is about something else. */
export function callIn(store: RunStore): ToolCall | null {
  const asked = store.requestVersion(1);
  return asked !== null && isToolCall(asked.request) ? asked.request : null;
}

const stubOf = ({ env }: Pick<RunDeps, "env">, { key, requestor, gatePolicy }: StoredInput, { tool }: ToolCall) =>
  lastCallStub(env, { key: key.id, server: requestor.server, tool, deciders: decidersDigest(gatePolicy) });

/** Inside the transaction of the approval. */
export const queueLastCall = ({ outbox }: RunStore, now: number): void =>
  outbox.queue("lastCall", "lastCall", { at: now }, now + bookkeepingMs);

/** Keeps the approved call. What a rule masks is masked, also where a reviewer lifted that. */
export async function keepLastCall(deps: RunDeps, { detail }: OutboxRow, input: StoredInput, state: RunState): Promise<void> {
  const request = currentRequest(deps.store, state)?.request;
  const at = isObject(detail) ? detail["at"] : undefined;
  if (request === undefined || !isToolCall(request) || typeof at !== "number") return;
  const rules = input.redaction === undefined ? [] : rulesAt(input.redaction, "request");
  const masked = redactRequest(request, rules, { mayRename: true });
  if (!masked.ok) return;
  await stubOf(deps, input, request).put(input.key.id, jsonOf(masked.value.value), at, settingsOf(deps.env).retentionMs);
}

/** What a new review compares its call with. Where it cannot be read, the review says less. */
export async function lastCallFor(deps: RunDeps, input: StoredInput): Promise<JsonOf<ToolCall> | null> {
  const call = input.gatePolicy.request === "review" ? callIn(deps.store) : null;
  if (call === null) return null;
  try {
    return (await stubOf(deps, input, call).get())?.text ?? null;
  } catch (error) {
    logEvent("lastCall.failed", { error: errorClass(error) });
    return null;
  }
}
