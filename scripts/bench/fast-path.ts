// npm run bench: what the fast path adds, on workerd itself: against the provider alone, a bare Hono forwarder, and one through
// the `openai` client. Rounds are interleaved, so that whatever else the machine does falls on all of them alike.

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { freePort } from "../gateway.ts";
import { type Measured, measure } from "./load.ts";
import { type Served, bundle, serve } from "./workerd.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const seconds = Number(process.env["SECONDS"] ?? 4);
const connectionCounts = [1, 16];
const warmUpSeconds = Number(process.env["WARM_UP_SECONDS"] ?? 5);

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
/** A file system in memory (Linux), where a commit waits for nothing. */
const memory = mkdtempSync("/dev/shm/countersign-bench-");
const flags = `compatibilityDate = "2026-11-02", compatibilityFlags = ["enable_request_signal"]`;
const keys = Array.from({ length: Math.max(...connectionCounts) }, (_, index) => `bench-key-${String(index).padStart(4, "0")}`);

const documents = (providerUrl: string): Record<string, unknown> => ({
  routing: {
    version: 1,
    providers: { mock: { kind: "openai", baseUrl: `${providerUrl}/v1`, keyless: true, allowPrivate: true } },
    models: [
      {
        id: "mock",
        provider: "mock",
        name: "mock-1",
        tools: true,
        contextTokens: 100_000,
        maxOutputTokens: 10_000,
        price: { inputPerMTok: 1, outputPerMTok: 1 },
        scores: { intelligence: 0.5, speed: 0.5, cost: 0.5 },
      },
    ],
  },
  policy: {
    version: 1,
    rules: [{ name: "bench", when: {}, then: { request: "allow", response: "allow" } }],
    default: { request: "review", response: "review", reviewers: ["everyone"], deadlineSeconds: 600 },
    reviewers: { everyone: [{ name: "Nobody" }] },
  },
  ...Object.fromEntries(
    keys.map((key, index) => [
      `key:${createHash("sha256").update(key).digest("hex")}`,
      {
        record: {
          id: `key_${index}`,
          name: `bench ${index}`,
          createdAt: 0,
          limits: { requestsPerMinute: 100_000, concurrent: 10_000, roundsPerOriginatingRequest: 10_000, bodyBytes: 1_000_000 },
        },
        revokedAt: null,
      },
    ]),
  ),
});

const worker = (file: string, bindings: string, more = ""): string =>
  `(modules = [(name = "worker", esModule = embed "${basename(file)}")], ${flags}, bindings = [${bindings}]${more})`;
const text = (name: string, value: string): string => `(name = "${name}", text = ${JSON.stringify(value)})`;
const config = (services: string, port: number): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "internet", network = (allow = ["private", "public"])), ${services} ],
  sockets = [ (name = "http", address = "127.0.0.1:${port}", http = (), service = "main") ]
);`;

async function simple(name: string, entry: string, providerUrl: string): Promise<Served> {
  const port = await freePort();
  const bindings = text("PROVIDER", providerUrl);
  return serve(name, folder, port, config(`(name = "main", worker = ${worker(bundle(entry, folder), bindings)})`, port));
}

/** `disk` waits for this machine's disk at every commit, which no deployed object does; `memory` is what is left without it. */
async function gateway(providerUrl: string, storage: "memory" | "disk"): Promise<Served> {
  const port = await freePort();
  const disk = join(storage === "disk" ? folder : memory, "objects");
  mkdirSync(disk);
  const classes = { SESSION: "SessionObject", KEY: "KeyObject", RUN: "RunObject", CONFIGURATION: "ConfigObject", LEDGER: "LedgerObject" };
  const bindings = [
    `(name = "CONFIG", kvNamespace = "kv")`,
    text("PUBLIC_URL", `http://127.0.0.1:${port}`),
    text("LINK_KEY", "bench-link-key-0123456789"),
    text("ADMIN_TOKEN", "bench-admin-token-0123456789"),
    ...Object.entries(classes).map(([name, each]) => `(name = "${name}", durableObjectNamespace = "${each}")`),
  ].join(", ");
  const objects = `, durableObjectNamespaces = [${Object.values(classes)
    .map((each) => `(className = "${each}", uniqueKey = "${each}", enableSql = true)`)
    .join(", ")}], durableObjectStorage = (localDisk = "disk")`;
  const services = [
    `(name = "disk", disk = (path = "${disk}", writable = true))`,
    `(name = "kv", worker = ${worker(bundle("scripts/bench/workers/kv.ts", folder), `(name = "DOCUMENTS", json = ${JSON.stringify(JSON.stringify(documents(providerUrl)))})`)})`,
    `(name = "main", worker = ${worker(bundle("workers/index.ts", folder), bindings, objects)})`,
  ].join(", ");
  return serve(`countersign-${storage}`, folder, port, config(services, port));
}

