// The keys that check an issuer's tokens: written in the issuers document, fetched from the issuer,
// or a secret of the environment. They are cached in this isolate, for one version of the document.

import { isObject, parseJson } from "../../shared/json/values.ts";
import {
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
  type CryptoKey as JoseKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
} from "jose";
import { utf8ToBytes } from "../../shared/encoding.ts";
import type { Issuer } from "../../shared/credential/issuers.ts";
import { leastSecretBytes } from "../../shared/credential/key-set.ts";
import { isPrivateHost } from "../../shared/address.ts";
import { type Result, err, ok } from "../../shared/result.ts";
import type { Env } from "../platform/env.ts";
import { logEvent } from "../platform/log.ts";
import { lookupIn } from "../platform/lookup.ts";
import { readText } from "../http/body.ts";

/** Far more than any issuer's set. */
const mostBytes = 256 * 1024;
const fetchTimeoutMs = 5_000;
/**
 * A key that the issuer withdraws is accepted for this long at most. An issuer that is silent for
 * longer has its tokens refused.
 */
const keptMs = 10 * 60_000;
/** Tokens with unknown keys have the set fetched again no more often than this. */
const cooldownMs = 30_000;
/**
 * After a failure the set is not fetched for this long: forged tokens must not cause endless
 * requests.
 */
const failureCooldownMs = 5_000;

/** Why an issuer's keys cannot be fetched; for the operator. */
export type KeySetError = "unreachable" | "notOk" | "tooLarge" | "notKeySet";

/** Carries a `KeySetError`, or "noSecret", through `jose` as its message. */
class IssuerKeysUnavailable extends Error {
  override readonly name = "IssuerKeysUnavailable";
}

type Resolver = (header?: JWSHeaderParameters, token?: FlattenedJWSInput) => Promise<JoseKey>;

const resolvers = new WeakMap<Issuer, Resolver>();

/**
 * The keys in the form that `jose` takes. Throws `IssuerKeysUnavailable` where the secret is not
 * set, or is shorter than the algorithm requires (RFC 7518 section 3.2); the resolver throws it
 * where the set cannot be fetched.
 */
export function issuerKeys(env: Env, issuer: Issuer): Resolver | Uint8Array {
  if (issuer.secret !== undefined) {
    const secret = secretOf(env, issuer);
    if (secret === undefined) throw new IssuerKeysUnavailable("noSecret");
    return secret;
  }
  let resolver = resolvers.get(issuer);
  if (resolver === undefined) {
    resolver = issuer.jwksUrl === undefined ? createLocalJWKSet(issuer.keys as JSONWebKeySet) : remoteKeys(issuer, issuer.jwksUrl); // checked by the document's schema
    resolvers.set(issuer, resolver);
  }
  return resolver;
}

/** The secret of an HS issuer as bytes, where it is set and long enough. */
export function secretOf(env: Env, { secret, algorithm }: Issuer): Uint8Array | undefined {
  const bytes = utf8ToBytes((secret === undefined ? undefined : lookupIn(env)(secret))?.trim() ?? "");
  return bytes.length > 0 && bytes.length >= leastSecretBytes(algorithm) ? bytes : undefined;
}

function remoteKeys(issuer: Issuer, url: string): Resolver {
  let failedAt = -Infinity;
  let failure: KeySetError = "unreachable";
  return createRemoteJWKSet(new URL(url), {
    timeoutDuration: fetchTimeoutMs,
    cooldownDuration: cooldownMs,
    cacheMaxAge: keptMs,
    [customFetch]: async (_url, { headers, signal }) => {
      if (Date.now() - failedAt < failureCooldownMs) throw new IssuerKeysUnavailable(failure);
      const read = await fetchKeySet(issuer, headers, signal);
      if (read.ok) return Response.json(read.value);
      failedAt = Date.now();
      failure = read.error;
      logEvent("issuer.keysUnavailable", { error: failure });
      throw new IssuerKeysUnavailable(failure);
    },
  });
}

/** Fetches an issuer's set. It follows no redirect and sends no credential. */
export async function fetchKeySet(issuer: Issuer, headers: Headers, signal: AbortSignal): Promise<Result<JSONWebKeySet, KeySetError>> {
  const { jwksUrl, allowPrivate } = issuer;
  if (jwksUrl === undefined) return err("unreachable");
  const { href, hostname, protocol } = new URL(jwksUrl);
  // Checked again, by the URL parser that `fetch` uses.
  if (!allowPrivate && (isPrivateHost(hostname) || protocol !== "https:")) return err("unreachable");
  let text: string | undefined;
  try {
    const response = await fetch(href, { headers, redirect: "manual", signal });
    if (response.status !== 200) {
      response.body?.cancel().catch(() => {});
      return err("notOk");
    }
    text = await readText(response.body, mostBytes);
  } catch {
    return err("unreachable");
  }
  if (text === undefined) return err("tooLarge");
  const set = parseSet(text);
  return set === undefined ? err("notKeySet") : ok(set);
}

function parseSet(text: string): JSONWebKeySet | undefined {
  const value = parseJson(text);
  const keys = isObject(value) ? value["keys"] : undefined;
  return Array.isArray(keys) && keys.every(isObject) ? { keys } : undefined;
}
