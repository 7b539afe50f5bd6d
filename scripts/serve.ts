// A process that runs built Workers on Miniflare: nothing watches files, and nothing restarts a
// gateway at which people wait.

import { json } from "node:stream/consumers";
import { convertV4MiniflareOptions, Miniflare, type V4WorkerOptions } from "miniflare";

export type ServeOptions = {
  readonly port: number;
  readonly persistTo: string;
  /** For what is written beside the data: emails to reviewers, where they go to files. */
  readonly temporary?: string;
  readonly workers: readonly V4WorkerOptions[];
};

// What is written here and in the temporary folder has prompts, links and keys' digests: it is for
// this user alone.
process.umask(0o077);
// Not from an argument or the environment's variables: every user of the machine reads the
// arguments of all processes.
const { port, persistTo, temporary, workers } = (await json(process.stdin)) as ServeOptions; // written by startServer

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
