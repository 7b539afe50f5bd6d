// A message for a server at which the key's owner signs in: where there is no login, the owner is
// told where to sign in, in the best way that the client can take. A client with URL elicitation is
// offered the page, and its call goes on once they are signed in; any other gets the address in the
// tool's result or in the error. The page opens for the signed-in owner alone, so its address is
// good for nobody else.

import { paramsIn } from "../../../shared/relay/rounds.ts";
import { type JsonObject, fromUtf8 } from "../../../shared/encoding.ts";
import { edited, withoutMember } from "../../../shared/json/spans.ts";
import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { callMethod, noticeResult } from "../../../shared/relay/call-notices.ts";
import { loginEntry } from "../../../shared/relay/login.ts";
import { declaresUrlElicitation, elicitationMethod, offerDone, offerOf } from "../../../shared/relay/url-elicitation.ts";
import type { Server } from "../../../shared/relay/servers.ts";
import { inboxNameOf } from "../../../shared/review/inbox.ts";
import { type RequestId, failure, success, toRequestId } from "../../../shared/wire/json-rpc.ts";
import { clientCapabilitiesKey, isStateless } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { jsonResponse } from "../../http/json-response.ts";
import { watchKey } from "../../pipeline/wait/key-watch.ts";
import { type LoginState, type MissingLogin, loginFor } from "../../mcp-client/ask-upstream.ts";
import type { Env } from "../../platform/env.ts";
import { lookupIn } from "../../platform/lookup.ts";
import { settingsOf } from "../../platform/settings.ts";
import { connectionsUrl, inboxUrl } from "../../platform/urls.ts";
import { loginStub } from "../../stubs/stubs.ts";
import type { AppContext } from "../app-context.ts";
import { ResponseStream, eventResponse } from "./calls/response-stream.ts";
import type { WatchedRelayRequest } from "./relay-request.ts";
import { passAnswer } from "./reviewed/call-answer.ts";
import { mostTimes } from "./reviewed/waiting-state.ts";
import { associationSession } from "./sampling/relay-sampling.ts";
import { type PostedMessage, sessionOf } from "./sessions/session-relay.ts";

type Send = (message: PostedMessage, relay: WatchedRelayRequest) => Promise<Response>;

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

const renewalText = (name: string, became: string): string =>
  `The login at the server ${name} cannot be renewed now. ${became} Call it again later with the same arguments.`;

const otherAccountText = (name: string, { login }: Server, became: string): string =>
  `${login?.owner ?? "The key's owner"} has signed in at the server ${name} with another account since this call came. ${became} Call it again to have it decided for that account.`;

/** The request as one for the account of this login alone. */
function withAccount<T extends WatchedRelayRequest>(relay: T, state: LoginState): T {
  const { login } = relay.server;
  const account = "account" in state ? state.account : null;
  return login === undefined || account === null ? relay : { ...relay, server: { ...relay.server, login: { ...login, account } } };
}

/** Why an approved call is not sent yet, for its task's client; null where nothing is missing. */
export async function missingLogin(env: Env, { name, server }: Reached): Promise<string | null> {
  const { publicUrl } = settingsOf(env);
  switch ((await loginFor(env, server)).kind) {
    case "ready":
      return null;
    case "otherAccount":
      return `The call is approved for another account at the server ${name} than the one that is signed in there now, and is not sent.`;
    case "unreachable":
      return `The call is approved. It is sent once the login at the server ${name} can be renewed.`;
    case "none":
      return publicUrl === undefined || server.login == null || server.login.owner === null
        ? `The call is approved, and cannot be sent: the server ${name} wants a login, and this API key has no owner who could sign in.`
        : `The call is approved. It is sent once ${server.login.owner} has signed in at the server ${name}: ${connectionsUrl(inboxUrl(publicUrl))}`;
  }
}

function signInText(env: Env, name: string, { login }: Server, became = nothingSent): string {
  const { publicUrl } = settingsOf(env);
  if (publicUrl === undefined || login == null || login.owner === null)
    return `The server ${name} wants a login of its user, and this API key has no owner who could sign in: the operator has to set one. ${became}`;
  return `${login.owner} is not signed in at the server ${name}. ${became} Ask them to open ${connectionsUrl(inboxUrl(publicUrl))} and connect ${name}; then call it again with the same arguments.`;
}

