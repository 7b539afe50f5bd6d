// The sessions whose sealed ids this isolate has opened: each message of a client has its session's
// id, and opening one takes a MAC.

import { type RelaySession, parseRelaySession } from "../../../../shared/relay/session-id.ts";
import type { SigningKeys } from "../../../../shared/sealed-id.ts";
import { isolateMap } from "../../../platform/isolate.ts";

const sessions = isolateMap<string, { readonly keys: SigningKeys; readonly session: RelaySession }>();
const mostSessions = 1_000;

/**
 * As `parseRelaySession`: the session of an id that we sealed for this key and server, or undefined
 * for any other.
 */
export function openSession(keys: SigningKeys, id: string, key: string, server: string): RelaySession | undefined {
  const known = sessions.get(id);
  if (known?.keys === keys && known.session.key === key && known.session.server === server) return known.session;
  const session = parseRelaySession(keys, id, key, server);
  if (session === undefined) return undefined;
  if (sessions.size >= mostSessions) sessions.clear();
  sessions.set(id, { keys, session });
  return session;
}
