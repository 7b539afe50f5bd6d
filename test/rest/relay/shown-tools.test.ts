// Clients of every SDK at servers of both families, through the relay: they see the tools that the
// entry allows, and call no other.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CellClient, cellClient, cellClients } from "../../outside/support/cell-clients.ts";
import { type ModernServer, serveModern } from "../../outside/support/modern-server.ts";
import { type Everything, startEverything } from "../../outside/support/relay-everything.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

let office: RelayOffice;
let everything: Everything;
let modern: ModernServer;
let streaming: ModernServer;
beforeAll(async () => {
  [office, everything, modern, streaming] = await Promise.all([
    relayOffice(),
    startEverything(),
    serveModern({ legacy: "reject" }),
    serveModern({ legacy: "reject", responseMode: "sse" }),
  ]);
  const entries = { everything, modern, streaming };
  const servers = Object.entries(entries).flatMap(([name, { url }]) => {
    const entry = { url, allowPrivate: true };
    return [
      [name, entry] as const,
      [`${name}-some`, { ...entry, tools: { allow: ["e*", "get-*"], deny: ["get-env"] } }] as const,
      [`${name}-held`, { ...entry, pin: "hold" }] as const,
    ];
  });
  await office.serve(Object.fromEntries(servers));
});
afterAll(async () => {
  await Promise.all([office?.close(), modern?.close(), streaming?.close()]);
  everything?.close();
});

describe.each(cellClients)("a client of %s", (kind) => {
  describe.each(["everything", "modern", "streaming"])("at the server %s", (server) => {
    const clients: CellClient[] = [];
    const connected = async (name: string): Promise<CellClient> => {
      const client = await cellClient(kind, office.relay(name), { Authorization: `Bearer ${relayKey}` });
      clients.push(client);
      return client;
    };
    afterAll(async () => {
      await Promise.all(clients.map((client) => client.close()));
    });

    test("sees and calls the entry's tools alone", async () => {
      const [all, some] = [await connected(server), await connected(`${server}-some`)];
      const shown = (await all.tools()).filter((name) => /^(?:e|get-)/.test(name) && name !== "get-env");
      expect(shown).toContain("echo");
      expect(await some.tools()).toEqual(shown);
      const input = { text: "Plain.", message: "Plain." };
      expect((await some.call("echo", input)).text).toContain("Plain.");
      for (const hidden of ["get-env", "get-ENV", "ask"]) await expect(some.call(hidden, input)).rejects.toThrow(`Unknown tool: ${hidden}`);
    });

    test("sees every tool of the first list where they are held, and calls them", async () => {
      const [all, held] = [await connected(server), await connected(`${server}-held`)];
      expect(await held.tools()).toEqual(await all.tools());
      expect((await held.call("echo", { text: "Plain.", message: "Plain." })).text).toContain("Plain.");
      await expect(held.call("never-listed")).rejects.toThrow("Unknown tool: never-listed");
    });
  });
});
