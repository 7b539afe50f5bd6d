// The library's storage, in the gateway's objects. The library asks for a KV namespace, and uses
// `get`, `put`, `delete` and `list` of it.

import { OAuthError } from "@cloudflare/workers-oauth-provider";
import { type JsonOf, jsonOf, readJsonOf } from "../../shared/json/json-of.ts";
import type { OAuthEntry, OAuthNames } from "../stubs/oauth-calls.ts";

/**
 * As the gateway hands it over: each call reaches the object that the name belongs to. What it
 * answers with is a text or nothing. An object that comes back from a function of the caller's has
 * to be disposed of: until then the call of that function stays open in this Worker, which by then
 * waits for nothing, and the runtime ends it as one whose code had hung.
 */
export type OAuthStore = {
  readonly read: (name: string) => Promise<JsonOf<OAuthEntry> | null>;
  readonly write: (name: string, entry: OAuthEntry) => Promise<void>;
  /** False where the code of this grant was traded before. */
  readonly trade: (grant: string, entry: OAuthEntry) => Promise<boolean>;
  /** The answer of the same request at the grant; null: the caller has to find one, and say it. */
  readonly beginRefresh: (grant: string, request: string) => Promise<string | null>;
  readonly endRefresh: (grant: string, request: string, answer: string | null) => Promise<void>;
  readonly remove: (name: string) => Promise<void>;
  readonly names: (prefix: string, after: string | null, limit: number) => Promise<JsonOf<OAuthNames>>;
};

type PutOptions = { readonly expiration?: number; readonly expirationTtl?: number; readonly metadata?: unknown };
type ListOptions = { readonly prefix?: string; readonly limit?: number; readonly cursor?: string };

/**
 * Where a refresh token that a grant gave is remembered as long as the grant: the library knows the
 * last two alone. `digest`: as the library has it, SHA-256 in hexadecimal.
 */
export const givenName = (grant: string, digest: string): string => `refresh${grant.slice("grant".length)}:${digest}`;

/** What the library has in a grant, as far as it is read here. */
type Grant = { readonly refreshTokenId?: string; readonly authCodeWrappedKey?: string };
const grantIn = (value: string): Grant => JSON.parse(value) as Grant; // by the library

/** The library reads and writes in two steps: another may have traded the code in between. */
async function tradeOnce(store: OAuthStore, grant: string, entry: OAuthEntry): Promise<void> {
  if (!(await store.trade(grant, entry))) throw new OAuthError("invalid_grant", { description: "Authorization code already used" });
}

/**
 * What the library reads of a KV namespace. `now`: Unix milliseconds. `mostMs`: what is written
 * lasts so long at most.
 */
export const asNamespace = (store: OAuthStore, now: () => number, mostMs: number) => {
  /** Grants that were read with a code that nobody had traded. */
  const fresh = new Set<string>();
  return {
    async get(name: string, options?: { readonly type?: "json" | "text" } | "json" | "text"): Promise<unknown> {
      const found = await store.read(name);
      if (found === null) return null;
      const { value } = readJsonOf(found);
      if (name.startsWith("grant:") && grantIn(value).authCodeWrappedKey !== undefined) fresh.add(name);
      const type = typeof options === "object" ? options.type : options;
      return type === "json" ? JSON.parse(value) : value;
    },
    async put(name: string, value: string, { expiration, expirationTtl, metadata }: PutOptions = {}): Promise<void> {
      const asked = expirationTtl === undefined ? (expiration ?? Infinity) * 1000 : now() + expirationTtl * 1000;
      const until = Math.min(asked, now() + mostMs);
      const expiresAt = until === Infinity ? null : until;
      const entry = { value, metadata: metadata === undefined ? null : jsonOf(metadata), expiresAt };
      const given = name.startsWith("grant:") ? grantIn(value).refreshTokenId : undefined;
      if (given !== undefined && fresh.has(name)) await tradeOnce(store, name, entry);
      else await store.write(name, entry);
      if (given !== undefined) await store.write(givenName(name, given), { value: "", metadata: null, expiresAt });
    },
    delete: (name: string): Promise<void> => store.remove(name),
    async list({ prefix = "", limit = 1_000, cursor }: ListOptions = {}) {
      const { entries, more } = readJsonOf(await store.names(prefix, cursor ?? null, limit));
      const keys = entries.map(({ name, metadata, expiresAt }) => ({
        name,
        ...(expiresAt === null ? {} : { expiration: Math.floor(expiresAt / 1000) }),
        ...(metadata === null ? {} : { metadata: readJsonOf(metadata) }),
      }));
      const last = entries.at(-1)?.name;
      return more && last !== undefined ? { keys, list_complete: false, cursor: last } : { keys, list_complete: true };
    },
  };
};
