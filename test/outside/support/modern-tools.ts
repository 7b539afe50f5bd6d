// The tools, prompt and resource of a server of 2026-07-28 that samples in every way a round of
// input allows. No transport.

import {
  acceptedContent,
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  type CallToolResult,
  type CreateMessageRequestParams,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";

/** What a test decides about `slow` and learns from it. */
export type SlowCalls = {
  /** Calls that wait now. */
  waiting: number;
  /** Calls that were cancelled. */
  cancelled: number;
  /** Resolves when the calls may end. */
  released: Promise<void>;
};

/** How long `later` takes: long enough to be killed meanwhile. */
export const laterMs = 300;

type Message = CreateMessageRequestParams["messages"][number];
type Block = Extract<Message["content"], readonly unknown[]>[number];
type Answer = CallToolResult | InputRequiredResult;

/** What the server carries through its rounds. The nonce makes each state one of its kind. */
type State = { readonly nonce: string; readonly round: number; readonly replies?: string[]; readonly messages?: Message[] };

export const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

// One key for every process: a server that starts again still knows its states, as a real one does.
const states = createRequestStateCodec<State>({ key: "key-of-the-states-of-the-modern-server" });
const mint = (state: Omit<State, "nonce">): Promise<string> => states.mint({ nonce: crypto.randomUUID(), ...state });
const stateOf = (context: ServerContext): State | undefined => context.mcpReq.requestState<State>();

const said = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });
const asked = (question: string): Message => ({ role: "user", content: { type: "text", text: question } });
const sampling = (question: string) => inputRequired.createMessage({ messages: [asked(question)], maxTokens: 100 });

/** The blocks of the reply under `key`; undefined where this round has none. */
function blocksOf({ mcpReq }: ServerContext, key: string): Block[] | undefined {
  const view = inputResponse(mcpReq.inputResponses, key);
  if (view.kind !== "sampling") return undefined;
  return [view.result.content].flat() as Block[]; // The SDK's two types of results differ in whether a list is allowed.
}

/** The reply under `key` as text; what is no text as JSON. */
const replyOf = (context: ServerContext, key: string): string | undefined =>
  blocksOf(context, key)
    ?.map((block) => (block.type === "text" ? block.text : JSON.stringify(block)))
    .join("");

const question = z.object({ question: z.string() });

function registerOneRound(server: McpServer): void {
  server.registerTool("ask", { description: "Samples once", inputSchema: question }, (given, context): Answer => {
    const reply = replyOf(context, "reply");
    return reply === undefined ? inputRequired({ inputRequests: { reply: sampling(given.question) } }) : said(reply);
  });
  server.registerTool("ask-image", { description: "Samples with an image", inputSchema: question }, (given, context): Answer => {
    const reply = replyOf(context, "reply");
    if (reply !== undefined) return said(reply);
    const content: Block[] = [
      { type: "text", text: given.question },
      { type: "image", data: onePixel, mimeType: "image/png" },
    ];
    return inputRequired({
      inputRequests: { reply: inputRequired.createMessage({ messages: [{ role: "user", content }], maxTokens: 100 }) },
    });
  });
  server.registerTool("ask-two", { description: "Samples twice in one round", inputSchema: question }, (given, context): Answer => {
    const [first, second] = [replyOf(context, "first"), replyOf(context, "second")];
    if (first !== undefined && second !== undefined) return said(JSON.stringify([first, second]));
    return inputRequired({
      inputRequests: { first: sampling(`${given.question} (first)`), second: sampling(`${given.question} (second)`) },
    });
  });
  server.registerTool("ask-streamed", { description: "Samples after progress", inputSchema: question }, async (given, context) => {
    const reply = replyOf(context, "reply");
    await report(context, 1);
    return reply === undefined
      ? inputRequired({ inputRequests: { reply: sampling(given.question) }, requestState: await mint({ round: 1 }) })
      : said(reply);
  });
}

function registerRounds(server: McpServer): void {
  server.registerTool("ask-five", { description: "Samples in five rounds", inputSchema: question }, async (given, context) => {
    const state = stateOf(context);
    const reply = replyOf(context, "reply");
    // Without this round's reply the same round is asked for again.
    const replies = [...(state?.replies ?? []), ...(reply === undefined ? [] : [reply])];
    if (replies.length === 5) return said(JSON.stringify(replies));
    const round = replies.length + 1;
    return inputRequired({
      inputRequests: { reply: sampling(`${given.question} (round ${round})`) },
      requestState: await mint({ round, replies }),
    });
  });
  server.registerTool("ask-later", { description: "Asks to come again, then samples", inputSchema: question }, async (given, context) => {
    const reply = replyOf(context, "reply");
    if (reply !== undefined) return said(reply);
    const round = (stateOf(context)?.round ?? 0) + 1;
    const requestState = await mint({ round });
    return round === 1
      ? inputRequired({ requestState })
      : inputRequired({ inputRequests: { reply: sampling(given.question) }, requestState });
  });
  server.registerTool("ask-tools", { description: "A loop with tools of its own", inputSchema: question }, async (given, context) => {
    const { round, messages } = stateOf(context) ?? { round: 0, messages: undefined };
    const so = messages ?? [asked(given.question)];
    const content = blocksOf(context, "reply");
    const uses = content?.filter((block) => block.type === "tool_use") ?? [];
    if (content !== undefined && (uses.length === 0 || round === 3)) return said(JSON.stringify({ round, content }));
    const results: Block[] = uses.map(({ id, input }) => ({
      type: "tool_result",
      toolUseId: id,
      content: [{ type: "text", text: `Sunny: ${JSON.stringify(input)}` }],
    }));
    const next: Message[] = content === undefined ? so : [...so, { role: "assistant", content }, { role: "user", content: results }];
    return inputRequired({
      inputRequests: {
        reply: inputRequired.createMessage({ messages: next, tools: offered, toolChoice: { mode: "auto" }, maxTokens: 200 }),
      },
      requestState: await mint({ round: round + 1, messages: next }),
    });
  });
}

