// The gateway as an OAuth client of a server of the relay, by the MCP SDK's functions: where its
// authorization server is, who the gateway is there, a code for tokens, and new tokens for old
// ones. Whatever the server's metadata names is reached as the server itself is: no private address
// and nothing but https, unless its entry allows that.

import {
  type AuthorizationServerMetadata,
  type FetchLike,
  IssuerMismatchError,
  OAuthError,
  OAuthErrorCode,
  type OAuthClientInformationFull,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  isHttpsUrl,
  refreshAuthorization,
  registerClient,
  resourceUrlFromServerUrl,
  selectClientAuthMethod,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { isPrivateHost } from "../../shared/address.ts";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import {
  type LoginAsked,
  type LoginCode,
  type LoginFault,
  type LoginIssued,
  type LoginRegistration,
  type LoginRevoked,
  type LoginServer,
  type LoginStarted,
  accountIn,
} from "../../shared/relay/login.ts";
import { objectOf } from "../../shared/json/values.ts";
import { readText } from "../http/body.ts";
import { askServer } from "../mcp-client/ask-server.ts";

/** With whom the tokens are good, and for what: what a code and a refresh token need. */
type LoginGrant = {
  readonly metadata: AuthorizationServerMetadata;
  readonly client: OAuthClientInformationMixed;
  readonly resource: string;
  readonly redirectUri: string;
  /** Null where it has no endpoint for that. `methods`: how a client shows there who it is. */
  readonly revocation: { readonly endpoint: string; readonly methods: string[] } | null;
};

const mostBytes = 1_000_000;
const timeoutMs = 10_000;
/** Characters; reviewers are shown it. */
const longestIssuer = 500;

/** With the secret of the entry, which is stored nowhere else. */
export function grantIn<G extends { readonly client: OAuthClientInformationMixed }>(text: JsonOf<G>, { secret }: LoginServer): G {
  const grant = readJsonOf(text);
  if (secret === "") throw new Refused("unreachable");
  return secret === null ? grant : { ...grant, client: { ...grant.client, client_secret: secret } };
}

export class Refused extends Error {
  override readonly name = "Refused";
  readonly why: LoginFault;
  constructor(why: LoginFault) {
    super(why);
    this.why = why;
  }
}

/** Whether an address that metadata names may be reached, or a browser be led to it. */
export function mayReach(url: string | URL, { allowPrivate }: LoginServer): boolean {
  const { protocol, hostname } = new URL(url);
  return allowPrivate ? protocol === "https:" || protocol === "http:" : protocol === "https:" && !isPrivateHost(hostname);
}

/** The SDK follows redirects within one origin alone, each through this again. */
export const fetchFor =
  (server: LoginServer): FetchLike =>
  async (url, init) => {
    if (!mayReach(url, server)) throw new Refused("metadata");
    const response = await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(timeoutMs) });
    const text = await readText(response.body, mostBytes);
    if (text === undefined) throw new Refused("metadata");
    return new Response([204, 205, 304].includes(response.status) ? null : text, response);
  };

const hello = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "countersign", version: "1" } },
});

/** What the server says of itself to whoever has no token (RFC 9728 section 5.1). */
async function challengeOf(server: LoginServer) {
  const headers = new Headers({ "Content-Type": "application/json", Accept: "application/json, text/event-stream" });
  const request = { method: "POST", body: hello, session: null, headers, signal: AbortSignal.timeout(timeoutMs) } as const;
  const asked = await askServer({ server, credential: null }, request);
  if (!asked.ok) throw new Refused("unreachable");
  asked.value.body?.cancel().catch(() => {});
  return extractWWWAuthenticateParams(asked.value);
}

