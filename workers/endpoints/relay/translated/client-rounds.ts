// The rounds of a call whose client is of a 2025 revision: what only the client has is asked on the
// stream of its request, and its responses come by requests of their own. A stream that breaks is
// resumed where it was.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { jsonOf, readJsonOf } from "../../../../shared/json/json-of.ts";
import { memberIn, textAt } from "../../../../shared/json/spans.ts";
import { parseJson, objectOf } from "../../../../shared/json/values.ts";
import { type InputPlace, clientRequest } from "../../../../shared/relay/client-inputs.ts";
import { isDeclined, mayFallBack } from "../../../../shared/relay/capability-2025.ts";
import { samplingMethod } from "../../../../shared/relay/messages.ts";
import { type InputRequest, declinedInput } from "../../../../shared/relay/rounds.ts";
import { eventPrefix } from "../../../../shared/relay/session-id.ts";
import { answerFor } from "../../../../shared/relay/translation.ts";
import { type RequestId, responseMessage } from "../../../../shared/wire/json-rpc.ts";
import { type MissingLogin, loginWithin } from "../../../mcp-client/ask-upstream.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { connectionsUrl, inboxUrl } from "../../../platform/urls.ts";
import type { CallStatus } from "../../../stubs/call-calls.ts";
import { type RoundCall, endOf, goneError, roundContext } from "../calls/call-rounds.ts";
import type { ResponseStream } from "../calls/response-stream.ts";
import { type Waiting, answerAll } from "../calls/round-sampling.ts";
import { drive, withSamplingHere } from "../calls/rounds-driver.ts";
import { loginNotice, loginOffered, refusedInRound, signInText } from "../login-notice.ts";
import { idEvent } from "../sessions/sse-relay.ts";

/** The client's request. */
type ServedRequest = { readonly id: RequestId; readonly progressToken: RequestId | undefined };

/**
 * What an event id of such a stream says beside the request: the call, and how much of which round
 * the client was asked.
 */
type StreamPlace = { readonly attempt: string; readonly round: number; readonly asked: number };

const placeText = ({ attempt, round, asked }: StreamPlace): string => `${attempt}~${round}~${asked}`;

/** The place in the server's part of an event id; null for any other. */
export function streamPlace(own: string): StreamPlace | null {
  const [, attempt, round, asked] = /^([\w-]{1,64})~(\d{1,6})~(\d{1,6})$/.exec(own) ?? [];
  return attempt === undefined ? null : { attempt, round: Number(round), asked: Number(asked) };
}

/** Drives the call to its end. `from`: where the client's asking broke. */
export async function driveTranslated(
  call: RoundCall,
  served: ServedRequest,
  stream: ResponseStream,
  state: CallStatus | null,
  from: StreamPlace | null,
): Promise<JsonObject> {
  const asking = new AskingStream(call, served, stream, from);
  // First of all, also where the stream is resumed: a client that has no id of this very stream
  // cannot come back to it.
  const place = from ?? (state?.kind === "waiting" ? { attempt: state.attempt, round: state.round, asked: 0 } : null);
  if (place !== null) await asking.mark(place);
  const done = await drive(call, state, {
    stream,
    toClient: (message) => stream.send(message),
    ask: (requests, at) => asking.ask(requests, at),
    signIn: (login) => signedIn(call, stream, login),
    enough: new Promise((resolve) => stream.left.addEventListener("abort", resolve, { once: true })),
  });
  if (done.kind === "ended") return responseMessage(served.id, answerFor(call.method, endOf(call, done.answer)));
  // Where it waits, the client has left: nobody reads this.
  return responseMessage(served.id, { error: goneError });
}

/**
 * Waits for the login that a round lacks, as long as a client is held, and offers the page to one
 * that can open it. Null: the round is tried again. Otherwise the result with which the call ends:
 * this client has no state with which it could go on, and from the beginning it would be another
 * call.
 */
