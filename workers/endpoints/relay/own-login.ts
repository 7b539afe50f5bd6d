// A message for a server at which the key's owner signs in: where there is no login, the owner is
// told where to sign in, in the best way that the client can take. A client with URL elicitation is
// offered the page, and its call goes on once they are signed in; any other gets the address in the
// tool's result or in the error. The page opens for the signed-in owner alone, so its address is
// good for nobody else.

import type { JsonObject } from "../../../shared/encoding.ts";
import { objectOf } from "../../../shared/json/values.ts";
import { callMethod } from "../../../shared/relay/call-notices.ts";
import { metaOf, paramsOf } from "../../../shared/relay/messages.ts";
import { declaresUrlElicitation, elicitationMethod } from "../../../shared/relay/url-elicitation.ts";
import { type RequestId, failure, success, toRequestId } from "../../../shared/wire/json-rpc.ts";
import { clientCapabilitiesKey, isStateless } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { jsonResponse } from "../../http/json-response.ts";
import { watchKey } from "../../pipeline/wait/key-watch.ts";
import { type LoginState, loginFor } from "../../mcp-client/ask-upstream.ts";
import { settingsOf } from "../../platform/settings.ts";
import { connectionsUrl, inboxUrl } from "../../platform/urls.ts";
import type { AppContext } from "../app-context.ts";
import { ResponseStream, eventResponse } from "./calls/response-stream.ts";
import { loginNotice, loginOffered, signInText } from "./login-notice.ts";
import { type WatchedRelayRequest, refuseWith } from "./relay-request.ts";
import { passAnswer } from "./reviewed/call-answer.ts";
import { broughtBack, comeBack, contentOf, mostTimes } from "./reviewed/waiting-state.ts";
import { associationSession } from "./sampling/relay-sampling.ts";
import { type PostedMessage, sessionOf } from "./sessions/session-relay.ts";

type Send = (message: PostedMessage, relay: WatchedRelayRequest) => Promise<Response>;

/** The request as one for the account of this login alone. */
function withAccount<T extends WatchedRelayRequest>(relay: T, state: LoginState): T {
  const { login } = relay.server;
  const account = "account" in state ? state.account : null;
  return login === undefined || account === null ? relay : { ...relay, server: { ...relay.server, login: { ...login, account } } };
}

/** Passes a message on; a request that would lack its owner's login waits, or says so. */
export async function throughLogin(c: AppContext, relay: WatchedRelayRequest, came: PostedMessage, next: Send): Promise<Response> {
  const { server } = relay;
  if (server.login === undefined) return next(came, relay);
  const { keys, publicUrl } = settingsOf(c.env);
  const message = broughtBack(keys, "signIn", relay, came);
  if (message === null) return refuseWith(c, 400, "Invalid params: this requestState is not one of this call", {}, -32_602);
  const { times } = message;
  const request = objectOf(message.value);
  const id = toRequestId(request?.["id"]);
  if (id === undefined || typeof request?.["method"] !== "string") return next(message, relay);
  const login = await loginFor(c.env, server);
  if (login.kind !== "none") return next(message, withAccount(relay, login));
  const text = signInText(c.env, relay.name, server);
  if (request["method"] !== callMethod) return jsonResponse(failure(id, { code: -32_000, message: text }));
  const stateless = isStateless(message.value, c.req.raw.headers);
  const session = stateless ? null : await sessionOf(c, relay);
  if (session instanceof Response) return session;
  const meta = metaOf(request);
  const canOpen =
    session === null ? declaresUrlElicitation({ capabilities: objectOf(meta?.[clientCapabilitiesKey]) }) : session.clientElicits;
  const notice = loginNotice(c.env, relay, "none");
  const said = success(id, session === null ? { resultType: "complete", ...notice } : notice);
  if (!canOpen || (times > 0 && isDeclined(came)) || publicUrl === undefined || server.login.owner === null)
    return jsonResponse({ ...said });
  const url = connectionsUrl(inboxUrl(publicUrl));
  // A client of 2026-07-28 opens the page, and comes back at once.
  const waiting = { id, message, content: contentOf(relay, message.body), times };
  if (session === null && times === 0) return jsonResponse(comeBack(keys, "signIn", waiting, offerIn(url, text)));
  const stream = new ResponseStream(c, {
    id,
    progressToken: toRequestId(meta?.["progressToken"]),
    ...(session === null ? {} : { session: associationSession(session) }),
    disconnected: c.req.raw.signal,
  });
  stream.run(async () => {
    if (!(await loginOffered(c.env, server, stream, { url: session === null ? null : url, text })))
      return session === null && times < mostTimes ? comeBack(keys, "signIn", waiting) : { ...said };
    return passedOn(c, stream, { id, message, relay, next });
  });
  return eventResponse(stream);
}

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

const offerIn = (url: string, message: string): JsonObject => ({
  [ownKey]: { method: elicitationMethod, params: { mode: "url", elicitationId: crypto.randomUUID(), url, message } },
});

/** Whether its user would not open the page. */
function isDeclined({ value }: PostedMessage): boolean {
  const answer = objectOf(objectOf(paramsOf(value)?.["inputResponses"])?.[ownKey]);
  return answer !== null && answer["action"] !== "accept";
}
