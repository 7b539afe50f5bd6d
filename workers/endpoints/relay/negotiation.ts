// The relay finds out which families of revisions a server speaks: with sessions (2024-11-05 to
// 2025-11-25), stateless (2026-07-28), or both. `server/discover` says whether it speaks
// 2026-07-28, and the `initialize` of a client whether it gives sessions. Both are remembered by
// this isolate and in KV, and found out again where they stop being true.
//
// They are properties of the server and not of one client, and nothing depends on them but which
// messages are sent: a wrong memory makes a request fail and is dropped then, or is over in
// minutes. Source: basic/versioning, "Backward Compatibility".

import type { UpstreamError } from "../../mcp-client/ask-server.ts";
import { type JsonObject, digestOf } from "../../../shared/encoding.ts";
import { objectOf } from "../../../shared/json/values.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import { type Result, err, ok } from "../../../shared/result.ts";
import type { RequestId } from "../../../shared/wire/json-rpc.ts";
import {
  clientCapabilitiesKey,
  clientInfoKey,
  headerMismatchCode,
  missingCapabilityCode,
  protocolVersionKey,
  revision2026,
  unsupportedVersionCode,
} from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { answerOf, askStateless } from "../../mcp-client/stateless-call.ts";
import type { Env } from "../../platform/env.ts";
import { byNamespace, isolateState } from "../../platform/isolate.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { RelayRequest } from "./relay-request.ts";

export type Family = "sessions" | "stateless";

/** The family of a server whose entry in the servers document says it. */
const familyBy: Readonly<Record<Exclude<Server["protocol"], "auto">, Family>> = { "2025": "sessions", "2026": "stateless" };

/**
 * What a server said of itself: a `DiscoverResult`, or that it has sessions; or its own HTTP
 * answer, which says neither (401, 503).
 */
type Discovered =
  | { readonly kind: "stateless"; readonly result: JsonObject }
  | { readonly kind: "sessions" }
  | { readonly kind: "unclear"; readonly response: Response };

const probeMs = 10_000;
/**
 * What `initialize` showed: a server that gives no session, and speaks 2026-07-28, is spoken to in
 * that.
 */
type Begins = "session" | "noSession";
const beginsBy: Readonly<Record<Family, Begins>> = { sessions: "session", stateless: "noSession" };
/**
 * A server may have been updated since. One that stops speaking 2026-07-28 shows it at the next
 * request.
 */
const rememberedMs: Readonly<Record<Family | Begins, number>> = {
  sessions: 15 * 60_000,
  stateless: 24 * 3_600_000,
  session: 15 * 60_000,
  noSession: 15 * 60_000,
};

/** The client's part of a request: the gateway's own, where it asks for itself. */
export const gatewayMeta = (): JsonObject => ({
  [protocolVersionKey]: revision2026,
  [clientCapabilitiesKey]: {},
  [clientInfoKey]: { name: "countersign", version: "1" },
});

/** Asks the server for itself, as this client. */
export async function discover(env: Env, relay: RelayRequest, meta: JsonObject): Promise<Result<Discovered, UpstreamError>> {
  const { server, authorization } = relay;
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
  if (isUnclear(asked.value)) return ok({ kind: "unclear", response: asked.value });
  const answer = await answerOf(asked.value, "discover");
  // It may be slow today: that says nothing of its family.
  if (!answer.ok && signal.aborted) return err("unreachable");
  // Anything else than an answer of this family is one of the other (basic/versioning).
  const found = answer.ok ? discoveredIn(answer.value.message) : { kind: "sessions" as const };
  await remember(env, relay, found.kind);
  return ok(found);
}

/**
 * An answer that says nothing of the family: the client has to sign in, or the server is not there
 * now.
 */
const isUnclear = ({ status }: Response): boolean => status >= 500 || status === 401 || status === 403 || status === 429;

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

/**
 * The family as it is remembered, else as the server says it; an error where it cannot be reached,
 * or not in time.
 */
export async function familyOf(
  env: Env,
  relay: RelayRequest,
): Promise<Result<Family | Extract<Discovered, { kind: "unclear" }>, UpstreamError>> {
  const { protocol } = relay.server;
  if (protocol !== "auto") return ok(familyBy[protocol]);
  const known = await remembered(env, relay, "family");
  if (known !== null) return ok(known);
  const found = await discover(env, relay, gatewayMeta());
  if (!found.ok) return found;
  return ok(found.value.kind === "unclear" ? found.value : found.value.kind);
}

/**
 * Whether a client of the 2025 family is spoken for in 2026-07-28 from its first message on,
 * without an `initialize`.
 */
