// Where this isolate gets a document's text: from KV, where the copy is genuine and has the
// ConfigObject's current version; else from the ConfigObject.
//
// Others may be able to write to KV. The ConfigObject is asked for its versions at the start and
// once a minute, and for a text only where KV does not have it.

import type { DocumentName, Latest } from "../stubs/config-calls.ts";
import { type Published, readPublished } from "../../shared/published.ts";
import { once } from "../../shared/once.ts";
import type { Env } from "../platform/env.ts";
import { byNamespace, isolateState } from "../platform/isolate.ts";
import { configStub } from "../stubs/stubs.ts";
import { settingsOf } from "../platform/settings.ts";

export type CopyIssue = "missing" | "notGenuine" | "older" | "newer" | "unreadable" | "unreachable";

type Found =
  /** `published` is null where this document was never written. */
  | { readonly kind: "text"; readonly published: Published | null; readonly issue: CopyIssue | null }
  /** The isolate serves the current version, or the best one that can be read. */
  | { readonly kind: "unchanged"; readonly issue: CopyIssue | null }
  /** Neither KV nor the ConfigObject can be read, and the isolate serves none yet. */
  | { readonly kind: "unavailable" };

const kvCacheSeconds = 30;
const latestServesMs = 60_000;
/**
 * KV may show an older version, or none, for about a minute after a write: until then that is no
 * issue.
 */
const kvSettlesMs = 120_000;

type State = {
  latest: Latest | null;
  askedAt: number;
  writes: number;
};
const stateOf = isolateState((): State => ({ latest: null, askedAt: 0, writes: 0 }), byNamespace);

/**
 * The current versions, asked for once by what one request reads. Not for other requests: a call
 * whose request was cut off never ends, and one that waits for it alone is ended as hung.
 */
export type Asking = () => Promise<Latest | null>;
export const asking = (env: Env, now: number): Asking => once(() => latestOf(env, now));

/** @param serving The version that this isolate serves; null where it has read none yet. */
export async function findDocument(env: Env, name: DocumentName, serving: number | null, now: number, ask: Asking): Promise<Found> {
  const [copy, asked] = await Promise.all([copyOf(env, name), ask()]);
  // A newer copy may have been written after the ConfigObject was asked.
  const latest = typeof copy === "object" && asked !== null && copy.version > asked[name].version ? await askLatest(env, now) : asked;
  if (latest === null) return withoutConfigObject(copy, serving);
  const { version, at } = latest[name];
  if (typeof copy === "object" && copy.version === version) return { kind: "text", published: copy, issue: null };
  const issue = issueOf(copy, version, now - at < kvSettlesMs);
  try {
    if (issue !== null && issue !== "unreadable") await configStub(env).repair(name);
    if (serving === version) return { kind: "unchanged", issue };
    return { kind: "text", published: await configStub(env).current(name), issue };
  } catch {
    return withoutConfigObject(copy, serving);
  }
}

/**
 * Notes a version that was just written through this isolate, so that an answer to an earlier
 * question does not replace it.
 */
export function noteWritten(env: Env, name: DocumentName, version: number, now: number): void {
  const state = stateOf(env);
  state.writes += 1;
  if (state.latest !== null) state.latest = { ...state.latest, [name]: { version, at: now } };
}

/**
 * Without the ConfigObject a copy can only be checked for being genuine; one that is older than the
 * served version is not used.
 */
function withoutConfigObject(copy: Published | "missing" | "notGenuine" | "unreadable", serving: number | null): Found {
  if (typeof copy === "object" && copy.version >= (serving ?? 0)) return { kind: "text", published: copy, issue: "unreachable" };
  return serving === null ? { kind: "unavailable" } : { kind: "unchanged", issue: "unreachable" };
}

async function copyOf(env: Env, name: DocumentName): Promise<Published | "missing" | "notGenuine" | "unreadable"> {
  let stored: string | null;
  try {
    stored = await env.CONFIG.get(name, { type: "text", cacheTtl: kvCacheSeconds });
  } catch {
    return "unreadable";
  }
  if (stored === null) return "missing";
  return readPublished(settingsOf(env).keys, name, stored) ?? "notGenuine";
}

function issueOf(copy: Published | "missing" | "notGenuine" | "unreadable", version: number, isSettling: boolean): CopyIssue | null {
  if (copy === "missing") return version === 0 || isSettling ? null : "missing";
  if (typeof copy !== "object") return copy;
  if (copy.version > version) return "newer";
  return isSettling ? null : "older";
}

/**
 * The version that a key's copy must have at least, by the key's hash: 1 where the key was never
 * changed, or the ConfigObject does not answer. A genuine copy that is older shows what the key
 * might do before.
 */
export async function leastKeyVersion(env: Env, hash: string, now: number): Promise<number> {
  return (await latestOf(env, now))?.keys[hash] ?? 1;
}

/** The versions as they were at most a minute ago; null where the ConfigObject does not answer. */
async function latestOf(env: Env, now: number): Promise<Latest | null> {
  const { latest, askedAt } = stateOf(env);
  return latest !== null && now - askedAt < latestServesMs ? latest : askLatest(env, now);
}

async function askLatest(env: Env, now: number): Promise<Latest | null> {
  const state = stateOf(env);
  const { writes } = state;
  try {
    const latest = await configStub(env).latest();
    if (state.writes !== writes) return state.latest ?? latest;
    state.latest = latest;
    state.askedAt = now;
    return latest;
  } catch {
    return null;
  }
}