const message = { role: "user", content: "What is the capital of France? Answer in one short sentence, please." };

function post(path: string, body: object, headers: Record<string, string> = {}): Buffer {
  const payload = JSON.stringify(body);
  const lines = Object.entries({
    Host: "127.0.0.1",
    "Content-Type": "application/json",
    Accept: "application/json",
    ...headers,
    "Content-Length": String(Buffer.byteLength(payload)),
  });
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${payload}`);
}

let serial = 0;
const sampling = (connection: number): Buffer => {
  serial += 1;
  return post(
    "/sampling",
    {
      jsonrpc: "2.0",
      id: serial,
      method: "sampling/createMessage",
      params: {
        messages: [{ role: "user", content: { type: "text", text: message.content } }],
        maxTokens: 100,
        modelPreferences: { hints: [{ name: "mock" }], intelligencePriority: 0.5 },
        _meta: {
          "countersign/session": `bench-${connection}`,
          // A tool call that samples eight times, then the next.
          "countersign/originatingRequest": { id: serial >> 3, method: "tools/call", name: "ask", server: "notes" },
        },
      },
    },
    { Authorization: `Bearer ${keys[connection]}` },
  );
};

const chat = post("/chat", { model: "mock-1", max_tokens: 100, messages: [message] });
const direct = post("/v1/chat/completions", { model: "mock-1", max_tokens: 100, messages: [message] });

type Contender = { readonly name: string; readonly served: Served; readonly request: (connection: number, count: number) => Buffer };

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
  { name: "Countersign, objects in memory", served: await gateway(providerUrl, "memory"), request: sampling },
  { name: "Countersign, objects on disk", served: await gateway(providerUrl, "disk"), request: sampling },
];

type Row = Measured & { readonly cpuMicros: number };
const results = new Map<string, Row[]>();
try {
  for (const connections of connectionCounts) {
    for (const { served, request } of contenders) await measure({ port: served.port, connections, seconds: warmUpSeconds, request });
    for (let round = 1; round <= rounds; round += 1) {
      for (const { name, served, request } of contenders) {
        const before = served.cpuSeconds();
        const measured = await measure({ port: served.port, connections, seconds, request });
        const row = { ...measured, cpuMicros: ((served.cpuSeconds() - before) / measured.requests) * 1e6 };
        const key = `${name}|${connections}`;
        results.set(key, [...(results.get(key) ?? []), row]);
        console.error(
          `round ${round}/${rounds}, ${connections} connection${connections > 1 ? "s" : ""}, ${name}: ${row.perSecond.toFixed(0)} requests/s, p50 ${row.p50Ms.toFixed(2)} ms${row.failed > 0 ? `, ${row.failed} FAILED` : ""}`,
        );
      }
    }
  }
} finally {
  for (const { served } of contenders) await served.stop();
  for (const each of [folder, memory]) rmSync(each, { recursive: true, force: true });
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const spread = (values: number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;

console.log("| | connections | p50 ms | added p50 ms | requests/s | CPU µs a request | failed |\n|---|---|---|---|---|---|---|");
for (const connections of connectionCounts) {
  const alone = median((results.get(`provider alone|${connections}`) ?? []).map(({ p50Ms }) => p50Ms));
  for (const { name } of contenders) {
    const rows = results.get(`${name}|${connections}`) ?? [];
    const added =
      name === "provider alone"
        ? ""
        : spread(
            rows.map(({ p50Ms }) => p50Ms - alone),
            2,
          );
    console.log(
      `| ${name} | ${connections} | ${spread(
        rows.map(({ p50Ms }) => p50Ms),
        2,
      )} | ${added} | ${spread(
        rows.map(({ perSecond }) => perSecond),
        0,
      )} | ${spread(
        rows.map(({ cpuMicros }) => cpuMicros),
        0,
      )} | ${rows.reduce((sum, { failed }) => sum + failed, 0)} |`,
    );
  }
}
