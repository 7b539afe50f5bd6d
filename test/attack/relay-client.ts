// A client at the relay's endpoint without an SDK: every header and byte is up to the attack.

import type { RawCall, RawMcpServer } from "../support/raw-mcp-server.ts";
import type { Answer, World } from "./world.ts";

export type RelaySession = {
  /** Its id, as the relay sealed it. */
  readonly id: string;
  /** `at`: another server's endpoint; `session`: another id. */
  readonly post: (
    message: unknown,
    other?: { readonly key?: string; readonly at?: string; readonly session?: string; readonly headers?: Readonly<Record<string, string>> },
  ) => Promise<Answer>;
  readonly get: (key?: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;
  readonly end: (key?: string) => Promise<Answer>;
};

const plain = { Accept: "application/json, text/event-stream" };

export const initialize = (capabilities: object = {}, revision = "2025-11-25"): object => ({
  jsonrpc: "2.0",
  id: "init",
  method: "initialize",
  params: { protocolVersion: revision, capabilities, clientInfo: { name: "attacker", version: "1" } },
});

/** Begins a session of this key at this server. */
export async function beginSession(world: World, server: string, key: string, capabilities: object = {}): Promise<RelaySession> {
  const begun = await world.ask(`/mcp/${server}`, { key, headers: plain, body: initialize(capabilities) });
  const id = begun.headers.get("Mcp-Session-Id");
  if (id === null) throw new Error(`no session: ${begun.status} ${begun.text}`);
  return {
    id,
    post: (message, { key: other = key, at = server, session = id, headers = {} } = {}) =>
      world.ask(`/mcp/${at}`, { key: other, headers: { ...plain, "Mcp-Session-Id": session, ...headers }, body: message }),
    get: (other = key, headers = {}) =>
      world.ask(`/mcp/${server}`, { key: other, headers: { Accept: "text/event-stream", "Mcp-Session-Id": id, ...headers } }),
    end: (other = key) => world.ask(`/mcp/${server}`, { method: "DELETE", key: other, headers: { "Mcp-Session-Id": id } }),
  };
}

/** What the server does for one attack. */
export async function withServer(world: World, behave: RawMcpServer["behave"], run: () => Promise<void>): Promise<void> {
  world.mcp.behave = behave;
  try {
    await run();
  } finally {
    world.mcp.behave = () => false;
  }
}

export const isCall = ({ message, method }: RawCall): boolean => method === "POST" && message.method === "tools/call";

export type Modern = {
  readonly server?: string;
  readonly key?: string;
  readonly name?: string;
  readonly more?: object;
  readonly arguments_?: object;
  readonly id?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

let ids = 0;

/** One `tools/call` of a client of 2026-07-28. */
export function modern(
  world: World,
  { server = "modern", key = world.ann.key, name = "ask", more = {}, arguments_ = {}, id, headers = {} }: Modern = {},
): Promise<Answer> {
  ids += 1;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  return world.ask(`/mcp/${server}`, {
    key,
    headers: {
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": name,
      ...headers,
    },
    body: { jsonrpc: "2.0", id: id ?? `m-${ids}`, method: "tools/call", params: { name, arguments: arguments_, ...more, _meta } },
  });
}
