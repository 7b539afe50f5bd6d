// Which object is which: every Durable Object's name is made here.

import { bytesToHex, digestOf } from "../../shared/encoding.ts";
import { jsonOf } from "../../shared/json/json-of.ts";
import { recordShardOf, recordShards } from "../../shared/record/shards.ts";
import { randomOfRunId } from "../../shared/sealed-id.ts";
import type { Env } from "../platform/env.ts";
import { isolateMap } from "../platform/isolate.ts";
import type { Allowance } from "../../shared/budget/budgets.ts";
import type { AlertCalls } from "./alert-calls.ts";
import type { BridgeCalls } from "./bridge-calls.ts";
import type { BudgetCalls } from "./budget-calls.ts";
import type { ToolCall } from "../../shared/model/subject/tool-call.ts";
import type { CacheCalls, KeptReply } from "./cache-calls.ts";
import type { CallCalls } from "./call-calls.ts";
import type { ConfigCalls } from "./config-calls.ts";
import type { ConversationCalls } from "./conversation-calls.ts";
import type { DigestCalls } from "./digest-calls.ts";
import type { InboxCalls } from "./inbox-calls.ts";
import type { KeyCalls } from "./key-calls.ts";
import type { QueueCalls } from "./queue-calls.ts";
import type { OAuthCalls } from "./oauth-calls.ts";
import type { LedgerCalls, LedgerEntry } from "./ledger-calls.ts";
import type { RunCalls } from "./run-calls.ts";
import { type StopCalls, stopShards } from "./stop-calls.ts";
import type { SessionCalls } from "./session-calls.ts";
import type { ToolsCalls } from "./tools-calls.ts";

export const ledgerShards = recordShards;

/**
 * A session belongs to the key that used it: the name is derived from both, so one key can never
 * reach another's session.
 */
export function sessionStub(env: Env, keyId: string, session: string): DurableObjectStub<SessionCalls> {
  const label = `${keyId} ${session}`;
  let name = sessionNames.get(label);
  if (name === undefined) {
    name = digestOf("countersign/session-name/v1", { keyId, session });
    if (sessionNames.size >= mostSessionNames) sessionNames.clear();
    sessionNames.set(label, name);
  }
  return env.SESSION.getByName(name);
}

/**
 * The objects that know a key's requests at the control endpoint by their ids, sixteen for each
 * key. No client's session has such a name, since those have no space.
 */
export function controlStub(env: Env, keyId: string, requestId: string): DurableObjectStub<SessionCalls> {
  return sessionStub(env, keyId, `control ${recordShardOf(requestId)}`);
}

/**
 * The objects that know a key's requests under /v1 by their `Idempotency-Key`, sixteen for each
 * key.
 */
export const v1Stub = (env: Env, keyId: string, id: string): DurableObjectStub<SessionCalls> =>
  sessionStub(env, keyId, `v1 ${recordShardOf(id)}`);

/** The same for its requests at POST /approvals. */
export const approvalsStub = (env: Env, keyId: string, id: string): DurableObjectStub<SessionCalls> =>
  sessionStub(env, keyId, `approvals ${recordShardOf(id)}`);

/** The session of this object's id, which we stored or sealed. */
export const sessionById = (env: Env, id: string): DurableObjectStub<SessionCalls> => env.SESSION.get(env.SESSION.idFromString(id));

/** Names computed before, by key and session; a key's id has no space in it. */
const sessionNames = isolateMap<string, string>();
const mostSessionNames = 10_000;

export const keyStub = (env: Env, keyId: string): DurableObjectStub<KeyCalls> => env.KEY.getByName(keyId);

/**
 * The object of a run whose id is known to be genuine: one that we made and stored, or that
 * `parseRunId` accepted at an endpoint. Its seal is not checked again, so that stored ids outlive
 * the signing key that sealed them.
 */
export function runStub(env: Env, id: string): DurableObjectStub<RunCalls> {
  const random = randomOfRunId(id);
  if (random === undefined) throw new Error("runStub: not a run id");
  return env.RUN.getByName(bytesToHex(random));
}

export const ledgerStub = (env: Env, shard: number): DurableObjectStub<LedgerCalls> => env.LEDGER.getByName(`shard-${shard}`);

/** Appends a run's entry to its ledger shard. Twice is the same as once. */
export async function appendToLedger(env: Env, run: string, entry: LedgerEntry): Promise<void> {
  await ledgerStub(env, ledgerShardOf(run)).append(jsonOf([entry]));
}

