// One HTTP request to a configured MCP server, with the credential that its entry says: a secret of
// the environment, the client's own, or the own login of the key's owner.

import { type LoginAccount, isSameAccount } from "../../shared/credential/login-account.ts";
import { isTokenRefusal, loginEntry, mayAct } from "../../shared/relay/login.ts";
import type { Server } from "../../shared/relay/servers.ts";
import { type Result, err } from "../../shared/result.ts";
import { reviewerWhoIs } from "../../shared/policy/own-requests.ts";
import { addressDigest, inboxNameOf } from "../../shared/review/inbox.ts";
import type { Env } from "../platform/env.ts";
import { lookupIn } from "../platform/lookup.ts";
import { policyOf } from "../stores/documents.ts";
import { loginStub } from "../stubs/stubs.ts";
import { type UpstreamError, type UpstreamRequest, askServer, credentialOf } from "./ask-server.ts";

/** The server's answer, its body unread. */
export async function askUpstream(env: Env, server: Server, request: UpstreamRequest): Promise<Result<Response, UpstreamError>> {
  if (server.auth !== undefined) return askSignedIn(env, server, request);
  const credential = credentialOf(env, server, request.authorization);
  return credential === undefined ? err("noCredential") : askServer({ server, credential }, request);
}

/**
 * The login that requests to the server have, of the person whom the policy gives the owner's name
 * now: somebody else may have had it before. Null where there is nobody.
 */
async function ownLogin(env: Env, server: Server) {
  const { login } = server;
  if (login === undefined || login.owner === null) return null;
  const policy = await policyOf(env, Date.now(), (work) => void work.catch(() => {}));
  const email = reviewerWhoIs(policy, login.owner)?.email;
  if (email === undefined) return null;
  const entry = loginEntry(server, addressDigest(email), lookupIn(env));
  return { login, stub: loginStub(env, inboxNameOf(login.owner), login.server), entry };
}

/** So often a request is sent again that was refused for its token. */
const mostResent = 1;

/**
 * The request with the own login of the key's owner. A 401 with a challenge of Bearer's is a
 * refusal of the token, before anything was done: the same bytes are sent once more, with a token
 * that the server has not refused. After any other 401 nobody knows what was done: what may act is
 * not sent again, and only the next request has the renewed token.
 */
async function askSignedIn(env: Env, server: Server, request: UpstreamRequest): Promise<Result<Response, UpstreamError>> {
  const own = await ownLogin(env, server);
  if (own === null) return err("notSignedIn");
  const { login, stub, entry } = own;
  let refused: string | null = null;
  for (let asked = 0; ; asked += 1) {
    const found = await stub.loginToken(entry, refused);
    if (found.kind !== "token") return err(found.kind === "none" ? "notSignedIn" : "loginUnreachable");
    if (login.account !== undefined && !isSameAccount(login.account, found.account)) return err("otherAccount");
    if (asked > mostResent) return err("notSignedIn");
    const answer = await askServer({ server, credential: `Bearer ${found.token}` }, request);
    if (!answer.ok || answer.value.status !== 401) return answer;
    answer.value.body?.cancel().catch(() => {});
    refused = found.token;
    if (isTokenRefusal(answer.value.headers.get("WWW-Authenticate")) || !mayAct(request.body)) continue;
    await stub.loginToken(entry, refused);
    return err("loginRefused");
  }
}

/**
 * Whether a request to the server would have the login that it wants of the key's owner, and whose
 * account that is. `none`: there is no login. `unreachable`: it cannot be renewed now.
 * `otherAccount`: it is of another account than the one that the request is for.
 */
export type LoginState =
  | { readonly kind: "ready" | "unreachable"; readonly account: LoginAccount | null }
  | { readonly kind: "none" | "otherAccount" };

export type MissingLogin = Exclude<LoginState["kind"], "ready">;

export async function loginFor(env: Env, server: Server): Promise<LoginState> {
  if (server.login === undefined) return { kind: "ready", account: null };
  const own = await ownLogin(env, server);
  if (own === null) return { kind: "none" };
  const { login, stub, entry } = own;
  const found = await stub.loginToken(entry, null);
  if (found.kind === "none") return found;
  if (login.account !== undefined && !isSameAccount(login.account, found.account)) return { kind: "otherAccount" };
  return { kind: found.kind === "token" ? "ready" : found.kind, account: found.account };
}

/** One wait at its object. */
const madeMs = 5_000;

/** Waits up to `ms`, or until `left` aborts, for a login at this server; whether there is one. */
export async function loginMadeWithin(env: Env, server: Server, ms: number, left?: AbortSignal): Promise<boolean> {
  const own = await ownLogin(env, server);
  if (own === null) return false;
  for (const end = Date.now() + ms; Date.now() < end;) {
    if (left?.aborted === true) break;
    if (await own.stub.loginMade(own.entry.binding, Math.min(madeMs, end - Date.now()))) return true;
  }
  return false;
}

/** Waits a little, until it may be worth asking for this login again. */
export async function loginWithin(env: Env, server: Server, lacking: MissingLogin): Promise<void> {
  if (lacking === "none") await loginMadeWithin(env, server, madeMs);
  else await new Promise((resolve) => setTimeout(resolve, madeMs));
}
