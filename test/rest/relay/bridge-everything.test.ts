// The reference server, which has sessions, for a client of 2026-07-28 of the official SDK.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CellClient, cellClient } from "../../outside/support/cell-clients.ts";
import { type Everything, startEverything } from "../../outside/support/relay-everything.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

const reply = "Hello from the scripted provider.";

let server: Everything;
let office: RelayOffice;
let client: CellClient;
beforeAll(async () => {
  [server, office] = await Promise.all([startEverything(), relayOffice({ RELAY_HOLD_SECONDS: "5" })]);
  await office.serve({ everything: { url: server.url, allowPrivate: true } });
  client = await cellClient("SDK 2.x, 2026", office.relay("everything"), { Authorization: `Bearer ${relayKey}` });
});
afterAll(async () => {
  await client?.close();
  await office?.close();
  server?.close();
});

describe("server-everything for a client of 2026-07-28", () => {
  test("offers the tools that sample", async () => {
    expect(client.agreed()).toBe("2026-07-28");
    expect(await client.tools()).toContain("trigger-sampling-request");
  });

  test.each(["trigger-sampling-request", "trigger-sampling-request-async"])("%s ends with the reply", async (tool) => {
    const { text, isError } = await client.call(tool, { prompt: `Say hello to ${tool}`, maxTokens: 20 });
    expect({ isError, said: text.includes(reply) }).toEqual({ isError: false, said: true });
  });

  test("its form is filled in, its roots are told, its operation makes progress", async () => {
    expect((await client.call("trigger-elicitation-request")).text).toContain("confirm");
    expect((await client.call("get-roots-list")).text).toContain("file:///work");
    expect(client.asked).toEqual(expect.arrayContaining(["elicitation/create", "roots/list"]));
    const told: unknown[] = [];
    await client.call("trigger-long-running-operation", { duration: 0.4, steps: 4 }, { onprogress: (each) => told.push(each) });
    expect(told.map((each) => (each as { progress: number }).progress)).toEqual([1, 2, 3, 4]);
  });
});
