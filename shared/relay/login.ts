// A person's own login at a server of the relay: the state by which a browser comes back from the
// server's own sign-in, and when a token is used, renewed or given up. No clock, no storage.

import { type JsonObject, digestOf, fromBase64url, fromUtf8, utf8ToBytes } from "../encoding.ts";
import { objectOf, parseJson } from "../json/values.ts";
import { type SigningKeys, seal, unsealAny } from "../sealed-id.ts";
import type { Server } from "./servers.ts";

/** Where a browser that comes back goes on: for this server, at these pages. */
type LoginState = { readonly server: string; readonly home: string; readonly random: string };

const stateDomain = "countersign/login-state/v1";

/** What the server's sign-in gives back: good once, for the session that began it. */
export const loginState = (keys: SigningKeys, state: LoginState): string =>
  seal(keys, stateDomain, utf8ToBytes(JSON.stringify([state.server, state.home, state.random])));

export function parseLoginState(keys: SigningKeys, text: string): LoginState | undefined {
  const payload = unsealAny(keys, stateDomain, text);
  if (payload === undefined) return undefined;
  const [server, home, random] = JSON.parse(fromUtf8(payload)) as [string, string, string]; // sealed above
  return { server, home, random };
}

/**
 * What a login is good for: another address, another way to sign in, or another person of the same
 * name is another one.
 */
const loginBinding = ({ url, auth }: Pick<Server, "url" | "auth">, person: string): string =>
  digestOf("countersign/login-entry/v2", { url, auth: auth ?? null, person });

/** `secret`: the gateway's own as a client there, where it was registered by hand. */
export type LoginServer = Pick<Server, "url" | "headers" | "allowPrivate"> & { readonly secret: string | null };

/** The server's entry as it is now: a login that was made for another one is not used. */
export type LoginEntry = { readonly server: LoginServer; readonly binding: string };

/**
 * `person`: the digest of the address of whose login it is. `secretOf`: the value of the variable
 * of this name.
 */
export function loginEntry(server: Server, person: string, secretOf: (name: string) => string | undefined): LoginEntry {
  const { url, headers, allowPrivate, auth } = server;
  const secret = auth?.secret === undefined ? null : (secretOf(auth.secret)?.trim() ?? "");
  return { server: { url, headers, allowPrivate, secret }, binding: loginBinding(server, person) };
}

export type LoginAsked = {
  readonly server: LoginServer;
  readonly scopes: readonly string[] | null;
  /**
   * The client that was registered by hand, and where; null: the gateway registers itself at the
   * issuer that the server names.
   */
  readonly client: { readonly id: string; readonly issuer: string } | null;
  /** Where the gateway's own client document is. */
  readonly clientUrl: string;
  readonly redirectUri: string;
  readonly state: string;
  /** What the gateway was registered as before; null: nothing that is good for this entry. */
  readonly registration: LoginRegistration | null;
};

/**
 * The gateway as a client that registered itself (RFC 7591): good at this issuer and for this
 * redirect URI alone. `client`: as the issuer gave it, as the tools Worker's own JSON.
 */
export type LoginRegistration = { readonly issuer: string; readonly redirectUri: string; readonly client: string };

/**
 * `noSignIn`: the server wants none, or does not say where. `metadata`: that cannot be used.
 * `noClient`: the gateway cannot register itself. `issuer`: another authorization server answered.
 * `refused`: for good. `unreachable`: it may be tried again.
 */
export type LoginFault = "noSignIn" | "metadata" | "noClient" | "issuer" | "refused" | "unreachable";

/** `isClientUnknown`: the issuer does not know, or no longer, who the gateway says it is. */
type LoginFailure = { readonly kind: "failed"; readonly why: LoginFault; readonly isClientUnknown?: boolean };

/**
 * `grant`: what the tools Worker needs for a code or a refresh token, as its own JSON.
 * `registration`: what the gateway is there, where it registered itself.
 */
export type LoginStarted =
  | {
      readonly kind: "started";
      readonly to: string;
      readonly issuer: string;
      readonly verifier: string;
      readonly grant: string;
      readonly registration: LoginRegistration | null;
    }
  | LoginFailure;

