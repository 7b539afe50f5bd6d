// The configuration documents as this isolate serves them: found by `findDocument`, parsed, and the
// last valid one kept.
//
// An unreadable document never stops the gateway: the last one is served, and health reports it.
// Where none was ever read, requests are refused, since it is not known what is allowed.

import { once } from "../../shared/once.ts";
import { parseJson } from "../../shared/json/values.ts";
import type { DocumentName } from "../stubs/config-calls.ts";
import type { Result } from "../../shared/result.ts";
import { type Policy, parsePolicy } from "../../shared/policy/rules.ts";
import { defaultPolicy } from "../../shared/policy/default-policy.ts";
import type { Published } from "../../shared/published.ts";
import { type RoutingTable, parseRoutingTable } from "../../shared/routing/table.ts";
import { defaultRoutingTable } from "../../shared/routing/default-table.ts";
import { type Server, type Servers, parseServers } from "../../shared/relay/servers.ts";
import { type Budgets, parseBudgets } from "../../shared/budget/budgets.ts";
import { type Issuers, parseIssuers } from "../../shared/credential/issuers.ts";
import type { PointedError } from "../../shared/model/outcome.ts";
import type { DoctorPhrase } from "../../shared/words/doctor.ts";
import type { Env } from "../platform/env.ts";
import { byNamespace, isolateState } from "../platform/isolate.ts";
import { logEvent } from "../platform/log.ts";
import { type Asking, type CopyIssue, asking, findDocument, noteWritten } from "./published-document.ts";

export type Documents = { readonly routing: RoutingTable; readonly policy: Policy; readonly budgets: Budgets };

/**
 * Thrown where a document can be read neither from KV nor from the ConfigObject, and this isolate
 * never had one.
 */
export class ConfigurationUnavailable extends Error {
  override readonly name = "ConfigurationUnavailable";
}

/** A served document is at most a minute old. KV's own cache takes the other half. */
const servedMs = 30_000;
const retryMs = 5_000;
/** A refresh whose request was cut off never ends: after so long another one begins. */
const refreshMs = 10_000;

export type Background = (work: Promise<unknown>) => void;
type Kind<T> = {
  readonly name: DocumentName;
  readonly parse: (value: unknown) => Result<T, readonly PointedError[]>;
  /** What a new gateway uses. */
  readonly standard: () => T;
  /**
   * What becomes of requests where only a malformed document was read. Absent: the standard is
   * used.
   */
  readonly unread?: "noModelCalled";
};

const copyIssues = {
  missing: "documentMissing",
  notGenuine: "documentNotGenuine",
  older: "documentOlder",
  newer: "documentNewer",
  unreadable: "documentUnreadable",
  unreachable: "documentUnreachable",
} as const satisfies Record<CopyIssue, DoctorPhrase["key"]>;

/** One document in this isolate. */
class ServedDocument<T> {
  readonly #kind: Kind<T>;
  /** Null as long as none was read that is valid: the standard is in effect. */
  #value: T | null = null;
  /** The text that was read last, even if malformed; null where no document was ever written. */
  #text: string | null = null;
  /** The version of that text; null where nothing was read yet. */
  #version: number | null = null;
  #readAt = 0;
  #refreshingSince = 0;
  #writes = 0;
  #isMalformed = false;
  #issue: CopyIssue | null = null;

  constructor(kind: Kind<T>) {
    this.#kind = kind;
  }

