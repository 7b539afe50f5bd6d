// Checks a token (JWT) against the configured issuers. The token names its issuer; the document has
// everything else: the algorithm, the keys, the audience. Nothing of a token leaves this file but
// the id of the API key that it maps to.

import { type JWTPayload, type JWTVerifyGetKey, decodeJwt, errors, jwtVerify } from "jose";
import { type Issuer, type Issuers, entryOf, keyIdOf } from "../../shared/credential/issuers.ts";
import { livesTooLong } from "../../shared/credential/lifetime.ts";
import { mostKeys } from "../../shared/credential/key-set.ts";
import { longestToken, looksLikeToken } from "../../shared/credential/presented.ts";
import type { CredentialError } from "../../shared/model/outcome.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Env } from "../platform/env.ts";
import { issuerKeys } from "./issuer-keys.ts";

type TokenError = CredentialError | "issuerUnavailable";

/**
 * The id of the API key that a token maps to. Refused: a token that is no compact JWT of at most 8
 * KiB, an issuer that is not configured, any algorithm but that issuer's, a signature that none of
 * its keys made, `crit` extensions, a missing or wrong `aud`, a missing or past `exp`, one of more
 * than a day, an `nbf` in the future, and a `sub` that the document does not map (RFC 7519 section
 * 4.1, RFC 8725).
 */
export async function keyIdOfToken(env: Env, issuers: Issuers, token: string, now: number): Promise<Result<string, TokenError>> {
  if (token.length > longestToken || !looksLikeToken(token)) return err("tokenInvalid");
  const claimed = claimsUnchecked(token);
  if (claimed === undefined) return err("tokenInvalid");
  const issuer = entryOf(issuers, claimed.iss);
  if (issuer === undefined) return err("tokenIssuer");
  try {
    const { sub, exp, iat } = await verified(token, issuer, env, now);
    if (exp === undefined) return err("tokenWithoutExpiry");
    if (livesTooLong({ exp, iat }, now, issuer.clockToleranceSeconds)) return err("tokenLongLived");
    const id = keyIdOf(issuer, sub);
    return id === undefined ? err("tokenSubject") : ok(id);
  } catch (error) {
    return err(errorOf(error));
  }
}

/** Only to find the issuer whose keys then verify the token. */
function claimsUnchecked(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/**
 * The payload of a token that this issuer signed and that is good now. Throws what `jose` throws.
 */
export async function verified(token: string, issuer: Issuer, env: Env, now: number): Promise<JWTPayload> {
  const options = {
    algorithms: [issuer.algorithm],
    issuer: issuer.issuer,
    audience: issuer.audience,
    requiredClaims: ["exp", "sub"],
    clockTolerance: issuer.clockToleranceSeconds,
    currentDate: new Date(now),
  };
  const keys = issuerKeys(env, issuer);
  if (keys instanceof Uint8Array) return (await jwtVerify(token, keys, options)).payload;
  try {
    return (await jwtVerify(token, keys as JWTVerifyGetKey, options)).payload;
  } catch (error) {
    // The token names no key and the issuer has several: any of them may have signed it.
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    let tries = 0;
    for await (const key of error) {
      tries += 1;
      if (tries > mostKeys) break;
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (attempt) {
        if (!(attempt instanceof errors.JWSSignatureVerificationFailed)) throw attempt;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/**
 * By the error's class and the claim's name. The messages of `jose` are not read: they quote the
 * token.
 */
function errorOf(error: unknown): TokenError {
  if (error instanceof errors.JWTExpired) return "tokenExpired";
  if (error instanceof errors.JWTClaimValidationFailed) return claimErrors.get(error.claim) ?? "tokenInvalid";
  const wrong = [
    errors.JWSInvalid,
    errors.JWTInvalid,
    errors.JOSEAlgNotAllowed,
    errors.JOSENotSupported,
    errors.JWSSignatureVerificationFailed,
    errors.JWKSNoMatchingKey,
  ];
  // Any other error is about the issuer's keys: none can be fetched, or the one that fits cannot be
  // used.
  return wrong.some((each) => error instanceof each) ? "tokenInvalid" : "issuerUnavailable";
}

const claimErrors: ReadonlyMap<string, TokenError> = new Map([
  ["exp", "tokenWithoutExpiry"],
  ["nbf", "tokenTooEarly"],
  ["aud", "tokenAudience"],
  ["iss", "tokenIssuer"],
  ["sub", "tokenSubject"],
]);
