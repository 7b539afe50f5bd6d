// API keys: their records, and the caller of a presented key. Keys are stored only as SHA-256.
//
// A key carries a MAC, so that one that KV does not show yet (it was just made) is looked up at the
// ConfigObject, and a made-up one never wakes an object.

import { type MadeKey, type StoredKey, publishedKeyName } from "../stubs/config-calls.ts";
import * as z from "zod";
import { sha256Hex } from "../../shared/encoding.ts";
import type { TokenBudget } from "../../shared/budget/budgets.ts";
import { keyRequestSchema } from "../../shared/budget/key-request.ts";
import { needsOwner, ruleWithoutOwner } from "../../shared/policy/own-requests.ts";
import { keyScopes } from "../../shared/model/gate.ts";
import type { Policy } from "../../shared/policy/rules.ts";
import { readPublished } from "../../shared/published.ts";
import { type SigningKeys, seal, unseal } from "../../shared/sealed-id.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "../platform/env.ts";
import { byNamespace, isolateMap, isolateState } from "../platform/isolate.ts";
import { logEvent } from "../platform/log.ts";
import { configStub } from "../stubs/stubs.ts";
import { leastKeyVersion } from "./published-document.ts";
import { settingsOf } from "../platform/settings.ts";

export type KeyRecord = MadeKey & {
  /** The scoped token that was presented in its place. */
  readonly token?: TokenBudget;
};

const publishedSchema = z.object({
  record: keyRequestSchema.extend({
    id: z.string(),
    createdAt: z.number(),
    oauthClient: z.object({ host: z.string().nullable(), address: z.string().optional() }).optional(),
    changes: z.int().positive().optional(),
  }),
  revokedAt: z.number().nullable(),
});

type Caller =
  | { readonly kind: "key"; readonly record: KeyRecord }
  | { readonly kind: "refused"; readonly why: "missing" | "unknown" | "revoked" | "expired" | "accessToken" };

/** The beginning of every key but the one for development. */
export const keyPrefix = "csk_";
const domain = "countersign/api-key/v1";
const randomLength = 24;

/** A new key's text and id from 24 random bytes. */
export function newKey(keys: SigningKeys, random: Uint8Array): { key: string; id: string; hash: string } {
  const key = keyPrefix + seal(keys, domain, random);
  const hash = sha256Hex(key);
  // The id comes from the hash, so that it reveals nothing of the key.
  return { key, id: `key_${hash.slice(0, 16)}`, hash };
}

/** The id of DEV_API_KEY, which is in no list of keys. */
export const devKeyId = "key_dev";
const devKey: KeyRecord = { id: devKeyId, name: "dev", owner: "you", scopes: [...keyScopes], createdAt: 0 };

type KnownKey = { readonly record: KeyRecord; readonly revokedAt: number | null };
type Cached = KnownKey & { readonly readAt: number };
const cachedMs = 30_000;
const mostCached = 10_000;
const cache = isolateMap<string, Cached>();

/**
 * The caller of a presented key, by a record that may be half a minute old: the KeyObject that
 * admits the request checks revocation again.
 */
export async function callerOf(env: Env, presented: string | undefined, now: number): Promise<Caller> {
  if (presented === undefined || presented === "") return { kind: "refused", why: "missing" };
  // Longer than any key that we make: refused without hashing what an attacker sends.
  if (presented.length > 256) return { kind: "refused", why: "unknown" };
  const { devApiKey, keys } = settingsOf(env);
  const hash = hashOf(presented);
  if (devApiKey !== undefined && hash === hashOf(devApiKey)) return { kind: "key", record: devKey };
  let found = cache.get(hash);
  if (found === undefined || now - found.readAt >= cachedMs) {
    const read = await readKey(env, keys, presented, { hash, now });
    if (read === null) return { kind: "refused", why: "unknown" };
    found = { ...read, readAt: now };
    if (cache.size >= mostCached) cache.clear();
    cache.set(hash, found);
  }
  return asCaller(found, now);
}

const cacheById = isolateMap<string, Cached>();

/**
 * The caller of a token that stands for the key of this id: an issuer's, by the issuers document,
 * or a scoped one. Read from the ConfigObject and up to half a minute old; revocation is checked
 * again as for a presented key.
 */
