// Signs a person in at an OIDC issuer of the issuers document, by the MCP SDK's functions of OAuth:
// where their browser goes to, with PKCE, and the ID token for the code that it comes back with.
// The token is checked by the gateway, which has the issuer's keys.

import {
  type AuthorizationServerMetadata,
  type OAuthClientInformationMixed,
  discoverAuthorizationServerMetadata,
  exchangeAuthorization,
  startAuthorization,
} from "@modelcontextprotocol/client";
import { type JsonOf, jsonOf } from "../../shared/json/json-of.ts";
import type { LoginCode, LoginFault, LoginServer, LoginStarted } from "../../shared/relay/login.ts";
import { Refused, fetchFor, grantIn, guarded, keptOf, mayReach } from "./login.ts";

/** What is asked of an issuer. `server`: the issuer, with the gateway's own secret there. */
export type SignInAsked = {
  readonly server: LoginServer;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
};

/** What a code needs. */
type SignInGrant = {
  readonly metadata: AuthorizationServerMetadata;
  readonly client: OAuthClientInformationMixed;
  readonly redirectUri: string;
};

/** `idToken`: nothing of it was checked. */
export type SignedIn = { readonly kind: "signedIn"; readonly idToken: string } | { readonly kind: "failed"; readonly why: LoginFault };

/** Reads the issuer's configuration, and makes the address that the browser goes to. */
export const startSignIn = ({ server, clientId, redirectUri, state, nonce }: SignInAsked): Promise<LoginStarted> =>
  guarded(async () => {
    // The variable that has the client's secret is not set.
    if (server.secret === "") throw new Refused("noClient");
    const metadata = await discoverAuthorizationServerMetadata(server.url, { fetchFn: fetchFor(server) });
    if (metadata === undefined) throw new Refused("noSignIn");
    if (![metadata.authorization_endpoint, metadata.token_endpoint].every((each) => mayReach(each, server))) throw new Refused("metadata");
    const client = { client_id: clientId };
    const { authorizationUrl: to, codeVerifier: verifier } = await startAuthorization(server.url, {
      metadata,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      scope: "openid email",
    });
    to.searchParams.set("nonce", nonce);
    const grant: SignInGrant = { metadata: keptOf(metadata), client, redirectUri };
    return { kind: "started", to: to.href, issuer: metadata.issuer, verifier, grant: jsonOf(grant), registration: null };
  });

/**
 * Trades the code for the ID token. `iss` is checked before the code is sent anywhere (RFC 9207).
 */
export const finishSignIn = (server: LoginServer, grant: string, { code, iss, verifier }: LoginCode): Promise<SignedIn> =>
  guarded(async () => {
    const { metadata, client, redirectUri } = grantIn(grant as JsonOf<SignInGrant>, server); // as `startSignIn` gave it
    const { id_token: idToken } = await exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri,
      fetchFn: fetchFor(server),
      ...(iss === null ? {} : { iss }),
    });
    if (idToken === undefined) throw new Refused("metadata");
    return { kind: "signedIn", idToken };
  });
