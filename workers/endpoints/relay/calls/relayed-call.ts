// One request to a server of revision 2026-07-28, for a client of any revision: the server's answer
// passes, unless it asks for input.

import type { JsonObject } from "../../../../shared/encoding.ts";
import { objectOf, parseJson } from "../../../../shared/json/values.ts";
import { dataOf, looseDatasOf, onOneLine } from "../../../../shared/relay/event-stream.ts";
import { asksForSampling, messageOf } from "../../../../shared/relay/messages.ts";
import { type Round, isAmbiguous, isRound } from "../../../../shared/relay/rounds.ts";
import { refusedElicitation } from "../../../../shared/relay/url-elicitation.ts";
import { type RequestId, type RpcAnswer, type RpcError, toRequestId } from "../../../../shared/wire/json-rpc.ts";
import { type UpstreamError, headersDown, reportOf } from "../../../mcp-client/ask-server.ts";
import { askStateless, errorOf, isEventStream, longestAnswer } from "../../../mcp-client/stateless-call.ts";
import { type Result, ok } from "../../../../shared/result.ts";
import { headerMismatchCode } from "../../../../shared/wire/mcp-2026/stateless-request.ts";
import { readAnswer, readText, utf8TextOf } from "../../../http/body.ts";
import { EventsError, eventsIn, isTooLong } from "../../../http/events-in.ts";
import { type ClientRequest, checkedRound, withoutOwnAddress } from "./call-rounds.ts";
import { within } from "../../../http/keep-alive.ts";
import { settingsOf } from "../../../platform/settings.ts";
import { ResponseStream, eventResponse } from "./response-stream.ts";
import { errorMessages } from "../relay-request.ts";

/** What differs between the families of clients. */
export type ClientSide = {
  /** Whether answers and notifications pass as they came. */
  readonly isPlain: boolean;
  /** The response to the client's request; null where it gets none. */
  readonly response: (answer: RpcAnswer) => JsonObject | null;
  /** A notification of the server as the client gets it; null: it gets none. */
  readonly notification: (text: string) => string | null;
  /** An answer with an HTTP status, where nothing was sent yet. */
  readonly refuse: (status: number, error: RpcError) => Promise<Response>;
  /** The server answered as one with sessions does. */
  readonly otherFamily: () => Promise<Response>;
  /**
   * Resolves when the client cancels its request by another one; absent where it does so by
   * leaving.
   */
  readonly cancelled?: (over: AbortSignal) => Promise<void>;
  /**
   * The `Mcp-Param-…` headers that the server missed, for a client that does not know of them; null
   * where there are no others.
   */
  readonly missedHeaders?: () => Promise<RelayedCall["headers"] | null>;
  /** Does what a round asks, and gives the response with which this answer to the client ends. */
  readonly round: (stream: ResponseStream, round: Round) => Promise<JsonObject | null>;
  /** Whether a round that may not be asked has an HTTP status; else a stream carries its error. */
  readonly refusesRounds: boolean;
};

export type RelayedCall = ClientRequest & {
  readonly id: RequestId;
  /** The params, as text. */
  readonly params: string;
  readonly progressToken: RequestId | undefined;
  /** The name of the session that the stream ends with; empty where it has none. */
  readonly endsWith: string;
  readonly client: ClientSide;
};

/** Sends the request and answers the client. */
export async function relayCall(call: RelayedCall): Promise<Response> {
  const { c, relay, client } = call;
  // The client is gone: nobody reads the answer, and the server is to stop
  // (basic/patterns/cancellation).
  const left = new AbortController();
  if (client.cancelled === undefined) c.req.raw.signal.addEventListener("abort", () => left.abort(), { once: true });
  else c.executionCtx.waitUntil(client.cancelled(left.signal).then(() => left.abort()));
  const asking = askKnowing(call, left.signal);
  const asked = await within(asking, settingsOf(c.env).heartbeatMs, relay.slow);
  if (asked === null) return held(call, asking, left);
  if (asked.ok && isEventStream(asked.value)) return streamed(call, asked.value, left);
  const answer = asked.ok
    ? await whole(call, asked.value, headersDown(asked.value, relay.server))
    : await client.refuse(502, failureOf(call, asked.error));
  // The server is not asked any more: there is nothing left to cancel.
  left.abort();
  return answer;
}

/**
 * A server that takes its time: the client gets a stream at once, which is kept alive, and by which
 * it shows that the client has gone.
 */
