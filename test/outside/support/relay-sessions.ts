// The sessions of an MCP server of SDK 1.x over Streamable HTTP: each has a server and a transport
// of its own.

import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  type EventStore,
  WebStandardStreamableHTTPServerTransport,
  type WebStandardStreamableHTTPServerTransportOptions,
} from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Endpoint } from "./relay-serve.ts";

/** Keeps the events of a session, so that a client may resume its streams. */
export class MemoryEvents implements EventStore {
  readonly #events: { id: string; stream: string; message: JSONRPCMessage }[] = [];

  storeEvent(stream: string, message: JSONRPCMessage): Promise<string> {
    const id = `${stream}_${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return Promise.resolve(id);
  }

  getStreamIdForEventId(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#events.find((event) => event.id === id)?.stream);
  }

  async replayEventsAfter(lastId: string, { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> }): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === lastId);
    const stream = this.#events[at]?.stream ?? "";
    // What has no method and no result is the event that only says where a stream may be resumed
    // from.
    for (const event of this.#events.slice(at + 1))
      if (event.stream === stream && "jsonrpc" in event.message) await send(event.id, event.message);
    return stream;
  }
}

/**
 * The handler of an endpoint where every `initialize` begins a session with a server from `make`.
 */
export function sessionsOf(make: () => Server, options: () => WebStandardStreamableHTTPServerTransportOptions = () => ({})): Endpoint {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return async (request) => {
    const session = request.headers.get("Mcp-Session-Id");
    if (session !== null) {
      const known = transports.get(session);
      if (known !== undefined) return known.handleRequest(request);
      const error = { code: -32001, message: "Session not found" };
      return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 404 });
    }
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
      ...options(),
    });
    await make().connect(transport);
    return transport.handleRequest(request);
  };
}
