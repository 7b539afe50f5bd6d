// The OAuth Worker: the authorization server in front of the relay, on
// `@cloudflare/workers-oauth-provider`. Apart from the gateway for its size, and because the
// address that names a client is fetched under a flag that keeps it outside, which the relay's own
// servers may not be. It keeps nothing: each call brings the issuer, the resources and the storage.

import {
  AuthorizationError,
  CimdFetchError,
  OAuthAuthorizationServer,
  type OAuthAuthorizationServerOptions,
  OAuthError,
  authorizationErrorRedirect,
} from "@cloudflare/workers-oauth-provider";
import { WorkerEntrypoint } from "cloudflare:workers";
import { sha256Hex } from "../../shared/encoding.ts";
import { relayScope } from "../../shared/relay/relay-scope.ts";
import { paths } from "../platform/urls.ts";
import { unusedClientMs } from "../stubs/oauth-calls.ts";
import { documentFetch, isOfAMoment } from "./client-documents.ts";
import { type OAuthStore, asNamespace, givenName } from "./store.ts";

const daySeconds = 86_400;

// The library has no options for them. It reads nothing but clients' documents, and its warnings
// would have the client's text in them.
globalThis.fetch = documentFetch(globalThis.fetch);
Object.assign(globalThis.console, { warn: () => undefined });

/** The gateway as an issuer: PUBLIC_URL, and the resources that it has now. */
export type Issuer = { readonly issuer: string; readonly resources: readonly string[] };

/** What a token stands for: the API key of this id. */
type TokenProps = { readonly key: string };

/** Why nobody is asked for consent, or where the browser goes back to with an error. */
export type AskError =
  | { readonly kind: "redirect"; readonly to: string }
  /** Nothing of the request can be trusted, so the browser stays. */
  | { readonly kind: "refused"; readonly why: string };

export type AskedAccess = {
  readonly kind: "asked";
  /** The client's own name. */
  readonly name: string;
  /** The host that its metadata came from; null for one that registered itself. */
  readonly verifiedHost: string | null;
  readonly redirectHost: string;
  /** Whatever program listens on this machine gets the code. */
  readonly isLocal: boolean;
  readonly resource: string;
};

type GivenAccess = {
  /** The person, without a colon. */
  readonly user: string;
  readonly props: TokenProps;
};

/** A grant of a person, and the key that it stands for. */
type OAuthGrant = { readonly id: string; readonly key: string };

type OAuthEnv = { readonly OAUTH_KV: ReturnType<typeof asNamespace> };

const { authorize, token: tokenPath, register } = paths.oauth;

/** Whether a token for this resource may still stand for this key, as the gateway says. */
type IsGood = (key: string, resource: string) => Promise<boolean>;

type Hooks = Pick<OAuthAuthorizationServerOptions<OAuthEnv>, "tokenExchangeCallback" | "onError">;

const serverOf = ({ issuer, resources }: Issuer, hooks: Hooks = {}): OAuthAuthorizationServer<OAuthEnv> =>
  new OAuthAuthorizationServer<OAuthEnv>({
    issuer,
    resources,
    authorizeEndpoint: `${issuer}${authorize}`,
    tokenEndpoint: `${issuer}${tokenPath}`,
    clientRegistrationEndpoint: `${issuer}${register}`,
    scopesSupported: [relayScope],
    clientIdMetadataDocumentEnabled: true,
    accessTokenTTL: daySeconds,
    // Ninety days without use.
    refreshTokenTTL: 90 * daySeconds,
    refreshTokenIdleTTL: 90 * daySeconds,
    clientRegistrationTTL: 90 * daySeconds,
    // The library's own line would have the client's text in it.
    onError: () => undefined,
    ...hooks,
  });

/**
 * Of a client whose document cannot be read now. The library's `invalid_client` would have it throw
 * away a connection that is good.
 */
const tryAgain = (): Response =>
  Response.json(
    { error: "temporarily_unavailable", error_description: "The client's metadata document cannot be read; try again" },
    { status: 503, headers: { "Retry-After": "30", "Cache-Control": "no-store" } },
  );

const tokenHeaders = { "Content-Type": "application/json", "Cache-Control": "no-store", Pragma: "no-cache" };

