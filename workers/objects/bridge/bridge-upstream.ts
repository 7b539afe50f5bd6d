// The server as a BridgeObject reaches it: through the relay of the 2025 revisions, which answers
// sampling for it as for every client.

import { readEvent } from "../../../shared/relay/event-stream.ts";
import { isObject, objectOf, parseJson } from "../../../shared/json/values.ts";
import type { JsonObject } from "../../../shared/encoding.ts";
import { type RequestId, type RpcAnswer, responseOf } from "../../../shared/wire/json-rpc.ts";
import { featuresOf } from "../../../shared/wire/mcp-features.ts";
import { readText } from "../../http/body.ts";
import { EventsError, eventsIn } from "../../http/events-in.ts";
import { errorOf, isEventStream, longestAnswer } from "../../mcp-client/stateless-call.ts";
import { errorClass, logEvent } from "../../platform/log.ts";
import type { BridgeState } from "../../stubs/bridge-calls.ts";
import type { ReportFailure, RequestFailure } from "../../mcp-client/request-failure.ts";
import { type InsideVisit, insideRelay } from "../../stubs/inside-relay.ts";

/** A session of the relay: its sealed id, and the revision that the server speaks in it. */
export type Session = { readonly id: string; readonly revision: string };

const postTries = 4;
const firstPauseMs = 500;

export class BridgeUpstream {
  readonly #deps: Pick<InsideVisit, "env" | "ctx" | "over">;
  /** Who asks now. */
  visitor: Pick<InsideVisit, "key" | "server" | "authorization"> | null = null;

  constructor(deps: Pick<InsideVisit, "env" | "ctx" | "over">) {
    this.#deps = deps;
  }

  post(session: Session | null, message: string, reportFailure?: ReportFailure): Promise<Response> {
    const headers = headersFor(session);
    headers.set("Content-Type", "application/json");
    return this.#ask(new Request("https://relay/", { method: "POST", body: message, headers }), reportFailure);
  }

  /** The stream that belongs to no request, or the one of this event. */
  listen(session: Session, lastEventId: string | null, signal: AbortSignal): Promise<Response> {
    const headers = headersFor(session);
    if (lastEventId !== null) headers.set("Last-Event-ID", lastEventId);
    return this.#ask(new Request("https://relay/", { headers, signal }));
  }

  /** Ends the session at the server. Never throws. */
  async end(session: Session): Promise<void> {
    await this.#ask(new Request("https://relay/", { method: "DELETE", headers: headersFor(session) }))
      .then(({ body }) => body?.cancel())
      .catch((error: unknown) => logEvent("bridge.failed", { error: errorClass(error) }));
  }

  /**
   * Posts a response or a notification. False where it could not be posted and may be tried again.
   * Never throws.
   */
  async tell(session: Session, message: object | string): Promise<boolean> {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    for (let tries = 1; tries <= postTries && !this.#deps.over.aborted; tries += 1) {
      const status = await this.post(session, text).then(
        ({ status: said, body }) => (body?.cancel().catch(() => {}), said),
        () => 599,
      );
      // The server has it, or will never have it.
      if (status < 500 && status !== 429) return true;
      await new Promise((resolve) => setTimeout(resolve, firstPauseMs * 2 ** tries));
    }
    return false;
  }

  /** Answers a request of the server. */
  reply(session: Session, id: RequestId, answer: RpcAnswer): Promise<boolean> {
    return this.tell(session, responseOf(id, answer));
  }

  async #ask(request: Request, reportFailure?: ReportFailure): Promise<Response> {
    if (this.visitor === null) throw new Error("BridgeUpstream: nobody has asked yet");
    return insideRelay({ ...this.#deps, ...this.visitor, ...(reportFailure === undefined ? {} : { reportFailure }) }, request);
  }
}

function headersFor(session: Session | null): Headers {
  const headers = new Headers({ Accept: "application/json, text/event-stream" });
  if (session === null) return headers;
  headers.set("Mcp-Session-Id", session.id);
  if (featuresOf(session.revision).versionHeader) headers.set("MCP-Protocol-Version", session.revision);
  return headers;
}

/** One event, or a whole answer: its messages, and its id where it has one. */
export type Arrival = { readonly eventId: string | null; readonly messages: readonly JsonObject[] };

/** What an answer carries, as it comes. @throws EventsError where it is too long, or breaks off. */
export async function* arrivalsOf(response: Response, signal: AbortSignal): AsyncGenerator<Arrival> {
  if (!isEventStream(response)) {
    const text = await readText(response.body, longestAnswer);
    if (text === undefined) throw new EventsError(true);
    yield { eventId: null, messages: messagesIn(text) };
    return;
  }
  for await (const { events } of eventsIn(response.body, longestAnswer, signal))
    for (const event of events) {
      const { id, data } = readEvent(event);
      if (id !== undefined || data !== null) yield { eventId: id === undefined || id === "" ? null : id, messages: messagesIn(data ?? "") };
    }
}

/** A batch (2025-03-26) has several. */
function messagesIn(text: string): JsonObject[] {
  const value = parseJson(text);
  return (Array.isArray(value) ? (value as unknown[]) : [value]).filter(isObject) as JsonObject[]; // from JSON
}

/** The answer that a message is to the request of this id; null where it is another message. */
export function answerIn(message: JsonObject, id: RequestId): RpcAnswer | null {
  if (message["id"] !== id || typeof message["method"] === "string") return null;
  const result = objectOf(message["result"]);
  if (result !== null) return { result };
  return message["error"] === undefined ? null : { error: errorOf(message) };
}

/**
 * An HTTP answer that is no success. `lost`: the server does not know the session, and did nothing.
 */
export type Refused = {
  readonly lost: boolean;
  readonly answer: RpcAnswer | null;
  readonly state: Extract<BridgeState, { kind: "refused" }>;
};

const mostRead = 100_000;
const passedDown = ["WWW-Authenticate", "Retry-After"];

/**
 * Reads why a request was refused. Many servers answer 400 where the specification has 404.
 * `failure`: as in the state.
 */
export async function refusalOf(response: Response, failure?: RequestFailure): Promise<Refused> {
  const { status, headers } = response;
  const text = (await readText(response.body, mostRead).catch(() => undefined)) ?? "";
  const message = objectOf(parseJson(text));
  const error = objectOf(message?.["error"]) === null || message === null ? null : errorOf(message);
  const isOfHttp = status === 401 || status === 403 || status === 429 || status >= 500;
  return {
    lost: status === 404 || (status === 400 && /session|not initialized/i.test(error?.message ?? text)),
    answer: error === null || isOfHttp ? null : { error },
    state: {
      kind: "refused",
      status,
      headers: passedDown.flatMap((name) => {
        const value = headers.get(name);
        return value === null ? [] : [[name, value] as const];
      }),
      body: error?.message ?? `The MCP server answered with the HTTP status ${status}`,
      ...(failure === undefined ? {} : { failure }),
    },
  };
}
