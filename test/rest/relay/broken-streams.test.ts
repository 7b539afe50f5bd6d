// Connections that break between the SDKs' clients and the gateway, and clients that leave without
// a word.

import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cuttable, startCuttable } from "../../outside/support/cuttable.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type RawMcpServer, openStream, startRawMcpServer } from "../../support/raw-mcp-server.ts";
import { type ModernServer, serveModern } from "../../outside/support/modern-server.ts";
import { openedReview } from "../../outside/support/opened-review.ts";
import { rawClient, until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

let office: RelayOffice;
let modern: ModernServer;
let raw: RawMcpServer;
let witness: RawMcpServer;
let network: Cuttable;
beforeAll(async () => {
  // So long that no heartbeat shows who has left.
  const variables = { HEARTBEAT_SECONDS: "60" };
  [office, modern, raw, witness] = await Promise.all([
    relayOffice(variables),
    serveModern({ legacy: "reject" }),
    startRawMcpServer(),
    startRawMcpServer(),
  ]);
  network = await startCuttable(Number(new URL(office.url).port));
  const rule = { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"] } };
  await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada", email: "ada@example.com" }] } });
  await office.serve({
    modern: { url: modern.url, allowPrivate: true },
    raw: { url: raw.url, allowPrivate: true },
    witness: { url: witness.url, allowPrivate: true },
  });
});
afterAll(async () => {
  await network?.close();
  await Promise.all([office?.close(), modern?.close(), raw?.close(), witness?.close()]);
});

/** Event streams by how they were asked for, each as far as it was read. */
type Seen = { readonly isResumed: boolean; text: string };

/** Keeps what the client reads of every event stream. */
function watching(seen: Seen[]): typeof fetch {
  return async (input, init) => {
    const answer = await fetch(input, init);
    if (answer.body === null || !(answer.headers.get("Content-Type") ?? "").includes("event-stream")) return answer;
    const stream: Seen = { isResumed: new Headers(init?.headers).has("Last-Event-ID"), text: "" };
    seen.push(stream);
    const decoder = new TextDecoder();
    const read = new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        stream.text += decoder.decode(piece, { stream: true });
        controller.enqueue(piece);
      },
    });
    return new Response(answer.body.pipeThrough(read), answer);
  };
}

const about = { name: "cut off", version: "1" };
const clients = {
  "SDK 1.x": async (url: URL, options: { requestInit: RequestInit; fetch: typeof fetch }) => {
    const client = new ClientV1(about, { capabilities: {} });
    // The SDK's own class; its types differ in optional members alone.
    await client.connect(new TransportV1(url, options) as Parameters<ClientV1["connect"]>[0]);
    return {
      call: (question: string) => client.callTool({ name: "ask", arguments: { question } }, undefined, { timeout: 120_000 }),
      close: () => client.close(),
    };
  },
  "SDK 2.x": async (url: URL, options: { requestInit: RequestInit; fetch: typeof fetch }) => {
    const client = new ClientV2(about, { capabilities: {} });
    await client.connect(new TransportV2(url, options));
    return {
      call: (question: string) => client.callTool({ name: "ask", arguments: { question } }, { timeout: 120_000 }),
      close: () => client.close(),
    };
  },
} as const;

test.each(Object.keys(clients) as (keyof typeof clients)[])(
  "a call of a client of %s, of the 2025 family, at a server of 2026-07-28 outlives connections that break again and again",
  async (kind) => {
    const seen: Seen[] = [];
    const client = await clients[kind](new URL(`${network.url}/mcp/modern`), {
      requestInit: { headers: { Authorization: `Bearer ${relayKey}` } },
      fetch: watching(seen),
    });
    const { called, link } = await openedReview<unknown>(office, () => client.call(`Cut off: ${kind}`));
    const resumed = (): Seen[] => seen.filter(({ isResumed }) => isResumed);
    await until("an event to come back to", () => seen.some(({ text }) => /^id: /m.test(text)));
    for (let broken = 1; broken <= 3; broken += 1) {
      network.cut();
      await until(`the stream after break ${broken}`, () => resumed().length >= broken && resumed().every(({ text }) => text !== ""));
    }
    await decideByLink(link, "approve");
    expect(await called).toMatchObject({ content: [{ type: "text", text: "Hello from the scripted provider." }] });
    await client.close();
  },
);

describe("of a client that leaves without a word", () => {
  type Answer = Parameters<RawMcpServer["behave"]>[1];
  const opens = (response: Answer): void => openStream(response, ": open\n\n");

  /** Reads a stream until a text has come, and further on the next call. */
  function readerOf({ body }: Response): (text: string) => Promise<void> {
    let seen = "";
    const decoder = new TextDecoder();
    const reader = body?.getReader();
    return async (text) => {
      while (!seen.includes(text)) seen += decoder.decode((await reader?.read())?.value, { stream: true });
    };
  }

  /** Opens a stream at the server, leaves, and resolves when the server has it no more. */
  async function left(method: "GET" | "POST", answer: ((response: Answer) => void) | null): Promise<"closed"> {
    const [arrived, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    raw.behave = (call, response) => {
      if (call.method !== method || (method === "POST" && call.message.method !== "tools/call")) return false;
      response.on("close", () => closed.resolve());
      answer?.(response);
      arrived.resolve();
      return true;
    };
    const client = await rawClient(office.relay("raw"));
    const leaving = new AbortController();
    const asked = method === "GET" ? client.listen(undefined, leaving.signal) : client.call("left", leaving.signal);
    asked.catch(() => {});
    await arrived.promise;
    if (answer !== null) await readerOf(await asked)(": open");
    leaving.abort();
    await closed.promise;
    return "closed";
  }

  test.each<[string, Parameters<typeof left>]>([
    ["the stand-alone stream", ["GET", opens]],
    ["the stand-alone stream, of which the server has not said a word", ["GET", null]],
    ["the stand-alone stream, from which the client has an event id", ["GET", (response) => openStream(response, "id: 1\n: open\n\n")]],
    ["the stream of a call", ["POST", opens]],
  ])("%s is closed at the server before any heartbeat", async (_what, stream) => {
    // A call's stream that can be resumed has no other comments.
    witness.behave = ({ method, message }, response) =>
      method === "POST" && message.method === "tools/call" && (openStream(response, "id: 1\ndata: \n\n"), true);
    const reads = readerOf(await (await rawClient(office.relay("witness"))).call("witness"));
    await reads("id: ");
    expect(await Promise.race([reads(": waiting").then(() => "a heartbeat"), left(...stream)])).toBe("closed");
  });
});
