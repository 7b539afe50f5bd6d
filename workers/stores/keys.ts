// API keys: what one is, and who a presented one belongs to. Stored only as SHA-256.
//
// A key carries a MAC, so that one that KV does not show yet (it was just made) is looked up at its writer, and a
// made-up one never wakes an object.

import * as z from "zod";
import { sha256Hex } from "../../shared/encoding.ts";
import { limitsSchema } from "../../shared/policy/limits.ts";
import { type SigningKeys, seal, unseal } from "../../shared/sealed-id.ts";
import type { Env } from "../env.ts";
import { configStub } from "../objects/names.ts";
import { settingsOf } from "../settings.ts";

const word = z.string().min(1).max(128);

/** What POST /admin/keys takes. */
export const keyRequestSchema = z.strictObject({
  name: word,
  /** The person whose client uses the key: who may not approve their own requests where the policy says so. */
  owner: word.optional(),
  scopes: z
    .array(z.enum(["sampling"]))
    .min(1)
    .default(["sampling"]),
  /** Globs are not taken: exact names of MCP servers and model ids; absent means all. */
  servers: z.array(word).optional(),
  models: z.array(word).optional(),
  limits: limitsSchema.optional(),
  budget: z.strictObject({ usd: z.number().nonnegative(), perDays: z.int().min(1).max(366) }).optional(),
  /** Unix milliseconds, or ISO 8601 with its offset; kept as the former. */
  expiresAt: z.union([z.int().positive(), z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))]).optional(),
});

export type KeyRequest = z.infer<typeof keyRequestSchema>;
export type KeyRecord = KeyRequest & { readonly id: string; readonly createdAt: number };

const publishedSchema = z.object({
  record: keyRequestSchema.extend({ id: z.string(), createdAt: z.number() }),
  revokedAt: z.number().nullable(),
});

export type Caller =
  | { readonly kind: "key"; readonly record: KeyRecord }
  | { readonly kind: "refused"; readonly why: "missing" | "unknown" | "revoked" | "expired" };

/** What every key but the one for development begins with. */
export const keyPrefix = "csk_";
const domain = "countersign/api-key/v1";
const randomLength = 24;

/** A new key's text and id from 24 random bytes. */
export function newKey(keys: SigningKeys, random: Uint8Array): { key: string; id: string; hash: string } {
  const key = keyPrefix + seal(keys, domain, random);
  const hash = sha256Hex(key);
  // The id comes from the hash, so that it tells nothing of the key.
  return { key, id: `key_${hash.slice(0, 16)}`, hash };
}

/** The id of DEV_API_KEY, which no list of keys has. */
export const devKeyId = "key_dev";
const devKey: KeyRecord = { id: devKeyId, name: "dev", owner: "you", scopes: ["sampling"], createdAt: 0 };

type Cached = { readonly record: KeyRecord; readonly revokedAt: number | null; readonly readAt: number };
const cachedMs = 30_000;
const mostCached = 10_000;
const cache = new Map<string, Cached>();

/** Who presented this key. Revocation is checked again, exactly, by the KeyObject that admits the request. */
export async function callerOf(env: Env, presented: string | undefined, now: number): Promise<Caller> {
  if (presented === undefined || presented === "") return { kind: "refused", why: "missing" };
  // Over any length that we make, without hashing what an attacker sends.
  if (presented.length > 256) return { kind: "refused", why: "unknown" };
  const { devApiKey, keys } = settingsOf(env);
  const hash = hashOf(presented);
  if (devApiKey !== undefined && hash === hashOf(devApiKey)) return { kind: "key", record: devKey };
  let found = cache.get(hash);
  if (found === undefined || now - found.readAt >= cachedMs) {
    const read = await readKey(env, keys, presented, hash);
    if (read === null) return { kind: "refused", why: "unknown" };
    found = { ...read, readAt: now };
    if (cache.size >= mostCached) cache.clear();
    cache.set(hash, found);
  }
  if (found.revokedAt !== null) return { kind: "refused", why: "revoked" };
  if (found.record.expiresAt !== undefined && now >= found.record.expiresAt) return { kind: "refused", why: "expired" };
  return { kind: "key", record: found.record };
}

/** This isolate stops serving a key that it just saw revoked. */
export function forgetKeys(): void {
  cache.clear();
}

async function readKey(
  env: Env,
  keys: SigningKeys,
  presented: string,
  hash: string,
): Promise<{ record: KeyRecord; revokedAt: number | null } | null> {
  const text = await env.CONFIG.get(`key:${hash}`, { type: "text", cacheTtl: 30 });
  if (text !== null) return parsePublished(text);
  const genuine = presented.startsWith(keyPrefix) && unseal(keys, domain, presented.slice(keyPrefix.length), randomLength) !== undefined;
  if (!genuine) return null;
  const stored = await configStub(env).findKey(hash);
  return stored === null ? null : parsePublished(`{"record":${stored.record},"revokedAt":${stored.revokedAt}}`);
}

function parsePublished(text: string): { record: KeyRecord; revokedAt: number | null } | null {
  try {
    const parsed = publishedSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

const hashes = new Map<string, string>();

/** The hash of a presented key, remembered for keys that were seen: the fast path hashes each key once. */
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
