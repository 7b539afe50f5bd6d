// The OAuth library's storage as the OAuth Worker gets it, for one call: each name reaches the
// object that it belongs to.

import { jsonOf } from "../../shared/json/json-of.ts";
import type { OAuthStore } from "../oauth/store.ts";
import type { Env } from "../platform/env.ts";
import type { OAuthCalls, OAuthEntry } from "./oauth-calls.ts";

/**
 * Grants and tokens belong to a person (`grant:USER:…`, `token:USER:…`, our own `refresh:USER:…`),
 * and so does a list of them; what else there is, clients above all, to one of sixteen objects.
 */
function stubOf(env: Env, name: string): DurableObjectStub<OAuthCalls> {
  const [kind = "", whose = ""] = name.split(":");
  const isPersons = kind === "grant" || kind === "token" || kind === "refresh";
  return env.OAUTH_STORE.getByName(isPersons ? `person ${whose}` : `others ${shardOf(name)}`);
}

const shardOf = (name: string): number => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 0) % 16;

/** The sign-ins at issuers that were begun, by their names. */
export const begunSignIns = (env: Env) => ({
  write: async (name: string, holder: string, entry: Omit<OAuthEntry, "metadata">): Promise<void> =>
    await stubOf(env, name).write(name, { ...entry, metadata: jsonOf({ holder }) }),
  take: async (name: string, holder: string): Promise<OAuthEntry | null> => await stubOf(env, name).take(name, holder),
});

export const oauthStore = (env: Env): OAuthStore => ({
  read: async (name) => {
    const entry = await stubOf(env, name).read(name);
    return entry === null ? null : jsonOf(entry);
  },
  write: async (name, entry) => await stubOf(env, name).write(name, entry),
  trade: async (grant, entry) => await stubOf(env, grant).trade(grant, entry),
  beginRefresh: async (grant, request) => await stubOf(env, grant).beginRefresh(grant, request),
  endRefresh: async (grant, request, answer) => await stubOf(env, grant).endRefresh(grant, request, answer),
  remove: async (name) => await stubOf(env, name).remove(name),
  names: async (prefix, after, limit) => jsonOf(await stubOf(env, prefix).names(prefix, after, limit)),
});
