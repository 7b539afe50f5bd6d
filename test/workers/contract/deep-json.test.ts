// JSON that nests a hundred thousand levels deep, at every way in and from servers: it is refused
// with a sentence, and never a 500.

import { beforeEach, describe, expect, test } from "vitest";
import { revision2026 } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { adminToken, devKey, gateway } from "../support/gateway.ts";
import { RelayClient, type Upstream, configureServers, scriptUpstream, streamOf, upstreamOrigin } from "../support/mcp-server.ts";
import { StatelessClient, metaOf } from "../support/stateless.ts";

const levels = 100_000;
const deep: readonly (readonly [string, string])[] = [
  ["lists", "[".repeat(levels) + "]".repeat(levels)],
  ["objects", '{"a":'.repeat(levels) + "0" + "}".repeat(levels)],
];
const url = `${upstreamOrigin}/mcp`;

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ open: { url }, "open-2026": { url, protocol: "2026" }, "open-auto": { url, protocol: "auto" } });
});

describe.each(deep)("%s a hundred thousand deep", (_, nested) => {
  const call = (params: string): string => `{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{"name":"summarize",${params}}}`;
  const meta = JSON.stringify(metaOf());

  test.each<[string, string]>([
    ["as the body", nested],
    ["as arguments", call(`"arguments":${nested}`)],
    ["beside them", call(`"other":${nested}`)],
    ["in a batch", `[${call(`"arguments":${nested}`)}]`],
    ["as a response", `{"jsonrpc":"2.0","id":"s","result":${nested}}`],
    ["as an id", `{"jsonrpc":"2.0","id":${nested},"method":"ping"}`],
    ["in a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${nested}}}`],
  ])("a client of sessions sends them %s", async (_how, body) => {
    for (const server of ["open", "open-2026"]) {
      const client = new RelayClient(server);
      upstream.answer = ({ message }) =>
        message.method === "server/discover"
          ? Response.json({
              jsonrpc: "2.0",
              id: message.id,
              result: { resultType: "complete", supportedVersions: [revision2026], capabilities: { tools: {} } },
            })
          : undefined;
      await client.connect({ sampling: {} });
      const sent = upstream.calls.length;
      const answer = await client.send({ body });
      expect([server, answer.status]).toEqual([server, 400]);
      expect(await answer.text()).toMatch(/"code":-32600,"message":"Invalid Request: nested more than \d+ levels deep"/);
      expect(upstream.calls).toHaveLength(sent);
    }
  });

  test.each<[string, string]>([
    ["as arguments", `"arguments":${nested},"_meta":${meta}`],
    ["as _meta", `"_meta":${nested}`],
    ["in the capabilities", `"_meta":${meta.replace("{}", nested)}`],
    ["as an answer to a round", `"inputResponses":{"a":${nested}},"requestState":"x","_meta":${meta}`],
  ])("a client of 2026-07-28 sends them %s", async (_how, params) => {
    for (const server of ["open", "open-2026"]) {
      const headers = { "MCP-Protocol-Version": revision2026, "Mcp-Method": "tools/call", "Mcp-Name": "summarize" };
      const answer = await new StatelessClient(server).post(call(params), headers);
      expect([server, answer.status]).toEqual([server, 400]);
      expect(await answer.text()).toMatch(/nested more than \d+ levels deep/);
    }
    expect(upstream.calls).toEqual([]);
  });

  test.each<[string, string]>([
    ["as a result", nested],
    ["in a result", `{"resultType":"complete","content":[],"structuredContent":${nested}}`],
    ["in a round", `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":${nested}}}}`],
    ["in the gateway's own kind of error", `{"createMessage":${nested}}`],
  ])("a server answers with them %s", async (_how, result) => {
    for (const server of ["open", "open-2026"])
      for (const asStream of [false, true])
        for (const member of ["result", "error"]) {
          upstream.answer = ({ message }) => {
            if (message.method !== "tools/call") return undefined;
            const text = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"${member}":${result}}`;
            return asStream ? streamOf(`data: ${text}\n\n`) : new Response(text, { headers: { "Content-Type": "application/json" } });
          };
          const inSession = new RelayClient("open");
          if (server === "open") await inSession.connect({ sampling: {}, elicitation: {} });
          const answer =
            server === "open"
              ? await inSession.call("d")
              : await new StatelessClient(server).request("tools/call", { name: "summarize", arguments: {} });
          const text = await answer.text();
          expect([server, asStream, member, answer.status < 500 || answer.status === 502, text.length > 0]).toEqual([
            server,
            asStream,
            member,
            true,
            true,
          ]);
        }
  });

  test.each<[string, string, string, string]>([
    ["POST", "/sampling", devKey, `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":${nested}}`],
    ["POST", "/sampling", devKey, nested],
    ["POST", "/control", devKey, `{"protocolVersion":"1.0","arguments":${nested}}`],
    ["POST", "/v1/chat/completions", devKey, `{"model":"m","messages":[{"role":"user","content":${nested}}]}`],
    ["POST", "/v1/chat/completions", devKey, `{"model":"m","messages":[{"role":"user","content":"x"}],"metadata":${nested}}`],
    ["POST", "/v1/responses", devKey, `{"model":"m","input":[{"type":"function_call","arguments":${nested}}]}`],
    ["POST", "/admin/keys", adminToken, nested],
    ["POST", "/admin/keys", adminToken, `{"name":${nested}}`],
    ["PUT", "/admin/policy", adminToken, nested],
    ["PUT", "/admin/servers", adminToken, `{"servers":{"a":${nested}}}`],
    ["PUT", "/admin/routing", adminToken, `{"models":${nested}}`],
    ["POST", "/admin/policy/check", adminToken, nested],
    ["POST", "/admin/routing/explain", adminToken, `{"modelPreferences":${nested}}`],
    ["POST", "/admin/policy/replay", adminToken, nested],
    ["POST", "/admin/channels/test", adminToken, nested],
    ["POST", "/tokens", devKey, nested],
  ])("%s %s refuses them", async (method, path, key, body) => {
    const headers = { "Content-Type": "application/json", "If-Match": "0", "MCP-Protocol-Version": "2025-11-25" };
    const answer = await gateway(path, { method, key, headers, body });
    const text = await answer.text();
    expect([path, answer.status < 500, text.length > 0 && text.length < 3_000]).toEqual([path, true, true]);
  });
});

test("nine hundred levels pass to a server, byte for byte", async () => {
  const nested = "[".repeat(900) + "]".repeat(900);
  for (const server of ["open", "open-2026"]) {
    upstream.calls.length = 0;
    const rest = `"name":"summarize","arguments":{"a":${nested}},"_meta":${JSON.stringify(metaOf())}`;
    const headers = { "MCP-Protocol-Version": revision2026, "Mcp-Method": "tools/call", "Mcp-Name": "summarize" };
    const answer = await new StatelessClient(server).post(`{"jsonrpc":"2.0","id":"d","method":"tools/call","params":{${rest}}}`, headers);
    expect([server, answer.status]).toEqual([server, 200]);
    expect(upstream.calls.some(({ text }) => text.includes(nested))).toBe(true);
  }
});
