// A server inside the network, as a metadata service would be: what reaches it has got through.
// Beside it, a server outside that sends every request on to it.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export type Trap = {
  readonly url: string;
  /** Sends on to the trap with the status that the path names: `/307`. */
  readonly redirectUrl: string;
  /** Each request that came, as method and path. */
  readonly reached: string[];
  readonly close: () => Promise<void>;
};

export async function startTrap(): Promise<Trap> {
  const reached: string[] = [];
  const inside = createServer((request, response) => {
    reached.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "Content-Type": "application/json" }).end('{"secret":"from-inside"}');
  });
  const insideUrl = await listening(inside);
  const outside = createServer((request, response) => {
    request.resume();
    const status = Number(/\d{3}/.exec(request.url ?? "")?.[0] ?? "307");
    response.writeHead(status, { Location: `${insideUrl}/latest/meta-data` }).end();
  });
  const redirectUrl = await listening(outside);
  return {
    url: insideUrl,
    redirectUrl,
    reached,
    close: async () => {
      for (const server of [inside, outside]) {
        await new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        });
      }
    },
  };
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // It listens on TCP.
}