  /**
   * Waits the first time only; later the last value is served while the next is read. The first
   * time every request reads: another's read may be cut off.
   */
  async serving(env: Env, now: number, background: Background, ask = asking(env, now)): Promise<T> {
    if (this.#version === null) await this.#read(env, now, ask);
    else if (now - this.#readAt >= servedMs && now - this.#refreshingSince >= refreshMs) {
      this.#refreshingSince = now;
      background(this.#read(env, now, ask));
    }
    return this.#inEffect;
  }

  get inMemory(): T | null {
    return this.#version === null ? null : this.#inEffect;
  }

  /** Null where it is to be looked for, which `serving` does. */
  recent(now: number): T | null {
    const age = now - this.#readAt;
    return this.#version === null || age < 0 || age >= servedMs ? null : this.#inEffect;
  }

  get #inEffect(): T {
    return this.#value ?? this.#kind.standard();
  }

  /**
   * Whether what is in effect is only the standard in place of a document that nobody could read.
   */
  get isUnread(): boolean {
    return this.#value === null;
  }

  /** Serves what was just written here. A read that began before is dropped. */
  serveWritten(published: Published, now: number): void {
    this.#writes += 1;
    this.#issue = null;
    this.#serve(published, now);
  }

  get issue(): DoctorPhrase | null {
    const { name: document } = this.#kind;
    if (this.#issue !== null) return { key: copyIssues[this.#issue], values: { document } };
    if (!this.#isMalformed) return null;
    const used = this.isUnread ? (this.#kind.unread ?? "builtInUsed") : "lastUsed";
    return { key: "documentMalformed", values: { document, used: { key: used } } };
  }

  async #read(env: Env, now: number, ask: Asking): Promise<void> {
    const writes = this.#writes;
    const found = await findDocument(env, this.#kind.name, this.#version, now, ask);
    this.#refreshingSince = 0;
    if (this.#writes !== writes) return;
    if (found.kind === "unavailable") throw new ConfigurationUnavailable();
    if (found.kind === "text") this.#serve(found.published, now);
    this.#readAt = found.issue === "unreachable" || found.issue === "unreadable" ? now - servedMs + retryMs : now;
    if (found.issue !== null && found.issue !== this.#issue) logEvent("config.documentInvalid");
    this.#issue = found.issue;
  }

  #serve(published: Published | null, now: number): void {
    this.#readAt = now;
    const isKnown = this.#version !== null && (published?.text ?? null) === this.#text;
    this.#version = published?.version ?? 0;
    if (isKnown) return;
    this.#text = published?.text ?? null;
    const parsed = published === null ? this.#kind.standard() : parseText(this.#kind, published.text);
    this.#isMalformed = parsed === null;
    if (parsed === null) logEvent("config.documentInvalid");
    else this.#value = parsed;
  }
}

function parseText<T>(kind: Kind<T>, text: string): T | null {
  const parsed = kind.parse(parseJson(text));
  return parsed.ok ? parsed.value : null;
}

const routingKind: Kind<RoutingTable> = { name: "routing", parse: parseRoutingTable, standard: once(defaultRoutingTable) };
const policyKind: Kind<Policy> = { name: "policy", parse: parsePolicy, standard: once(defaultPolicy) };
const serversKind: Kind<Servers> = { name: "servers", parse: parseServers, standard: () => ({ version: 0, servers: {} }) };
const issuersKind: Kind<Issuers> = { name: "issuers", parse: parseIssuers, standard: () => ({ version: 0, issuers: {} }) };
const budgetsKind: Kind<Budgets> = {
  name: "budgets",
  parse: parseBudgets,
  standard: once(() => ({ version: 0, budgets: {} })),
  unread: "noModelCalled",
};
const kinds = { routing: routingKind, policy: policyKind, servers: serversKind, issuers: issuersKind, budgets: budgetsKind };

/** The document of a new gateway: version 0. */
export const standardDocument = (name: DocumentName): object => ({ ...kinds[name].standard(), version: 0 });

type ServedDocuments = {
  readonly routing: ServedDocument<RoutingTable>;
  readonly policy: ServedDocument<Policy>;
  readonly servers: ServedDocument<Servers>;
  readonly issuers: ServedDocument<Issuers>;
  readonly budgets: ServedDocument<Budgets>;
};
const servedOf = isolateState(
  (): ServedDocuments => ({
    routing: new ServedDocument(routingKind),
    policy: new ServedDocument(policyKind),
    servers: new ServedDocument(serversKind),
    issuers: new ServedDocument(issuersKind),
    budgets: new ServedDocument(budgetsKind),
  }),
  byNamespace,
);

/**
 * The documents that serve now. Waits the first time only; later the last one is served while the
 * next is read.
 * @param background Keeps a refresh running after the response.
 * @throws ConfigurationUnavailable
 */
export async function documentsOf(env: Env, now: number, background: Background): Promise<Documents> {
  const served = servedOf(env);
  const ask = asking(env, now);
  const routing = await served.routing.serving(env, now, background, ask);
  const policy = await served.policy.serving(env, now, background, ask);
  return { routing, policy, budgets: await served.budgets.serving(env, now, background, ask) };
}

/**
 * The policy alone, at once where this isolate looked for a newer one a moment ago. Throws as
 * `documentsOf` does.
 */
export const policyOf = (env: Env, now: number, background: Background): Policy | Promise<Policy> =>
  servedOf(env).policy.recent(now) ?? servedOf(env).policy.serving(env, now, background);

/**
 * The routing table as this isolate has it, without looking for a newer one; null where it has read
 * none yet.
 */
export const routingInMemory = (env: Env): RoutingTable | null => servedOf(env).routing.inMemory;

/**
 * The servers that the relay reaches now; read only where the relay is used. Throws as
 * `documentsOf` does.
 */
export const serversOf = (env: Env, now: number, background: Background): Promise<Servers> =>
  servedOf(env).servers.serving(env, now, background);

/** The entry of the server of this name; undefined for any other, "constructor" too. */
export async function serverEntry(env: Env, name: string, now: number, background: Background): Promise<Server | undefined> {
  const { servers } = await serversOf(env, now, background);
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
}

/**
 * The issuers whose tokens are accepted now; read only where a token is presented. Throws as
 * `documentsOf` does.
 */
export const issuersOf = (env: Env, now: number, background: Background): Promise<Issuers> =>
  servedOf(env).issuers.serving(env, now, background);

/**
 * The budgets that bind spending, where this isolate read them or looked for newer ones a moment
 * ago; null: ask `bindingBudgetsOf`.
 */
export function budgetsInMemory(env: Env, now: number): Budgets | null {
  const { budgets } = servedOf(env);
  return budgets.isUnread ? null : budgets.recent(now);
}

/** The budgets to show. Throws as `documentsOf` does. */
export const budgetsOf = (env: Env, now: number, background: Background): Promise<Budgets> =>
  servedOf(env).budgets.serving(env, now, background);

/**
 * The budgets that bind spending. Throws as `documentsOf` does, and where this isolate has read a
 * malformed document only: an upgrade or a rollback that refuses the budgets must not take every
 * limit away.
 */
export async function bindingBudgetsOf(env: Env, now: number, background: Background): Promise<Budgets> {
  const budgets = await budgetsOf(env, now, background);
  if (servedOf(env).budgets.isUnread) throw new ConfigurationUnavailable();
  return budgets;
}

/** Serves what was just written through this isolate: here at once, elsewhere within a minute. */
export function serveWritten(env: Env, name: DocumentName, published: Published, now: number): void {
  noteWritten(env, name, published.version, now);
  servedOf(env)[name].serveWritten(published, now);
}

type DocumentIssue = { readonly document: DocumentName; readonly says: DoctorPhrase };

/** What is wrong with the documents, for health and the doctor. */
export const documentIssues = (env: Env): DocumentIssue[] =>
  Object.entries(servedOf(env) as Readonly<Record<DocumentName, { readonly issue: DoctorPhrase | null }>>).flatMap(([name, { issue }]) =>
    issue === null ? [] : [{ document: name as DocumentName, says: issue }],
  );
