// One load of a flood, as a process of its own: sends requests at a fixed rate until flood.ts, which starts it, stops it. Then it reports the
// number of answers with each status. It ends with flood.ts.

import { strict as assert } from "node:assert";

export const attacks = {
  "batches of 48,000 cancellations at the relay": { perSecond: 1, start: relayBatches },
  "ends of made-up sessions": {
    perSecond: 100,
    start: async (at: At) => () => at.send(`/sessions/${crypto.randomUUID()}`, { method: "DELETE" }),
  },
  "sampling requests that are refused": { perSecond: 100, start: async (at: At) => () => at.sample("refused") },
  "cancellations in made-up sessions": { perSecond: 100, start: async (at: At) => () => at.post("/sampling", cancellation(1)) },
  "bodies of 8 MiB at /control without a key": { perSecond: 4, start: async (at: At) => () => at.post("/control", largest, "") },
  "600 waits for one task": { perSecond: 100, start: heldStreams },
  "reviews for one reviewer": { perSecond: 64, start: async (at: At) => () => at.sample("reviewed", { Prefer: "respond-async" }) },
} as const satisfies Readonly<Record<string, { perSecond: number; start: (at: At) => Promise<() => Promise<Response>> }>>;

export type Attack = keyof typeof attacks;

type At = {
  readonly send: (path: string, init: RequestInit, key?: string) => Promise<Response>;
  readonly post: (path: string, body: object | string, key?: string, headers?: Record<string, string>) => Promise<Response>;
  readonly sample: (server: string, headers?: Record<string, string>) => Promise<Response>;
};

const cancellation = (requestId: number): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId, _meta: { "countersign/session": crypto.randomUUID() } },
});
const largest = JSON.stringify({ x: "x".repeat(8 * 1024 * 1024 - 10) });

async function relayBatches(at: At): Promise<() => Promise<Response>> {
  const params = { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "flood", version: "1" } };
  const initialized = await at.post("/mcp/bench", { jsonrpc: "2.0", id: 0, method: "initialize", params });
  const session = initialized.headers.get("Mcp-Session-Id");
  assert(session !== null, `initialize: ${initialized.status} ${await initialized.text()}`);
  const batch = JSON.stringify(
    Array.from({ length: 48_000 }, (_, requestId) => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } })),
  );
  return () => at.post("/mcp/bench", batch, undefined, { "Mcp-Session-Id": session });
}

/** Accepted requests stay open; refused ones are sent again. */
async function heldStreams(at: At): Promise<() => Promise<Response>> {
  const asked = await at.sample("reviewed", { Prefer: "respond-async" });
  const task = decodeURIComponent((asked.headers.get("Location") ?? "").replace("/runs/", ""));
  assert(task !== "", `a task: ${asked.status} ${await asked.text()}`);
  const wait = { jsonrpc: "2.0", id: 1, method: "tasks/result", params: { taskId: task } };
  await Promise.all(Array.from({ length: 600 }, () => at.post("/sampling", wait)));
  return () => at.post("/sampling", wait);
}

function attackerOf(port: number, ownKey: string): At {
  const send = (path: string, init: RequestInit, key = ownKey): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (key !== "") headers.set("Authorization", `Bearer ${key}`);
    return fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
  };
  const post: At["post"] = (path, body, key, headers = {}) =>
    send(
      path,
      {
        method: "POST",
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
      },
      key,
    );
  let serial = 0;
  const sample: At["sample"] = (server, headers) => {
    serial += 1;
    const meta = {
      "countersign/session": crypto.randomUUID(),
      "countersign/originatingRequest": { id: serial, method: "tools/call", name: "ask", server },
    };
    const messages = [{ role: "user", content: { type: "text", text: `Question ${serial}` } }];
    return post(
      "/sampling",
      { jsonrpc: "2.0", id: serial, method: "sampling/createMessage", params: { messages, maxTokens: 10, _meta: meta } },
      undefined,
      headers,
    );
  };
  return { send, post, sample };
}

async function run(port: number, key: string, name: Attack): Promise<void> {
  const { perSecond, start } = attacks[name];
  const once = await start(attackerOf(port, key));
  const statuses: Record<string, number> = {};
  const count = (status: string): void => void (statuses[status] = (statuses[status] ?? 0) + 1);
  const timer = setInterval(
    () =>
      once().then(
        (answer) => {
          count(String(answer.status));
          // A kept-alive response stays open; every other is read to its end.
          if (name !== "600 waits for one task" || answer.status !== 200) answer.arrayBuffer().catch(() => {});
        },
        () => count("no answer"),
      ),
    1_000 / perSecond,
  );
  process.once("disconnect", () => process.exit(1));
  process.once("message", () => {
    clearInterval(timer);
    process.send?.(statuses, () => process.exit(0));
  });
  process.send?.("under way");
}

const [, , port, key, name] = process.argv;
if (process.send !== undefined && port !== undefined && key !== undefined && name !== undefined)
  await run(Number(port), key, name as Attack); // flood.ts passes one of them