function held(call: RelayedCall, asking: Promise<Result<Response, UpstreamError>>, left: AbortController): Response {
  const stream = newStream(call);
  stream.left.addEventListener("abort", () => left.abort());
  stream.run(async () => {
    const asked = await asking;
    if (!asked.ok) return call.client.response({ error: failureOf(call, asked.error) });
    return isEventStream(asked.value) ? passEvents(call, stream, asked.value) : wholeOn(call, stream, asked.value);
  });
  return eventResponse(stream);
}

/** A server that broke off, or was not there, may have had the request. */
function failureOf({ relay }: RelayedCall, error: UpstreamError): RpcError {
  reportOf(error, relay.reportFailure);
  return { code: -32_603, message: errorMessages[error] };
}

/** The server took the request, and gave no response. */
function noResponse({ relay }: RelayedCall): RpcError {
  relay.reportFailure?.("lost");
  return { code: -32_603, message: "The MCP server gave no JSON-RPC response" };
}

/** The answer in one JSON value, on a stream that is open already; null where it is written. */
async function wholeOn(call: RelayedCall, stream: ResponseStream, answer: Response): Promise<JsonObject | null> {
  const { client, id } = call;
  const bytes = await readAnswer(answer, longestAnswer);
  if (bytes === null) return client.response({ error: { code: -32_603, message: errorMessages.tooLong } });
  const text = utf8TextOf(bytes) ?? "";
  const message = objectOf(parseJson(text));
  const isOwn = message !== null && toRequestId(message["id"]) === id;
  return isOwn ? respond(call, stream, message, text) : client.response({ error: noResponse(call) });
}

/** A message with the request's id, as the response on the stream; null where it is written. */
async function respond(call: RelayedCall, stream: ResponseStream, message: JsonObject, text: string): Promise<JsonObject | null> {
  const { client } = call;
  const response = responseIn(call, message, text);
  if (response === null) return client.response({ error: noResponse(call) });
  if ("result" in response && isRound(response.result)) return roundOn(call, stream, checkedRound(call, call.method, response.result));
  if (!client.isPlain || response === ownAddressRefused) return client.response(response);
  await stream.write(`event: message\ndata: ${onOneLine(text)}\n\n`);
  return null;
}

/** Asks again with the headers that the server missed, once. */
async function askKnowing(call: RelayedCall, left: AbortSignal): Promise<Result<Response, UpstreamError>> {
  const asked = await ask(call, left);
  const { missedHeaders } = call.client;
  if (!asked.ok || asked.value.status !== 400 || missedHeaders === undefined) return asked;
  const text = (await readText(asked.value.body, longestAnswer)) ?? "";
  const headers = objectOf(objectOf(parseJson(text))?.["error"])?.["code"] === headerMismatchCode ? await missedHeaders() : null;
  return headers === null ? ok(new Response(text, asked.value)) : ask({ ...call, headers }, left);
}

const ask = ({ c, relay, id, method, name, params, headers }: RelayedCall, left: AbortSignal) =>
  askStateless(c.env, relay.server, {
    id,
    method,
    name,
    params,
    headers,
    authorization: relay.authorization,
    signal: AbortSignal.any([relay.over, left]),
  });

/**
 * Whether a text may be something that the client must not get as it is. An escape may hide any
 * word.
 */
const mayConcern = (text: string): boolean => /createMessage|input_required|licitation|roots\/list|\\u/.test(text);

