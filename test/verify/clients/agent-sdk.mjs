// One turn of an agent of the Claude Agent SDK with the relay as its MCP server. Its model is the
// one at ANTHROPIC_BASE_URL.

import { query } from "@anthropic-ai/claude-agent-sdk";

const { url, key, tool, timeoutMs } = JSON.parse(process.argv[2] ?? "{}");
const server = {
  type: "http",
  url,
  headers: { Authorization: `Bearer ${key}` },
  ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
};
const options = {
  mcpServers: { relay: server },
  allowedTools: [`mcp__relay__${tool}`],
  settingSources: [],
  cwd: process.env.HOME,
  env: process.env,
};
for await (const message of query({ prompt: "Call the tool.", options })) if (message.type === "result") console.log(message.result);