/** Finds out where a person signs in, and makes the address that their browser goes to. */
export const startLogin = (asked: LoginAsked): Promise<LoginStarted> =>
  guarded(async () => {
    const { server, redirectUri, state } = asked;
    // The variable that has the client's secret is not set.
    if (server.secret === "") throw new Refused("noClient");
    const fetchFn = fetchFor(server);
    const challenge = await challengeOf(server);
    const { resourceMetadataUrl } = challenge;
    const protectedResource = await discoverOAuthProtectedResourceMetadata(
      server.url,
      resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl },
      fetchFn,
    ).catch((error: unknown) => {
      // Without any the server's own host may be the authorization server, as until 2025-03-26.
      if (resourceMetadataUrl !== undefined || error instanceof Refused) throw error;
      return null;
    });
    const own = resourceUrlFromServerUrl(server.url);
    const resource = protectedResource?.resource ?? own.href;
    // A server that names another's resource would get a token for that one.
    if (!checkResourceAllowed({ requestedResource: own, configuredResource: resource })) throw new Refused("metadata");
    // Not by the server's word, where the gateway is known already: it could name one of its own,
    // which would get the secret and the code.
    const issuer = asked.client?.issuer ?? protectedResource?.authorization_servers?.[0] ?? new URL("/", server.url).href;
    const metadata = await discoverAuthorizationServerMetadata(issuer, { fetchFn });
    if (metadata === undefined) throw new Refused("noSignIn");
    if (metadata.issuer.length > longestIssuer) throw new Refused("metadata");
    const { authorization_endpoint, token_endpoint, code_challenge_methods_supported: methods } = metadata;
    // Without PKCE a code that leaked is good for whoever has it (MCP, basic/authorization).
    if (![authorization_endpoint, token_endpoint].every((each) => mayReach(each, server)) || methods?.includes("S256") !== true)
      throw new Refused("metadata");
    const scope = scopeOf(asked.scopes ?? challenge.scope?.split(" ") ?? protectedResource?.scopes_supported ?? [], metadata);
    const { client, registration } = await clientOf(asked, metadata, scope, fetchFn);
    const started = await startAuthorization(issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      resource,
      ...(scope === "" ? {} : { scope }),
    });
    const grant: LoginGrant = { metadata: keptOf(metadata), client, resource, redirectUri, revocation: revocationOf(metadata) };
    const to = started.authorizationUrl.href;
    return { kind: "started", to, issuer: metadata.issuer, verifier: started.codeVerifier, grant: jsonOf(grant), registration };
  });

/** What is needed of it later: nobody is asked for another address then. */
export const keptOf = (metadata: AuthorizationServerMetadata): AuthorizationServerMetadata => ({
  issuer: metadata.issuer,
  authorization_endpoint: metadata.authorization_endpoint,
  token_endpoint: metadata.token_endpoint,
  response_types_supported: metadata.response_types_supported,
  token_endpoint_auth_methods_supported: metadata.token_endpoint_auth_methods_supported,
  authorization_response_iss_parameter_supported: metadata.authorization_response_iss_parameter_supported,
});

/** Where tokens are revoked (RFC 8414 section 2); OpenID Connect's own metadata have it too. */
function revocationOf(metadata: AuthorizationServerMetadata): LoginGrant["revocation"] {
  const said = objectOf(metadata);
  const endpoint = said?.["revocation_endpoint"];
  const methods = said?.["revocation_endpoint_auth_methods_supported"];
  if (typeof endpoint !== "string") return null;
  return { endpoint, methods: isTexts(methods) ? methods : (metadata.token_endpoint_auth_methods_supported ?? []) };
}

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((each) => typeof each === "string");

/** A refresh token is asked for where that has a scope of its own. */
const scopeOf = (scopes: readonly string[], { scopes_supported: known = [] }: AuthorizationServerMetadata): string =>
  [...new Set([...scopes, ...(scopes.length > 0 && known.includes("offline_access") ? ["offline_access"] : [])])].join(" ");

type OwnClient = { readonly client: OAuthClientInformationMixed; readonly registration: LoginRegistration | null };

/**
 * Who the gateway is there: as it was registered by hand, by its own document, as it registered
 * itself before, or registered now.
 */
async function clientOf(asked: LoginAsked, metadata: AuthorizationServerMetadata, scope: string, fetchFn: FetchLike): Promise<OwnClient> {
  const { client: byHand, clientUrl, redirectUri } = asked;
  if (byHand !== null) return { client: { client_id: byHand.id }, registration: null };
  if (metadata.client_id_metadata_document_supported === true && isHttpsUrl(clientUrl))
    return { client: { client_id: clientUrl }, registration: null };
  const { issuer } = metadata;
  const known = registeredAt(asked, issuer);
  if (known !== null) return known;
  if (metadata.registration_endpoint === undefined) throw new Refused("noClient");
  const client = await registerClient(issuer, {
    metadata,
    clientMetadata: clientDocument(redirectUri),
    fetchFn,
    ...(scope === "" ? {} : { scope }),
  });
  return { client, registration: { issuer, redirectUri, client: jsonOf(client) } };
}

/**
 * What the gateway registered itself as before. At another issuer it is nothing: one that learns
 * what the gateway is elsewhere could mix its sign-ins up with those (RFC 9700 section 4.4).
 */
