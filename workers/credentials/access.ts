// Whom Cloudflare Access has signed in: the email address in its token, which is checked like any
// issuer's, by the team's own keys. Source: Cloudflare One, "Validate JWTs".

import type { Issuer } from "../../shared/credential/issuers.ts";
import { looksLikeToken, longestToken } from "../../shared/credential/presented.ts";
import type { Env } from "../platform/env.ts";
import { type AccessSettings, settingsOf } from "../platform/settings.ts";
import { verified } from "./token.ts";

/** The request header in which Access sends its token. */
export const accessHeader = "Cf-Access-Jwt-Assertion";

/** Unix milliseconds. `issuedAt`: null where the token does not say. */
type AccessIdentity = { readonly email: string; readonly issuedAt: number | null; readonly expiresAt: number };

/**
 * The identity in a token of this gateway's Access application; null for any other token, and where
 * Access is not set up.
 */
export async function accessIdentity(env: Env, token: string | undefined, now: number): Promise<AccessIdentity | null> {
  const { access } = settingsOf(env);
  if (access === undefined || token === undefined || token.length > longestToken || !looksLikeToken(token)) return null;
  try {
    const { email, exp, iat } = await verified(token, issuerOf(access), env, now);
    // A service token has no email address: it is no person.
    return typeof email !== "string" || email === "" || exp === undefined
      ? null
      : { email, issuedAt: iat === undefined ? null : iat * 1000, expiresAt: exp * 1000 };
  } catch {
    return null;
  }
}

const issuers = new WeakMap<AccessSettings, Issuer>();

/** One value for each setting, so that its keys stay cached. */
function issuerOf(access: AccessSettings): Issuer {
  let issuer = issuers.get(access);
  if (issuer === undefined) {
    issuer = {
      issuer: access.issuer,
      algorithm: "RS256",
      audience: access.audience,
      jwksUrl: `${access.issuer}/cdn-cgi/access/certs`,
      allowPrivate: false,
      subjects: {},
      clockToleranceSeconds: 30,
    };
    issuers.set(access, issuer);
  }
  return issuer;
}
