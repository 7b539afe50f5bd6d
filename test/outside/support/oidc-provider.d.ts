// What the tests use of oidc-provider, which brings no types.

declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  type StoredToken = {
    readonly grantId: string;
    readonly accountId: string;
    readonly aud: string | readonly string[];
    destroy(): Promise<void>;
  };
  type TokenKind = {
    /** Undefined where it is not good. */
    find(token: string): Promise<StoredToken | undefined>;
    revokeByGrantId(grant: string): Promise<void>;
  };

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly AccessToken: TokenKind;
    readonly RefreshToken: TokenKind;
    callback(): RequestListener;
    on(event: "grant.success", heard: (context: { readonly oidc: { readonly params: { readonly grant_type: string } } }) => void): void;
    on(event: string, heard: () => void): void;
  }
}
