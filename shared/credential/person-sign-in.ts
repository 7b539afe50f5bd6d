// People who sign in at an OIDC issuer: what the gateway keeps of a sign-in that was begun, and
// what an ID token must say about the person beside what its signature check asks for. No clock, no
// storage.

import { digestOf } from "../encoding.ts";
import { jsonOf } from "../json/json-of.ts";
import { type Result, err, ok } from "../result.ts";
import type { Issuer, PeoplesIssuer } from "./issuers.ts";

/** A person comes back within that time. */
export const issuerSignInMs = 10 * 60_000;

/** Of the browser's secret and of the state: 32 random bytes as base64url. */
export const issuerSecretLength = 32;

/** A sign-in that was begun. */
export type BegunSignIn = {
  /** The entry's name, and what it was. */
  readonly issuer: string;
  readonly binding: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly grant: string;
  /** What was wanted, as `isSignInTarget` has it. */
  readonly to: string | null;
};

/** A sign-in is good for the entry that it was begun with: a changed one is another. */
export const issuerBinding = (entry: Issuer): string => digestOf("countersign/issuer-entry/v1", { entry: jsonOf(entry) });

/** What is stored of the browser that began one. */
export const issuerBrowserDigest = (secret: string): string => digestOf("countersign/issuer-browser/v1", { secret });

/** Names a begun sign-in where it is stored, which has no state. */
export const begunSignInName = (state: string): string => `sign-in:${digestOf("countersign/issuer-state/v1", { state })}`;

/**
 * `nonce`: of another sign-in. `party`: for another client. `domain`: the issuer does not vouch for
 * addresses at this one.
 */
type IdentityError = "nonce" | "party" | "noEmail" | "unverified" | "domain";

type VouchedFor = Pick<PeoplesIssuer["signIn"], "clientId" | "emailVerified" | "domains">;

/**
 * The email address that an issuer vouches for. Refused: the nonce of another sign-in, a token for
 * several parties or another one, an address that is not the person's by what the entry asks for,
 * where anybody could have typed a reviewer's (OpenID Connect Core 3.1.3.7 and 5.7), and one at a
 * domain that is not the issuer's.
 * @param claims of an ID token whose signature, `iss`, `aud` and time were checked.
 */
export function emailOf(
  claims: Readonly<Record<string, unknown>>,
  { clientId, emailVerified, domains, nonce }: VouchedFor & { readonly nonce: string },
): Result<string, IdentityError> {
  const { aud, azp, email } = claims;
  if (claims["nonce"] !== nonce) return err("nonce");
  if ((Array.isArray(aud) && aud.length > 1 && azp === undefined) || (azp !== undefined && azp !== clientId)) return err("party");
  if (typeof email !== "string" || email === "") return err("noEmail");
  if (!isVerified(claims, emailVerified)) return err("unverified");
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domains === undefined || domains.includes(domain) ? ok(email) : err("domain");
}

function isVerified(claims: Readonly<Record<string, unknown>>, how: VouchedFor["emailVerified"]): boolean {
  switch (how) {
    case "claim":
      return claims["email_verified"] === true;
    case "xms_edov":
      // A Boolean by Entra's reference; tokens have been seen with a number or a text in its place.
      return [true, 1, "1"].some((value) => claims["xms_edov"] === value);
    case "issuer":
      // One that says itself that it did not is believed.
      return claims["email_verified"] !== false;
    default:
      return how satisfies never;
  }
}
