// At the client's edge of the relay: where a rule is about a key's calls, a client gets responses
// to the requests of its own message alone. What waits for a person, or is masked, reaches it on no
// other stream. Elsewhere every message passes unread.

import { mayRespond, withoutOtherResponses } from "../../../shared/relay/own-responses.ts";
import { parseEventId } from "../../../shared/relay/session-id.ts";
import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { type RequestId, idKey, toRequestId } from "../../../shared/wire/json-rpc.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { AppContext } from "../app-context.ts";
import { changedAnswer } from "./changed-events.ts";
import { type RelayRequest, hasCallRules } from "./relay-request.ts";
import { sessionOf } from "./sessions/session-relay.ts";
import { isTranslated } from "./translated/translated-relay.ts";

/** The answer that the client gets, without responses to requests of other messages. */
export async function withOwnResponses(c: AppContext, relay: RelayRequest, answer: Response): Promise<Response> {
  const isGet = c.req.method === "GET";
  if (answer.body === null || (!isGet && !(await hasCallRules(c, relay)))) return answer;
  const requests = await requestsOf(c, relay);
  if (requests === null) return answer;
  const own = new Set(requests.map(idKey));
  return changedAnswer(c, answer, {
    // The stand-alone stream outlives the policy that it was opened under.
    mayConcern: async (text) => mayRespond(text) && (!isGet || (await hasCallRules(c, relay))),
    changed: (text) => withoutOtherResponses(text, own),
    guard: { isHidden: (text) => withoutOtherResponses(text, own) !== undefined, isInErrors: false },
  });
}

/**
 * The requests that this exchange answers: of the message, or of the stream that is resumed. Null:
 * the gateway writes every message of the stream itself.
 */
async function requestsOf(c: AppContext, relay: RelayRequest): Promise<readonly RequestId[] | null> {
  if (c.req.method !== "GET") {
    const ids: readonly (RequestId | null)[] = [c.get("ids") ?? null].flat();
    return ids.filter((id) => id !== null);
  }
  const session = await sessionOf(c, relay);
  if (session instanceof Response) return [];
  if (isTranslated(session)) return null;
  const last = parseEventId(settingsOf(c.env).keys, session.name, c.req.header("Last-Event-ID") ?? "");
  // Behind the mark of a stream that was lost, where it has one.
  const request = objectOf(parseJson(last?.request.replace(/^[a-z]+ /, "") ?? ""));
  return [toRequestId(request?.["id"])].filter((id) => id !== undefined);
}
