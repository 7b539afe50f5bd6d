// A session with a configured MCP server in which we are the client: the official client, with
// every request through `askServer`. So it reaches only the configured address, follows no redirect
// and does no OAuth; every answer is bounded, no stand-alone stream is opened, and `tools/call` is
// sent once at most. It declares no capabilities.

import { Client, type JSONRPCMessage, ProtocolError, ProtocolErrorCode, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { type LoginError, type Reached, type UpstreamError, askServer } from "../mcp-client/ask-server.ts";

/** Of one answer or one stream. */
const mostBytes = 8_000_000;
const endTimeoutMs = 3_000;
/** For resuming a stream that the server closed between events, which runs nothing twice. */
const reconnection = { initialReconnectionDelay: 500, maxReconnectionDelay: 5_000, reconnectionDelayGrowFactor: 2, maxRetries: 2 };
/** The headers by which revision 2026-07-28 describes a request (SEP-2243). */
const ownHeader = /^mcp-(?:method|name|param-.+)$/;

/** What became of the latest request. The client's own errors say it only in words. */
type Seen = {
  error?: Exclude<UpstreamError, "noCredential" | LoginError> | "tooLarge" | "cut";
  /** Where it is not 2xx. */
  status?: number;
};

/** Marks an answer that can no longer come. A symbol, which no server can send. */
export const noAnswer: unique symbol = Symbol("no answer");

export class ToolSession {
  readonly client: Client;
  readonly #reached: Reached;
  readonly #signal: AbortSignal;
  readonly #transport: AnsweringTransport;
  #seen: Seen = {};
  #callSent = false;
  #askedForSampling = false;

  /** @param signal aborts every request but those that end the session. */
  constructor(reached: Reached, signal: AbortSignal) {
    this.#reached = reached;
    this.#signal = signal;
    this.#transport = new AnsweringTransport(new URL(reached.server.url), {
      fetch: (_url, init) => this.#ask(init ?? {}),
      reconnectionOptions: reconnection,
    });
    this.client = new Client(
      { name: "countersign", version: "1" },
      // Tries the 2026 revision first, and the 2025 handshake where the server does not understand
      // it.
      { versionNegotiation: { mode: "auto" }, inputRequired: { autoFulfill: false }, capabilities: {} },
    );
    // Every request of the server is refused. A refused sampling request explains why its tool
    // failed.
    this.client.fallbackRequestHandler = async ({ method }) => {
      if (method === "sampling/createMessage") this.#askedForSampling = true;
      throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
    };
  }

  /** Whether the server requested sampling, which is refused. */
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

  /** Ends the session at the server where there is one, and closes the client. Never throws. */
  async end(): Promise<void> {
    const { sessionId, protocolVersion } = this.#transport;
    if (sessionId !== undefined) {
      const headers = new Headers(protocolVersion === undefined ? {} : { "MCP-Protocol-Version": protocolVersion });
      const signal = AbortSignal.timeout(endTimeoutMs);
      const ended = await askServer(this.#reached, { method: "DELETE", session: sessionId, headers, signal });
      if (ended.ok) ended.value.body?.cancel().catch(() => {});
    }
    await this.client.close().catch(() => {});
  }

  async #ask(init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    const method = init.method === "GET" || init.method === "DELETE" ? init.method : "POST";
    const lastEventId = headers.get("Last-Event-ID");
    // The stand-alone stream: requests on it would all be refused.
    if (method === "GET" && lastEventId === null) return new Response(null, { status: 405 });
    const message = typeof init.body === "string" ? (JSON.parse(init.body) as { method?: string; id?: unknown }) : {};
    if (message.method === "tools/call") {
      if (this.#callSent) throw new Error("tools/call was sent before");
      this.#callSent = true;
    }
    // A notification cancels a call, when our own time may be over already: it has a timeout of its
    // own.
    const isRequest = message.id !== undefined || method === "GET";
    const limits = [isRequest ? this.#signal : AbortSignal.timeout(endTimeoutMs), ...(init.signal ? [init.signal] : [])];
    const signal = AbortSignal.any(limits);
    // One for each request: an older answer that is still being read must not change the newer
    // request's.
    const seen: Seen = {};
    if (isRequest) this.#seen = seen;
    const asked = await askServer(this.#reached, {
      method,
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      session: headers.get("Mcp-Session-Id"),
      headers,
      more: new Headers([...headers].filter(([name]) => ownHeader.test(name))),
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
    const body = response.body === null ? null : bounded(response.body, signal, (error) => void (seen.error = error));
    this.#transport.isStream = (response.headers.get("Content-Type") ?? "").trim().toLowerCase().startsWith("text/event-stream");
    return new Response(body, { status, statusText, headers: response.headers });
  }
}

type SendOptions = Parameters<StreamableHTTPClientTransport["send"]>[1];

/**
 * Ends a request whose answer can no longer come, which the client itself would wait for until its
 * timeout.
 */
class AnsweringTransport extends StreamableHTTPClientTransport {
  /** Whether the latest answer is a stream, which is still open after `send`. */
  isStream = false;

  override async send(message: JSONRPCMessage | JSONRPCMessage[], options?: SendOptions): Promise<void> {
    if (Array.isArray(message) || !("method" in message) || !("id" in message)) return super.send(message, options);
    // After a response the client ignores this id.
    const end = (): void =>
      this.onmessage?.({ jsonrpc: "2.0", id: message.id, error: { code: -32_000, message: "the answer never came", data: noAnswer } });
    await super.send(message, { ...options, onRequestStreamEnd: end });
    if (!this.isStream) end();
  }
}

/**
 * The body up to `mostBytes`, and until `signal`. `onError` gets what the reader could not tell
 * from invalid JSON.
 */
function bounded(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onError: (error: "tooLarge" | "cut") => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let bytes = 0;
  const stop = (): void => void reader.cancel().catch(() => {});
  const fail = (controller: ReadableStreamDefaultController<Uint8Array>, error: "tooLarge" | "cut"): void => {
    onError(error);
    controller.error(new Error(error));
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const onAbort = (): void => {
        stop();
        try {
          fail(controller, "cut");
        } catch {
          // The stream had ended.
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
