// The adapters in examples/approvals, with the real frameworks and scripted models: a tool runs as
// it was approved, or not at all, and the model hears why.

import { MemorySaver } from "@langchain/langgraph";
import { Agent, type Model, type ModelRequest, type ModelResponse, Usage, setTracingDisabled, tool as agentTool } from "@openai/agents";
import { generateText, isStepCount, tool as aiTool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { createAgent, fakeModel, humanInTheLoopMiddleware, tool as langchainTool } from "langchain";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import type { ApprovalOptions } from "../../../client/sampling-handler.ts";
import { toolApproval } from "../../../examples/approvals/ai-sdk.ts";
import { invokeWithApproval } from "../../../examples/approvals/langchain.ts";
import { runWithApproval } from "../../../examples/approvals/openai-agents.ts";

setTracingDisabled(true);

const given = { path: "/tmp/report.txt" };
const parameters = z.object({ path: z.string() });

/** What the tool was called with. */
let ran: unknown[] = [];
/** What the gateway was asked. */
let asked: { readonly tool: string; readonly server: string; readonly arguments: unknown }[] = [];
beforeEach(() => {
  ran = [];
  asked = [];
});

/** Deletes nothing. */
const deleteFile = (input: unknown): string => {
  ran.push(input);
  return "deleted";
};

const gatewayThat = (answer: object): ApprovalOptions => ({
  url: "https://gateway.example.com",
  apiKey: "csk_test",
  fetch: async (_input, init) => {
    asked.push(JSON.parse(String(init?.body)));
    return Response.json(answer);
  },
});

const approved = (args: object, edited = false): object => ({ id: "run_1", decision: "approved", mode: "human", arguments: args, edited });
const denied = { id: "run_1", decision: "denied", mode: "human", message: "A reviewer denied this call: not on a Friday" };
const changed = { path: "/tmp/old.txt" };

/** What the model is sent after the call. */
type Heard = string;

const frameworks: readonly (readonly [name: string, server: string, ask: (options: ApprovalOptions) => Promise<Heard>])[] = [
  ["the AI SDK", "ai-sdk", askAiSdk],
  ["OpenAI's Agents SDK", "openai-agents", askAgentsSdk],
  ["LangChain", "langchain", askLangChain],
];

async function askAiSdk(options: ApprovalOptions): Promise<Heard> {
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
  const model = new MockLanguageModelV4({
    doGenerate: [
      {
        content: [{ type: "tool-call", toolCallId: "call-1", toolName: "delete_file", input: JSON.stringify(given) }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage,
        warnings: [],
      },
      { content: [{ type: "text", text: "Done." }], finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] },
    ],
  });
  await generateText({
    model,
    prompt: "Delete the report.",
    tools: { delete_file: aiTool({ inputSchema: parameters, execute: deleteFile }) },
    toolApproval: toolApproval(options),
    stopWhen: isStepCount(2),
  });
  return JSON.stringify(model.doGenerateCalls[1]?.prompt ?? "");
}

class ScriptedAgentModel implements Model {
  readonly heard: ModelRequest[] = [];
  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.heard.push(request);
    const usage = new Usage();
    if (this.heard.length > 1)
      return {
        usage,
        output: [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done." }] }],
      };
    const call = {
      type: "function_call",
      callId: "call-1",
      name: "delete_file",
      status: "completed",
      arguments: JSON.stringify(given),
    } as const;
    return { usage, output: [call] };
  }
  // oxlint-disable-next-line require-yield -- no test streams
  async *getStreamedResponse(): AsyncGenerator<never> {
    throw new Error("not streamed");
  }
}

async function askAgentsSdk(options: ApprovalOptions): Promise<Heard> {
  const model = new ScriptedAgentModel();
  const deletes = agentTool({ name: "delete_file", description: "", parameters, needsApproval: true, execute: deleteFile });
  const agent = new Agent({ name: "agent", model, tools: [deletes] });
  await runWithApproval(agent, "Delete the report.", options);
  return JSON.stringify(model.heard[1]?.input ?? "");
}

async function askLangChain(options: ApprovalOptions): Promise<Heard> {
  const model = fakeModel()
    .respondWithTools([{ name: "delete_file", args: given, id: "call-1" }])
    .respondWithTools([]);
  const agent = createAgent({
    model,
    tools: [langchainTool(deleteFile, { name: "delete_file", description: "", schema: parameters })],
    // Its types are for compilers without exactOptionalPropertyTypes.
    middleware: [humanInTheLoopMiddleware({ interruptOn: { delete_file: true } } as never) as never],
    checkpointer: new MemorySaver(),
  });
  const input = { messages: [{ role: "user", content: "Delete the report." }] };
  await invokeWithApproval(agent, input, { configurable: { thread_id: "1" } }, options);
  return JSON.stringify(model.calls[1]?.messages ?? "");
}

describe.each(frameworks)("%s", (name, server, ask) => {
  test("calls the tool once it is approved", async () => {
    await ask(gatewayThat(approved(given)));
    expect(asked).toEqual([{ server, tool: "delete_file", arguments: given }]);
    expect(ran).toEqual([given]);
  });

  test("calls no tool that is denied, and the model hears why", async () => {
    expect(await ask(gatewayThat(denied))).toContain("not on a Friday");
    expect(ran).toEqual([]);
  });

  test("never calls the tool with what was not approved", async () => {
    const heard = await ask(gatewayThat(approved(changed, true)));
    expect(ran).toEqual(name === "LangChain" ? [changed] : []);
    expect(heard).toContain("/tmp/old.txt");
  });

  test("calls no tool where the gateway refuses", async () => {
    const refusing: ApprovalOptions = {
      ...gatewayThat({}),
      fetch: async () => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_014, message: "no" } }, { status: 401 }),
    };
    await ask(refusing).catch(() => undefined);
    expect(ran).toEqual([]);
  });
});
