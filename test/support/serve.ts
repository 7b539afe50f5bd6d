// A function from request to response behind a real socket of this machine, for what is looked at
// from outside.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { requestOf } from "./incoming-request.ts";

export type Served = { readonly url: string; readonly close: () => Promise<void> };

/** An answer that fails closes the connection without one. Port 0 takes any free one. */
export async function serve(answer: (request: Request) => Promise<Response>, port = 0): Promise<Served> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      try {
        const gone = new AbortController();
        outgoing.once("close", () => gone.abort());
        const response = await answer(await requestOf(incoming, gone.signal));
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
