// npm run delete-note: an MCP client that knows nothing of Countersign lists the tools of the
// example server of npm start, through the relay, and calls the one that deletes.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { textOf } from "../examples/settings.ts";
import { gatewayOf } from "./data-folder.ts";
import { devVars } from "./dev-vars.ts";
import { exampleName } from "./example-server.ts";

const call = { name: "delete_note", arguments: { note: "Ideas for the spring party", permanently: true } };

async function main(): Promise<void> {
  const gateway = await gatewayOf(process.env["PERSIST_TO"] || ".countersign/state");
  if (gateway === null) throw new Error("no gateway is running: start one with npm start, and leave it running");
  const url = `${gateway}/mcp/${exampleName}`;
  const headers = { Authorization: `Bearer ${devVars().DEV_API_KEY}` };
  // It speaks 2026-07-28: told that its call still waits, it comes back by itself.
  const client = new Client(
    { name: "delete-note", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" }, inputRequired: { maxRounds: 100 } },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  await client.listTools();
  console.log(`Calls ${call.name} at ${url} with ${JSON.stringify(call.arguments)}`);
  console.log("If the policy asks a person first, npm start prints the link to the review.");
  const result = await client.callTool(call, { timeout: 120_000 });
  console.log(`\n${result.isError === true ? "The tool did not run" : "The tool returned"}:\n\n${textOf(result)}`);
  await client.close();
}

main().catch((error: unknown) => {
  console.error(`npm run delete-note: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
