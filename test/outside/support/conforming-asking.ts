// What the conformance suite of 2026-07-28 asks a server for in rounds of input, on a server with
// sessions: each tool asks its client by requests in its session, and waits for the responses.
// Names, keys and texts are those of the suite's scenarios.

import type { CallToolResult, ElicitResult, ServerRequest } from "@modelcontextprotocol/sdk/types.js";
import { CreateMessageResultSchema, ElicitResultSchema, ListRootsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { wideSchema } from "./conforming-2026.ts";
import type { ConformingTool, Extra, More } from "./relay-conforming-server.ts";

const saying = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

function elicit(extra: Extra, message: string, field: string, type: "string" | "boolean" = "string"): Promise<ElicitResult> {
  const property = type === "string" ? { type: "string" as const } : { type: "boolean" as const };
  const requestedSchema = { type: "object" as const, properties: { [field]: property }, required: [field] };
  return extra.sendRequest({ method: "elicitation/create", params: { message, requestedSchema } }, ElicitResultSchema);
}

async function sample(extra: Extra, question: string, maxTokens: number): Promise<string> {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: question } }];
  const request: ServerRequest = { method: "sampling/createMessage", params: { messages, maxTokens } };
  return JSON.stringify((await extra.sendRequest(request, CreateMessageResultSchema)).content);
}

const roots = async (extra: Extra): Promise<string> =>
  (await extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema)).roots.map(({ uri }) => uri).join();

/** Asks until the form has this field: a client may send something else first. */
async function fieldOf(extra: Extra, message: string, field: string, type: "string" | "boolean" = "string"): Promise<unknown> {
  for (let tries = 0; tries < 10; tries += 1) {
    const { content } = await elicit(extra, message, field, type);
    const value = content?.[field];
    if (typeof value === type) return value;
  }
  throw new Error(`no ${field} was given`);
}

const confirmed =
  (done: string): ConformingTool["run"] =>
  async (_, extra) => {
    await fieldOf(extra, "Please confirm", "ok", "boolean");
    return saying(done);
  };

const runs: Readonly<Record<string, ConformingTool["run"]>> = {
  test_logging_tool: async (_, extra) => {
    await extra.sendNotification({
      method: "notifications/message",
      params: { level: "info", data: "Logged where the request allows it." },
    });
    return saying("Logged.");
  },
  test_input_required_result_elicitation: async (_, extra) =>
    saying(`Hello, ${String(await fieldOf(extra, "What is your name?", "name"))}!`),
  test_input_required_result_sampling: async (_, extra) => saying(await sample(extra, "What is the capital of France?", 100)),
  test_input_required_result_list_roots: async (_, extra) => saying(await roots(extra)),
  test_input_required_result_request_state: confirmed("state-ok"),
  test_input_required_result_tampered_state: confirmed("untampered"),
  test_input_required_result_multiple_inputs: async (_, extra) => {
    await Promise.all([elicit(extra, "What is your name?", "name"), sample(extra, "Generate a greeting", 50), roots(extra)]);
    return saying("All three are here.");
  },
  test_input_required_result_multi_round: async (_, extra) => {
    await fieldOf(extra, "Step 1: What is your name?", "name");
    return saying(`Your color is ${String(await fieldOf(extra, "Step 2: What is your favorite color?", "color"))}.`);
  },
  test_input_required_result_capabilities: async (_, extra, server) => {
    const { sampling, elicitation } = server.getClientCapabilities() ?? {};
    await Promise.all([
      ...(sampling === undefined ? [] : [sample(extra, "Which capabilities are there?", 50)]),
      ...(elicitation === undefined ? [] : [elicit(extra, "Which capabilities are there?", "answer")]),
    ]);
    return saying("What was asked for is here.");
  },
  test_missing_capability: async (_, extra) => saying(await sample(extra, "Is sampling there?", 10)),
  test_streaming_elicitation: async (_, extra) => {
    await elicit(extra, "Is a form there?", "answer");
    return saying("A form is there.");
  },
  test_trigger_tool_change: async (_given, _extra, server) => {
    await server.sendToolListChanged();
    return saying("The tools changed.");
  },
  test_trigger_prompt_change: async (_given, _extra, server) => {
    await server.sendPromptListChanged();
    return saying("The prompts changed.");
  },
};

/** Its header is made from the argument, which a server with sessions does not look at. */
const header: ConformingTool = {
  inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } }, required: ["region"] },
  run: ({ region }) => saying(String(region)),
};

export const asking2026: More = {
  tools: {
    ...Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, { run }])),
    test_header: header,
    json_schema_2020_12_tool: { inputSchema: wideSchema, run: (given) => saying(JSON.stringify(given)) },
  },
  prompts: {
    test_input_required_result_prompt: {
      needs: [],
      get: async (_, extra) => ({
        messages: [
          {
            role: "user",
            content: { type: "text", text: String(await fieldOf(extra, "What context should the prompt use?", "context")) },
          },
        ],
      }),
    },
  },
};
