// The session id that the relay gives to a client: the server's own, sealed together with what the
// relay has to remember, so that nothing is stored. It is no credential: every request needs its
// API key.

import { fromUtf8, utf8ToBytes } from "../encoding.ts";
import { type SigningKeys, seal, unsealAny } from "../sealed-id.ts";
import type { TranslatedSession } from "./translation.ts";

const domain = "countersign/relay-session/v3";
/** In characters: every HTTP implementation takes a header of this size. */
const longest = 4_096;

export type RelaySession = {
  /** The API key's id: the session id is refused with another key. */
  readonly key: string;
  readonly server: string;
  /** The server's own session id, or null where it has none. */
  readonly upstream: string | null;
  /** The revision that both sides agreed on. */
  readonly revision: string;
  readonly clientSamples: boolean;
  /** Whether the client declared elicitation at all, and URL elicitation. */
  readonly clientFills: boolean;
  readonly clientElicits: boolean;
  /** Whether it declared roots. */
  readonly clientRoots: boolean;
  /**
   * Who runs this client's calls as tasks where it asks for that: the server, by its own word, or
   * the gateway, which said so in the server's place. Absent: nobody declared tasks.
   */
  readonly callTasks?: "server" | "gateway";
  /** Random, base64url: the name of the session for association. */
  readonly name: string;
  /**
   * Present where the server speaks 2026-07-28, which has no sessions: what it is told of the
   * client with each request.
   */
  readonly translated?: TranslatedSession;
};

/** Null where the server's own id is too long to be carried. */
export function relaySessionId(keys: SigningKeys, session: RelaySession): string | null {
  const { key, server, upstream, revision, clientSamples, clientFills, clientElicits, clientRoots, name, callTasks, translated } = session;
  const client = [clientSamples, clientFills, clientElicits, clientRoots, ...(callTasks === undefined ? [] : [callTasks])];
  const fields = [key, server, upstream, revision, client, name, ...(translated === undefined ? [] : [translated])];
  const text = seal(keys, domain, utf8ToBytes(JSON.stringify(fields)));
  return text.length > longest ? null : text;
}

/** The session of an id that we sealed for this key and server, or undefined for any other. */
export function parseRelaySession(keys: SigningKeys, id: string, key: string, server: string): RelaySession | undefined {
  const payload = id.length > longest ? undefined : unsealAny(keys, domain, id);
  const fields = payload === undefined ? undefined : (JSON.parse(fromUtf8(payload)) as SealedFields); // sealed above
  if (fields === undefined || fields[0] !== key || fields[1] !== server) return undefined;
  const [, , upstream, revision, client, name, translated] = fields;
  const [clientSamples, clientFills, clientElicits, clientRoots, callTasks] = client;
  const declared = { clientSamples, clientFills, clientElicits, clientRoots, ...(callTasks === undefined ? {} : { callTasks }) };
  return { key, server, upstream, revision, ...declared, name, ...(translated === undefined ? {} : { translated }) };
}

type SealedFields = [
  string,
  string,
  string | null,
  string,
  [boolean, boolean, boolean, boolean, ("server" | "gateway")?],
  string,
  TranslatedSession?,
];

const eventDomain = "countersign/relay-event/v1";

/**
 * The prefix of the server's own event ids on the stream of one request, by which a resumed stream
 * is recognized. One seal for a stream.
 */
export const eventPrefix = (keys: SigningKeys, session: string, request: string): string =>
  `${seal(keys, eventDomain, utf8ToBytes(JSON.stringify([session, request])))}.`;

/**
 * The server's own event id in one with our prefix, and the request of its stream; undefined for
 * any other.
 */
export function parseEventId(
  keys: SigningKeys,
  session: string,
  id: string,
): { readonly request: string; readonly own: string } | undefined {
  const dot = id.indexOf(".");
  const payload = dot === -1 ? undefined : unsealAny(keys, eventDomain, id.slice(0, dot));
  const fields = payload === undefined ? undefined : (JSON.parse(fromUtf8(payload)) as [string, string]); // sealed above
  return fields === undefined || fields[0] !== session ? undefined : { request: fields[1], own: id.slice(dot + 1) };
}