export type LoginIssued =
  | {
      readonly kind: "issued";
      readonly access: string;
      readonly refresh: string | null;
      readonly seconds: number | null;
      readonly scope: string | null;
      readonly account: string | null;
    }
  | LoginFailure;

/** What a server's revocation endpoint said. `none`: it has none. */
export type LoginRevoked = { readonly kind: "revoked" | "none" } | { readonly kind: "failed"; readonly why: LoginFault };

export type LoginCode = { readonly code: string; readonly iss: string | null; readonly verifier: string };

/** What is stored of a state. */
export const loginStateDigest = (state: string): string => digestOf("countersign/login-state-digest/v1", { state });

/** An access token, with what renews it. Times are Unix milliseconds. */
export type LoginTokens = {
  readonly access: string;
  readonly refresh: string | null;
  readonly issuedAt: number;
  /** Null: the server did not say. */
  readonly expiresAt: number | null;
};

/** A token that expires so soon could expire on its way. */
const spareMs = 30_000;
/** One that was issued so recently and is refused already is not renewed for that. */
const freshMs = 10_000;

/**
 * What becomes of tokens that are asked for now. `refused`: the access token that the server has
 * just refused.
 */
export function loginStep(
  { access, refresh, issuedAt, expiresAt }: LoginTokens,
  refused: string | null,
  now: number,
): "use" | "renew" | "end" {
  const isRefused = access === refused;
  if (!isRefused && (expiresAt === null || now < expiresAt - spareMs)) return "use";
  if (refresh === null || (isRefused && now < issuedAt + freshMs)) return isRefused || expired(expiresAt, now) ? "end" : "use";
  return "renew";
}

/** Whether the token is good no more, whatever is spared. */
export const expired = (expiresAt: number | null, now: number): boolean => expiresAt !== null && now >= expiresAt;

const quoted = /"(?:[^"\\]|\\.)*"/g;

/**
 * Whether a 401 says of the request's token that the server did not take it, and so that the
 * request was not applied (RFC 9110 section 15.5.2, RFC 6750 section 3.1): a challenge of Bearer's,
 * with `invalid_token` or without an error. A server that passes a 401 of its own backend on, from
 * the middle of a call, names no scheme of a token, or another one.
 * @param challenge `WWW-Authenticate`, of all its lines.
 */
export function isTokenRefusal(challenge: string | null): boolean {
  const bare = challenge?.replaceAll(quoted, '""') ?? "";
  if (!/(?:^|,)\s*Bearer(?=[\s,]|$)/i.test(bare)) return false;
  const errors = [...(challenge ?? "").matchAll(/(?:^|[\s,])error\s*=\s*"?([\w.-]*)/gi)];
  return errors.every(([, error]) => error === "invalid_token");
}

/** Whether a message that was posted may make something happen, so that it is not sent again. */
export function mayAct(body: string | Uint8Array | undefined): boolean {
  if (body === undefined) return false;
  const value = parseJson(typeof body === "string" ? body : fromUtf8(body));
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.some((message) => !harmless.has(String(objectOf(message)?.["method"])));
}

/** Requests of a client that ask only. */
const harmless: ReadonlySet<string> = new Set([
  "initialize",
  "notifications/initialized",
  "ping",
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
]);

const longestAccount = 200;

/**
 * What an ID token calls the account. It came from the token endpoint itself, over TLS, and is only
 * shown: its signature is not checked (OpenID Connect Core 3.1.3.7).
 */
export function accountIn(idToken: string | undefined): string | null {
  const bytes = fromBase64url(idToken?.split(".")[1] ?? "");
  const claims: JsonObject = (bytes === undefined ? null : objectOf(parseJson(new TextDecoder().decode(bytes)))) ?? {};
  const named = [claims["preferred_username"], claims["email"], claims["name"], claims["sub"]].find(
    (each): each is string => typeof each === "string" && each.trim() !== "",
  );
  return named?.slice(0, longestAccount).toWellFormed() ?? null;
}
