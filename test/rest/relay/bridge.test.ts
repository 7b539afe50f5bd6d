// A client of 2026-07-28 at servers with sessions, through the relay: the client is served in its
// own revision, and what the server asks meanwhile waits for it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CellClient, cellClient } from "../../outside/support/cell-clients.ts";
import { type OldServer, serveOld } from "../../outside/support/old-server.ts";
import { type RelayOffice, openGates, relayKey, relayOffice } from "../../outside/support/relay-office.ts";

const reply = "Hello from the scripted provider.";

let office: RelayOffice;
let servers: Record<string, OldServer>;
beforeAll(async () => {
  const [old, json, resumable] = await Promise.all([serveOld(), serveOld({ json: true }), serveOld({ resumable: true })]);
  servers = { old, json, resumable };
  office = await relayOffice({ RELAY_HOLD_SECONDS: "1" });
  await office.serve(Object.fromEntries(Object.entries(servers).map(([name, { url }]) => [name, { url, allowPrivate: true }])));
});
afterAll(async () => {
  await Promise.all([office?.close(), ...Object.values(servers ?? {}).map((each) => each.close())]);
});

const connect = (server: string, declared?: object): Promise<CellClient> =>
  cellClient("SDK 2.x, 2026", office.relay(server), { Authorization: `Bearer ${relayKey}` }, declared === undefined ? {} : { declared });

describe.each(["old", "json", "resumable"])("at a server with sessions (%s)", (name) => {
  let client: CellClient;
  let server: OldServer;
  beforeAll(async () => {
    client = await connect(name);
    server = servers[name] as OldServer;
  });
  afterAll(() => client?.close());
  beforeEach(async () => {
    for (const list of [server.runs, server.answers, server.methods]) list.length = 0;
    await office.rule(openGates);
  });

  test("has its own revision, the server's lists and calls that ask nothing", async () => {
    expect(client.agreed()).toBe("2026-07-28");
    expect(await client.tools()).toContain("ask");
    expect(await client.call("plain")).toEqual({ text: "Plain.", isError: false });
    expect(await client.read("test://plain")).toBe("plain");
    expect(await client.complete("ask-prompt", "topic", "w")).toEqual(["weather", "wine"]);
  });

  test("is in one session, which the server's state is in", async () => {
    expect(await client.call("count")).toMatchObject({ text: "1" });
    expect(await client.call("count")).toMatchObject({ text: "2" });
    const other = await connect(name);
    expect(await other.call("count")).toMatchObject({ text: "3" });
    await other.close();
    expect(server.sessions()).toBe(1);
  });

  const accepted = { action: "accept", content: { confirm: true } };
  const roots = [{ uri: "file:///work" }];
  /** An SDK's server that answers in JSON has no stream of the request: it asks beside it. */
  const onStream: [string, string][] = [
    ["ask", reply],
    ["ask-two", JSON.stringify([reply, reply])],
    ["ask-five", JSON.stringify(Array(5).fill(reply))],
    ["elicit", JSON.stringify(accepted)],
    ["elicit-three", JSON.stringify(["accept", "accept", "accept"])],
    ["ask-and-elicit", JSON.stringify({ reply, ...accepted })],
    ["ask-roots", JSON.stringify({ reply, roots })],
  ];
  test.each([
    ...(name === "json" ? [] : onStream),
    ["aside", reply],
    ["elicit-aside", JSON.stringify(accepted)],
    ["roots-aside", JSON.stringify(roots)],
  ])("%s ends with the reply, and nothing is sent twice", async (tool, said) => {
    expect(await client.call(tool, { question: `What of ${tool} and ${name}?` })).toEqual({ text: said, isError: false });
    expect(server.runs).toEqual([tool]);
    expect(new Set(server.answers).size).toBe(server.answers.length);
  });

  test.skipIf(name === "json")("a prompt and a resource that sample", async () => {
    expect(await client.prompt("ask-prompt", { topic: `wine ${name}` })).toBe(reply);
    expect(await client.read("test://ask")).toBe(reply);
  });

  test("what the client did not declare is refused to the server", async () => {
    const bare = await connect(name, {});
    expect(await bare.call("elicit-aside")).toMatchObject({ isError: true });
    expect(await bare.call("roots-aside")).toMatchObject({ isError: true });
    expect(await bare.call("aside", { question: `Without ${name}` })).toEqual({ text: reply, isError: false });
    await bare.close();
    if (name === "json") return;
    expect(await client.call("undeclared")).toMatchObject({ isError: true });
  });
});
