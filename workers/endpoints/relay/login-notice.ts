// What is said where the login of the key's owner at a server is not what a request needs: to a
// model in the place of the tool's result, to a person in an error, and to the client of a task.

import type { JsonObject } from "../../../shared/encoding.ts";
import { noticeResult } from "../../../shared/relay/call-notices.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import { offerDone, offerOf } from "../../../shared/relay/url-elicitation.ts";
import { type MissingLogin, loginFor, loginMadeWithin } from "../../mcp-client/ask-upstream.ts";
import type { Env } from "../../platform/env.ts";
import { settingsOf } from "../../platform/settings.ts";
import { connectionsUrl, inboxUrl } from "../../platform/urls.ts";
import type { ResponseStream } from "./calls/response-stream.ts";
import type { WatchedRelayRequest } from "./relay-request.ts";

type Reached = Pick<WatchedRelayRequest, "name" | "server">;

/**
 * What a model reads in the place of the tool's result, and a person in an error, where the login
 * is not what the request needs. `became`: a sentence on what became of the request.
 */
export function loginNotice(env: Env, { name, server }: Reached, kind: MissingLogin, became = nothingSent): JsonObject {
  switch (kind) {
    case "none":
      return noticeResult({ run: null, what: "signIn", text: signInText(env, name, server, became) });
    case "unreachable":
      return noticeResult({ run: null, what: "signIn", text: renewalText(name, became) });
    case "otherAccount":
      return noticeResult({ run: null, what: "otherAccount", text: otherAccountText(name, server, became) });
    default:
      return kind satisfies never;
  }
}

const nothingSent = "Nothing was sent.";

/** Of a call that was sent with a token that the server took no more. */
export const refusedForLogin = "The server refused the login of this call before it ran it. The call stays approved.";

/** The same of a round: what the server did before it asked for input, it did. */
export const refusedInRound =
  "The server refused the login of this call as it got what it had asked for. It has not ended the call, and what it did before that stands.";

const renewalText = (name: string, became: string): string =>
  `The login at the server ${name} cannot be renewed now. ${became} Call it again later with the same arguments.`;

const otherAccountText = (name: string, { login }: Server, became: string): string =>
  `${login?.owner ?? "The key's owner"} has signed in at the server ${name} with another account since this call came. ${became} Call it again to have it decided for that account.`;

/** Why an approved call waits, for its task's client; null where nothing is missing. */
export async function missingLogin(env: Env, { name, server }: Reached): Promise<string | null> {
  const { publicUrl } = settingsOf(env);
  switch ((await loginFor(env, server)).kind) {
    case "ready":
      return null;
    case "otherAccount":
      return `The call is approved for another account at the server ${name} than the one that is signed in there now, and is not sent.`;
    case "unreachable":
      return `The call is approved. It goes on once the login at the server ${name} can be renewed.`;
    case "none":
      return publicUrl === undefined || server.login == null || server.login.owner === null
        ? `The call is approved, and cannot be sent: the server ${name} wants a login, and this API key has no owner who could sign in.`
        : `The call is approved. It goes on once ${server.login.owner} has signed in at the server ${name}: ${connectionsUrl(inboxUrl(publicUrl))}`;
  }
}

/**
 * Waits for the login, as long as a client is held, and offers the page on its stream meanwhile;
 * whether there is one. `url`: null where the client cannot open it.
 */
export async function loginOffered(
  env: Env,
  server: Server,
  stream: ResponseStream,
  { url, text }: { readonly url: string | null; readonly text: string },
): Promise<boolean> {
  const offer = crypto.randomUUID();
  if (url !== null) stream.send(offerOf(offer, url, text));
  const isMade = await loginMadeWithin(env, server, settingsOf(env).holdMs, stream.left);
  if (url !== null) stream.send(offerDone(offer));
  return isMade;
}

/** Where to sign in, and what became of the request. */
export function signInText(env: Env, name: string, { login }: Server, became = nothingSent): string {
  const { publicUrl } = settingsOf(env);
  if (publicUrl === undefined || login == null || login.owner === null)
    return `The server ${name} wants a login of its user, and this API key has no owner who could sign in: the operator has to set one. ${became}`;
  return `${login.owner} is not signed in at the server ${name}. ${became} Ask them to open ${connectionsUrl(inboxUrl(publicUrl))} and connect ${name}; then call it again with the same arguments.`;
}
