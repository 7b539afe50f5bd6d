// npm run bench: what the fast path adds, on workerd itself: against the provider alone, a bare Hono forwarder, and one through
// the `openai` client. Rounds are interleaved, so that whatever else the machine does falls on all of them alike.

import { createHash } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../gateway.ts";
import { config, gateway, worker, text } from "./gateway-on-workerd.ts";
import { type Contender, compare } from "./rounds.ts";
import { post } from "./load.ts";
import { type Served, bundle, serve } from "./workerd.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);
const seconds = Number(process.env["SECONDS"] ?? 4);
const connectionCounts = [1, 16];
const warmUpSeconds = Number(process.env["WARM_UP_SECONDS"] ?? 5);

const folder = mkdtempSync(join(tmpdir(), "countersign-bench-"));
/** A file system in memory (Linux), where a commit waits for nothing. */
const memory = mkdtempSync("/dev/shm/countersign-bench-");
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

async function simple(name: string, entry: string, providerUrl: string): Promise<Served> {
  const port = await freePort();
  const bindings = text("PROVIDER", providerUrl);
  return serve(name, folder, port, config(`(name = "main", worker = ${worker(bundle(entry, folder), bindings)})`, port));
}

const message = { role: "user", content: "What is the capital of France? Answer in one short sentence, please." };

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
    served: await gateway("memory", { folder, memory, documents: documents(providerUrl) }),
    request: sampling,
  },
  {
    name: "Countersign, objects on disk",
    served: await gateway("disk", { folder, memory, documents: documents(providerUrl) }),
    request: sampling,
  },
];

await compare(contenders, { connectionCounts, rounds, seconds, warmUpSeconds, clean: [folder, memory] });
