// Servers and frameworks that nobody here wrote, each with the SDK of its day, by default settings:
// over HTTP through the relay, over stdio behind the command, with a client that has no sampling.
// Each tool ends with the reply of the gateway's model.

import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort, pause } from "../../scripts/local-gateway.ts";
import { type RelayOffice, relayKey, relayOffice } from "../outside/support/relay-office.ts";
import { eventually } from "../outside/support/program.ts";

const folder = fileURLToPath(new URL("servers/", import.meta.url));
const command = fileURLToPath(new URL("../../client/cli/main.ts", import.meta.url));
const ours = (path: string): string => fileURLToPath(import.meta.resolve(path));

/** `program` takes `stdio` or `http`, the words for each transport, as its argument. */
type Third = {
  readonly program: string;
  readonly http?: string;
  readonly stdio?: string | null;
  readonly tool: string;
  readonly given: Record<string, unknown>;
  /** What the tool says in the end, where it is not the reply itself. */
  readonly says?: string;
  /** How it is found over HTTP which request is served. */
  readonly association?: string;
};

const prompt = { prompt: "Say hello.", maxTokens: 50 };
const reply = "Hello from the scripted provider.";
const shown = "observed on the request's own stream";
const inferred = "inferred: the only request in flight";
const servers: Readonly<Record<string, Third>> = {
  "server-everything 0.6.2 (SDK 1.0.1)": {
    program: "node_modules/everything-2024-12/dist/index.js",
    stdio: null,
    tool: "sampleLLM",
    given: prompt,
    // Its own words for whatever it gets; that the model was asked is looked at.
    says: "LLM sampling result: [object Object]",
  },
  "server-everything 2025.5.12 (SDK 1.11.5)": {
    program: "node_modules/everything-2025-05/dist/index.js",
    http: "streamableHttp",
    stdio: "stdio",
    tool: "sampleLLM",
    given: prompt,
    association: inferred,
  },
  "server-everything 2025.9.12 (SDK 1.18.0)": {
    program: "node_modules/everything-2025-09/dist/index.js",
    http: "streamableHttp",
    stdio: "stdio",
    tool: "sampleLLM",
    given: prompt,
    association: inferred,
  },
  "server-everything 2026.8.31 (SDK 1.32.2)": {
    program: ours("@modelcontextprotocol/server-everything/dist/index.js"),
    http: "streamableHttp",
    stdio: "stdio",
    tool: "trigger-sampling-request",
    given: prompt,
    association: shown,
  },
  "toolWithSampleServer of SDK 1.13.3": {
    program: "node_modules/sdk-1.13/dist/esm/examples/server/toolWithSampleServer.js",
    stdio: null,
    tool: "summarize",
    given: { text: "A long text." },
  },
  "fastmcp 4.20.16 (SDK 1.32.2)": {
    program: "fastmcp.mjs",
    http: "http",
    stdio: "stdio",
    tool: "ask",
    given: { question: "Say hello." },
    association: inferred,
  },
  "mcp-framework 0.2.22 (SDK 1.32.2)": {
    program: "mcp-framework.mjs",
    http: "http",
    stdio: "stdio",
    tool: "ask",
    given: { question: "Say hello." },
    association: inferred,
  },
};

const running: (() => void)[] = [];
let office: RelayOffice;

beforeAll(async () => {
  const installed = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(installed.status, installed.stderr).toBe(0);
  office = await relayOffice();
}, 900_000);
afterAll(async () => {
  await office?.close();
  for (const end of running) end();
});

/** Starts a server over HTTP, and waits until it answers. */
async function listening({ program, http = "" }: Third): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [program, http], {
    cwd: folder,
    env: { PATH: process.env["PATH"], PORT: String(port) },
    stdio: "ignore",
  });
  running.push(() => void child.kill());
  const url = `http://127.0.0.1:${port}/mcp`;
  await eventually("an answer of the server", async () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return url;
}

async function callOf(transport: Parameters<Client["connect"]>[0], { tool, given }: Third, ready?: Promise<unknown>): Promise<string> {
  const client = new Client({ name: "no-sampling", version: "1" }, { capabilities: {} });
  await client.connect(transport);
  try {
    await ready;
    return JSON.stringify(await client.callTool({ name: tool, arguments: given }));
  } finally {
    await client.close();
  }
}

/**
 * The SDK's transport, and when its stand-alone stream is open: a server that asks before that asks
 * nobody, with us or without.
 */
function transportTo(url: string): { transport: Parameters<Client["connect"]>[0]; isListening: Promise<void> } {
  const listens = Promise.withResolvers<void>();
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { Authorization: `Bearer ${relayKey}` } },
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (init?.method === "GET") listens.resolve();
      return response;
    },
  });
  // The SDK's own class; its types differ in optional members alone.
  return { transport: transport as Parameters<Client["connect"]>[0], isListening: listens.promise };
}

/**
 * What the record says of the one request of this server; it is written a moment after the answer.
 */
async function associationOf(name: string): Promise<string | undefined> {
  for (;;) {
    for (const { fact } of (await office.record()).events) if (fact.kind === "received" && fact.server === name) return fact.association;
    await pause(20);
  }
}

describe("over HTTP, through the relay", () => {
  const table = Object.entries(servers).filter(([, { http }]) => http !== undefined);
  test.each(table)("%s ends its tool with the reply", async (_name, server) => {
    const name = `third-${running.length}`;
    await office.serve({ [name]: { url: await listening(server), allowPrivate: true } });
    const { transport, isListening } = transportTo(office.relay(name));
    expect(await callOf(transport, server, isListening)).toContain(server.says ?? reply);
    expect(await associationOf(name)).toBe(server.association);
  });
});

describe("over stdio, behind the command", () => {
  const table = Object.entries(servers).filter(([, { stdio }]) => stdio !== undefined);
  test.each(table)("%s ends its tool with the reply", async (_name, server) => {
    const before = office.model.requests.length;
    const own = [process.execPath, server.program, ...(typeof server.stdio === "string" ? [server.stdio] : [])];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [command, "stdio", "--server", "third", "--url", office.url, "--", ...own],
      env: { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: relayKey },
      cwd: folder,
      stderr: "ignore",
    });
    expect(await callOf(transport, server)).toContain(server.says ?? reply);
    expect(office.model.requests.length).toBeGreaterThan(before);
  });
});
