// Clients of both families at servers of both families, through the relay: the tool ends with the reply.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CellClient, type CellClientKind, cellClient, cellClients } from "../support/cell-clients.ts";
import { type ModernServer, repeatedContinuations, serveModern } from "../support/modern-server.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../support/relay-office.ts";

const reply = "Hello from the scripted provider.";

let office: RelayOffice;
let modern: ModernServer;
let streaming: ModernServer;
beforeAll(async () => {
  [office, modern, streaming] = await Promise.all([
    relayOffice({ RELAY_HOLD_SECONDS: "1" }),
    serveModern({ legacy: "reject" }),
    serveModern({ responseMode: "sse" }),
  ]);
  const at = (url: string): object => ({ url, allowPrivate: true });
  await office.serve({ modern: at(modern.url), streaming: at(streaming.url) });
});
afterAll(async () => {
  await Promise.all([office?.close(), modern?.close(), streaming?.close()]);
});

const connect = (kind: CellClientKind, server: string): Promise<CellClient> =>
  cellClient(kind, office.relay(server), { Authorization: `Bearer ${relayKey}` });

describe.each(cellClients)("a client of %s at a server of 2026-07-28", (kind) => {
  let client: CellClient;
  beforeAll(async () => {
    client = await connect(kind, "modern");
  });
  afterAll(() => client?.close());
  beforeEach(async () => {
    modern.received.length = 0;
    await office.rule(openGates);
  });

  test("has its tools, and calls that do not sample", async () => {
    expect(await client.tools()).toContain("ask");
    expect(await client.call("echo", { text: "Plain." })).toEqual({ text: "Plain.", isError: false });
    expect(await client.read("test://plain")).toBe("plain");
    expect(await client.complete("ask-prompt", "topic", "w")).toEqual(["weather", "wine"]);
  });

  test.each([
    ["ask", reply],
    ["ask-image", reply],
    ["ask-streamed", reply],
    ["ask-later", reply],
    ["ask-two", JSON.stringify([reply, reply])],
    ["ask-five", JSON.stringify(Array(5).fill(reply))],
    ["ask-and-elicit", JSON.stringify({ reply, action: "accept", content: { confirm: true } })],
    ["ask-roots", JSON.stringify({ reply, roots: [{ uri: "file:///work" }] })],
  ])("%s ends with the reply", async (tool, said) => {
    expect(await client.call(tool, { question: `What of ${tool} and ${kind}?` })).toEqual({ text: said, isError: false });
    expect(repeatedContinuations(modern.received)).toEqual([]);
  });

  test("a prompt and a resource that sample", async () => {
    expect(await client.prompt("ask-prompt", { topic: `wine ${kind}` })).toBe(reply);
    expect(await client.read("test://ask")).toBe(reply);
  });
});
