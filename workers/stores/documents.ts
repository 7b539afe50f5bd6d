// The configuration documents as this isolate serves them: read from KV, parsed on the way out, the last good one kept.
//
// A malformed or missing document never takes the gateway down: what served before serves on, and health says so.

import type { Result } from "../../shared/result.ts";
import { type Policy, parsePolicy } from "../../shared/policy/rules.ts";
import { defaultPolicy } from "../../shared/policy/default-policy.ts";
import { type RoutingTable, parseRoutingTable } from "../../shared/routing/table.ts";
import { defaultRoutingTable } from "../../shared/routing/default-table.ts";
import { type Servers, parseServers } from "../../shared/relay/servers.ts";
import { type Issuers, parseIssuers } from "../../shared/credential/issuers.ts";
import type { PointedError } from "../../shared/outcome/outcome.ts";
import type { Env } from "../env.ts";
import { logEvent } from "../log.ts";

export type DocumentName = "routing" | "policy" | "servers" | "issuers";

export type Documents = { readonly routing: RoutingTable; readonly policy: Policy };

/** Design: up to a minute old. KV's own cache takes the other half. */
const servedMs = 30_000;
const kvCacheSeconds = 30;
/** KV may show an older version for about a minute after a write: for so long nobody goes back to one behind what they wrote. */
const kvSettlesMs = 120_000;

type Served<T> = {
  value: T;
  text: string | null;
  readAt: number;
  /** When this isolate last saw a version written. */
  writtenAt: number;
  problem: string | null;
  refreshing: Promise<void> | null;
};
type Versioned = { readonly version: number };
type Kind<T extends Versioned> = {
  readonly name: DocumentName;
  readonly parse: (value: unknown) => Result<T, readonly PointedError[]>;
  readonly standard: T;
};

const routingKind: Kind<RoutingTable> = { name: "routing", parse: parseRoutingTable, standard: defaultRoutingTable() };
const policyKind: Kind<Policy> = { name: "policy", parse: parsePolicy, standard: defaultPolicy() };
const serversKind: Kind<Servers> = { name: "servers", parse: parseServers, standard: { version: 0, servers: {} } };
const issuersKind: Kind<Issuers> = { name: "issuers", parse: parseIssuers, standard: { version: 0, issuers: {} } };

type Shelf = { routing: Served<RoutingTable>; policy: Served<Policy>; servers: Served<Servers>; issuers: Served<Issuers> };
const shelves = new WeakMap<object, Shelf>();

function shelfOf(env: Env): Shelf {
  let shelf = shelves.get(env.CONFIG);
  if (shelf === undefined) {
    const unread = { text: null, readAt: 0, writtenAt: 0, problem: null, refreshing: null };
    shelf = {
      routing: { value: routingKind.standard, ...unread },
      policy: { value: policyKind.standard, ...unread },
      servers: { value: serversKind.standard, ...unread },
      issuers: { value: issuersKind.standard, ...unread },
    };
    shelves.set(env.CONFIG, shelf);
  }
  return shelf;
}

/**
 * The documents that serve now. Waits for KV the first time only; later an old one serves while the new one is read.
 * @param background keeps a refresh alive past the answer.
 */
export async function documentsOf(env: Env, now: number, background: (work: Promise<unknown>) => void): Promise<Documents> {
  const shelf = shelfOf(env);
  if (now - shelf.routing.readAt >= servedMs) await refresh(env, routingKind, shelf.routing, now, background);
  if (now - shelf.policy.readAt >= servedMs) await refresh(env, policyKind, shelf.policy, now, background);
  return { routing: shelf.routing.value, policy: shelf.policy.value };
}

/** The routing table as this isolate has it, without looking for a newer one; null where it has read none yet. */
export function routingInMemory(env: Env): RoutingTable | null {
  const { routing } = shelfOf(env);
  return routing.readAt === 0 ? null : routing.value;
}

/** The servers that the relay reaches now; read only where the relay is used. */
export async function serversOf(env: Env, now: number, background: (work: Promise<unknown>) => void): Promise<Servers> {
  const { servers } = shelfOf(env);
  if (now - servers.readAt >= servedMs) await refresh(env, serversKind, servers, now, background);
  return servers.value;
}

/** The issuers whose tokens are accepted now; read only where a token is presented. */
export async function issuersOf(env: Env, now: number, background: (work: Promise<unknown>) => void): Promise<Issuers> {
  const { issuers } = shelfOf(env);
  if (now - issuers.readAt >= servedMs) await refresh(env, issuersKind, issuers, now, background);
  return issuers.value;
}

/** What this isolate just saw written: served at once here and from here on, elsewhere within a minute. */
export function serveWritten(env: Env, name: DocumentName, text: string, now: number): void {
  const shelf = shelfOf(env);
  shelf[name].writtenAt = now;
  if (name === "routing") take(routingKind, shelf.routing, text, now);
  else if (name === "policy") take(policyKind, shelf.policy, text, now);
  else if (name === "servers") take(serversKind, shelf.servers, text, now);
  else take(issuersKind, shelf.issuers, text, now);
}

/** What is wrong with the documents, for health: one sentence each. */
export function documentProblems(env: Env): string[] {
  const { routing, policy, servers, issuers } = shelfOf(env);
  return [routing.problem, policy.problem, servers.problem, issuers.problem].filter((problem) => problem !== null);
}

async function refresh<T extends Versioned>(
  env: Env,
  kind: Kind<T>,
  served: Served<T>,
  now: number,
  background: (work: Promise<unknown>) => void,
): Promise<void> {
  served.refreshing ??= read(env, kind, served, now).finally(() => {
    served.refreshing = null;
  });
  if (served.readAt === 0) await served.refreshing;
  else background(served.refreshing);
}

async function read<T extends Versioned>(env: Env, kind: Kind<T>, served: Served<T>, now: number): Promise<void> {
  try {
    const text = await env.CONFIG.get(kind.name, { type: "text", cacheTtl: kvCacheSeconds });
    if (text === null) {
      served.readAt = now;
      served.problem = null;
      return;
    }
    take(kind, served, text, now, now - served.writtenAt < kvSettlesMs ? served.value.version : 0);
  } catch {
    served.readAt = Math.max(1, now - servedMs + 5_000);
    served.problem = `The ${kind.name} document could not be read from KV; the last good one serves.`;
  }
}

/** `least`: a version before this one is what somebody has replaced. */
function take<T extends Versioned>(kind: Kind<T>, served: Served<T>, text: string, now: number, least = 0): void {
  served.readAt = now;
  if (text === served.text) {
    served.problem = null;
    return;
  }
  const parsed = parseText(kind, text);
  if (parsed === null) {
    served.problem = `The ${kind.name} document in KV is malformed; the last good one serves. Write it again with PUT /admin/${kind.name}.`;
    logEvent("config.documentInvalid");
    return;
  }
  served.problem = null;
  if (parsed.version < least) return;
  served.text = text;
  served.value = parsed;
}

function parseText<T extends Versioned>(kind: Kind<T>, text: string): T | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const parsed = kind.parse(value);
  return parsed.ok ? parsed.value : null;
}

const kinds = { routing: routingKind, policy: policyKind, servers: serversKind, issuers: issuersKind };

/** What a fresh gateway serves: version 0. */
export const standardDocument = (name: DocumentName): object => ({ ...kinds[name].standard, version: 0 });
