// What stands before the relay for a client that cannot send a header of its own: it adds the API
// key, and passes everything else.

import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";

const declaredIn = "io.modelcontextprotocol/clientCapabilities";

export type Endpoint = {
  readonly url: string;
  readonly close: () => Promise<void>;
};

/**
 * @param target the relay's URL for a server.
 * @param options.withoutSampling takes sampling out of what the client declares, as if it had none.
 */
export async function endpointTo(target: string, key: string, { withoutSampling }: { withoutSampling: boolean }): Promise<Endpoint> {
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const came = Buffer.concat(chunks);
      const body = withoutSampling ? undeclared(came) : came;
      const headers = { ...incoming.headers, "x-countersign-key": key, host: new URL(target).host, "content-length": String(body.length) };
      const passed = ask(target, { method: incoming.method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        answer.on("error", () => outgoing.destroy());
      });
      passed.on("error", () => outgoing.destroy());
      outgoing.on("close", () => passed.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Declaring = { readonly params?: { readonly capabilities?: object; readonly _meta?: Readonly<Record<string, unknown>> } };

/**
 * `initialize` declares capabilities once; since 2026-07-28 every request does. What is no such
 * message passes as it is.
 */
function undeclared(body: Buffer): Buffer {
  const text = body.toString("utf8");
  if (!text.includes('"sampling"')) return body;
  const message = JSON.parse(text) as Declaring;
  for (const declared of [message.params?.capabilities, message.params?._meta?.[declaredIn]]) {
    if (typeof declared === "object" && declared !== null) Reflect.deleteProperty(declared, "sampling");
  }
  return Buffer.from(JSON.stringify(message));
}
