// The issuers document: whose tokens (JWT, RFC 7519) stand for which API keys, and how a token is
// checked. No token is read here.

import * as z from "zod";
import type { JsonObject } from "../encoding.ts";
import { jsonSchemaOf } from "../json/json-schema-of.ts";
import { err, ok, type Result } from "../result.ts";
import { isPrivateHost, readBaseUrl } from "../address.ts";
import { environmentName } from "../environment-name.ts";
import { pointerTo, issueAt, issuesOf, type Issue } from "../routing/issues.ts";
import type { IssueKey } from "../words/issues.ts";
import { algorithms, isSymmetric, keySet, keySetIssues } from "./key-set.ts";

/** Names an entry in pointers, messages and the doctor's output. */
const entryName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "entryName");

/** StringOrURI of RFC 7519: compared as it is, letter by letter. */
const claim = z.string().regex(/^[\x21-\x7e]{1,1000}$/, "claimText");

/** Of an email address, as it is compared: in lower case, and in ASCII. */
const domainName = z.string().regex(/^(?=.{1,253}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/, "domainName");

const issuer = z.strictObject({
  /** The tokens' `iss`, to the letter: a slash at the end counts. */
  issuer: claim,
  /**
   * The one algorithm that this issuer signs with. A token that names another is refused, whatever
   * its keys are.
   */
  algorithm: z.enum(algorithms),
  /**
   * The tokens' `aud` must have one of these. Required: a token for another audience is no
   * credential here.
   */
  audience: z.union([claim, z.array(claim).min(1).max(20)]),
  /** The issuer's public keys, as its JSON Web Key Set. */
  keys: keySet.optional(),
  /** Where its JSON Web Key Set is fetched, and fetched again as keys change. */
  jwksUrl: z.string().max(2_000).optional(),
  /** Names the environment secret that the issuer and the gateway share, for HS algorithms. */
  secret: environmentName.optional(),
  /** Lets `jwksUrl` be a private or loopback address, and plain http. */
  allowPrivate: z.boolean().default(false),
  /**
   * Which `sub` stands for which API key, by the key's id. A token with another `sub` is refused.
   */
  subjects: z.record(z.string().min(1).max(500), z.string().regex(/^key_[a-z0-9]{1,64}$/, "keyId")),
  /** By how much our clock and the issuer's may differ, for `exp` and `nbf`. */
  clockToleranceSeconds: z.int().min(0).max(120).default(30),
  /** Lets people of the policy sign in there, by OpenID Connect. */
  signIn: z
    .strictObject({
      /** Who the gateway is there: the `aud` of the ID tokens that it gets. */
      clientId: claim,
      /** Names the environment secret that goes with it; absent for a public client. */
      secret: environmentName.optional(),
      /**
       * By what an address counts as the person's. `claim`: `email_verified` is true. `xms_edov`:
       * Microsoft Entra's claim of that name is. `issuer`: by nothing in the token, because whoever
       * runs the issuer lets nobody type an address; only with `domains`.
       */
      emailVerified: z.enum(["claim", "xms_edov", "issuer"]).default("claim"),
      /** The domains whose addresses it vouches for; absent: every one. Subdomains are others. */
      domains: z.array(domainName).min(1).max(100).optional(),
    })
    .optional(),
});

const issuersSchema = z.strictObject({
  version: z.int().nonnegative().default(0),
  issuers: z.record(entryName, issuer).default({}),
});

export type Issuers = z.infer<typeof issuersSchema>;
export type Issuer = z.infer<typeof issuer>;
/** One at which people sign in. */
export type PeoplesIssuer = Issuer & { readonly signIn: NonNullable<Issuer["signIn"]> };

/** What an operator may write, for editors and for `docs/credentials.md`. */
export const issuersJsonSchema = (): JsonObject => jsonSchemaOf(issuersSchema);

/**
 * Reads an issuers document from parsed JSON. Refused, each with a pointer and no value from the
 * document: what the schema refuses, no source of keys or more than one, one that does not fit the
 * algorithm (a secret belongs to HS alone, and HS to a secret alone), private keys, a `jwksUrl`
 * with credentials or a fragment, a private or plain-http one without `allowPrivate`, an `issuer`
 * with `signIn` that is no such address, `emailVerified` by the issuer without `domains`, and two
 * entries of one issuer.
 */
export function parseIssuers(value: unknown): Result<Issuers, Issue[]> {
  const parsed = issuersSchema.safeParse(value);
  if (!parsed.success) return err(issuesOf(parsed.error.issues));
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [name, entry] of Object.entries(parsed.data.issuers)) {
    const at = pointerTo(["issuers", name]);
    if (seen.has(entry.issuer)) issues.push(issueAt(`${at}/issuer`, "issuerTwice"));
    seen.add(entry.issuer);
    for (const issue of entryIssues(entry)) issues.push({ ...issue, pointer: `${at}${issue.pointer}` });
  }
  return issues.length === 0 ? ok(parsed.data) : err(issues);
}

