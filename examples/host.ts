// A small host on `@modelcontextprotocol/sdk` 1.x over stdio. Run it: node examples/host.ts
//
// It starts the reference server, whose two tools sample: one waits for the reply, one makes the
// client run a task.

import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createSamplingHandler } from "../client/sampling-handler.ts";
import { gatewaySettings, textOf } from "./settings.ts";

const sampling = createSamplingHandler({
  ...gatewaySettings(),
  onProgress: ({ message }) => console.log(`… ${message ?? "waiting"}`),
  onError: (error) => console.error(error.message),
});
const client = new Client({ name: "example-host", version: "1.0.0" });
sampling.attach(client, { server: "everything" });

const server = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"));
await client.connect(new StdioClientTransport({ command: process.execPath, args: [server, "stdio"], stderr: "ignore" }));
try {
  for (const name of ["trigger-sampling-request", "trigger-sampling-request-async"]) {
    console.log(`\n${name}`);
    const call = { name, arguments: { prompt: "Say hello in five words.", maxTokens: 50 } };
    console.log(textOf(await client.callTool(call, undefined, { timeout: 15 * 60_000 })));
  }
} finally {
  await client.close();
  await sampling.flush();
}
