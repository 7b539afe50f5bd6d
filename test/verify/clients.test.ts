// The heavy ones of the MCP clients that nobody here wrote: the Inspector's CLI, and an agent of
// the Claude Agent SDK with a scripted model. Their first installation is half a gigabyte, and may
// take more than ten minutes before any test shows.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import type { CallingClient } from "../outside/support/calling-clients.ts";
import { callingScenarios } from "../outside/support/calling-scenarios.ts";
import { type ProviderServer, startProviderServer } from "../support/provider-server.ts";

const folder = fileURLToPath(new URL("clients/", import.meta.url));
let model: ProviderServer;

beforeAll(async () => {
  const installed = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(installed.status, installed.stderr).toBe(0);
  model = await startProviderServer({ strict: false });
}, 1_800_000);
afterAll(() => model?.close());

/** What a program printed when it ended. */
async function printed(child: ChildProcess): Promise<string> {
  let text = "";
  child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (text += chunk.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  return text;
}

const inspector: CallingClient = {
  name: "MCP Inspector 2.12.0 (its CLI)",
  call: ({ url, key, tool, given, timeoutMs }) => {
    const args = Object.entries(given).flatMap(([name, value]) => ["--tool-arg", `${name}=${value}`]);
    const program = `${folder}node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js`;
    const header = `Authorization: Bearer ${key}`;
    const call = ["--transport", "http", "--header", header, "--method", "tools/call", "--tool-name", tool, ...args];
    const child = spawn(process.execPath, [program, "--cli", url, ...call], { stdio: ["ignore", "pipe", "pipe"] });
    // It has no timeout of its own that could be set: a person ends it.
    if (timeoutMs !== undefined) setTimeout(() => child.kill(), timeoutMs);
    return printed(child);
  },
};

const agentSdk: CallingClient = {
  name: "the Claude Agent SDK 0.3.332",
  call: async ({ url, key, tool, given, timeoutMs, folder: home }) => {
    model.reset();
    model.script({ answer: "reply", calls: [{ id: "toolu_1", name: `mcp__relay__${tool}`, input: given }] });
    const env = {
      PATH: process.env["PATH"],
      HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    };
    const args = [`${folder}agent-sdk.mjs`, JSON.stringify({ url, key, tool, timeoutMs })];
    const ended = await printed(spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] }));
    // What the model was told of its call, and what the agent printed.
    const told = model.requests.at(-1)?.body as { readonly messages: unknown } | undefined; // by Anthropic's API
    return JSON.stringify(told?.messages ?? "") + ended;
  },
};

callingScenarios([inspector, agentSdk]);
