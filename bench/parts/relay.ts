// What the relay adds to a call that does not sample: against the server alone, and beside a
// forwarder and another MCP proxy.

import { createHash } from "node:crypto";
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../scripts/local-gateway.ts";
import { text } from "../gateway-on-workerd.ts";
import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { type Contender, compare } from "../rounds.ts";
import type { Served } from "../workerd.ts";
import { tool, withTools } from "../tools.ts";

const key = "bench-key-of-the-relay";
const mcpProxyVersion = "6.7.19";
const answers = { json: "JSON", events: "a stream" } as const;

/** An endpoint, with an open session where it has them. */
type Way = {
  readonly name: string;
  readonly served: Served;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly call: (way: Way, answer: keyof typeof answers) => Buffer;
};

export async function relay(rig: Rig, settings: Settings): Promise<Findings> {
  const server = await rig.worker("mcp-server");
  const url = `http://127.0.0.1:${server.port}/mcp`;
  const newUrl = `http://127.0.0.1:${server.port}/2026`;
  const gateway = await rig.gateway({
    documents: {
      servers: {
        servers: {
          auto: { url, allowPrivate: true, association: "auto" },
          strict: { url, allowPrivate: true, association: "strict" },
          new: { url: newUrl, allowPrivate: true },
        },
      },
    },
    keys: {
      [createHash("sha256").update(key).digest("hex")]: { id: "key_0", name: "bench", createdAt: 0, limits: { callsPerMinute: 1_000_000 } },
    },
  });
  const forwarder = await rig.worker("mcp-forwarder", text("SERVER", url));
  const newForwarder = await rig.worker("mcp-forwarder", text("SERVER", newUrl));
  const authorization = { Authorization: `Bearer ${key}` };
  const ways = [
    await opened("server alone", server, "/mcp"),
    await opened("Hono forwarder", forwarder, "/mcp"),
    ...(await withTools(settings, async () => [await opened("mcp-proxy, on Node", await mcpProxy(rig, url), "/mcp")])),
    await opened("Countersign's relay, strict", gateway, "/mcp/strict", authorization),
    await opened("Countersign's relay, auto", gateway, "/mcp/auto", authorization),
    stateless("Countersign's relay, client of 2026-07-28", gateway, "/mcp/auto", authorization),
  ];
  const newWays: Way[] = [
    stateless("server of 2026-07-28 alone", server, "/2026"),
    stateless("Hono forwarder", newForwarder, "/mcp"),
    stateless("Countersign's relay, client of 2026-07-28", gateway, "/mcp/new", authorization),
    await opened("Countersign's relay, client of 2025-11-25", gateway, "/mcp/new", authorization),
  ];
  const tables = [];
  for (const answer of ["json", "events"] as const) {
    for (const [kind, group] of [
      ["a server with sessions", ways],
      ["a server of 2026-07-28", newWays],
    ] as const) {
      const contenders = group.map((way): Contender => ({ name: way.name, served: way.served, request: () => way.call(way, answer) }));
      const title = `A tool call that does not sample at ${kind}, answered with ${answers[answer]}`;
      tables.push(await compare(contenders, { title, connectionCounts: settings.connections ?? [1, 16], settings }));
    }
  }
  return { tables };
}

async function mcpProxy(rig: Rig, url: string): Promise<Served> {
  const port = await freePort();
  const home = dirname(dirname(tool("mcp-proxy", mcpProxyVersion)));
  const script = join(home, "over-http.mjs");
  copyFileSync(fileURLToPath(new URL("../mcp-proxy-over-http.mjs", import.meta.url)), script);
  return rig.node("mcp-proxy", port, [script, String(port), url]);
}

const accept = { Accept: "application/json, text/event-stream" };

async function opened(name: string, served: Served, path: string, more: Record<string, string> = {}): Promise<Way> {
  const headers = { ...accept, ...more };
  const send = (message: object, session: Record<string, string> = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${served.port}${path}`, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
      headers: { ...headers, ...session, "Content-Type": "application/json" },
    });
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } };
  const initialized = await send({ id: 0, method: "initialize", params });
  const session = initialized.headers.get("Mcp-Session-Id");
  const answer = await initialized.text();
  if (session === null) throw new Error(`${name}: initialize was answered with ${initialized.status} ${answer}`);
  const open = { "Mcp-Session-Id": session };
  await (await send({ method: "notifications/initialized" }, open)).arrayBuffer();
  return { name, served, path, headers: { ...headers, ...open }, call: callOf };
}

/** An endpoint of 2026-07-28: nothing is opened. */
function stateless(name: string, served: Served, path: string, more: Record<string, string> = {}): Way {
  const headers = { ...accept, ...more, "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call" };
  return { name, served, path, headers, call: statelessCallOf };
}

let serial = 0;
/** Each with an id of its own: in one session no two open requests may have the same. */
function callOf({ path, headers }: Way, name: keyof typeof answers): Buffer {
  serial += 1;
  const params = { name, arguments: { text: "x".repeat(1_000) } };
  return post(path, { jsonrpc: "2.0", id: serial, method: "tools/call", params }, headers);
}

function statelessCallOf({ path, headers }: Way, name: keyof typeof answers): Buffer {
  serial += 1;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
  };
  const params = { name, arguments: { text: "x".repeat(1_000) }, _meta };
  return post(path, { jsonrpc: "2.0", id: serial, method: "tools/call", params }, { ...headers, "Mcp-Name": name });
}