/** A refresh by all that it consists of, its client's secret too: the same has the same answer. */
async function refreshAt(store: OAuthStore, token: string, request: string) {
  const [user = "", grant = ""] = token.split(":");
  const [name, digest] = [`grant:${user}:${grant}`, sha256Hex(request)];
  return {
    answer: await store.beginRefresh(name, digest),
    end: (answer: string | null): Promise<void> => store.endRefresh(name, digest, answer),
  };
}

/** No token for a key that has ended. `invalid_grant` also ends the grant in the library. */
async function requireGood(isGood: IsGood, { props, resource }: { readonly props: unknown; readonly resource: string }): Promise<void> {
  const { key } = props as TokenProps; // written below
  if (!(await isGood(key, resource))) throw new OAuthError("invalid_grant", { description: "The access was ended" });
}

/** `mostMs`: what is written lasts so long at most. */
const storage = (store: OAuthStore, mostMs = Infinity): OAuthEnv => ({ OAUTH_KV: asNamespace(store, () => Date.now(), mostMs) });

export default class OAuthWorker extends WorkerEntrypoint {
  /**
   * 404 to every HTTP request: the Worker should have no address, and serves nothing where it is
   * given one.
   */
  override fetch(): Response {
    return new Response(null, { status: 404 });
  }

  /** Metadata, tokens, revocation and registration, as the specifications say. */
  async answer(request: Request, issuer: Issuer, store: OAuthStore, isGood: IsGood): Promise<Response> {
    const isRegistration = new URL(request.url).pathname === register;
    const text = request.method === "POST" && !isRegistration ? await request.clone().text() : "";
    const fields = new URLSearchParams(text);
    if (fields.get("grant_type") !== "refresh_token") return this.#answer(request, fields, issuer, store, isGood);
    const refresh = await refreshAt(store, fields.get("refresh_token") ?? "", `${request.headers.get("Authorization") ?? ""} ${text}`);
    if (refresh.answer !== null) return new Response(refresh.answer, { headers: tokenHeaders });
    let answered: string | null = null;
    try {
      const answer = await this.#answer(request, fields, issuer, store, isGood);
      if (answer.status !== 200) return answer;
      answered = await answer.text();
      return new Response(answered, answer);
    } finally {
      await refresh.end(answered);
    }
  }