const offered: NonNullable<CreateMessageRequestParams["tools"]> = [
  {
    name: "weather",
    description: "The weather of a city",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];

const confirmed = z.object({ confirm: z.boolean() });

function registerMixed(server: McpServer): void {
  server.registerTool("ask-and-elicit", { description: "Samples and asks the user", inputSchema: question }, async (given, context) => {
    const reply = replyOf(context, "reply");
    const form = inputResponse(context.mcpReq.inputResponses, "confirm");
    if (reply !== undefined && form.kind === "elicit") {
      const content = acceptedContent(context.mcpReq.inputResponses, "confirm", confirmed);
      return said(JSON.stringify({ reply, action: form.action, content }));
    }
    const confirm = inputRequired.elicit({ message: "Is the question right?", requestedSchema: confirmed });
    return inputRequired({ inputRequests: { reply: sampling(given.question), confirm }, requestState: await mint({ round: 1 }) });
  });
  server.registerTool("ask-roots", { description: "Samples and lists roots", inputSchema: question }, async (given, context) => {
    const reply = replyOf(context, "reply");
    const listed = inputResponse(context.mcpReq.inputResponses, "roots");
    if (reply !== undefined && listed.kind === "roots") return said(JSON.stringify({ reply, roots: listed.roots }));
    const inputRequests = { reply: sampling(given.question), roots: inputRequired.listRoots() };
    return inputRequired({ inputRequests, requestState: await mint({ round: 1 }) });
  });
  const address = z.object({ question: z.string(), url: z.string() });
  server.registerTool("ask-url", { description: "Samples and sends the user to a page", inputSchema: address }, async (given, context) => {
    const reply = replyOf(context, "reply");
    const opened = inputResponse(context.mcpReq.inputResponses, "open");
    if (reply !== undefined && opened.kind === "elicit") return said(JSON.stringify({ reply, action: opened.action }));
    const open = inputRequired.elicitUrl({ message: "Sign in first.", url: given.url });
    return inputRequired({ inputRequests: { reply: sampling(given.question), open }, requestState: await mint({ round: 1 }) });
  });
}

async function report({ mcpReq }: ServerContext, progress: number, total = 3): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  await mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, total, message: `Step ${progress}` } });
}

function registerPlain(server: McpServer, slow: SlowCalls): void {
  const text = z.object({ text: z.string() });
  server.registerTool("echo", { description: "Answers", inputSchema: text }, ({ text }) => said(text));
  server.registerTool("later", { description: "Answers after a while", inputSchema: question }, async ({ question }) => {
    await new Promise((resolve) => setTimeout(resolve, laterMs));
    return said(`Ran: ${question}`);
  });
  server.registerTool("progress", { description: "Reports progress" }, async (context) => {
    for (const step of [1, 2, 3]) await report(context, step);
    return said("done");
  });
  server.registerTool("slow", { description: "Answers when the test says so" }, async ({ mcpReq: { signal } }) => {
    slow.waiting += 1;
    const cancelled = new Promise<"cancelled">((resolve) => signal.addEventListener("abort", () => resolve("cancelled")));
    const ended = await Promise.race([slow.released.then(() => "done" as const), cancelled]);
    slow.waiting -= 1;
    if (ended === "cancelled") slow.cancelled += 1;
    return said(ended);
  });
  const region = z.object({ region: z.string().meta({ "x-mcp-header": "Region" }) });
  server.registerTool("region", { description: "Has a header of its own", inputSchema: region }, (given) => said(given.region));
}

function registerOthers(server: McpServer): void {
  const argsSchema = z.object({
    topic: completable(z.string(), (value) => ["weather", "wine"].filter((topic) => topic.startsWith(value))),
  });
  server.registerPrompt("ask-prompt", { description: "Samples for its text", argsSchema }, ({ topic }, context) => {
    const reply = replyOf(context, "reply");
    if (reply === undefined) return inputRequired({ inputRequests: { reply: sampling(`A prompt on ${topic}`) } });
    return { messages: [{ role: "user", content: { type: "text", text: reply } }] };
  });
  server.registerResource("note", "test://ask", { description: "Samples for its text", mimeType: "text/plain" }, async (uri, context) => {
    const reply = replyOf(context, "reply");
    if (reply !== undefined) return { contents: [{ uri: uri.href, mimeType: "text/plain", text: reply }] };
    return inputRequired({ inputRequests: { reply: sampling(`A text for ${uri.href}`) }, requestState: await mint({ round: 1 }) });
  });
  server.registerResource("still", "test://plain", { description: "Is there", mimeType: "text/plain" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "plain" }],
  }));
}

/** A new server, as the SDK wants one for each request or each stdio connection. */
export function modernServer(slow: SlowCalls): McpServer {
  const server = new McpServer(
    { name: "modern", version: "1" },
    { requestState: { verify: states.verify }, instructions: "A server of the tests.", cacheHints: { "tools/list": { ttlMs: 60_000 } } },
  );
  registerPlain(server, slow);
  registerOneRound(server);
  registerRounds(server);
  registerMixed(server);
  registerOthers(server);
  return server;
}
