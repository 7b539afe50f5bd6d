// What the conformance suite of 2026-07-28 starts as the client under test: SDK 2.x by itself (`direct`), with the client helper attached
// (`helper`), or connected to the relay, which has the suite's server as its own (`relay`). The suite gives its server's address as the
// last argument, and what to do in the environment.

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createSamplingHandler } from "../../../client/sampling-handler.ts";

const { CLIENT_UNDER_TEST: kind, SWITCHBOARD: switchboard = "", MCP_CONFORMANCE_SCENARIO: scenario = "" } = process.env;
const address = process.argv.at(-1) ?? "";

type Listed = { readonly name: string; readonly inputSchema: { readonly properties?: Record<string, unknown> } };

/** What each scenario wants its client to do once it is connected. */
const deeds: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  tools_call: async (client) => {
    await client.listTools();
    return client.callTool({ name: "add_numbers", arguments: { a: 5, b: 3 } });
  },
  "request-metadata": (client) => client.listTools(),
  "sep-2322-client-request-state": async (client) => {
    const first = client.callTool({ name: "test_mrtr_echo_state", arguments: {} });
    await client.callTool({ name: "test_mrtr_unrelated", arguments: {} });
    await first;
    await client.callTool({ name: "test_mrtr_no_state", arguments: {} });
    // The SDK refuses a result without resultType from a server of this revision; the scenario asks only that it is not tried again.
    await client.callTool({ name: "test_mrtr_no_result_type", arguments: {} }).catch(() => {});
  },
  "http-standard-headers": async (client) => {
    for (const { name } of (await client.listTools()).tools) await client.callTool({ name, arguments: {} });
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
  },
  "http-custom-headers": async (client) => {
    await client.listTools();
    const { toolCalls } = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "") as {
      toolCalls: { name: string; arguments: Record<string, unknown> }[];
    };
    for (const call of toolCalls) await client.callTool(call);
  },
  "http-invalid-tool-headers": async (client) => {
    for (const tool of (await client.listTools()).tools as Listed[]) {
      const given = Object.keys(tool.inputSchema.properties ?? {}).map((key) => [key, "value"]);
      await client.callTool({ name: tool.name, arguments: Object.fromEntries(given) });
    }
  },
  "json-schema-ref-no-deref": (client) => client.listTools(),
  "json-schema-2020-12-preservation": async (client) => {
    const found = (await client.listTools()).tools.find(({ name }) => name === "json_schema_2020_12_tool");
    return client.callTool({ name: "json_schema_echo", arguments: { schema: found?.inputSchema } });
  },
};

function madeClient(): Client {
  const client = new Client(
    { name: "under-test", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: "auto" } },
  );
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { confirmed: true } }));
  return client;
}

async function transportFor(client: Client): Promise<StreamableHTTPClientTransport> {
  if (kind === "relay") {
    // Whoever runs the suite enters the server in the relay's document, and says where the relay is.
    const answer = await fetch(`${switchboard}?server=${encodeURIComponent(address)}`);
    const { url, key } = (await answer.json()) as { url: string; key: string };
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { "X-Countersign-Key": key } } });
  }
  if (kind !== "helper") return new StreamableHTTPClientTransport(new URL(address));
  const sampling = createSamplingHandler({ url: switchboard, apiKey: "key-that-no-scenario-needs-0123456789" });
  const { fetch: helped } = sampling.attach(client, { server: "suite" });
  return new StreamableHTTPClientTransport(new URL(address), { fetch: helped });
}

const client = madeClient();
await client.connect(await transportFor(client));
await deeds[scenario]?.(client);
await client.close();
