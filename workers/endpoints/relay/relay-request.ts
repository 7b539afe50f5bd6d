// Who may talk to which server through the relay, and the relay's own refusals.

import { type UpstreamError, headersDown } from "../../mcp-client/ask-server.ts";
import { callRulesFor } from "../../../shared/policy/call-rules.ts";
import { looksLikeAccessToken } from "../../../shared/credential/presented.ts";
import type { Refusal } from "../../../shared/model/outcome.ts";
import type { Policy } from "../../../shared/policy/rules.ts";
import { relayScope } from "../../../shared/relay/relay-scope.ts";
import { type Server, connectionTerms, reachedBy } from "../../../shared/relay/servers.ts";
import type { RelaySession } from "../../../shared/relay/session-id.ts";
import { featuresOf } from "../../../shared/wire/mcp-features.ts";
import { failures } from "../../../shared/wire/json-rpc.ts";
import { countCalls } from "../../pipeline/admit/calls.ts";
import { recordRefusal } from "../../pipeline/record/refusals.ts";
import { stopOf } from "../../pipeline/spend/stops.ts";
import { keyOfAccessToken } from "../../credentials/access-token.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { SlowTimer } from "../../platform/slow-timer.ts";
import { resourceMetadataUrl } from "../../platform/urls.ts";
import { policyOf } from "../../stores/documents.ts";
import type { ReportFailure } from "../../mcp-client/request-failure.ts";
import { callerOf, keyPrefix } from "../../stores/keys.ts";
import { presentedKey, refuseKey, refuseKnown } from "../auth.ts";
import type { AppContext } from "../app-context.ts";
import { ownersAt } from "../inbox/reader.ts";
import { idsOf } from "../refused-ids.ts";
import { mayUse, serverAt } from "./mcp-origin.ts";
import { longestEvent } from "./sessions/sse-relay.ts";
import { ownRules } from "../../../shared/policy/own-rules.ts";

export const sessionHeader = "Mcp-Session-Id";

/** The server that an authorized client talks to. */
export type RelayRequest = {
  readonly name: string;
  readonly server: Server;
  /** The client's own credential for the server, where the entry passes it on. */
  readonly authorization: string | null;
};

/**
 * `over` aborts when its key ends. `slow` ends with the response; undefined where the work goes on
 * behind it. `isEdited`: the arguments are others than those that came, so that the client's
 * headers do not repeat them any more. `handsBack`: the client of a call with rounds gets its state
 * as soon as the gateway keeps the call, and waits by coming back.
 */
export type WatchedRelayRequest = RelayRequest & {
  readonly over: AbortSignal;
  readonly slow: SlowTimer | undefined;
  readonly isEdited?: true;
  readonly reportFailure?: ReportFailure;
  readonly handsBack?: true;
};

export async function authorizeRelayRequest(c: AppContext): Promise<RelayRequest | Response> {
  const name = c.req.param("server") ?? "";
  const server = await serverAt(c);
  // Where Authorization belongs to the server, it is never read as our key.
  const { headers } = c.req.raw;
  const presented = server?.passAuthorization === true ? (headers.get("X-Countersign-Key") ?? undefined) : presentedKey(headers);
  const caller = await callerAt(c, name, server, presented);
  if (caller.kind === "refused") {
    // A client that followed the usual message would send our key to the server.
    const isBeside = server?.passAuthorization === true && caller.why === "missing";
    const refused = await refuseKey(c, isBeside ? "missingBesideAuthorization" : caller.why);
    return server === undefined || connectionTerms(server) === null ? refused : withChallenge(c, name, refused, presented !== undefined);
  }
  c.set("key", caller.record);
  const about = { server: name };
  if (!caller.record.scopes.includes("sampling")) return refuseKnown(c, "relay", { kind: "wrongScope", scope: "sampling" }, about);
  // No admission follows that would count the call.
  const refusal = await countCalls(c.env, caller.record);
  if (refusal !== null) return refuseKnown(c, "relay", refusal, about);
  const notAllowed = (rule: string): void =>
    recordRefusal(c.env, c.executionCtx, { key: caller.record.id, endpoint: "relay", ...about }, { kind: "policyRefused", rule });
  if (server === undefined) {
    notAllowed(ownRules.noServer);
    return refuseWith(c, 404, "There is no such server; /admin/servers lists the servers");
  }
  if (caller.record.servers !== undefined && !caller.record.servers.includes(name)) {
    notAllowed(ownRules.keyServers);
    return refuseWith(c, 403, "This API key is not for this server");
  }
  // DNS rebinding: a page of another site could use a server on the user's own machine.
  const origin = headers.get("Origin");
  if (origin !== null && !mayUse(c, server, origin)) {
    notAllowed(ownRules.serverOrigins);
    return refuseWith(c, 403, "This origin may not use the relay; list it in the server's origins");
  }
  if (!server.passAuthorization) return { name, server: reachedBy(server, name, caller.record.owner), authorization: null };
  const authorization = headers.get("Authorization");
  // A key of ours never goes to a server, not even where a client sends it in both headers.
  const credential = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (credential !== undefined && (credential === presented || credential.startsWith(keyPrefix)))
    return refuseWith(c, 400, "Authorization is passed on to this server; send the gateway's key only in X-Countersign-Key");
  return { name, server, authorization };
}

