import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FAKE_KEY, FakeGateway } from "../../support/fake-gateway.ts";
import { connectV1, connectV2 } from "../../outside/stdio/clients.ts";
import { direct, type Running, wrapped } from "../../outside/stdio/wrapped.ts";

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const serverOf = (file: string): string[] => [process.execPath, fileURLToPath(new URL(file, import.meta.url))];
const SERVERS = [
  ["SDK 1.x", serverOf("../../outside/stdio/ask-server-v1.ts")],
  ["SDK 2.x", serverOf("../../outside/stdio/ask-server-v2.ts")],
] as const;

let gateway: FakeGateway;
let listening: { url: string; close: () => Promise<void> };
beforeEach(async () => {
  gateway = new FakeGateway();
  listening = await gateway.listen();
});
afterEach(() => listening.close());

describe.each(SERVERS)("a server of %s behind the command", (_, server) => {
  test.each(REVISIONS)("gets its sampling answered in %s, for a client by hand that has none", async (protocolVersion) => {
    const running = wrapped(server, { url: listening.url, env: { COUNTERSIGN_API_KEY: FAKE_KEY } });
    const send = (message: object): void => void running.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    send({ id: 1, method: "initialize", params: { protocolVersion, capabilities: {}, clientInfo: { name: "hand", version: "1" } } });
    await running.prints(new RegExp(`"protocolVersion":"${protocolVersion}"`));
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/call", params: { name: "ask", arguments: { text: "hello" } } });
    await running.prints(/"id":2/);
    const last = running.stdout().toString().trimEnd().split("\n").at(-1) ?? "";
    const answer = JSON.parse(last) as { result: { content: { text: string }[] } };
    const latest = protocolVersion === "2025-11-25";
    const { reply, client } = JSON.parse(answer.result.content[0]?.text ?? "{}") as { reply: unknown; client: Record<string, unknown> };
    expect(reply).toMatchObject({ role: "assistant", content: { type: "text", text: "Reviewed reply to: hello" } });
    expect(client["sampling"]).toEqual(latest ? { tools: {} } : {});
    expect(client["tasks"]).toEqual(latest ? { list: {}, cancel: {}, requests: { sampling: { createMessage: {} } } } : undefined);
    expect(running.stdout().toString()).not.toContain("sampling/createMessage");
    running.kill("SIGTERM");
    await running.ended;
  });

  test.each([
    ["SDK 1.x", connectV1],
    ["SDK 2.x", connectV2],
  ] as const)("gets it answered for a client of %s, which hears what is waited for", async (__, connect) => {
    gateway.onRun = (run) => {
      const look = setInterval(() => {
        if (run.watchers.size === 0) return;
        clearInterval(look);
        run.progress("Waiting for a person");
        run.reply("well");
      }, 20);
    };
    const client = await connect(["env", `COUNTERSIGN_API_KEY=${FAKE_KEY}`, ...commandOf(listening.url), ...server], "direct");
    const result = await client.callTool({ name: "ask", arguments: { text: "hello" } }, () => undefined);
    expect(JSON.stringify(result)).toContain("well");
    expect(client.progress()).toEqual([{ progress: 0.000001, message: "Waiting for a person" }]);
    await client.close();
  });
});

const commandOf = (url: string): string[] => [process.execPath, "client/cli/main.ts", "stdio", "--server", "ask", "--url", url, "--"];

test("a conversation in revision 2026-07-28, which has no initialize, passes as without the command", async () => {
  const talk = async (through: "direct" | "behind"): Promise<unknown> => {
    const [command = "", ...args] = [
      ...(through === "direct" ? [] : commandOf(listening.url)),
      ...serverOf("../../outside/stdio/modern-server.ts"),
    ];
    const client = new Client({ name: "modern", version: "1" }, { versionNegotiation: { mode: "auto" } });
    const env = { PATH: process.env["PATH"] ?? "", COUNTERSIGN_API_KEY: FAKE_KEY };
    await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
    const result = await client.callTool({ name: "echo", arguments: { text: "grüße" } });
    const said = [client.getNegotiatedProtocolVersion(), result, await client.listTools()];
    await client.close();
    return said;
  };
  const alone = await talk("direct");
  expect(alone).toMatchObject(["2026-07-28", { content: [{ text: "grüße" }] }, {}]);
  expect(await talk("behind")).toEqual(alone);
});

describe("a server that speaks 2026-07-28 alone", () => {
  const modernOnly = [process.execPath, "--input-type=module", "-e"];
  const source = `
    import { McpServer } from "@modelcontextprotocol/server";
    import { serveStdio } from "@modelcontextprotocol/server/stdio";
    serveStdio(() => new McpServer({ name: "modern", version: "1" }), { legacy: "reject" });`;

  /** Its answer to an older client's initialize. */
  async function answerTo(running: Running): Promise<unknown> {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hand", version: "1" } };
    running.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    await running.prints(/\n/);
    running.kill("SIGTERM");
    await running.ended;
    return JSON.parse(running.stdout().toString());
  }

  test("refuses a client of 2025-11-25 with the error that names the revision, and has it behind the command", async () => {
    const command = [...modernOnly, source];
    expect(await answerTo(direct(command))).toMatchObject({
      id: 1,
      error: {
        code: -32_022,
        message: expect.stringContaining("nsupported protocol version") as unknown,
        data: { supported: ["2026-07-28"] },
      },
    });
    expect(await answerTo(wrapped(command, { url: listening.url, env: { COUNTERSIGN_API_KEY: FAKE_KEY } }))).toMatchObject({
      id: 1,
      result: { protocolVersion: "2025-11-25", serverInfo: { name: "modern", version: "1" } },
    });
  });
});
