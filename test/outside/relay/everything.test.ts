// The reference server through the relay: the same as without us, and sampling for a client that
// has none.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Everything, sampling, startEverything, type Tour, tour, visit, type Visitor } from "../support/relay-everything.ts";
import { type RelayOffice, relayKey, relayOffice } from "../support/relay-office.ts";

const text = "Hello from the scripted provider.";
const reply = { role: "assistant" as const, content: { type: "text" as const, text }, model: "scripted-1", stopReason: "endTurn" };

let server: Everything;
let office: RelayOffice;
let direct: Visitor;
let relayed: Visitor;
let without: Tour;
let through: Tour;

beforeAll(async () => {
  [server, office] = await Promise.all([startEverything(), relayOffice()]);
  await office.serve({ everything: { url: server.url, allowPrivate: true } });
  // The one has sampling of its own, the other declares none.
  direct = await visit(server.url, {}, reply);
  relayed = await visit(office.relay("everything"), { Authorization: `Bearer ${relayKey}` });
  // One after the other: the server keeps the files that it was given for all its sessions
  // together.
  without = await tour(direct);
  through = await tour(relayed);
});
afterAll(async () => {
  await direct?.client.close();
  await relayed?.client.close();
  await office?.close();
  server?.close();
});

describe("through the relay, for a client that declares no sampling", () => {
  test("the server says of itself what it says without us", () => {
    expect(through.server).toEqual(without.server);
  });

  test("it offers the same tools as to a client with sampling, and the same resources and prompts", () => {
    expect(through.lists).toEqual(without.lists);
    expect(JSON.stringify(through.lists["tools"])).toContain("trigger-sampling-request-async");
  });

  test("every tool answers the same", () => {
    expect(through.calls).toEqual(without.calls);
    const { tools } = through.lists["tools"] as { tools: { name: string }[] };
    const called = new Set([...through.calls.map(([name]) => name), ...Object.keys(sampling), "simulate-research-query"]);
    expect(tools.filter(({ name }) => !called.has(name))).toEqual([]);
  });

  test("resources, prompts, completions, tasks of the server's own and unknown methods answer the same", () => {
    expect(through.other).toEqual(without.other);
  });

  test("notifications and progress arrive the same", () => {
    expect(through.notifications).toEqual(without.notifications);
    expect(through.progress).toEqual(without.progress);
    expect(through.progress.map(({ progress }) => progress)).toEqual([1, 2, 3, 4]);
  });

  test("what the server asks its client besides sampling reaches the client", () => {
    expect(through.asked).toEqual(without.asked);
    expect(through.asked).toHaveLength(4);
  });
});

test("both sampling tools work for a client that declares no sampling, and answer what they answer with one that does", async () => {
  const call = (visitor: Visitor, name: string) =>
    visitor.client.callTool({ name, arguments: { prompt: "Say hello", maxTokens: 20 } }, undefined, { timeout: 60_000 });
  const resultOf = async (visitor: Visitor, name: string): Promise<unknown> => {
    const { content } = (await call(visitor, name)) as { content: { text: string }[] };
    const printed = content[0]?.text ?? "";
    // What the tools print is the whole result; ours says of its run in `_meta`.
    const result = JSON.parse(printed.slice(printed.indexOf("{"))) as { _meta?: unknown };
    return { ...result, _meta: undefined };
  };
  for (const name of Object.keys(sampling)) expect(await resultOf(relayed, name)).toEqual(await resultOf(direct, name));
  expect(relayed.sampled()).toBe(0);
  // This server sends all its events again to a client that had to resume a stream: once more is no
  // fault of anybody here.
  expect(direct.sampled()).toBeGreaterThanOrEqual(2);
  expect(office.model.requests).toHaveLength(2);
});
