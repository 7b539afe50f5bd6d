// A process that runs built Workers on Miniflare: nothing watches files, and nothing restarts a gateway at which people wait.

import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";

export type ServeOptions = {
  readonly port: number;
  readonly persistTo: string;
  /** For what is written beside the data: emails to reviewers, where they go to files. */
  readonly temporary?: string;
  readonly workers: readonly V4WorkerOptions[];
};

const { port, persistTo, temporary, workers } = JSON.parse(process.argv[2] ?? "{}") as ServeOptions; // made by startServer

const server = new Miniflare(
  convertV4MiniflareOptions({
    host: "localhost",
    port,
    resourcePersistencePath: persistTo,
    ...(temporary === undefined ? {} : { resourceTmpPath: temporary }),
    workers: [...workers],
  }),
);
process.once("SIGTERM", () => void server.dispose().then(() => process.exit()));
await server.ready;