  async #answer(request: Request, fields: URLSearchParams, issuer: Issuer, store: OAuthStore, isGood: IsGood): Promise<Response> {
    const isRegistration = new URL(request.url).pathname === register;
    const isRevocation = fields.has("token") && !fields.has("grant_type");
    const removed = new Set<string>();
    const watched: OAuthStore = { ...store, remove: (name) => (removed.add(name), store.remove(name)) };
    let isNotCurrent = false;
    const server = serverOf(issuer, {
      tokenExchangeCallback: (asked) => requireGood(isGood, asked),
      onError: ({ internal }) => {
        isNotCurrent ||= internal?.reason === "refresh_token_mismatch";
        return internal?.category === "client-id-metadata-document" && isOfAMoment(internal.detail) ? tryAgain() : undefined;
      },
    });
    const answer = await server.fetch(request, storage(watched, isRegistration ? unusedClientMs : Infinity), this.ctx);
    if (isNotCurrent) await this.#endFamily(fields.get("refresh_token") ?? "", issuer, store);
    if (isRevocation) await this.#endGrantsOf([...removed], issuer, store);
    return answer;
  }

  /**
   * An access token that its client gives back takes its grant along (RFC 7009 section 2.1 lets
   * it), and with it the key: what the token opened, such as a stream, is watched by the key. The
   * library removes the token alone.
   */
  async #endGrantsOf(removed: readonly string[], issuer: Issuer, store: OAuthStore): Promise<void> {
    const api = serverOf(issuer).getOAuthApi(storage(store));
    for (const name of removed) {
      const [kind, user = "", grant = ""] = name.split(":");
      if (kind === "token" && !removed.includes(`grant:${user}:${grant}`)) await api.revokeGrant(grant, user);
    }
  }

  /**
   * A refresh token that was given here and is over is in two hands: which of them is the thief's
   * nobody can tell, so what came of it ends for both (RFC 9700 section 4.14.2). The library only
   * refuses it.
   */
  async #endFamily(token: string, issuer: Issuer, store: OAuthStore): Promise<void> {
    const [user = "", grant = ""] = token.split(":");
    if ((await store.read(givenName(`grant:${user}:${grant}`, sha256Hex(token)))) === null) return;
    await serverOf(issuer).getOAuthApi(storage(store)).revokeGrant(grant, user);
  }

  /** Who asks, for which resource: checked by the client's own registration. `query`: after `?`. */
  async asked(query: string, issuer: Issuer, store: OAuthStore): Promise<AskedAccess | AskError> {
    return this.#checked(query, issuer, store, async (api, request) => {
      const { clientName, clientDomain = null, redirectHost, redirectIsLoopback, clientId } = await api.describeConsent(request);
      return {
        kind: "asked",
        name: clientName,
        verifiedHost: clientDomain === null ? null : new URL(clientId).host,
        redirectHost,
        isLocal: redirectIsLoopback,
        resource: String(request.resource),
      };
    });
  }

  /** Allows it, with a new grant; resolves with where the browser goes back to. */
  async allow(query: string, issuer: Issuer, store: OAuthStore, { user, props }: GivenAccess): Promise<AskError> {
    return this.#checked(query, issuer, store, async (api, request) => {
      // One that a person let in is kept as long as it is used.
      if (!/^https:/i.test(request.clientId)) await api.updateClient(request.clientId, {});
      const given = await api.completeAuthorization({ request, userId: user, metadata: props, scope: [relayScope], props });
      return { kind: "redirect", to: given.redirectTo };
    });
  }

  /** Refuses it; resolves with where the browser goes back to. */
  deny(query: string, issuer: Issuer, store: OAuthStore): Promise<AskError> {
    return this.#checked(query, issuer, store, async (_, request) => ({
      kind: "redirect",
      to: authorizationErrorRedirect(request, "access_denied"),
    }));
  }

  /** What a token stands for; null where it is none, is over, or is for another resource. */
  async holder(token: string, resource: string, issuer: string, store: OAuthStore): Promise<TokenProps | null> {
    const found = await serverOf({ issuer, resources: [resource] }).validateToken<TokenProps>(resource, token, storage(store));
    return found?.scope.includes(relayScope) === true ? found.props : null;
  }

  /** Ends the grants that stand for this key: nothing of theirs is refreshed any more. */
  async end(user: string, key: string, issuer: Issuer, store: OAuthStore): Promise<void> {
    const api = serverOf(issuer).getOAuthApi(storage(store));
    const ended = (await this.#grants(user, issuer, store)).filter((grant) => grant.key === key);
    await Promise.all(ended.map(({ id }) => api.revokeGrant(id, user)));
  }

  async #grants(user: string, issuer: Issuer, store: OAuthStore): Promise<OAuthGrant[]> {
    const api = serverOf(issuer).getOAuthApi(storage(store));
    const found: OAuthGrant[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await api.listUserGrants(user, cursor === undefined ? {} : { cursor });
      found.push(...page.items.map(({ id, metadata }) => ({ id, key: (metadata as TokenProps).key }))); // written above
      if (page.cursor === undefined) return found;
      cursor = page.cursor;
    }
  }

  async #checked<T>(
    query: string,
    issuer: Issuer,
    store: OAuthStore,
    then: (api: Api, request: AuthRequest) => Promise<T>,
  ): Promise<T | AskError> {
    const api = serverOf(issuer).getOAuthApi(storage(store));
    try {
      const request = await api.parseAuthRequest(new Request(`${issuer.issuer}${authorize}?${query}`));
      // The library asks it of clients without a secret alone; MCP asks it of all.
      if (request.codeChallenge === undefined) return { kind: "redirect", to: authorizationErrorRedirect(request, "invalid_request") };
      return await then(api, request);
    } catch (error) {
      if (error instanceof AuthorizationError && error.redirectTo !== undefined) return { kind: "redirect", to: error.redirectTo };
      if (error instanceof AuthorizationError) return { kind: "refused", why: error.description };
      if (error instanceof CimdFetchError) return { kind: "refused", why: "The client's metadata document cannot be read" };
      throw error;
    }
  }
}

type Api = ReturnType<OAuthAuthorizationServer<OAuthEnv>["getOAuthApi"]>;
type AuthRequest = Awaited<ReturnType<Api["parseAuthRequest"]>>;
