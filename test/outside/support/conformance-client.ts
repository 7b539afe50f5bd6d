// What the conformance suite of 2026-07-28 starts as the client under test: SDK 2.x by itself
// (`direct`), with the client helper attached (`helper`), or connected to the relay, which has the
// suite's server as its own (`relay`). The suite gives its server's address as the last argument,
// and what to do in the environment.

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import { createSamplingHandler } from "../../../client/sampling-handler.ts";
import { AgreeingUser } from "./conformance-oauth.ts";

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
    // The SDK refuses a result without resultType from a server of this revision; the scenario asks
    // only that it is not tried again.
    await client.callTool({ name: "test_mrtr_no_result_type", arguments: {} }).catch(() => {});
  },
  "http-standard-headers": async (client) => {
    for (const { name } of (await client.listTools()).tools) await client.callTool({ name, arguments: {} });
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
  },
  "http-custom-headers": async (client) => {
    await client.listTools();
    for (const call of context["toolCalls"] as { name: string; arguments: Record<string, unknown> }[]) await client.callTool(call);
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

const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as Record<string, unknown>;
const isAboutAuth = scenario.startsWith("auth/");
// A client that knows nothing of the relay ends here: `unaware`.
const user = new AgreeingUser(context, kind === "relay" ? address : undefined);
const authorized = isAboutAuth ? { authProvider: user } : {};

async function transportFor(client: Client): Promise<StreamableHTTPClientTransport> {
  if (kind === "relay" || kind === "unaware") {
    // Whoever runs the suite enters the server in the relay's document, and says where the relay
    // is.
    const answer = await fetch(`${switchboard}?server=${encodeURIComponent(address)}`);
    const { url, key } = (await answer.json()) as { url: string; key: string };
    return new StreamableHTTPClientTransport(new URL(url), { ...authorized, requestInit: { headers: { "X-Countersign-Key": key } } });
  }
  if (kind !== "helper") return new StreamableHTTPClientTransport(new URL(address), authorized);
  const sampling = createSamplingHandler({ url: switchboard, apiKey: "key-that-no-scenario-needs-0123456789" });
  const { fetch: helped } = sampling.attach(client, { server: "suite" });
  return new StreamableHTTPClientTransport(new URL(address), { ...authorized, fetch: helped });
}

let client = madeClient();
let transport: StreamableHTTPClientTransport | undefined;

async function connect(): Promise<void> {
  client = madeClient();
  transport = await transportFor(client);
  await client.connect(transport);
}

async function act(): Promise<void> {
  if (!isAboutAuth) return void (await deeds[scenario]?.(client));
  for (const { name } of (await client.listTools()).tools) await client.callTool({ name, arguments: {} });
}

/** Does it again once the user has agreed: twice at most, for a server that is never content. */
async function agreeing(step: () => Promise<void>): Promise<void> {
  for (let left = 2; ; left -= 1) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof UnauthorizedError) || left === 0) throw error;
      await transport?.finishAuth(user.callback);
    }
  }
}

await agreeing(connect);
await agreeing(act);
await client.close();
