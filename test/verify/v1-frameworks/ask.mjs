// A framework at the Responses API, asked as `Asked` in test/outside/support/v1-clients.ts says: its
// JSON on the standard input, and one JSON value a line on the standard output: "attempt",
// "response", and what came of it.

import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, OpenAIResponsesModel, Runner, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import * as z from "zod";

const { framework, ...asked } = JSON.parse(await new Response(process.stdin).text());
const tell = (what) => console.log(JSON.stringify(what));
const telling = async (input, init) => {
  tell("attempt");
  const response = await fetch(input, init);
  tell("response");
  return response;
};
const sums = z.object({ a: z.number(), b: z.number() });
const sum = z.object({ sum: z.number() });
const add = { name: "add", description: "Adds two numbers." };
const pdfName = "bill.pdf";
const added = ({ a, b }) => String(a + b);
const terms = {
  apiKey: asked.apiKey,
  baseURL: asked.baseUrl,
  fetch: telling,
  defaultHeaders: asked.headers,
};

async function byAgents() {
  setTracingDisabled(true);
  const client = new OpenAI({
    ...terms,
    maxRetries: asked.retries ?? 0,
    ...(asked.timeoutMs === undefined ? {} : { timeout: asked.timeoutMs }),
  });
  const agent = new Agent({
    name: "asker",
    model: new OpenAIResponsesModel(client, "scripted"),
    modelSettings: { maxTokens: 50, store: false, ...(asked.temperature === undefined ? {} : { temperature: asked.temperature }) },
    ...(asked.tools ? { tools: [tool({ ...add, parameters: sums, execute: added })] } : {}),
    ...(asked.json ? { outputType: sum } : {}),
  });
  const content = [
    { type: "input_text", text: asked.prompt },
    ...(asked.image ? [{ type: "input_image", image: asked.image }] : []),
    ...(asked.pdf ? [{ type: "input_file", file: asked.pdf, filename: pdfName }] : []),
  ];
  const runner = new Runner({ tracingDisabled: true });
  const result = await runner.run(agent, [{ role: "user", content }], { stream: asked.stream === true });
  if (asked.stream) await result.completed;
  return asked.json ? { text: JSON.stringify(result.finalOutput), json: result.finalOutput } : { text: result.finalOutput };
}

async function byLangChain() {
  const model = new ChatOpenAI({
    model: "scripted",
    useResponsesApi: true,
    apiKey: asked.apiKey,
    configuration: terms,
    maxTokens: 50,
    maxRetries: asked.retries ?? 0,
    zdrEnabled: true,
    ...(asked.temperature === undefined ? {} : { temperature: asked.temperature }),
    ...(asked.timeoutMs === undefined ? {} : { timeout: asked.timeoutMs }),
  });
  const image = asked.image === undefined ? [] : [{ type: "image_url", image_url: { url: asked.image } }];
  const file = { type: "file", source_type: "base64", mime_type: "application/pdf", metadata: { filename: pdfName } };
  const pdf = asked.pdf === undefined ? [] : [{ ...file, data: asked.pdf.slice(asked.pdf.indexOf(",") + 1) }];
  const messages = [new HumanMessage({ content: [{ type: "text", text: asked.prompt }, ...image, ...pdf] })];
  if (asked.json) {
    const { raw, parsed } = await model.withStructuredOutput(sum, { method: "jsonSchema", includeRaw: true }).invoke(messages);
    return { text: raw.text, json: parsed };
  }
  const bound = asked.tools ? model.bindTools([{ ...add, schema: sums }]) : model;
  for (;;) {
    let message;
    if (asked.stream) for await (const part of await bound.stream(messages)) message = message === undefined ? part : message.concat(part);
    else message = await bound.invoke(messages);
    if (message.tool_calls.length === 0) return { text: message.text, finish: message.response_metadata.status };
    messages.push(message, ...message.tool_calls.map(({ id, args }) => new ToolMessage({ tool_call_id: id, content: added(args) })));
  }
}

try {
  tell({ said: await (framework === "langchain" ? byLangChain() : byAgents()) });
} catch (thrown) {
  const error = thrown.status === undefined && thrown.cause?.status !== undefined ? thrown.cause : thrown;
  tell({ error: { status: error.status ?? null, code: error.code ?? null, param: error.param ?? null }, why: String(thrown?.message) });
}
