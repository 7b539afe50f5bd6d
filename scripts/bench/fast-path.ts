// npm run bench: what the fast path adds, on workerd itself, against the provider alone, a bare Hono forwarder, and one through the `openai`
// client. Rounds are interleaved, so that other load on the machine affects all alike.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../local-gateway.ts";
import { config, gateway, worker, text } from "./gateway-on-workerd.ts";
import { type Contender, compare } from "./rounds.ts";
import { post } from "./load.ts";
import { configured, message, sampling } from "./sampling-load.ts";
import { type Served, bundle, serve } from "./workerd.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const seconds = Number(process.env["SECONDS"] ?? 4);
const connectionCounts = [1, 16];
const warmUpSeconds = Number(process.env["WARM_UP_SECONDS"] ?? 5);

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
/** A file system in memory (Linux), where a commit does not wait for a disk. */
const memory = mkdtempSync("/dev/shm/countersign-bench-");
async function simple(name: string, entry: string, providerUrl: string): Promise<Served> {
  const port = await freePort();
  const bindings = text("PROVIDER", providerUrl);
  return serve(name, folder, port, config(`(name = "main", worker = ${worker(bundle(entry, folder), bindings)})`, port));
}

const chat = post("/chat", { model: "mock-1", max_tokens: 100, messages: [message] });
const direct = post("/v1/chat/completions", { model: "mock-1", max_tokens: 100, messages: [message] });

const providerPort = await freePort();
const provider = await serve(
  "provider",
  folder,
  providerPort,
  config(`(name = "main", worker = ${worker(bundle("scripts/bench/workers/provider.ts", folder), "")})`, providerPort),
);
const providerUrl = `http://127.0.0.1:${providerPort}`;
const contenders: Contender[] = [
  { name: "provider alone", served: provider, request: () => direct },
  { name: "Hono forwarder", served: await simple("forwarder", "scripts/bench/workers/forwarder.ts", providerUrl), request: () => chat },
  {
    name: "Hono + openai client",
    served: await simple("openai-forwarder", "scripts/bench/workers/openai-forwarder.ts", providerUrl),
    request: () => chat,
  },
  {
    name: "Countersign, objects in memory",
    served: await gateway("memory", { folder, memory, configured: configured(providerUrl) }),
    request: sampling,
  },
  {
    name: "Countersign, objects on disk",
    served: await gateway("disk", { folder, memory, configured: configured(providerUrl) }),
    request: sampling,
  },
];

await compare(contenders, { connectionCounts, rounds, seconds, warmUpSeconds, clean: [folder, memory] });
