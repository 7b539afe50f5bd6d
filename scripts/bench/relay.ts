// node scripts/bench/relay.ts: what the relay adds to a call that does not sample, on workerd itself, against the server alone.

import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../local-gateway.ts";
import { config, gateway, worker } from "./gateway-on-workerd.ts";
import { post } from "./load.ts";
import { compare } from "./rounds.ts";
import { bundle, serve } from "./workerd.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
const memory = mkdtempSync("/dev/shm/countersign-bench-");
const key = "bench-key-of-the-relay";

const port = await freePort();
const server = await serve(
  "mcp-server",
  folder,
  port,
  config(`(name = "main", worker = ${worker(bundle("scripts/bench/workers/mcp-server.ts", folder), "")})`, port),
);
const relay = await gateway("memory", {
  folder,
  memory,
  configured: {
    documents: { servers: { servers: { bench: { url: `http://127.0.0.1:${port}/mcp`, allowPrivate: true } } } },
    keys: { [createHash("sha256").update(key).digest("hex")]: { id: "key_0", name: "bench", createdAt: 0 } },
  },
});

const authorization = { Authorization: `Bearer ${key}`, Accept: "application/json, text/event-stream" };
const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
};
const initialized = await fetch(`http://127.0.0.1:${relay.port}/mcp/bench`, {
  method: "POST",
  body: JSON.stringify(initialize),
  headers: { ...authorization, "Content-Type": "application/json" },
});
const session = initialized.headers.get("Mcp-Session-Id");
if (session === null) throw new Error(`initialize: ${initialized.status} ${await initialized.text()}`);

const call = (path: string, name: string, headers: Record<string, string>): Buffer =>
  post(
    path,
    { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name, arguments: { text: "x".repeat(1_000) } } },
    { ...authorization, ...headers },
  );
const ways = { json: "JSON", events: "a stream" } as const;
const contenders = (["json", "events"] as const).map((name) => [
  { name: `server alone, ${ways[name]}`, served: server, request: () => call("/mcp", name, { "Mcp-Session-Id": "bench" }) },
  { name: `through the relay, ${ways[name]}`, served: relay, request: () => call("/mcp/bench", name, { "Mcp-Session-Id": session }) },
]);
await compare(contenders.flat(), {
  connectionCounts: [1, 16],
  rounds: Number(process.env["ROUNDS"] ?? 5),
  seconds: Number(process.env["SECONDS"] ?? 3),
  warmUpSeconds: Number(process.env["WARM_UP_SECONDS"] ?? 3),
  clean: [folder, memory],
});
