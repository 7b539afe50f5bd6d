// MCP clients that nobody here wrote, behind one function each: what the host of such a client
// hands to its model after one call of a tool.

import { createMCPClient } from "@ai-sdk/mcp";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { MCPServerStreamableHttp } from "@openai/agents";
import { fileURLToPath } from "node:url";

export type CalledTool = {
  /** The relay's address for the server. */
  readonly url: string;
  readonly key: string;
  readonly tool: string;
  readonly given: Readonly<Record<string, string>>;
  /** The client's own timeout; without it the one that the client has by default. */
  readonly timeoutMs?: number | undefined;
  /** A folder for what the client keeps. */
  readonly folder: string;
};

export type CallingClient = {
  readonly name: string;
  /** Connects, calls and closes. Gives the result, or rejects where the client throws. */
  readonly call: (called: CalledTool) => Promise<string>;
};

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

/** Ends with what the work gives, and closes the client in any case. */
async function closing<T>(client: { close: () => Promise<unknown> }, work: () => Promise<T>): Promise<string> {
  try {
    return JSON.stringify(await work());
  } finally {
    await client.close();
  }
}

const aiSdk: CallingClient = {
  name: "the AI SDK (@ai-sdk/mcp 2.0.99)",
  call: async ({ url, key, tool, given, timeoutMs }) => {
    const client = await createMCPClient({ transport: { type: "http", url, headers: bearer(key) } });
    const abort = timeoutMs === undefined ? {} : { abortSignal: AbortSignal.timeout(timeoutMs) };
    return closing(client, async () =>
      (await client.tools())[tool]?.execute?.(given, { toolCallId: "call-1", messages: [], context: {}, ...abort }),
    );
  },
};

const agentsSdk: CallingClient = {
  name: "OpenAI's Agents SDK (@openai/agents 0.20.0)",
  call: async ({ url, key, tool, given, timeoutMs }) => {
    const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    const server = new MCPServerStreamableHttp({ url, requestInit: { headers: bearer(key) }, ...timeout });
    await server.connect();
    return closing(server, () => server.callTool(tool, given));
  },
};

const langChain: CallingClient = {
  name: "LangChain (@langchain/mcp-adapters 1.1.4)",
  call: async ({ url, key, tool, given, timeoutMs }) => {
    const timeout = timeoutMs === undefined ? {} : { defaultToolTimeout: timeoutMs };
    const client = new MultiServerMCPClient({ mcpServers: { relay: { transport: "http", url, headers: bearer(key), ...timeout } } });
    return closing(client, async () => (await client.getTools()).find(({ name }) => name === tool)?.invoke(given));
  },
};

const proxy = fileURLToPath(import.meta.resolve("mcp-remote/dist/proxy.js"));

/** What Claude Desktop does: a client of its own over stdio, and the bridge behind it. */
const mcpRemote: CallingClient = {
  name: "mcp-remote 0.15.1",
  call: async ({ url, key, tool, given, timeoutMs, folder }) => {
    const client = new Client({ name: "desktop", version: "1" });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [proxy, url, "--transport", "http-only", "--header", `Authorization:${bearer(key).Authorization}`],
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, MCP_REMOTE_CONFIG_DIR: folder },
      stderr: "ignore",
    });
    // The SDK's own class; its types differ in optional members alone.
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    const timeout = timeoutMs === undefined ? {} : { timeout: timeoutMs };
    return closing(client, () => client.callTool({ name: tool, arguments: given }, undefined, timeout));
  },
};

export const callingClients: readonly CallingClient[] = [aiSdk, agentsSdk, langChain, mcpRemote];
