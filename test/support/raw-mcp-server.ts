// An MCP server that behaves to order on the wire, on a real socket: what no SDK would send. It
// keeps what it got.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type RawMessage = {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
};

export type RawCall = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as one message; empty where it is none. */
  readonly message: RawMessage;
  /** The session id that this server gave. */
  readonly session: string | undefined;
};

export type RawMcpServer = {
  readonly url: string;
  /** Oldest first. */
  readonly calls: RawCall[];
  /** The answers to one of the server's own requests, oldest first. */
  readonly answersTo: (id: string | number) => RawMessage[];
  /** Answers one request. False leaves it to the plain server. */
  behave: (call: RawCall, response: ServerResponse) => boolean;
  readonly close: () => Promise<void>;
};

export async function startRawMcpServer(): Promise<RawMcpServer> {
  const calls: RawCall[] = [];
  let sessions = 0;
  const plain = ({ method, message }: RawCall, response: ServerResponse): void => {
    if (method !== "POST") return void response.writeHead(method === "DELETE" ? 200 : 405).end();
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
    sessions += message.method === "initialize" ? 1 : 0;
    const isFirst = message.method === "initialize";
    const result = isFirst
      ? { protocolVersion: message.params?.["protocolVersion"], capabilities: { tools: {} }, serverInfo: { name: "raw", version: "1" } }
      : { content: [{ type: "text", text: "plain" }] };
    response.writeHead(200, { "Content-Type": "application/json", ...(isFirst ? { "Mcp-Session-Id": `raw-${sessions}` } : {}) });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => {});
    response.on("error", () => {});
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const session = request.headers["mcp-session-id"];
      const call: RawCall = {
        method: request.method ?? "",
        headers: request.headers,
        text,
        message: parse(text),
        session: typeof session === "string" ? session : undefined,
      };
      calls.push(call);
      if (!raw.behave(call, response)) plain(call, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const raw: RawMcpServer = {
    url: `http://127.0.0.1:${port}/mcp`,
    calls,
    answersTo: (id) => calls.map(({ message }) => message).filter((message) => message.id === id && message.method === undefined),
    behave: () => false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return raw;
}

function parse(text: string): RawMessage {
  try {
    return JSON.parse(text) as RawMessage;
  } catch {
    return {};
  }
}

export const event = (message: object, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

export const askFor = (id: string | number, text: string, more: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "sampling/createMessage",
  params: { messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 20, ...more },
});

export const resultOf = (id: string | number | undefined, text = "done"): object => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }] },
});

/** Opens an event stream and leaves it open. */
export const openStream = (response: ServerResponse, first = ""): void => {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  response.write(first === "" ? ": open\n\n" : first);
};
