// Serves an MCP server over Streamable HTTP at http://127.0.0.1:$PORT/mcp: a server and a transport
// for each session.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** Serves what `make` returns until the process ends. */
export function serve(make: () => McpServer, port = Number(process.env["PORT"] ?? "3001")): void {
  void listen(make, port).then((address) => console.log(`Listening at ${address}`));
}

/**
 * Serves what `make` returns at this port of 127.0.0.1; 0: at any that is free. Gives the address;
 * rejects where the port is taken.
 */
export async function listen(make: () => McpServer, port: number): Promise<string> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const listening = createServer((request, response) => {
    void (async () => {
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? sessions.get(id) : undefined;
      if (known !== undefined) return known.handleRequest(request, response);
      if (id !== undefined) return response.writeHead(404).end();
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (begun) => void sessions.set(begun, transport),
        onsessionclosed: (ended) => void sessions.delete(ended),
      });
      await make().connect(transport);
      return transport.handleRequest(request, response);
    })();
  });
  listening.listen(port, "127.0.0.1");
  await once(listening, "listening");
  const { port: taken } = listening.address() as AddressInfo; // It listens on TCP.
  return `http://127.0.0.1:${taken}/mcp`;
}
