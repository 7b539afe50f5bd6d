// What a model's concurrency queue costs where it has free slots: the same sampling requests with a queue, in which none waits, and without.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../local-gateway.ts";
import { config, gateway, worker } from "./gateway-on-workerd.ts";
import { compare } from "./rounds.ts";
import { configured, sampling } from "./sampling-load.ts";
import { bundle, serve } from "./workerd.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const seconds = Number(process.env["SECONDS"] ?? 4);
const warmUpSeconds = Number(process.env["WARM_UP_SECONDS"] ?? 5);

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
/** File systems in memory (Linux), where a commit does not wait for a disk. */
const memory = [mkdtempSync("/dev/shm/countersign-bench-"), mkdtempSync("/dev/shm/countersign-bench-")] as const;

const port = await freePort();
const provider = await serve(
  "provider",
  folder,
  port,
  config(`(name = "main", worker = ${worker(bundle("scripts/bench/workers/provider.ts", folder), "")})`, port),
);
const url = `http://127.0.0.1:${port}`;
const without = await gateway("memory", { folder, memory: memory[0], configured: configured(url) });
const withLane = await gateway("memory", { folder, memory: memory[1], configured: configured(url, { concurrency: 100 }) });

await compare(
  [
    { name: "Countersign, no lane", served: without, request: sampling },
    { name: "Countersign, a free lane", served: withLane, request: sampling },
  ],
  { connectionCounts: [1, 16], rounds, seconds, warmUpSeconds, clean: [folder, ...memory] },
);
await provider.stop();