export async function keyById(env: Env, id: string, now: number): Promise<Caller> {
  if (id === devKeyId) {
    return settingsOf(env).devApiKey === undefined ? { kind: "refused", why: "unknown" } : { kind: "key", record: devKey };
  }
  let found = cacheById.get(id);
  if (found === undefined || now - found.readAt >= cachedMs) {
    const stored = await configStub(env).keyOfId(id);
    const read = stored === null ? null : parseStored(stored);
    if (read === null) return { kind: "refused", why: "unknown" };
    found = { ...read, readAt: now };
    if (cacheById.size >= mostCached) cacheById.clear();
    cacheById.set(id, found);
  }
  return asCaller(found, now);
}

function asCaller({ record, revokedAt }: KnownKey, now: number): Caller {
  if (revokedAt !== null) return { kind: "refused", why: "revoked" };
  if (record.expiresAt !== undefined && now >= record.expiresAt) return { kind: "refused", why: "expired" };
  return { kind: "key", record };
}

/** Drops this isolate's copies of keys, since it just saw one revoked. */
export function forgetKeys(): void {
  cache.clear();
  cacheById.clear();
}

/**
 * Reads a genuine copy in KV that is not older than the key's last change; else asks the
 * ConfigObject, where KV has a copy or the key's MAC is genuine: a made-up key wakes no object.
 */
async function readKey(
  env: Env,
  keys: SigningKeys,
  presented: string,
  { hash, now }: { hash: string; now: number },
): Promise<KnownKey | null> {
  const name = publishedKeyName(hash);
  const stored = await env.CONFIG.get(name, { type: "text", cacheTtl: 30 });
  const copy = stored === null ? undefined : readPublished(keys, name, stored);
  const isOlder = copy !== undefined && copy.version < (await leastKeyVersion(env, hash, now));
  if (copy !== undefined && !isOlder) return parsePublished(copy.text);
  const genuine = presented.startsWith(keyPrefix) && unseal(keys, domain, presented.slice(keyPrefix.length), randomLength) !== undefined;
  if (stored === null && !genuine) return null;
  const known = await configStub(env).findKey(hash);
  // KV shows an older copy for about a minute after a change: that is no damage.
  if (isOlder) await configStub(env).repair(name);
  else if (stored !== null) {
    logEvent("config.documentInvalid");
    noteDamagedKey(env);
    await configStub(env).repair(name);
  }
  return known === null ? null : parseStored(known);
}

/** Every key that is accepted now, but the one for development. */
export async function acceptedKeys(env: Env, now: number): Promise<KeyRecord[]> {
  const stored = await configStub(env).keys();
  return stored.flatMap((each) => {
    const known = parseStored(each);
    return known !== null && asCaller(known, now).kind === "key" ? [known.record] : [];
  });
}

type Refused = { readonly policy: Policy; readonly readAt: number; readonly ids: readonly string[] };
const lastRefused = isolateState((): { refused: Refused | null } => ({ refused: null }));

/**
 * Ids of the keys that this policy refuses because they have no owner whom it knows; up to half a
 * minute old.
 */
export async function keysWithoutOwner(env: Env, policy: Policy, now: number): Promise<readonly string[]> {
  if (![policy.default, ...policy.rules.map(({ then }) => then)].some(needsOwner)) return [];
  const last = lastRefused(env);
  if (last.refused?.policy === policy && now - last.refused.readAt < cachedMs) return last.refused.ids;
  const keys = await acceptedKeys(env, now);
  const ids = keys.filter((key) => ruleWithoutOwner(policy, key) !== null).map(({ id }) => id);
  last.refused = { policy, readAt: now, ids };
  return ids;
}

/** Health reports a damaged copy for as long as KV may still serve it somewhere. */
const damageReportedMs = 120_000;
const damaged = isolateState(() => ({ at: 0 }), byNamespace);
const noteDamagedKey = (env: Env): void => void (damaged(env).at = Date.now());

/** The issue of the keys' copies for health, or none. */
export const keyIssues = (env: Env): DoctorPhrase[] => (Date.now() - damaged(env).at < damageReportedMs ? [{ key: "keyCopy" }] : []);

const parseStored = ({ record, revokedAt }: Pick<StoredKey, "record" | "revokedAt">): KnownKey | null =>
  parsePublished(`{"record":${record},"revokedAt":${revokedAt}}`);

function parsePublished(text: string): KnownKey | null {
  try {
    const parsed = publishedSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const hashes = isolateMap<string, string>();

/** The hash of a presented key, cached so that an isolate hashes each key once. */
function hashOf(text: string): string {
  let hash = hashes.get(text);
  if (hash === undefined) {
    hash = sha256Hex(text);
    if (hashes.size >= mostCached) hashes.clear();
    hashes.set(text, hash);
  }
  return hash;
}

export const randomKeyBytes = (): Uint8Array => crypto.getRandomValues(new Uint8Array(randomLength));
