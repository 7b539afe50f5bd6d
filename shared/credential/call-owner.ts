// Whose a call is that passes the client's own credential on to its server: several users may share
// a key of the gateway.
//
// Two digests tell users apart. `token` is of the whole credential: requests without a state of
// ours find a call by it alone, since anybody can write a JWT with another user's issuer and
// subject. `user` outlives a refreshed token, for the holder of a sealed state.

import { digestOf, fromBase64url } from "../encoding.ts";
import { objectOf, parseJson } from "../json/values.ts";

export type CallOwner = {
  /**
   * Digest of a JWT's issuer and subject; of any other credential as it is. Nobody has checked the
   * JWT's signature.
   */
  readonly user: string;
  /** Digest of the credential as it is. */
  readonly token: string;
};

/** The owner of a call that came with this `Authorization`, byte for byte; null for one without. */
export function ownerOf(authorization: string | null): CallOwner | null {
  if (authorization === null) return null;
  const token = digestOf("countersign/call-token/v1", { authorization });
  const claims = claimsIn(authorization);
  return { user: claims === null ? token : digestOf("countersign/call-user/v1", claims), token };
}

/**
 * Whether a call of `owner` is this caller's; `refreshed`: by the claims of another token, which
 * the server has to accept first.
 */
export function ownership(owner: CallOwner | null, caller: CallOwner | null): "own" | "refreshed" | "other" {
  if (owner?.user !== caller?.user) return "other";
  return owner?.token === caller?.token ? "own" : "refreshed";
}

function claimsIn(authorization: string): { readonly iss: string; readonly sub: string } | null {
  const parts = /^(?:Bearer|DPoP) +([\w-]+)\.([\w-]+)\.([\w-]*) *$/i.exec(authorization);
  const bytes = fromBase64url(parts?.[2] ?? "");
  const claims = bytes === undefined ? null : objectOf(parseJson(new TextDecoder().decode(bytes)));
  const { iss, sub } = claims ?? {};
  return typeof iss === "string" && typeof sub === "string" ? { iss, sub } : null;
}