/** A run's ledger shard follows from its id, which is random. */
export const ledgerShardOf = (runId: string): number => recordShardOf(runId);

/**
 * The cached reply to one request of a key, by the digest of the request. The name is a digest of
 * both, as a session's is.
 */
export const cacheStub = (env: Env, keyId: string, digest: string): DurableObjectStub<CacheCalls<KeptReply>> =>
  env.CACHE.getByName(digestOf("countersign/cache-name/v1", { keyId, digest })) as DurableObjectStub<CacheCalls<KeptReply>>; // of this name

/** What a review of a call compares: the same tool of the same key, decided by the same people. */
type CallsAlike = {
  readonly key: string;
  readonly server: string;
  readonly tool: string;
  /** `decidersDigest`: nobody is shown what was approved by others. */
  readonly deciders: string;
};

/** The call that people approved last of these. */
export const lastCallStub = (env: Env, alike: CallsAlike): DurableObjectStub<CacheCalls<ToolCall>> =>
  env.CACHE.getByName(digestOf("countersign/last-call-name/v1", alike)) as DurableObjectStub<CacheCalls<ToolCall>>; // of this name

/**
 * The object of a client's request at a server of revision 2026-07-28, by what makes it the same
 * again: `digest` of the server, the method and the params. The name is a digest of that and the
 * key.
 */
export const callStub = (env: Env, keyId: string, digest: string): DurableObjectStub<CallCalls> =>
  env.CALL.getByName(digestOf("countersign/call-name/v1", { keyId, digest }));

/**
 * The session at a server of the 2025 revisions, by a digest of the server and of the client that
 * it is for, as `bridgeName` makes it.
 */
export const bridgeStub = (env: Env, keyId: string, digest: string): DurableObjectStub<BridgeCalls> =>
  env.BRIDGE.getByName(digestOf("countersign/bridge-name/v1", { keyId, digest }));

/** The turns that a session of a key asked to have remembered. */
export const conversationStub = (env: Env, keyId: string, session: string): DurableObjectStub<ConversationCalls> =>
  env.CONVERSATION.getByName(digestOf("countersign/conversation-name/v1", { keyId, session }));

/** The notices to one address of a channel; the name does not reveal the address. */
export const digestStub = (env: Env, channel: string, address: string): DurableObjectStub<DigestCalls> =>
  env.DIGEST.getByName(digestOf("countersign/digest-name/v1", { channel, address }));

/** A reviewer's inbox, by the object's name: `inboxNameOf` of the reviewer's. */
export const inboxStub = (env: Env, name: string): DurableObjectStub<InboxCalls> => env.INBOX.getByName(name);

/** A person's own login at a server of the document. `inbox`: the person's. */
export const loginStub = (env: Env, inbox: string, server: string): DurableObjectStub<OAuthCalls> =>
  env.OAUTH_STORE.getByName(`login ${inbox} ${server}`);

/** One for each model of each provider; neither name has a space in it. */
export const queueStub = (env: Env, { id, provider }: { readonly id: string; readonly provider: string }): DurableObjectStub<QueueCalls> =>
  env.CONCURRENCY_QUEUE.getByName(`${provider} ${id}`);

export const configStub = (env: Env): DurableObjectStub<ConfigCalls> => env.CONFIGURATION.getByName("one");

export const stopStub = (env: Env, shard: number): DurableObjectStub<StopCalls> => env.STOP.getByName(`shard-${shard}`);

/** Each of them has every stop. */
export const eachStopShard = <T>(env: Env, call: (shard: DurableObjectStub<StopCalls>, number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: stopShards }, (_, number) => call(stopStub(env, number), number)));

/** What is known of a server's tools, by the server's name in the servers document. */
export const toolsStub = (env: Env, server: string): DurableObjectStub<ToolsCalls> => env.TOOL_DEFINITIONS.getByName(server);

/**
 * The object of one amount of a budget: of the whole, or of one key or owner. A budget's name has
 * no space in it.
 */
export const budgetStub = (env: Env, { budget, part, unit }: Pick<Allowance, "budget" | "part" | "unit">): DurableObjectStub<BudgetCalls> =>
  env.BUDGET.getByName(digestOf("countersign/budget-name/v1", { budget, part, unit }));

/** What operators are told of. */
export const alertStub = (env: Env): DurableObjectStub<AlertCalls> => env.ALERTS.getByName("one");