async function signedIn({ c, relay, session }: RoundCall, stream: ResponseStream, kind: MissingLogin): Promise<JsonObject | null> {
  const { publicUrl } = settingsOf(c.env);
  const notice = loginNotice(c.env, relay, kind, refusedInRound);
  if (kind === "unreachable") return await loginWithin(c.env, relay.server, kind).then(() => null);
  if (kind === "otherAccount" || publicUrl === undefined) return notice;
  const url = session.clientElicits ? connectionsUrl(inboxUrl(publicUrl)) : null;
  const text = signInText(c.env, relay.name, relay.server, refusedInRound);
  return (await loginOffered(c.env, relay.server, stream, { url, text })) ? null : notice;
}

const changeMs = 20_000;

/**
 * Asks the client on the stream of its request. Each event has an id, so that a stream that breaks
 * goes on behind it.
 */
class AskingStream {
  readonly #call: RoundCall;
  readonly #served: ServedRequest;
  readonly #stream: ResponseStream;
  #from: StreamPlace | null;
  readonly #prefix: string;

  constructor(call: RoundCall, served: ServedRequest, stream: ResponseStream, from: StreamPlace | null) {
    this.#call = call;
    this.#served = served;
    this.#stream = stream;
    this.#from = from;
    const { id, progressToken } = served;
    const { method, name } = call.originatingOf("");
    const request = JSON.stringify({ id, method, name, ...(progressToken === undefined ? {} : { progressToken }) });
    this.#prefix = eventPrefix(settingsOf(call.c.env).keys, call.session.name, request);
  }

  /** An event that only has an id. */
  mark(place: StreamPlace): Promise<void> {
    return this.#stream.write(idEvent(`id: ${this.#prefix}${placeText(place)}`, this.#call.session.revision));
  }

  async ask(requests: readonly InputRequest[], at: Waiting): Promise<void> {
    const { attempt, round, requests: all } = at;
    const keys = readJsonOf(all).map(({ key }) => key);
    const before = this.#from?.attempt === attempt && this.#from.round === round ? this.#from.asked : 0;
    this.#from = null;
    for (const request of requests) {
      const index = keys.indexOf(request.key);
      // The client has it already, from the stream that broke.
      if (index < before) continue;
      const place: InputPlace = { request: this.#served.id, attempt, round, index };
      this.#stream.send(clientRequest(place, request), `${this.#prefix}${placeText({ attempt, round, asked: index + 1 })}`);
    }
    const missing = new Set(requests.map(({ key }) => key));
    let known = at.answered.length + at.gateway.length;
    const own: Promise<void>[] = [];
    while (missing.size > 0 && !this.#stream.left.aborted) {
      const state = (await this.#call.call.changed(attempt, round, known, changeMs)) as CallStatus | null;
      if (state?.kind !== "waiting" || state.round !== round) return;
      known = state.answered.length + state.gateway.length;
      for (const key of state.answered) missing.delete(key);
      const declined = requests.filter(({ key }) => state.gateway.includes(key) && missing.delete(key));
      own.push(answerAll(roundContext(this.#call, this.#stream), at, declined));
    }
    await Promise.all(own);
  }
}

/**
 * A response of the client to what it was asked. `call`: that of the request, in the session of the
 * response.
 */
export async function takeInput(
  { relay, session, call }: Pick<RoundCall, "relay" | "session" | "call">,
  { attempt, round, index }: InputPlace,
  body: Uint8Array,
): Promise<void> {
  const state = (await call.look(attempt)) as CallStatus | null;
  if (state?.kind !== "waiting" || state.round !== round) return;
  const request = readJsonOf(state.requests)[index];
  const { gateway } = await withSamplingHere({ relay, session, call }, state);
  // What the gateway answers is not the client's to answer.
  if (request === undefined || gateway.includes(request.key)) return;
  const message = objectOf(parseJson(new TextDecoder().decode(body)));
  const result = memberIn(body, "result");
  const error = objectOf(message?.["error"]);
  if (result !== undefined && objectOf(message?.["result"]) !== null) await call.answer(attempt, round, request.key, textAt(body, result));
  else if (mayFallBack(relay.server.mode, session.clientSamples) && request.method === samplingMethod && isDeclined(error?.["code"]))
    await call.decline(attempt, round, request.key);
  else await call.end(attempt, round, jsonOf(declinedInput(state.method, request.method, error)));
}
