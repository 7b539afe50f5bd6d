// The sessions of clients: as one begins, and those whose sealed ids this isolate has opened: each
// message of a client has its session's id, and opening one takes a MAC.

import { type JsonObject, toBase64url } from "../../../../shared/encoding.ts";
import { clientDoes } from "../../../../shared/relay/answered-here.ts";
import { declaresUrlElicitation } from "../../../../shared/relay/url-elicitation.ts";
import { longestPart } from "../../../../shared/relay/added-context.ts";
import { featuresOf } from "../../../../shared/wire/mcp-features.ts";
import { sessionStub } from "../../../stubs/stubs.ts";
import type { AppContext } from "../../app-context.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { type RelayRequest, callTasksOf, sessionHeader } from "../relay-request.ts";
import { associationSession } from "../sampling/relay-sampling.ts";
import { type RelaySession, parseRelaySession } from "../../../../shared/relay/session-id.ts";
import type { SigningKeys } from "../../../../shared/sealed-id.ts";
import { isolateMap } from "../../../platform/isolate.ts";

const sessions = isolateMap<string, { readonly keys: SigningKeys; readonly session: RelaySession }>();
const mostSessions = 1_000;

/** The session that a request names, or `id` does; undefined for none of this key and server. */
export const knownSession = (
  c: AppContext,
  { name }: Pick<RelayRequest, "name">,
  id: string | null = c.req.header(sessionHeader) ?? null,
): RelaySession | undefined => (id === null ? undefined : openSession(settingsOf(c.env).keys, id, c.var.key.id, name));

/** As `parseRelaySession`. */
function openSession(keys: SigningKeys, id: string, key: string, server: string): RelaySession | undefined {
  const known = sessions.get(id);
  if (known?.keys === keys && known.session.key === key && known.session.server === server) return known.session;
  const session = parseRelaySession(keys, id, key, server);
  if (session === undefined) return undefined;
  if (sessions.size >= mostSessions) sessions.clear();
  sessions.set(id, { keys, session });
  return session;
}

const sessionNameLength = 16;

/** A session that begins with this `initialize`, in the revision that was agreed on. */
export async function newSession(
  c: AppContext,
  relay: RelayRequest,
  params: JsonObject | null,
  { runsTasks, ...agreed }: Pick<RelaySession, "upstream" | "revision" | "translated"> & { readonly runsTasks: boolean },
): Promise<RelaySession> {
  const { revision } = agreed;
  return {
    key: c.var.key.id,
    server: relay.name,
    ...agreed,
    ...clientDoes(params),
    clientElicits: featuresOf(revision).urlElicitation && declaresUrlElicitation(params),
    ...(await callTasksOf(c, relay, revision, runsTasks)),
    name: toBase64url(crypto.getRandomValues(new Uint8Array(sessionNameLength))),
  };
}

/** Keeps what a server told its client at the beginning, where it may be added to its sampling. */
export async function keepInstructions(c: AppContext, { server }: RelayRequest, session: RelaySession, text: unknown): Promise<void> {
  if (server.context && typeof text === "string")
    await sessionStub(c.env, c.var.key.id, associationSession(session)).keepInstructions(text.slice(0, 4 * longestPart));
}
