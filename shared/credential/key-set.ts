// A JSON Web Key Set (RFC 7517) as an operator may write it into a document: public keys only, and
// one at least that fits the algorithm.

import * as z from "zod";
import { type Issue, issueAt } from "../routing/issues.ts";

/** The algorithms that may sign a token: never `none`. */
export const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "HS256",
  "HS384",
  "HS512",
] as const;
export type Algorithm = (typeof algorithms)[number];

/** Whether the verifier could sign too, because both sides share one secret. */
export const isSymmetric = (algorithm: Algorithm): boolean => algorithm.startsWith("HS");

/**
 * The shortest secret of an HS algorithm, in bytes: as long as its hash (RFC 7518 section 3.2). 0
 * for the others.
 */
export const leastSecretBytes = (algorithm: Algorithm): number => (isSymmetric(algorithm) ? Number(algorithm.slice(2)) / 8 : 0);

/**
 * More keys than any issuer publishes at once; each may have to be tried for a token that names
 * none.
 */
export const mostKeys = 50;

const text = z.string().max(10_000);

/** Unknown members (`x5c` and others) stay: a set is copied as its issuer publishes it. */
const jwk = z.looseObject({
  kty: text,
  kid: text.optional(),
  use: text.optional(),
  alg: text.optional(),
  crv: text.optional(),
  n: text.optional(),
  e: text.optional(),
  x: text.optional(),
  y: text.optional(),
});

export const keySet = z.looseObject({ keys: z.array(jwk).min(1).max(mostKeys) });
type KeySet = z.infer<typeof keySet>;
type Jwk = KeySet["keys"][number];

/** The members that only a private or a symmetric key has (RFC 7518 section 6). */
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];

const curves: Partial<Record<Algorithm, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521", EdDSA: "Ed25519" };

/** 2048 bits, the least that RFC 7518 section 3.3 allows, as base64url. */
const leastModulusLength = 342;

/** Whether the key could verify what this algorithm signed, as far as its members tell. */
export function fitsAlgorithm(key: Jwk, algorithm: Algorithm): boolean {
  if ((key.use !== undefined && key.use !== "sig") || (key.alg !== undefined && key.alg !== algorithm)) return false;
  const curve = curves[algorithm];
  if (algorithm === "EdDSA") return key.kty === "OKP" && key.crv === curve && key.x !== undefined;
  if (curve !== undefined) return key.kty === "EC" && key.crv === curve && key.x !== undefined && key.y !== undefined;
  return !isSymmetric(algorithm) && key.kty === "RSA" && key.e !== undefined && (key.n?.length ?? 0) >= leastModulusLength;
}

/**
 * What is wrong with a set, each at its pointer within the set: private members, and no key that
 * fits.
 */
export function keySetIssues({ keys }: KeySet, algorithm: Algorithm): Issue[] {
  const found = keys.flatMap((key, index) =>
    privateMembers.filter((member) => Object.hasOwn(key, member)).map((member) => issueAt(`/keys/${index}/${member}`, "privateMember")),
  );
  if (!keys.some((key) => fitsAlgorithm(key, algorithm))) found.push(issueAt("/keys", "noFittingKey"));
  return found;
}
