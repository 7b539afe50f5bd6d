// The OAuth side of a client under test: everything in memory, and a user who agrees to whatever
// page opens.

import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";

/** What the suite says of a client that is registered already. */
type Given = { readonly client_id?: string; readonly client_secret?: string };

export class AgreeingUser implements OAuthClientProvider {
  readonly redirectUrl = "http://localhost:3000/callback";
  readonly clientMetadataUrl = "https://conformance-test.local/client-metadata.json";
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: "under-test",
    redirect_uris: [this.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    application_type: "native",
  };
  /** What the last page sent the browser back with. */
  callback = new URLSearchParams();
  /** Set where the client comes by the relay. */
  validateResourceURL?: (server: string | URL, resource?: string) => Promise<URL | undefined>;
  readonly #given: Given;
  readonly #clients = new Map<string, StoredOAuthClientInformation>();
  #tokens: StoredOAuthTokens | undefined;
  #verifier = "";
  /**
   * @param behind the server's own address where the client comes by the relay: its tokens are for
   *   that server, and not for the relay.
   */
  constructor(given: Given, behind: string | undefined) {
    this.#given = given;
    if (behind === undefined) return;
    this.validateResourceURL = async (_relay, resource) => {
      if (resource === undefined) return undefined;
      if (new URL(resource).origin !== new URL(behind).origin) throw new Error(`${resource} is not the server behind the relay`);
      return new URL(resource);
    };
  }

  /** Each authorization server has a registration of its own. */
  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { client_id, client_secret } = this.#given;
    if (client_id !== undefined && client_secret !== undefined) return { client_id, client_secret };
    return this.#clients.get(context?.issuer ?? "");
  }
  saveClientInformation(information: StoredOAuthClientInformation, context?: OAuthClientInformationContext): void {
    this.#clients.set(context?.issuer ?? "", information);
  }
  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }
  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
  async redirectToAuthorization(page: URL): Promise<void> {
    const { headers } = await fetch(page, { redirect: "manual" });
    this.callback = new URL(headers.get("Location") ?? "about:blank").searchParams;
  }
}
