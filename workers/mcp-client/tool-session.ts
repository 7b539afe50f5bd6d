// A session with a configured MCP server in which we are the client: the official client, with everything that it sends going through
// `askUpstream`. So only the configured address is asked, no redirect is followed and nobody signs in; nothing is read without a
// bound, no stand-alone stream is opened, and `tools/call` is sent once at the most. No capabilities are declared.

import { Client, type JSONRPCMessage, ProtocolError, ProtocolErrorCode, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Server } from "../../shared/relay/servers.ts";
import type { Env } from "../platform/env.ts";
import { type UpstreamError, askUpstream } from "./ask-server.ts";

/** Of one answer, or of one stream of them. */
const mostBytes = 8_000_000;
const endTimeoutMs = 3_000;
/** For a stream that a server closed between events and that may be asked for again, which runs nothing twice. */
const reconnection = { initialReconnectionDelay: 500, maxReconnectionDelay: 5_000, reconnectionDelayGrowFactor: 2, maxRetries: 2 };
/** What revision 2026-07-28 says of a request in headers (SEP-2243). */
const ownHeader = /^mcp-(?:method|name|param-.+)$/;

/** What became of the latest request, as seen from here: the client's own errors are words. */
export type Seen = {
  error?: UpstreamError | "tooLarge" | "cut";
  /** Of an answer outside 200-299. */
  status?: number;
};

/** In place of an answer that can no longer come. Known by its identity, which nothing from outside has. */
export const noAnswer: unique symbol = Symbol("no answer");

export class ToolSession {
  readonly client: Client;
  readonly #env: Env;
  readonly #server: Server;
  readonly #signal: AbortSignal;
  readonly #transport: AnsweringTransport;
  #seen: Seen = {};
  #callSent = false;
  #askedForSampling = false;

  /** @param signal ends everything but the session's own end. */
  constructor(env: Env, server: Server, signal: AbortSignal) {
    this.#env = env;
    this.#server = server;
    this.#signal = signal;
    this.#transport = new AnsweringTransport(new URL(server.url), {
      fetch: (_url, init) => this.#ask(init ?? {}),
      reconnectionOptions: reconnection,
    });
    this.client = new Client(
      { name: "countersign", version: "1" },
      // Both families: the newer one's question first, the handshake where that is not understood.
      { versionNegotiation: { mode: "auto" }, inputRequired: { autoFulfill: false }, capabilities: {} },
    );
    // Nothing that a server asks of its client is given. What it wanted explains why its tool failed.
    this.client.fallbackRequestHandler = async ({ method }) => {
      if (method === "sampling/createMessage") this.#askedForSampling = true;
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    };
  }

  /** Whether the server asked for a model's reply, which no function is given. */
  get askedForSampling(): boolean {
    return this.#askedForSampling;
  }

  get seen(): Readonly<Seen> {
    return this.#seen;
  }

  /** Whether `tools/call` may have reached the server. */
  get callSent(): boolean {
    return this.#callSent;
  }

  connect(timeoutMs: number): Promise<void> {
    return this.client.connect(this.#transport, { timeout: timeoutMs, signal: this.#signal });
  }

  /** Ends the session with the server where there is one, and lets go of everything. Never throws. */
  async end(): Promise<void> {
    const { sessionId, protocolVersion } = this.#transport;
    if (sessionId !== undefined) {
      const headers = new Headers(protocolVersion === undefined ? {} : { "MCP-Protocol-Version": protocolVersion });
      const signal = AbortSignal.timeout(endTimeoutMs);
      const ended = await askUpstream(this.#env, this.#server, {
        method: "DELETE",
        session: sessionId,
        headers,
        authorization: null,
        signal,
      });
      if (ended.ok) ended.value.body?.cancel().catch(() => {});
    }
    await this.client.close().catch(() => {});
  }

  async #ask(init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const method = init.method === "GET" || init.method === "DELETE" ? init.method : "POST";
    const lastEventId = headers.get("Last-Event-ID");
    // The stream that belongs to no request: nothing that is asked on it would be answered.
    if (method === "GET" && lastEventId === null) return new Response(null, { status: 405 });
    const message = typeof init.body === "string" ? (JSON.parse(init.body) as { method?: string; id?: unknown }) : {};
    if (message.method === "tools/call") {
      if (this.#callSent) throw new Error("tools/call was sent before");
      this.#callSent = true;
    }
    // A notification tells the server that we go, when our own time may be over already.
    const isRequest = message.id !== undefined || method === "GET";
    const limits = [isRequest ? this.#signal : AbortSignal.timeout(endTimeoutMs), ...(init.signal ? [init.signal] : [])];
    const signal = AbortSignal.any(limits);
    // Each request's own: an answer that is read on after the next request began says nothing of that one.
    const seen: Seen = {};
    if (isRequest) this.#seen = seen;
    const asked = await askUpstream(this.#env, this.#server, {
      method,
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      session: headers.get("Mcp-Session-Id"),
      headers,
      more: new Headers([...headers].filter(([name]) => ownHeader.test(name))),
      authorization: null,
      ...(lastEventId === null ? {} : { lastEventId }),
      signal,
    });
    if (!asked.ok) {
      seen.error = asked.error;
      throw new Error(asked.error);
    }
    const response = asked.value;
    if (!response.ok) seen.status = response.status;
    const { status, statusText } = response;
    const body = response.body === null ? null : bounded(response.body, signal, (fault) => void (seen.error = fault));
    this.#transport.isStream = (response.headers.get("Content-Type") ?? "").trim().toLowerCase().startsWith("text/event-stream");
    return new Response(body, { status, statusText, headers: response.headers });
  }
}

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/** The client waits for an answer until its time is over, also where none can come any more. Here it is told. */
class AnsweringTransport extends StreamableHTTPClientTransport {
  /** Whether the latest answer is a stream, which goes on after `send`. */
  isStream = false;

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message) || !("method" in message) || !("id" in message)) return super.send(message, options);
    // Once it is answered nobody waits for this id, and it passes unheard.
    const end = (): void =>
      this.onmessage?.({ jsonrpc: "2.0", id: message.id, error: { code: -32_000, message: "the answer never came", data: noAnswer } });
    await super.send(message, { ...options, onRequestStreamEnd: end });
    if (!this.isStream) end();
  }
}

/** The body up to `mostBytes`, and until `signal`. `onFault` hears of what the reader could not tell from bad JSON. */
function bounded(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onFault: (fault: "tooLarge" | "cut") => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  const stop = (): void => void reader.cancel().catch(() => {});
  const fail = (controller: ReadableStreamDefaultController<Uint8Array>, fault: "tooLarge" | "cut"): void => {
    onFault(fault);
    controller.error(new Error(fault));
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const onAbort = (): void => {
        stop();
        try {
          fail(controller, "cut");
        } catch {
          // It was at its end.
        }
      };
      if (signal.aborted) onAbort();
      else signal.addEventListener("abort", onAbort, { once: true });
    },
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.length;
        if (bytes <= mostBytes) return controller.enqueue(value);
        stop();
        fail(controller, "tooLarge");
      } catch {
        if (!signal.aborted) fail(controller, "cut");
      }
    },
    cancel: stop,
  });
}
