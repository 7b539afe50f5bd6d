// Connections that break between the SDKs' clients and the gateway, while a person decides.

import { Client as ClientV2, StreamableHTTPClientTransport as TransportV2 } from "@modelcontextprotocol/client";
import { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as TransportV1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cuttable, startCuttable } from "../support/cuttable.ts";
import { decideByLink } from "../support/killable-gateway.ts";
import { type ModernServer, serveModern } from "../support/modern-server.ts";
import { openedReview } from "../support/opened-review.ts";
import { until } from "../support/raw-client.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../support/relay-office.ts";

let office: RelayOffice;
let modern: ModernServer;
let network: Cuttable;
beforeAll(async () => {
  [office, modern] = await Promise.all([relayOffice(), serveModern({ legacy: "reject" })]);
  network = await startCuttable(Number(new URL(office.url).port));
  const rule = { name: "asked", when: {}, then: { request: "review", response: "allow", reviewers: ["everyone"] } };
  await office.rule({ ...openGates, rules: [rule], reviewers: { everyone: [{ name: "Ada", email: "ada@example.com" }] } });
  await office.serve({ modern: { url: modern.url, allowPrivate: true } });
});
afterAll(async () => {
  await network?.close();
  await Promise.all([office?.close(), modern?.close()]);
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
