// The same host on `@modelcontextprotocol/client` 2.x over Streamable HTTP. Run it: node
// examples/host-v2.ts
//
// Over HTTP the wrapped fetch shows which tool call a sampling request belongs to, so both tools
// can run at once.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createSamplingHandler } from "../client/sampling-handler.ts";
import { gatewaySettings, textOf } from "./settings.ts";

const settings = gatewaySettings();
const port = process.env["PORT"] ?? "3001";
const script = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
const server = spawn(process.execPath, [script, "streamableHttp"], {
  env: { ...process.env, PORT: port },
  stdio: ["ignore", "ignore", "pipe"],
});
const [line] = await once(server.stderr, "data");
if (!String(line).includes("listening")) throw new Error(`The reference server did not start on port ${port}: ${String(line)}`);

const sampling = createSamplingHandler({
  ...settings,
  onProgress: ({ message, origin }) => console.log(`… ${origin.name}: ${message ?? "waiting"}`),
  onError: (error) => console.error(error.message),
});
const client = new Client({ name: "example-host", version: "2.0.0" });
const { fetch } = sampling.attach(client, { server: "everything" });
try {
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { fetch }));
  const names = ["trigger-sampling-request", "trigger-sampling-request-async"];
  const calls = names.map(async (name) => {
    const call = { name, arguments: { prompt: "Say hello in five words.", maxTokens: 50 } };
    return `\n${name}\n${textOf(await client.callTool(call, { timeout: 15 * 60_000 }))}`;
  });
  for (const text of await Promise.all(calls)) console.log(text);
} finally {
  await client.close();
  await sampling.flush();
  server.kill();
}
