// Frameworks that nobody here wrote, on SDK 2.x, by default settings: their servers speak 2026-07-28, and sample in rounds of input.
// What was found on the registry in November 2026 and samples in this revision; others on SDK 2.x have no way to sample.

import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../scripts/local-gateway.ts";
import { eventually } from "../outside/support/program.ts";
import { type RelayOffice, relayKey, relayOffice } from "../outside/support/relay-office.ts";

const folder = fileURLToPath(new URL("servers/2026/", import.meta.url));
const command = fileURLToPath(new URL("../../client/bin/countersign.mjs", import.meta.url));
const reply = "Hello from the scripted provider.";

/** By which its server is started over HTTP. */
const overHttp = [
  ["mcp-handler 2.4.0", "mcp-handler.mjs"],
  ["mcp-use 2.5.2", "mcp-use.mjs"],
  ["xmcp 1.1.3", "xmcp/dist/http.js"],
] as const;
const overStdio = [["xmcp 1.1.3", "xmcp/dist/stdio.js"]] as const;

const running: (() => void)[] = [];
const urls = new Map<string, string>();
let office: RelayOffice;

function run(program: string, given: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): void {
  const done = spawnSync(program, given, { cwd, encoding: "utf8", env: { ...process.env, ...env } });
  expect(done.status, done.stderr).toBe(0);
}

beforeAll(async () => {
  run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder);
  for (const [, program] of overHttp) {
    const port = await freePort();
    // xmcp fixes the port when it builds its servers.
    const env = { PORT: String(port) };
    if (program.startsWith("xmcp")) run(process.execPath, ["../node_modules/xmcp/dist/cli.js", "build"], join(folder, "xmcp"), env);
    // mcp-use reports that it is used unless it is told not to.
    const quiet = { PATH: process.env["PATH"], MCP_USE_ANONYMIZED_TELEMETRY: "false" };
    const child = spawn(process.execPath, [program], { cwd: folder, env: { ...quiet, ...env }, stdio: "ignore" });
    running.push(() => void child.kill());
    urls.set(program, `http://127.0.0.1:${port}/mcp`);
  }
  for (const url of urls.values()) {
    await eventually("an answer of the server", async () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
  }
  office = await relayOffice();
}, 900_000);
afterAll(async () => {
  await office?.close();
  for (const end of running) end();
});

type Family = "2025" | "2026";

/** The families of clients whose calls end with the gateway's reply. */
const throughTheRelay: readonly Family[] = ["2026", "2025"];
const behindTheCommand: readonly Family[] = ["2026", "2025"];

/** Calls the tool with a client that has a model of its own, or none. */
async function asked(transport: Parameters<Client["connect"]>[0], family: Family, own: boolean): Promise<string> {
  const mode = family === "2026" ? "auto" : "legacy";
  const client = new Client({ name: "third", version: "1" }, { capabilities: own ? { sampling: {} } : {}, versionNegotiation: { mode } });
  if (own) {
    const content = { type: "text" as const, text: "Hello from the client." };
    client.setRequestHandler("sampling/createMessage", () => ({ model: "own", role: "assistant", content }));
  }
  await client.connect(transport);
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe(family === "2026" ? "2026-07-28" : "2025-11-25");
    return JSON.stringify(await client.callTool({ name: "ask", arguments: {} }));
  } finally {
    await client.close();
  }
}

describe.each(overHttp)("%s over HTTP, without the relay", (_name, program) => {
  const direct = () => new StreamableHTTPClientTransport(new URL(urls.get(program) ?? ""));

  test("gives a client of 2026-07-28 the reply of the client's own model", async () => {
    expect(await asked(direct(), "2026", true)).toContain("Hello from the client.");
  });

  test("refuses to sample for a client of the 2025 family, even one that has a model", async () => {
    expect(await asked(direct(), "2025", true)).toContain("did not declare the required capability");
  });
});

describe.each(overHttp)("%s over HTTP, through the relay", (_name, program) => {
  test.each(throughTheRelay)("ends its tool with the reply for a client of the family of %s without sampling", async (family) => {
    const name = `third-${running.length}-${family}`;
    await office.serve({ [name]: { url: urls.get(program) ?? "", allowPrivate: true } });
    const requestInit = { headers: { Authorization: `Bearer ${relayKey}` } };
    const transport = new StreamableHTTPClientTransport(new URL(office.relay(name)), { requestInit });
    expect(await asked(transport, family, false)).toContain(reply);
  });
});

describe.each(overStdio)("%s over stdio, behind the command", (_name, program) => {
  const behind = () =>
    new StdioClientTransport({
      command: process.execPath,
      args: [command, "stdio", "--server", "third", "--url", office.url, "--", process.execPath, program],
      env: { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: relayKey },
      cwd: folder,
      stderr: "ignore",
    });

  test.each(behindTheCommand)("ends its tool with the reply for a client of the family of %s without sampling", async (family) => {
    expect(await asked(behind(), family, false)).toContain(reply);
  });
});