function registeredAt({ registration, redirectUri }: LoginAsked, issuer: string): OwnClient | null {
  if (registration === null || registration.issuer !== issuer || registration.redirectUri !== redirectUri) return null;
  const client = readJsonOf(registration.client as JsonOf<OAuthClientInformationFull>); // as `clientOf` gave it
  const { client_secret_expires_at: expiresAt = 0 } = client;
  return expiresAt !== 0 && expiresAt * 1000 <= Date.now() ? null : { client, registration };
}

/** How the gateway describes itself as a client (RFC 7591). */
const clientDocument = (redirectUri: string) => ({
  client_name: "Countersign",
  redirect_uris: [redirectUri],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  application_type: isHttpsUrl(redirectUri) ? "web" : "native",
});

/** Trades a code for tokens. `iss` is checked before the code is sent anywhere (RFC 9207). */
export const finishLogin = (server: LoginServer, grant: string, { code, iss, verifier }: LoginCode): Promise<LoginIssued> =>
  guarded(async () => {
    const { metadata, client, resource, redirectUri } = grantIn(grant as JsonOf<LoginGrant>, server); // as `startLogin` gave it
    const tokens = await exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
      resource,
      fetchFn: fetchFor(server),
      ...(iss === null ? {} : { iss }),
    });
    return issuedOf(tokens);
  });

/** New tokens for a refresh token, at the server that the old ones came from. */
export const renewLogin = (server: LoginServer, grant: string, refreshToken: string): Promise<LoginIssued> =>
  guarded(async () => {
    const { metadata, client, resource } = grantIn(grant as JsonOf<LoginGrant>, server); // as `startLogin` gave it
    const given = { metadata, clientInformation: client, refreshToken, resource, fetchFn: fetchFor(server) };
    return issuedOf(await refreshAuthorization(metadata.issuer, given));
  });

/**
 * Tells the server that nobody holds these tokens any more, one after the other (RFC 7009). A
 * refresh token comes first: at most servers the access tokens that came of it end with it.
 */
export const revokeLogin = (server: LoginServer, grant: string, tokens: readonly string[]): Promise<LoginRevoked> =>
  guarded(async () => {
    const { client, revocation } = grantIn(grant as JsonOf<LoginGrant>, server); // as `startLogin` gave it
    if (revocation === null) return { kind: "none" };
    const { client_id: id, client_secret: secret = "" } = client;
    const method = selectClientAuthMethod(client, revocation.methods);
    for (const token of tokens) {
      const body = new URLSearchParams({ token, ...(method === "client_secret_basic" ? {} : { client_id: id }) });
      if (method === "client_secret_post") body.set("client_secret", secret);
      const headers = method === "client_secret_basic" ? { Authorization: `Basic ${btoa(`${id}:${secret}`)}` } : {};
      const { status } = await fetchFor(server)(revocation.endpoint, { method: "POST", body, headers });
      if (status !== 200) throw new Refused(status === 429 || status >= 500 ? "unreachable" : "refused");
    }
    return { kind: "revoked" };
  });

function issuedOf({ access_token, refresh_token, expires_in, scope, id_token, token_type }: OAuthTokens): LoginIssued {
  // Any other has to be sent in another way. It becomes a header.
  if (token_type.toLowerCase() !== "bearer" || !/^[\x21-\x7e]{1,16000}$/.test(access_token)) throw new Refused("metadata");
  const refresh = refresh_token ?? null;
  return { kind: "issued", access: access_token, refresh, seconds: expires_in ?? null, scope: scope ?? null, account: accountIn(id_token) };
}

/** Of the errors of a token endpoint, those that trying again changes. */
const passing: ReadonlySet<string> = new Set([OAuthErrorCode.ServerError, OAuthErrorCode.TemporarilyUnavailable, "slow_down"]);

/** An error's own text may have the server's words, or a token: only its kind is told. */
export async function guarded<T>(
  work: () => Promise<T>,
): Promise<T | { readonly kind: "failed"; readonly why: LoginFault; readonly isClientUnknown: boolean }> {
  try {
    return await work();
  } catch (error) {
    return { kind: "failed", why: faultOf(error), isClientUnknown: isClientUnknown(error) };
  }
}

const isClientUnknown = (error: unknown): boolean => error instanceof OAuthError && error.code === String(OAuthErrorCode.InvalidClient);

function faultOf(error: unknown): LoginFault {
  if (error instanceof Refused) return error.why;
  if (error instanceof IssuerMismatchError) return "issuer";
  if (error instanceof OAuthError) return passing.has(error.code) ? "unreachable" : "refused";
  return error instanceof TypeError || (error instanceof Error && error.name === "TimeoutError") ? "unreachable" : "metadata";
}