/** Pointers are relative to the entry. */
function entryIssues(entry: Issuer): Issue[] {
  const { issuer: address, allowPrivate, signIn } = entry;
  const issues = keyIssues(entry);
  // Its configuration is read below this address (OpenID Connect Discovery 4.1).
  const issuerIssue = signIn === undefined ? undefined : addressIssue(address, allowPrivate);
  if (issuerIssue !== undefined) issues.push(issueAt("/issuer", issuerIssue));
  // Nothing in a token of its says whose address it is.
  if (signIn?.emailVerified === "issuer" && signIn.domains === undefined) issues.push(issueAt("/signIn/domains", "trustedDomains"));
  return issues;
}

function keyIssues({ algorithm, keys, jwksUrl, secret, allowPrivate }: Issuer): Issue[] {
  const given = Object.entries({ keys, jwksUrl, secret }).flatMap(([name, source]) => (source === undefined ? [] : [name]));
  const [other, ...more] = given;
  if (other === undefined) return [issueAt("", isSymmetric(algorithm) ? "noSecret" : "noKeySource")];
  const issues: Issue[] = more.map((name) => issueAt(`/${name}`, { key: "besideSource", values: { other } }));
  if (secret !== undefined && !isSymmetric(algorithm)) issues.push(issueAt("/secret", "onlyHs"));
  for (const name of ["keys", "jwksUrl"] as const)
    if (given.includes(name) && isSymmetric(algorithm)) issues.push(issueAt(`/${name}`, "publicKeys"));
  if (keys !== undefined && !isSymmetric(algorithm))
    issues.push(...keySetIssues(keys, algorithm).map((issue) => ({ ...issue, pointer: `/keys${issue.pointer}` })));
  const jwksIssue = jwksUrl === undefined ? undefined : addressIssue(jwksUrl, allowPrivate);
  if (jwksIssue !== undefined) issues.push(issueAt("/jwksUrl", jwksIssue));
  return issues;
}

/** A query is allowed: some issuers' addresses have one. */
function addressIssue(address: string, allowPrivate: boolean): IssueKey | undefined {
  const url = readBaseUrl(address);
  if (url === undefined) return "notUrl";
  if (url.extras && (address.includes("#") || /^\w+:\/\/[^/?]*@/.test(address))) return "urlUser";
  if (allowPrivate) return undefined;
  if (isPrivateHost(url.host)) return "urlPrivate";
  return url.scheme === "https" ? undefined : "urlNotHttps";
}

/** The entry whose issuer is exactly this `iss`. */
export const entryOf = ({ issuers }: Issuers, iss: unknown): Issuer | undefined =>
  typeof iss === "string" ? Object.values(issuers).find(({ issuer }) => issuer === iss) : undefined;

/** The id of the API key that this `sub` stands for. */
export const keyIdOf = ({ subjects }: Issuer, sub: unknown): string | undefined =>
  typeof sub === "string" && Object.hasOwn(subjects, sub) ? subjects[sub] : undefined;
