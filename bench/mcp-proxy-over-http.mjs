// Runs the npm package mcp-proxy in front of an MCP server at a URL, as its README does with
// `proxyServer` and `startHTTPServer`. Copied beside the package, so that it finds it. Arguments:
// its own port, and the server's URL.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Server } from "@modelcontextprotocol/server";
import { proxyServer, startHTTPServer } from "mcp-proxy";

const [, , port, url] = process.argv;
const client = new Client({ name: "mcp-proxy", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const capabilities = client.getServerCapabilities();
await startHTTPServer({
  host: "127.0.0.1",
  port: Number(port),
  createServer: async () => {
    const server = new Server(client.getServerVersion(), { capabilities });
    await proxyServer({ client, server, serverCapabilities: capabilities });
    return server;
  },
});
