// A function from request to response behind a real socket of this machine, for what is looked at
// from outside.

import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

export type Served = { readonly url: string; readonly close: () => Promise<void> };

/** An answer that fails closes the connection without one. Port 0 takes any free one. */
export async function serve(answer: (request: Request) => Promise<Response>, port = 0): Promise<Served> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      try {
        const response = await answer(await requestOf(incoming));
        outgoing.writeHead(response.status, Object.fromEntries(response.headers));
        outgoing.end(Buffer.from(await response.arrayBuffer()));
      } catch {
        outgoing.socket?.destroy();
      }
    })();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const { port: taken } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `http://127.0.0.1:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function requestOf(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding is set: chunks are buffers.
  const gone = new AbortController();
  incoming.once("close", () => {
    if (!incoming.complete || incoming.socket.destroyed) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const method = incoming.method ?? "GET";
  const body = method === "GET" || method === "HEAD" ? {} : { body: Buffer.concat(chunks) };
  return new Request(`http://127.0.0.1${incoming.url ?? "/"}`, { method, headers, signal: gone.signal, ...body });
}
