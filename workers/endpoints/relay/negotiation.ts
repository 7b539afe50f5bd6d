// Which family of revisions a server speaks: with sessions (2024-11-05 to 2025-11-25), or stateless (2026-07-28). A server is asked once, by
// `server/discover`; what it said is remembered by this isolate and in KV, and found out again where it stops being true.
//
// It is a property of the server and not of one client, and nothing depends on it but which messages are sent: a wrong memory makes a request
// fail and is dropped then. Source: basic/versioning, "Backward Compatibility".

import type { JsonObject } from "../../../shared/encoding.ts";
import { digestOf } from "../../../shared/encoding.ts";
import { objectOf } from "../../../shared/json/values.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import {
  clientCapabilitiesKey,
  clientInfoKey,
  headerMismatchCode,
  missingCapabilityCode,
  protocolVersionKey,
  revision2026,
  unsupportedVersionCode,
} from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { type StatelessError, answerOf, askStateless } from "../../mcp-client/stateless-call.ts";
import type { Env } from "../../platform/env.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { Visit } from "./visit.ts";

export type Family = "sessions" | "stateless";

/** What a server said of itself: a `DiscoverResult`, or that it has sessions; or its own HTTP answer, which says neither (401, 503). */
export type Discovered =
  | { readonly kind: "stateless"; readonly result: JsonObject }
  | { readonly kind: "sessions" }
  | { readonly kind: "unclear"; readonly response: Response };

const probeMs = 10_000;
/** A server with sessions may have been updated since. */
const rememberedMs: Readonly<Record<Family, number>> = { sessions: 15 * 60_000, stateless: 24 * 3_600_000 };

/** The client's part of a request: the gateway's own, where it asks for itself. */
export const gatewayMeta = (capabilities: JsonObject = {}): JsonObject => ({
  [protocolVersionKey]: revision2026,
  [clientCapabilitiesKey]: capabilities,
  [clientInfoKey]: { name: "countersign", version: "1" },
});

/** Asks the server for itself, as this client. */
export async function discover(env: Env, visit: Visit, meta: JsonObject): Promise<Result<Discovered, StatelessError>> {
  const { server, authorization } = visit;
  const signal = AbortSignal.timeout(probeMs);
  const asked = await askStateless(env, server, {
    id: "discover",
    method: "server/discover",
    name: null,
    params: JSON.stringify({ _meta: meta }),
    authorization,
    signal,
  });
  if (!asked.ok) return asked;
  const { status } = asked.value;
  if (status >= 500 || status === 401 || status === 403 || status === 429) return ok({ kind: "unclear", response: asked.value });
  const answer = await answerOf(asked.value, "discover");
  // It may be slow today: that says nothing of its family.
  if (!answer.ok && signal.aborted) return err("unreachable");
  // Anything else than an answer of this family is one of the other (basic/versioning).
  const found = answer.ok ? discoveredIn(answer.value.message) : { kind: "sessions" as const };
  await remember(env, visit, found.kind);
  return ok(found);
}

const ownCodes: ReadonlySet<unknown> = new Set([headerMismatchCode, missingCapabilityCode]);

function discoveredIn(message: JsonObject): { readonly kind: "stateless"; readonly result: JsonObject } | { readonly kind: "sessions" } {
  const result = objectOf(message["result"]);
  const error = objectOf(message["error"]);
  const versions =
    result?.["supportedVersions"] ?? (error?.["code"] === unsupportedVersionCode ? objectOf(error["data"])?.["supported"] : []);
  const speaks = Array.isArray(versions) && versions.includes(revision2026);
  if (speaks || ownCodes.has(error?.["code"])) return { kind: "stateless", result: result ?? {} };
  return { kind: "sessions" };
}

/** The family as it is remembered, else as the server says it; an error where it cannot be reached, or not in time. */
export async function familyOf(env: Env, visit: Visit): Promise<Result<Family | Extract<Discovered, { kind: "unclear" }>, StatelessError>> {
  const { protocol } = visit.server;
  if (protocol !== "auto") return ok(protocol === "2026" ? "stateless" : "sessions");
  const known = await remembered(env, visit);
  if (known !== null) return ok(known);
  const found = await discover(env, visit, gatewayMeta());
  if (!found.ok) return found;
  return ok(found.value.kind === "unclear" ? found.value : found.value.kind);
}

type Memory = { readonly family: Family; readonly until: number };
const memories = new WeakMap<object, Map<string, Memory>>();
const mostMemories = 1_000;

function memoriesOf({ CONFIG }: Env): Map<string, Memory> {
  let known = memories.get(CONFIG);
  if (known === undefined) memories.set(CONFIG, (known = new Map()));
  return known;
}

const names = new WeakMap<Server, string>();

/** By the address and what else decides who answers there. */
function nameOf(server: Server): string {
  let name = names.get(server);
  if (name === undefined) {
    const { url, headers, secret = null } = server;
    names.set(server, (name = `family:${digestOf("countersign/server-family/v1", { url, headers, secret })}`));
  }
  return name;
}

async function remembered(env: Env, { server }: Visit): Promise<Family | null> {
  const name = nameOf(server);
  const known = memoriesOf(env).get(name);
  if (known !== undefined && known.until > Date.now()) return known.family;
  const stored = await env.CONFIG.get(name).catch(() => null);
  if (stored !== "sessions" && stored !== "stateless") return null;
  // KV may serve it some time longer than it is stored.
  keep(env, name, stored, 60_000);
  return stored;
}

async function remember(env: Env, { server }: Visit, family: Family): Promise<void> {
  const name = nameOf(server);
  const known = memoriesOf(env).get(name);
  keep(env, name, family, rememberedMs[family]);
  if (known?.family === family && known.until > Date.now()) return;
  try {
    await env.CONFIG.put(name, family, { expirationTtl: rememberedMs[family] / 1_000 });
  } catch (error) {
    logEvent("relay.rememberFailed", { error: errorClass(error) });
  }
}

function keep(env: Env, name: string, family: Family, ms: number): void {
  const known = memoriesOf(env);
  if (known.size >= mostMemories) known.clear();
  known.set(name, { family, until: Date.now() + ms });
}

/** The server answered as the other family does: it is asked again at the next request. */
export async function forget(env: Env, { server }: Visit): Promise<void> {
  const name = nameOf(server);
  memoriesOf(env).delete(name);
  await env.CONFIG.delete(name).catch((error: unknown) => logEvent("relay.rememberFailed", { error: errorClass(error) }));
}
