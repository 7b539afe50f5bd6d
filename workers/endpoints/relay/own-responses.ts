// At the client's edge of the relay: where a rule is about a key's calls, a client gets responses
// to the requests of its own message alone. What waits for a person, or is masked, reaches it on no
// other stream. Elsewhere every message passes unread.

import { dataOf, looseDatasOf, onOneLine, withData } from "../../../shared/relay/event-stream.ts";
import { mayRespond, withoutOtherResponses } from "../../../shared/relay/own-responses.ts";
import { parseEventId } from "../../../shared/relay/session-id.ts";
import { objectOf, parseJson } from "../../../shared/json/values.ts";
import { type RequestId, idKey, toRequestId } from "../../../shared/wire/json-rpc.ts";
import { settingsOf } from "../../platform/settings.ts";
import type { AppContext } from "../app-context.ts";
import { changedAnswer } from "./changed-events.ts";
import { type RelayRequest, broken, hasCallRules } from "./relay-request.ts";
import { otherEncoding } from "./shown-tools.ts";
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
    event: async (raw) => {
      // The stand-alone stream outlives the policy that it was opened under.
      const isPlain = !mayRespond(raw) || (isGet && !(await hasCallRules(c, relay)));
      return isPlain ? raw : ownEvent(raw, own);
    },
    whole: (bytes, text) => {
      if (text === null) return broken(c, otherEncoding);
      const left = withoutOtherResponses(text, own);
      if (left === null && answer.ok) return broken(c, "The MCP server answered another request than the one that it was sent");
      const passed = new Response(left ?? bytes, answer);
      // In another charset a client would read other JSON in the same bytes.
      if (answer.ok && mayRespond(text)) passed.headers.set("Content-Type", "application/json");
      return passed;
    },
  });
}

function ownEvent(raw: string, own: ReadonlySet<string>): string {
  const left = withoutOtherResponses(dataOf(raw) ?? "", own);
  const passed = left === undefined ? raw : left === null ? "" : withData(raw, onOneLine(left));
  // Empty where a lenient client would read such a response in the event that this parser does not.
  return looseDatasOf(passed).some((data) => withoutOtherResponses(data, own) !== undefined) ? "" : passed;
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
