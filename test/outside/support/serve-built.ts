// A process that runs built Workers on Miniflare: started by test-gateway.ts.

import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";

type Options = { readonly port: number; readonly persistTo: string; readonly workers: V4WorkerOptions[] };

const { port, persistTo, workers } = JSON.parse(process.argv[2] ?? "{}") as Options; // made by startTestGateway

const server = new Miniflare(
  convertV4MiniflareOptions({
    host: "localhost",
    port,
    resourcePersistencePath: persistTo,
    workers,
  }),
);
process.once("SIGTERM", () => void server.dispose().then(() => process.exit()));
await server.ready;
