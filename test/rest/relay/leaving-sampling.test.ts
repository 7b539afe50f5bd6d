// examples/leaving-sampling: the server before and after it left sampling, behind the relay, under
// one policy and one review.

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createMcpHandler } from "@modelcontextprotocol/server";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { summarizeServer } from "../../../examples/leaving-sampling/after-v2.ts";
import { freePort } from "../../../scripts/local-gateway.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { eventually } from "../../outside/support/program.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { serveStreaming, type StreamingServer } from "../../outside/support/relay-serve.ts";

let office: RelayOffice;
/** Passes requests for /v1 on to the gateway, and keeps the tokens that they were sent with. */
let between: StreamingServer;
const tokens: string[] = [];
let modern: StreamingServer;
const servers: ChildProcess[] = [];

/** Starts an example on a port of its own. */
async function example(name: string): Promise<string> {
  const port = await freePort();
  const script = fileURLToPath(new URL(`../../../examples/leaving-sampling/${name}`, import.meta.url));
  const env = { PATH: process.env["PATH"], PORT: String(port), COUNTERSIGN_V1_URL: `${between.url}/v1` };
  servers.push(spawn(process.execPath, [script], { env, stdio: "ignore" }));
  const url = `http://127.0.0.1:${port}/mcp`;
  await eventually(name, () =>
    fetch(url).then(
      () => true,
      () => false,
    ),
  );
  return url;
}

beforeAll(async () => {
  office = await relayOffice();
  await office.rule({
    rules: [],
    default: { request: "review", response: "allow", reviewers: ["everyone"], deadlineSeconds: 600 },
    reviewers: { everyone: [{ name: "Ada" }] },
  });
  between = await serveStreaming(async (request) => {
    const { pathname } = new URL(request.url);
    const credential = request.headers.get("Authorization");
    tokens.push(credential?.replace("Bearer ", "") ?? "");
    const headers = {
      "Content-Type": "application/json",
      Authorization: credential ?? "",
      "Idempotency-Key": request.headers.get("Idempotency-Key") ?? "",
    };
    const answer = await fetch(`${office.url}${pathname}`, { method: "POST", headers, body: await request.text() });
    return new Response(await answer.text(), {
      status: answer.status,
      headers: { "Content-Type": "application/json", "X-Should-Retry": answer.headers.get("X-Should-Retry") ?? "" },
    });
  });
  const onV2 = createMcpHandler(() => summarizeServer(`${between.url}/v1`), { legacy: "reject" });
  modern = await serveStreaming((request) => onV2.fetch(request));
  const [before, after] = await Promise.all([example("before.ts"), example("after.ts")]);
  const moved = { url: after, allowPrivate: true };
  await office.serve({
    before: { url: before, allowPrivate: true },
    after: { ...moved, v1Tokens: { maxUsd: 0.05, maxSeconds: 600 } },
    poor: { ...moved, v1Tokens: { maxUsd: 0.000_1, maxSeconds: 600 } },
    tokenless: moved,
    "after-v2": { url: `${modern.url}/mcp`, allowPrivate: true, v1Tokens: { maxUsd: 0.05, maxSeconds: 600 } },
    "tokenless-v2": { url: `${modern.url}/mcp`, allowPrivate: true },
  });
});
afterAll(async () => {
  for (const server of servers) server.kill();
  await Promise.all([between?.close(), modern?.close()]);
  await office?.close();
});
beforeEach(() => {
  office.model.reset();
  tokens.length = 0;
});

/** Calls the tool through the relay; while it runs, `meanwhile`. */
async function summarize<T>(server: string, meanwhile: () => Promise<T>): Promise<{ readonly result: object; readonly seen: T }> {
  const client = new Client({ name: "plain", version: "1" }, { capabilities: {} });
  const transport = new StreamableHTTPClientTransport(new URL(office.relay(server)), {
    requestInit: { headers: { Authorization: `Bearer ${relayKey}` } },
  });
  await client.connect(transport as Parameters<typeof client.connect>[0]); // The SDK's own class; its types differ in optional members alone.
  try {
    const calling = client.callTool({ name: "summarize", arguments: { text: "Much." } });
    const [result, seen] = await Promise.all([calling, meanwhile()]);
    return { result, seen };
  } finally {
    await client.close();
  }
}

/** Approves the review that opens; the address of its page says nothing of who asks. */
async function approve(): Promise<string> {
  const { link, run } = await office.review("request");
  await decideByLink(link ?? "", "approve");
  return run;
}

const saying = (text: string) => ({ content: [{ type: "text", text }] });

const factsOf = async (server: string) =>
  (await office.record()).events.map(({ fact }) => fact).filter((fact) => "server" in fact && fact.server === server);

test.each(["before", "after", "tokenless", "after-v2", "tokenless-v2"])(
  "%s: the review is approved by its link, and the tool returns the reply",
  async (server) => {
    const moved = server.startsWith("after");
    office.model.script({ answer: "reply", text: "A summary." });
    const { result } = await summarize(server, approve);
    expect(result).toMatchObject(saying("A summary."));
    expect(office.model.requests.map(({ body }) => body)).toMatchObject([
      {
        max_tokens: 200,
        messages: [
          { role: "system", content: "You write short, plain summaries." },
          { role: "user", content: "Summarize in one sentence:\n\nMuch." },
        ],
      },
    ]);
    const facts = await factsOf(server);
    const tool = { server, method: "tools/call", name: "summarize", provenance: "observed" };
    expect(facts.filter(({ kind }) => kind === "received")).toMatchObject([{ ...tool, endpoint: moved ? "v1" : "relay" }]);
    expect(facts.filter(({ kind }) => kind === "tokenMade")).toMatchObject(moved ? [{ ...tool, models: null, maxUsd: 0.05 }] : []);
    expect(tokens).toHaveLength(moved ? 1 : 0);
  },
);

test("the token is dead once the tool call has ended, and it never was a key", async () => {
  office.model.script({ answer: "reply", text: "A summary." });
  await summarize("after", approve);
  const [token = ""] = tokens;
  expect(token).toMatch(/^cst_/);
  const openai = new OpenAI({ apiKey: token, baseURL: `${office.url}/v1`, maxRetries: 0 });
  const again = openai.chat.completions.create({
    model: "auto",
    messages: [{ role: "user", content: "More." }],
    max_completion_tokens: 10,
  });
  await expect(again).rejects.toMatchObject({ status: 400, error: { details: { reason: "originatingRequestEnded" } } });
  expect(office.model.requests).toHaveLength(1);
  const client = new Client({ name: "thief", version: "1" }, { capabilities: {} });
  const transport = new StreamableHTTPClientTransport(new URL(office.relay("after")), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  await expect(client.connect(transport as Parameters<typeof client.connect>[0])).rejects.toMatchObject({ code: 401 });
});

test("a request that may cost more than the token's amount is answered 402, and nobody is asked", async () => {
  const { result } = await summarize("poor", async () => null);
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toContain("402");
  expect(office.model.requests).toEqual([]);
  expect((await office.notices()).filter(({ state }) => state === "open")).toEqual([]);
});