/** Passes a message on; a request that would lack its owner's login waits, or says so. */
export async function throughLogin(c: AppContext, relay: WatchedRelayRequest, came: PostedMessage, next: Send): Promise<Response> {
  const { server } = relay;
  if (server.login === undefined) return next(came, relay);
  const { message, times, declined } = broughtBack(came);
  const request = objectOf(message.value);
  const id = toRequestId(request?.["id"]);
  if (id === undefined || typeof request?.["method"] !== "string") return next(message, relay);
  const login = await loginFor(c.env, server);
  if (login.kind !== "none") return next(message, withAccount(relay, login));
  const text = signInText(c.env, relay.name, server);
  if (request["method"] !== callMethod) return jsonResponse(failure(id, { code: -32_000, message: text }));
  const stateless = isStateless(message.value, (name) => c.req.raw.headers.get(name));
  const session = stateless ? null : await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const meta = objectOf(objectOf(request["params"])?.["_meta"]);
  const canOpen =
    session === null ? declaresUrlElicitation({ capabilities: objectOf(meta?.[clientCapabilitiesKey]) }) : session.clientElicits;
  const { publicUrl } = settingsOf(c.env);
  const notice = loginNotice(c.env, relay, "none");
  const said = success(id, session === null ? { resultType: "complete", ...notice } : notice);
  if (!canOpen || declined || publicUrl === undefined || server.login.owner === null) return jsonResponse({ ...said });
  const url = connectionsUrl(inboxUrl(publicUrl));
  // A client of 2026-07-28 opens the page, and comes back at once.
  if (session === null && times === 0) return jsonResponse(comeBack(id, 1, offerParams(url, text)));
  const stream = new ResponseStream(c, {
    id,
    progressToken: toRequestId(meta?.["progressToken"]),
    ...(session === null ? {} : { session: associationSession(session) }),
    disconnected: c.req.raw.signal,
  });
  stream.run(async () => {
    const offer = crypto.randomUUID();
    if (session !== null) stream.send(offerOf(offer, url, text));
    const isMade = await madeMeanwhile(c, server, stream.left);
    if (session !== null) stream.send(offerDone(offer));
    if (!isMade) return session === null && times < mostTimes ? comeBack(id, times + 1, null) : { ...said };
    return passedOn(c, stream, { id, message, relay, next });
  });
  return eventResponse(stream);
}

/** Waits for the login as long as a client is held. */
async function madeMeanwhile({ env }: AppContext, server: Server, left: AbortSignal): Promise<boolean> {
  const { login } = server;
  if (login == null || login.owner === null) return false;
  const stub = loginStub(env, inboxNameOf(login.owner), login.server);
  const { binding } = loginEntry(server, lookupIn(env));
  for (const end = Date.now() + settingsOf(env).holdMs; !left.aborted && Date.now() < end;)
    if (await stub.loginMade(binding, Math.min(changeMs, end - Date.now()))) return true;
  return false;
}

const changeMs = 5_000;

type Waiting = { readonly id: RequestId; readonly message: PostedMessage; readonly relay: WatchedRelayRequest; readonly next: Send };

/** The same call goes on, as it came; its answer goes on the stream that is open. */
async function passedOn(c: AppContext, stream: ResponseStream, { id, message, relay, next }: Waiting): Promise<JsonObject | null> {
  // The relay stopped watching the key for this request once its stream began.
  const watch = watchKey(c.env, c.var.key);
  try {
    const over = AbortSignal.any([watch.over, stream.left]);
    const answer = await next(message, { ...withAccount(relay, await loginFor(c.env, relay.server)), over });
    const response = await passAnswer(answer, id, { pass: (event) => stream.write(event) }, over);
    if (response === undefined) return { ...failure(id, { code: -32_603, message: "The MCP server gave no answer" }) };
    await stream.write(response);
    return null;
  } finally {
    watch.done();
  }
}

const ownKey = "countersign/sign-in";
const ownState = /^countersign\/sign-in (\d)$/;

const offerParams = (url: string, message: string): JsonObject => ({ mode: "url", elicitationId: crypto.randomUUID(), url, message });

/** `offer`: what the client opens; null: it only waits. */
const comeBack = (id: RequestId, times: number, offer: JsonObject | null): JsonObject => ({
  ...success(id, {
    resultType: "input_required",
    ...(offer === null ? {} : { inputRequests: { [ownKey]: { method: elicitationMethod, params: offer } } }),
    requestState: `${ownKey} ${times}`,
  }),
});

/**
 * The message as it was before its client was sent to sign in. The state says only how often that
 * was, so that it needs no seal.
 */
function broughtBack(message: PostedMessage): { readonly message: PostedMessage; readonly times: number; readonly declined: boolean } {
  const params = objectOf(objectOf(message.value)?.["params"]);
  const [, times] = ownState.exec(String(params?.["requestState"] ?? "")) ?? [];
  if (times === undefined) return { message, times: 0, declined: false };
  const answer = objectOf(objectOf(params?.["inputResponses"])?.[ownKey]);
  const declined = answer !== null && answer["action"] !== "accept";
  let { body } = message;
  for (const name of ["requestState", "inputResponses"]) body = edited(body, withoutMember(body, paramsIn(body), name));
  return { message: { body, value: parseJson(fromUtf8(body)) }, times: Number(times), declined };
}
