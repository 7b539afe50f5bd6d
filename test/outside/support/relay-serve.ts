// An MCP server's HTTP endpoint on a real socket of this machine: answers are streamed as they
// come, and a client that leaves is noticed.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { requestOf } from "../../support/incoming-request.ts";

/** An MCP server's endpoint, as a function. */
export type Endpoint = (request: Request) => Promise<Response>;

export type StreamingServer = { readonly url: string; readonly close: () => Promise<void> };

/** Serves `answer` on a free port. An answer that fails closes the connection. */
export async function serveStreaming(answer: Endpoint): Promise<StreamingServer> {
  const server = createServer((incoming, outgoing) => {
    void pass(answer, incoming, outgoing).catch(() => outgoing.socket?.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pass(answer: Endpoint, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const left = new AbortController();
  outgoing.once("close", () => left.abort());
  const response = await answer(await requestOf(incoming, left.signal));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  const reader = response.body?.getReader();
  left.signal.addEventListener("abort", () => void reader?.cancel().catch(() => {}));
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    outgoing.write(piece.value);
  }
  outgoing.end();
}