/** The caller of a presented key, or of an access token for this server, got by OAuth. */
async function callerAt(
  c: AppContext,
  name: string,
  server: Server | undefined,
  presented: string | undefined,
): ReturnType<typeof callerOf> {
  const now = Date.now();
  if (presented === undefined || !looksLikeAccessToken(presented)) return callerOf(c.env, presented, now);
  const record = await keyOfAccessToken(c.env, presented, name, ownersAt(c, server), now);
  return record.ok ? { kind: "key", record: record.value } : { kind: "refused", why: record.error };
}

/**
 * How a client without a key gets in, on a 401. Source: RFC 9728 section 5.1, RFC 6750 section 3,
 * MCP 2026-07-28 basic/authorization.
 */
function withChallenge(c: AppContext, server: string, refused: Response, hadToken: boolean): Response {
  const { publicUrl } = settingsOf(c.env);
  if (refused.status !== 401 || publicUrl === undefined) return refused;
  const parts = [
    ...(hadToken ? ['error="invalid_token"'] : []),
    `resource_metadata="${resourceMetadataUrl(publicUrl, server)}"`,
    `scope="${relayScope}"`,
  ];
  const headers = new Headers(refused.headers);
  headers.set("WWW-Authenticate", `Bearer ${parts.join(", ")}`);
  return new Response(refused.body, { status: 401, headers });
}

/** Whether a rule may be about the key's calls at the server, also where none can be read. */
export function hasCallRules(c: AppContext, { name }: RelayRequest): boolean | Promise<boolean> {
  const rules = (policy: Policy): boolean => callRulesFor(policy, { server: name, key: c.var.key.name });
  const policy = policyOf(c.env, Date.now(), (work) => c.executionCtx.waitUntil(work));
  return policy instanceof Promise ? policy.then(rules, () => true) : rules(policy);
}

/** A server without tasks of its own has them here, where a call may wait for a person. */
export async function callTasksOf(
  c: AppContext,
  relay: RelayRequest,
  revision: string | null,
  runsTasks: boolean,
): Promise<Pick<RelaySession, "callTasks">> {
  if (!featuresOf(revision ?? "").tasks) return {};
  if (runsTasks) return { callTasks: "server" };
  return (await hasCallRules(c, relay)) ? { callTasks: "gateway" } : {};
}

/**
 * Why no tool is called for this client now: an operator has stopped it. An isolate that was told
 * within the last second and a half asks nobody. Rejects where it cannot be found out.
 */
export async function stoppedCall(c: AppContext, { name }: RelayRequest): Promise<Refusal | null> {
  const scope = await stopOf({ env: c.env, ctx: c.executionCtx }, { server: name, key: c.var.key.id }, Date.now());
  return scope === null ? null : { kind: "stopped", scope };
}

export const errorMessages: Readonly<Record<UpstreamError | "tooLong" | "asks", string>> = {
  noCredential: "The secret that this server's entry names is not set; ask the operator",
  notSignedIn:
    "This MCP server wants the own login of the key's owner, and there is none: sign in under Connections in the inbox of this gateway, then try again",
  otherAccount:
    "The key's owner has signed in at this MCP server with another account since this call came. Nothing was sent; call it again",
  loginUnreachable: "The login of the key's owner at this MCP server cannot be renewed now. Nothing was done; try again later",
  loginRefused:
    "The MCP server answered 401 and did not say, by a Bearer challenge, that it refuses the login before it does anything: what came of the request is unknown, and it is not sent again",
  unreachable: "The MCP server cannot be reached",
  redirected: "The MCP server answered with a redirect, and redirects are not followed; correct its url",
  tooLong: `The MCP server sent a message of more than ${longestEvent} characters`,
  asks: "The MCP server sent a sampling request in place of a response, which it may do only on an event stream",
};

export const broken = (c: AppContext, message: string): Promise<Response> => refuseWith(c, 502, message, {}, -32603);

export const unreachable = (c: AppContext, error: UpstreamError): Promise<Response> => broken(c, errorMessages[error]);

/**
 * The server's own answer where it says nothing of its family: that its client has to sign in, or
 * that it is not there now.
 */
export const passUnclear = (response: Response, { server }: RelayRequest): Response =>
  new Response(response.body, { status: response.status, headers: headersDown(response, server) });

/**
 * A client that is told so begins another session. Source: basic/transports, "Session Management".
 */
export const sessionNotFound = (c: AppContext): Promise<Response> => refuseWith(c, 404, "Session not found", {}, -32001);

/**
 * A refusal of the relay itself. It carries the id of each request that it answers, where that is
 * known.
 */
export async function refuseWith(
  c: AppContext,
  status: 400 | 403 | 404 | 405 | 502,
  message: string,
  headers: Record<string, string> = {},
  code = -32600,
): Promise<Response> {
  return c.json(failures(await idsOf(c), { code, message }), status, headers);
}
