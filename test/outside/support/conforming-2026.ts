// A server with everything that the conformance suite of 2026-07-28 asks a server for, on SDK 2.x:
// `createMcpHandler` and `McpServer` alone, with nothing answered by hand. What each tool, prompt
// and resource is called and has to do is written in the suite's scenarios.

import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createMcpHandler,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type InputRequiredResult,
  type InputRequest,
  type ServerContext,
  type ServerNotifier,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { Endpoint } from "./relay-serve.ts";

type Answer = CallToolResult | InputRequiredResult;
type Tool = (context: ServerContext) => Answer | Promise<Answer>;

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const noSound = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: onePixel, mimeType: "image/png" };
const resource = (uri: string, mimeType: string, value: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text: value },
});
const saying = (...content: CallToolResult["content"]): CallToolResult => ({ content });
const described = (name: string) => ({ description: `What the conformance suite knows as ${name}` });

// A state is bound to the tool that made it, as the suite wants it signed.
const states = createRequestStateCodec<string>({ key: "key-of-the-states-of-the-conforming-server" });

const elicit = (message: string, field: string, type: z.ZodString | z.ZodBoolean = z.string()): InputRequest =>
  inputRequired.elicit({ message, requestedSchema: z.object({ [field]: type }) });
const sample = (question: string, maxTokens: number): InputRequest =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(question) }], maxTokens });

/** The accepted value of one field; undefined where the user did not give it. */
const accepted = ({ mcpReq }: ServerContext, key: string, field: string): unknown => acceptedContent(mcpReq.inputResponses, key)?.[field];
const responseTo = ({ mcpReq }: ServerContext, key: string) => inputResponse(mcpReq.inputResponses, key);

const plain: Readonly<Record<string, Tool>> = {
  test_simple_text: () => saying(text("This is a simple text response for testing.")),
  test_image_content: () => saying(image),
  test_audio_content: () => saying({ type: "audio", data: noSound, mimeType: "audio/wav" }),
  test_embedded_resource: () => saying(resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
  test_multiple_content_types: () =>
    saying(
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", JSON.stringify({ test: "data", value: 123 })),
    ),
  test_error_handling: () => ({ isError: true, content: [text("This tool intentionally returns an error for testing")] }),
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log("info", "Logged where the request allows it.");
    return saying(text("Logged."));
  },
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken === undefined) continue;
      await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total: 100 } });
    }
    return saying(text("Went from 0 to 100."));
  },
};

const rounds: Readonly<Record<string, Tool>> = {
  test_input_required_result_elicitation: (context) => {
    const name = accepted(context, "user_name", "name");
    if (typeof name === "string") return saying(text(`Hello, ${name}!`));
    return inputRequired({ inputRequests: { user_name: elicit("What is your name?", "name") } });
  },
  test_input_required_result_sampling: (context) => {
    const reply = responseTo(context, "capital_question");
    if (reply.kind === "sampling") return saying(text(JSON.stringify(reply.result.content)));
    return inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } });
  },
  test_input_required_result_list_roots: (context) => {
    const roots = responseTo(context, "client_roots");
    if (roots.kind === "roots") return saying(text(roots.roots.map(({ uri }) => uri).join()));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  test_input_required_result_request_state: (context) => confirmedWithState(context, "state-ok"),
  test_input_required_result_tampered_state: (context) => confirmedWithState(context, "untampered"),
  test_input_required_result_multiple_inputs: async (context) => {
    const keys = ["user_name", "greeting", "client_roots"];
    if (keys.every((key) => responseTo(context, key).kind !== "missing")) return saying(text("All three are here."));
    return inputRequired({
      inputRequests: {
        user_name: elicit("What is your name?", "name"),
        greeting: sample("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint("multiple"),
    });
  },
  test_input_required_result_multi_round: async (context) => {
    const state = context.mcpReq.requestState<string>();
    const color = accepted(context, "step2", "color");
    if (state === "step2" && typeof color === "string") return saying(text(`Your color is ${color}.`));
    const next = state === "step1" && typeof accepted(context, "step1", "name") === "string" ? "step2" : "step1";
    const asked = next === "step1" ? elicit("Step 1: What is your name?", "name") : elicit("Step 2: What is your favorite color?", "color");
    return inputRequired({ inputRequests: { [next]: asked }, requestState: await states.mint(next) });
  },
  test_input_required_result_capabilities: (context) => {
    if (Object.keys(context.mcpReq.inputResponses ?? {}).length > 0) return saying(text("What was asked for is here."));
    // The SDK's published type of the envelope has lost its keys.
    const envelope = context.mcpReq.envelope as Readonly<Record<string, object>> | undefined;
    const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    const inputRequests: Record<string, InputRequest> = {};
    if ("sampling" in declared) inputRequests["question"] = sample("Which capabilities are there?", 50);
    if ("elicitation" in declared) inputRequests["form"] = elicit("Which capabilities are there?", "answer");
    return Object.keys(inputRequests).length === 0 ? saying(text("There are none.")) : inputRequired({ inputRequests });
  },
  // The SDK refuses a round for which the client declared nothing (-32021): all these two have to
  // do is ask.
  test_missing_capability: (context) => {
    if (responseTo(context, "question").kind === "sampling") return saying(text("Sampling is there."));
    return inputRequired({ inputRequests: { question: sample("Is sampling there?", 10) } });
  },
  test_streaming_elicitation: (context) => {
    if (responseTo(context, "form").kind === "elicit") return saying(text("A form is there."));
    return inputRequired({ inputRequests: { form: elicit("Is a form there?", "answer") } });
  },
};

async function confirmedWithState(context: ServerContext, done: string): Promise<Answer> {
  if (context.mcpReq.requestState<string>() === "confirm" && accepted(context, "confirm", "ok") === true) return saying(text(done));
  const inputRequests = { confirm: elicit("Please confirm", "ok", z.boolean()) };
  return inputRequired({ inputRequests, requestState: await states.mint("confirm") });
}

export const wideSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

function registerTools(server: McpServer, changed: () => ServerNotifier): void {
  for (const [name, run] of Object.entries({ ...plain, ...rounds })) server.registerTool(name, described(name), run);
  const inputSchema = fromJsonSchema(wideSchema);
  server.registerTool("json_schema_2020_12_tool", { ...described("the wide schema"), inputSchema }, (given) =>
    saying(text(JSON.stringify(given))),
  );
  const region = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) });
  server.registerTool("test_header", { ...described("a header of a tool's own"), inputSchema: region }, (given) =>
    saying(text(given.region)),
  );
  server.registerTool("test_trigger_tool_change", described("a change of the list"), () => {
    changed().toolsChanged();
    return saying(text("The tools changed."));
  });
  server.registerTool("test_trigger_prompt_change", described("a change of the list"), () => {
    changed().promptsChanged();
    return saying(text("The prompts changed."));
  });
}

function registerPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", described("simple"), () => ({
    messages: [{ role: "user", content: text("This is a simple prompt for testing.") }],
  }));
  const argsSchema = z.object({ arg1: completable(z.string(), () => ["paris", "park"]), arg2: z.string() });
  server.registerPrompt("test_prompt_with_arguments", { ...described("with arguments"), argsSchema }, ({ arg1, arg2 }) => ({
    messages: [{ role: "user", content: text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`) }],
  }));
  const uriSchema = z.object({ resourceUri: z.string() });
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { ...described("with a resource"), argsSchema: uriSchema },
    ({ resourceUri }) => ({
      messages: [
        { role: "user", content: resource(resourceUri, "text/plain", "Embedded resource content for testing.") },
        { role: "user", content: text("Please process the embedded resource above.") },
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", described("with an image"), () => ({
    messages: [
      { role: "user", content: image },
      { role: "user", content: text("Please analyze the image above.") },
    ],
  }));
  server.registerPrompt("test_input_required_result_prompt", described("with a round"), (context) => {
    const given = accepted(context, "user_context", "context");
    if (typeof given === "string") return { messages: [{ role: "user", content: text(given) }] };
    return inputRequired({ inputRequests: { user_context: elicit("What context should the prompt use?", "context") } });
  });
}

function registerResources(server: McpServer): void {
  server.registerResource("static-text", "test://static-text", { mimeType: "text/plain" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("static-binary", "test://static-binary", { mimeType: "image/png" }, ({ href: uri }) => ({
    contents: [{ uri, mimeType: "image/png", blob: onePixel }],
  }));
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined });
  server.registerResource("template", template, { mimeType: "application/json" }, ({ href: uri }, { id }) => ({
    contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }) }],
  }));
}

/**
 * The endpoint of such a server, closed to other hosts than its own: the handler leaves that to
 * whoever serves it.
 */
export function conforming2026(): Endpoint {
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: "conforming", version: "1" },
      { capabilities: { logging: {} }, requestState: { verify: states.verify } },
    );
    registerTools(server, () => handler.notify);
    registerPrompts(server);
    registerResources(server);
    return server;
  });
  return async (request) => {
    const own = request.headers.get("Host") ?? "";
    const origin = request.headers.get("Origin");
    if (!/^127\.0\.0\.1:\d+$/.test(own) || (origin !== null && origin !== `http://${own}`))
      return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32000, message: "Another host" } }, { status: 403 });
    return handler.fetch(request);
  };
}