/** The answer in one JSON value. */
async function whole(call: RelayedCall, answer: Response, headers: Headers): Promise<Response> {
  const { client, id } = call;
  const { status } = answer;
  const bytes = await readAnswer(answer, longestAnswer);
  if (bytes === null) return client.refuse(502, { code: -32_603, message: errorMessages.tooLong });
  const text = utf8TextOf(bytes);
  const isSafe = text !== null && !mayConcern(text);
  if (client.isPlain && isSafe && !otherFamily.has(status)) return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  const message = text === null ? null : objectOf(parseJson(text));
  const response = message === null || text === null ? null : responseIn(call, message, text);
  const isOwn = toRequestId(message?.["id"]) === id;
  // A server with sessions knows neither the request nor its id (basic/versioning).
  if (otherFamily.has(status) && !isOwn && isSafe) return client.otherFamily();
  // A server that is no MCP server at this address, or one behind something that answers for it.
  if (message === null || response === null)
    return isSafe && status >= 400
      ? new Response(bytes, { status, headers })
      : client.refuse(502, isSafe || text === null ? noResponse(call) : { code: -32_603, message: errorMessages.asks });
  const result = "result" in response ? response.result : null;
  if (result !== null && !isOwn) return client.refuse(502, lostId);
  if (result !== null && isRound(result)) {
    const checked = checkedRound(call, call.method, result);
    if (!checked.ok && client.refusesRounds) return client.refuse(checked.error.status, checked.error.error);
    const stream = newStream(call);
    stream.run(() => roundOn(call, stream, checked));
    return eventResponse(stream);
  }
  if (client.isPlain && response !== ownAddressRefused) return new Response(bytes, { status, headers });
  headers.set("Content-Type", "application/json");
  return new Response(JSON.stringify(client.response(isOwn ? response : { error: lostId })), {
    status: client.isPlain ? status : 200,
    headers,
  });
}

/** Does what a round asks; or the error of one that may not be answered. */
const roundOn = async (
  { client }: RelayedCall,
  stream: ResponseStream,
  checked: ReturnType<typeof checkedRound>,
): Promise<JsonObject | null> => (checked.ok ? client.round(stream, checked.value) : client.response({ error: checked.error.error }));

const otherFamily: ReadonlySet<number> = new Set([400, 404, 405, 406]);

const lostId: RpcError = { code: -32_603, message: "The MCP server answered another request than the one that it was sent" };
/** In place of an error that wants an address of the gateway opened. */
const ownAddressRefused: RpcAnswer = { error: { code: -32_603, message: refusedElicitation } };

/**
 * The response that a message is for every client; null where it is none, or where clients may
 * differ in what it is.
 */
function responseIn({ c }: Pick<RelayedCall, "c">, message: JsonObject, text: string): RpcAnswer | null {
  if (typeof message["method"] === "string" || asksForSampling(message) || isAmbiguous(text)) return null;
  const result = objectOf(message["result"]);
  if (result !== null) return { result };
  if (message["error"] === undefined) return null;
  return withoutOwnAddress({ c }, message) === message ? { error: errorOf(message) } : ownAddressRefused;
}

const newStream = ({ c, id, progressToken, endsWith }: RelayedCall): ResponseStream =>
  new ResponseStream(c, { id, progressToken, session: endsWith });

/** The answer as an event stream. */
function streamed(call: RelayedCall, answer: Response, left: AbortController): Response {
  const stream = newStream(call);
  stream.left.addEventListener("abort", () => left.abort());
  stream.run(() => passEvents(call, stream, answer));
  return eventResponse(stream, headersDown(answer, call.relay.server));
}

/** Passes events until the response; the response where it is not written yet. */
async function passEvents(call: RelayedCall, stream: ResponseStream, { body }: Response): Promise<JsonObject | null> {
  const { client } = call;
  try {
    for await (const { events } of eventsIn(body, longestAnswer, stream.left))
      for (const event of events) {
        const last = await passEvent(call, stream, event);
        if (last !== undefined) return last;
      }
  } catch (error) {
    if (!(error instanceof EventsError)) throw error;
    if (isTooLong(error)) return client.response({ error: { code: -32_603, message: errorMessages.tooLong } });
  }
  return client.isPlain ? null : client.response({ error: noResponse(call) });
}

/** The response, where this is it: null where it is written already. Undefined: more is to come. */
async function passEvent(call: RelayedCall, stream: ResponseStream, event: string): Promise<JsonObject | null | undefined> {
  const { client, id } = call;
  const isOdd = looseDatasOf(event).length > 0;
  if (client.isPlain && !isOdd && !mayConcern(event)) {
    if (event.includes("progress")) stream.sawProgress(objectOf(objectOf(parseJson(dataOf(event) ?? ""))?.["params"])?.["progress"]);
    await stream.write(event);
    return undefined;
  }
  const data = dataOf(event);
  const message = data === null ? null : objectOf(parseJson(data));
  if (data === null || message === null || asksForSampling(message)) return undefined;
  if (messageOf(message).kind === "notification") {
    const text = client.notification(data);
    if (text !== null) stream.tell(text);
    return undefined;
  }
  // A request of the server: this revision has none.
  if (toRequestId(message["id"]) !== id || typeof message["method"] === "string") return undefined;
  return respond(call, stream, message, data);
}
