// How long a token may live: a day, so that a leaked one is soon useless. There is no list of
// revoked tokens.

const mostSeconds = 86_400;

/**
 * Whether a token lives longer than a day, from its `iat`, where it has one, or from now. Both,
 * because `iat` is optional (RFC 7519 section 4.1.6), and a token of a year would otherwise be
 * accepted in its last day.
 * @param claims `exp` and `iat` in seconds since 1970. An `iat` that is no number counts as too
 *   long.
 * @param now Unix milliseconds. @param toleranceSeconds By how much the issuer's clock may be ahead
 *   of ours.
 */
export function livesTooLong(claims: { readonly exp: number; readonly iat?: unknown }, now: number, toleranceSeconds: number): boolean {
  const { exp, iat } = claims;
  if (exp - Math.floor(now / 1000) > mostSeconds + toleranceSeconds) return true;
  return iat !== undefined && !(typeof iat === "number" && exp - iat <= mostSeconds);
}