export async function beginsWithout(env: Env, relay: RelayRequest): Promise<boolean> {
  const { protocol } = relay.server;
  const begins = protocol === "auto" ? await remembered(env, relay, "begins") : beginsBy[familyBy[protocol]];
  return begins === "noSession";
}

/**
 * A client's `initialize`. `isPlain`: it claims nothing of 2026-07-28, so that an error is not
 * about such a claim.
 */
type Initialize = { readonly id: RequestId; readonly meta: JsonObject; readonly isPlain: boolean };

/**
 * What a server says of itself that answered a client's `initialize` without a session, and speaks
 * 2026-07-28. Null where the client gets `answer`, whose body is unread then. Nothing is opened at
 * the server to find it out.
 */
export async function discoverWithout(
  env: Env,
  relay: RelayRequest,
  { id, meta, isPlain }: Initialize,
  answer: Response,
): Promise<JsonObject | null> {
  if (relay.server.protocol !== "auto" || isUnclear(answer)) return null;
  if (answer.headers.has("Mcp-Session-Id")) {
    keep(env, nameOf(relay.server, "begins"), "session");
    return null;
  }
  // It answers as before. An error shows that it may have changed.
  if (answer.ok && (await remembered(env, relay, "family")) === "sessions") return null;
  const found = await discover(env, relay, meta);
  if (!found.ok || found.value.kind !== "stateless") return null;
  const said = await answerOf(answer, id);
  if (said.ok && isPlain && isOfStateless(said.value.message)) await remember(env, relay, "noSession");
  return found.value.result;
}

const noInitializeCodes: ReadonlySet<unknown> = new Set([...ownCodes, unsupportedVersionCode, -32_601]);

/**
 * Whether `initialize` ended as at a server without sessions. Another error may be about that one
 * request.
 */
const isOfStateless = (message: JsonObject): boolean =>
  Object.hasOwn(message, "result") || noInitializeCodes.has(objectOf(message["error"])?.["code"]);

/** What is remembered of a server, each by itself. */
type Facts = { readonly family: Family; readonly begins: Begins };
type Memory = { readonly value: Family | Begins; readonly until: number };
const memoriesOf = isolateState(() => new Map<string, Memory>(), byNamespace);
const mostMemories = 1_000;

const digests = new WeakMap<Server, string>();

/** By the address and what else decides who answers there. */
function nameOf(server: Server, fact: keyof Facts): string {
  let digest = digests.get(server);
  if (digest === undefined) {
    const { url, headers, secret = null } = server;
    digests.set(server, (digest = digestOf("countersign/server-family/v1", { url, headers, secret })));
  }
  return `${fact}:${digest}`;
}

const valuesOf: { readonly [Fact in keyof Facts]: readonly Facts[Fact][] } = {
  family: Object.keys(beginsBy) as Family[], // its own names
  begins: Object.values(beginsBy),
};

async function remembered<Fact extends keyof Facts>(env: Env, { server }: RelayRequest, fact: Fact): Promise<Facts[Fact] | null> {
  const name = nameOf(server, fact);
  const valueOf = (stored: unknown): Facts[Fact] | undefined => valuesOf[fact].find((value) => value === stored);
  const known = memoriesOf(env).get(name);
  if (known !== undefined && known.until > Date.now()) return valueOf(known.value) ?? null;
  const stored = valueOf(await env.CONFIG.get(name).catch(() => null));
  if (stored === undefined) return null;
  // KV may serve it some time longer than it is stored.
  keep(env, name, stored, 60_000);
  return stored;
}

async function remember(env: Env, { server }: RelayRequest, value: Family | "noSession"): Promise<void> {
  const name = nameOf(server, value === "noSession" ? "begins" : "family");
  const known = memoriesOf(env).get(name);
  keep(env, name, value);
  if (known?.value === value && known.until > Date.now()) return;
  try {
    await env.CONFIG.put(name, value, { expirationTtl: rememberedMs[value] / 1_000 });
  } catch (error) {
    logEvent("relay.rememberFailed", { error: errorClass(error) });
  }
}

function keep(env: Env, name: string, value: Family | Begins, ms = rememberedMs[value]): void {
  const known = memoriesOf(env);
  if (known.size >= mostMemories) known.clear();
  known.set(name, { value, until: Date.now() + ms });
}

/** The server answered otherwise than is remembered: it is asked again at the next request. */
export async function forget(env: Env, { server }: RelayRequest, facts: readonly (keyof Facts)[] = ["family", "begins"]): Promise<void> {
  for (const fact of facts) {
    const name = nameOf(server, fact);
    memoriesOf(env).delete(name);
    await env.CONFIG.delete(name).catch((error: unknown) => logEvent("relay.rememberFailed", { error: errorClass(error) }));
  }
}
