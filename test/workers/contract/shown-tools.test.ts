// Which tools of a server a client sees and may call: for both families of clients at both families
// of servers, in JSON and on streams.

import { runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, test } from "vitest";
import type { ToolsObject } from "../../../workers/objects/tools-object.ts";
import { serversOf } from "../../../workers/stores/documents.ts";
import { knownTool, noteToolUse } from "../../../workers/stores/tools.ts";
import type { KnownDefinition } from "../../../workers/stubs/tools-calls.ts";
import { toolsStub } from "../../../workers/stubs/stubs.ts";
import { asObject, tablesIn } from "../objects/inside.ts";
import { admin, createKey, env, eventually, jsonBody } from "../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  type UpstreamCall,
  configureServers,
  eventFor,
  initializeResult,
  openStream,
  scriptUpstream,
  streamOf,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { recordLines } from "../support/record.ts";
import { type Said, StatelessClient, lastOf, resultFor } from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
type Tool = { readonly name: string; readonly description: string; readonly inputSchema: object };
const tool = (name: string, description = `Does ${name}.`): Tool => ({ name, description, inputSchema: { type: "object" } });

let upstream: Upstream;
/** Pages of the server's list, by their cursors; "" is the first. */
let pages: Record<string, { readonly tools: readonly object[]; readonly nextCursor?: string }>;
let isStream: boolean;

beforeEach(() => {
  upstream = scriptUpstream();
  isStream = false;
  pages = { "": { tools: [tool("read"), tool("delete_branch"), tool("write")] } };
  upstream.answer = (call) => {
    const { method, params } = call.message;
    if (method === "server/discover")
      return answer(call, {
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: "s", version: "1" },
      });
    if (method === "tools/list") return answer(call, { resultType: "complete", ...pages[String(params?.["cursor"] ?? "")] });
    if (method === "tools/call")
      return answer(call, { resultType: "complete", content: [{ type: "text", text: `ran ${String(params?.["name"])}` }] });
    return undefined;
  };
});

const answer = (call: UpstreamCall, result: object): Response =>
  isStream ? streamOf(eventFor(resultFor(call, result))) : Response.json(resultFor(call, result));

const called = (): unknown[] =>
  upstream.calls.filter(({ message }) => message.method === "tools/call").map(({ message }) => message.params?.["name"]);

type Client = { readonly ask: (method: string, params?: object) => Promise<Said> };

async function sessionClient(server: string, key?: string): Promise<Client> {
  const client = new RelayClient(server, key === undefined ? {} : { key });
  await client.connect();
  let id = 0;
  return { ask: async (method, params = {}) => lastOf(await client.request((id += 1), method, params)) };
}

const statelessClient = async (server: string, key?: string): Promise<Client> => {
  const client = new StatelessClient(server, key === undefined ? {} : { key });
  return { ask: (method, params = {}) => client.says(method, params) };
};

const namesIn = ({ result }: Said): string[] => (result?.["tools"] as Tool[] | undefined)?.map(({ name }) => name) ?? [];
const list = async (client: Client, cursor?: string): Promise<string[]> =>
  namesIn(await client.ask("tools/list", cursor === undefined ? {} : { cursor }));
const unknownTool = (name: string): object => ({ error: { code: -32_602, message: `Unknown tool: ${name}` } });
const call = (client: Client, name: string): Promise<Said> => client.ask("tools/call", { name, arguments: {} });

const knownAt = async (server: string): Promise<KnownDefinition[]> =>
  toolsStub(env, server).known({ isWaiting: false, after: "", limit: 100 }) as Promise<KnownDefinition[]>;

const rowsOf = async (server: string): Promise<readonly Record<string, unknown>[]> =>
  runInDurableObject(asObject<ToolsObject>(toolsStub(env, server)), (_, state) => tablesIn(state.storage)["definition"] ?? []);

let servers = 0;
/** A server of its own, which nothing is known of. */
async function serverWith(entry: object): Promise<string> {
  servers += 1;
  const name = `open-${servers}`;
  await configureServers({ [name]: { url, ...entry } });
  return name;
}

const cells = [
  ["sessions", "2025", sessionClient],
  ["sessions", "2026", sessionClient],
  ["stateless", "2025", statelessClient],
  ["stateless", "2026", statelessClient],
] as const;

describe.each(cells)("a client with %s at a server of %s", (_, protocol, clientAt) => {
  test.each([false, true])("sees the entry's tools alone, and calls no other (on a stream: %s)", async (asStream) => {
    isStream = asStream;
    const client = await clientAt(await serverWith({ protocol, tools: { deny: ["delete_*"] } }));
    expect(await list(client)).toEqual(["read", "write"]);
    expect(await call(client, "delete_branch")).toMatchObject(unknownTool("delete_branch"));
    expect(await call(client, "Delete_Branch")).toMatchObject(unknownTool("Delete_Branch"));
    expect(called()).toEqual([]);
    expect(await call(client, "read")).toMatchObject({ result: { content: [{ text: "ran read" }] } });
    expect(called()).toEqual(["read"]);
  });

  test("sees its key's tools alone, and calls no other", async () => {
    const server = await serverWith({ protocol });
    const { key, id } = await createKey({ tools: { allow: ["read", `${server}/write`, "other/delete_branch"] } });
    const client = await clientAt(server, key);
    expect(await list(client)).toEqual(["read", "write"]);
    expect(await call(client, "delete_branch")).toMatchObject(unknownTool("delete_branch"));
    expect(called()).toEqual([]);
    const line = await eventually("a refusal in the record", async () =>
      (await recordLines()).find(({ fact }) => fact.kind === "refused" && fact.key === id),
    );
    expect(line).toMatchObject({
      fact: {
        kind: "refused",
        endpoint: "relay",
        server,
        method: "tools/call",
        name: "delete_branch",
        reason: { kind: "policyRefused", rule: "the key's tools" },
      },
    });
  });

  test.each([false, true])("sees no tool that changed, until an operator accepts it (on a stream: %s)", async (asStream) => {
    isStream = asStream;
    pages = { "": { tools: [tool("read")], nextCursor: "2" }, "2": { tools: [tool("write")] } };
    const server = await serverWith({ protocol, pin: "hold" });
    const client = await clientAt(server);
    // The first list, all of its pages.
    expect([await list(client), await list(client, "2")]).toEqual([["read"], ["write"]]);
    expect(await call(client, "write")).toMatchObject({ result: { content: [{ text: "ran write" }] } });
    pages = { "": { tools: [tool("read"), tool("write", "Sends all files away."), tool("new")] } };
    // What the server changed and nobody listed is not known.
    expect(await list(client)).toEqual(["read"]);
    for (const name of ["write", "new", "never_listed"]) expect(await call(client, name)).toMatchObject(unknownTool(name));
    expect(called()).toEqual(["write"]);
    const known = await knownAt(server);
    expect(known.map(({ tool: name, state }) => [name, state])).toEqual([
      ["new", "new"],
      ["read", "accepted"],
      ["write", "changed"],
    ]);
    const waiting = known.filter(({ state }) => state !== "accepted").map(({ tool: name, digest }) => ({ name, digest }));
    expect((await admin(`/tools/${server}/accept`, jsonBody("POST", { tools: waiting }))).status).toBe(204);
    expect(await list(client)).toEqual(["read", "write", "new"]);
    expect(await call(client, "write")).toMatchObject({ result: { content: [{ text: "ran write" }] } });
  });
});

describe("pins", () => {
  const change = (): void => void (pages = { "": { tools: [tool("read", "Something else."), tool("delete_branch"), tool("write")] } });
  const changes = async (server: string): Promise<unknown[]> =>
    (await recordLines()).map(({ fact }) => fact).filter((fact) => fact.kind === "toolsChanged" && fact.server === server);

  test("that warn let a changed tool pass, and the record has it once", async () => {
    const server = await serverWith({ pin: "warn" });
    const client = await sessionClient(server);
    await list(client);
    expect(await changes(server)).toEqual([]);
    change();
    expect(await list(client)).toEqual(["read", "delete_branch", "write"]);
    expect(await call(client, "read")).toMatchObject({ result: {} });
    pages = { "": { tools: [tool("read", "Again something else.")] } };
    await list(client);
    expect(await eventually("the change", async () => (await changes(server))[0] && changes(server))).toEqual([
      { kind: "toolsChanged", server, tools: ["read"], count: 1, isHeld: false },
    ]);
    expect((await knownAt(server)).map(({ tool: name, state }) => [name, state])).toEqual([
      ["delete_branch", "accepted"],
      ["read", "changed"],
      ["write", "accepted"],
    ]);
  });

  test("that hold show a definition again that was accepted before", async () => {
    const server = await serverWith({ pin: "hold" });
    const client = await sessionClient(server);
    const before = pages;
    await list(client);
    change();
    expect(await list(client)).toEqual(["delete_branch", "write"]);
    pages = before;
    expect(await list(client)).toEqual(["read", "delete_branch", "write"]);
    expect(await call(client, "read")).toMatchObject({ result: {} });
  });

  test("hide a definition that an operator hid, also where they only warn", async () => {
    const server = await serverWith({ pin: "warn" });
    const client = await sessionClient(server);
    await list(client);
    const [, read] = await knownAt(server);
    const tools = [{ name: "read", digest: read?.digest ?? "" }];
    expect((await admin(`/tools/${server}/hide`, jsonBody("POST", { tools }))).status).toBe(204);
    expect(await list(client)).toEqual(["delete_branch", "write"]);
    expect(await call(client, "read")).toMatchObject(unknownTool("read"));
    // Its server makes something else of it, again and again.
    for (const n of [1, 2, 3]) {
      pages = { "": { tools: [tool("read", `In way ${n}.`)] } };
      expect(await list(client)).toEqual([]);
    }
    expect(await call(client, "read")).toMatchObject(unknownTool("read"));
    expect((await rowsOf(server)).filter((row) => row["tool"] === "read")).toHaveLength(2);
  });

  test("take no definition on trust after the first list, and of two of one name only the accepted one", async () => {
    const server = await serverWith({ pin: "hold" });
    const client = await sessionClient(server);
    await list(client);
    pages = { "": { tools: [tool("read"), tool("read", "Another.")] } };
    expect((await client.ask("tools/list")).result?.["tools"]).toEqual([tool("read")]);
    // Clients differ in which of the two they show.
    expect(await call(client, "read")).toMatchObject(unknownTool("read"));
  });

  test("of a server that never ends its first list accept nothing new after ten minutes", async () => {
    pages = { "": { tools: [tool("read")], nextCursor: "again" } };
    const server = await serverWith({ pin: "hold" });
    const client = await sessionClient(server);
    await list(client);
    pages = { "": { tools: [tool("read"), tool("later")], nextCursor: "again" } };
    await runInDurableObject(asObject<ToolsObject>(toolsStub(env, server)), (object) => {
      object.now = () => Date.now() + 10 * 60_000;
    });
    expect(await list(client)).toEqual(["read"]);
  });

  test("are of the server's name: another server behind it has its tools held", async () => {
    const server = await serverWith({ pin: "hold" });
    await list(await sessionClient(server));
    await configureServers({ [server]: { url: `${upstreamOrigin}/other`, pin: "hold" } });
    pages = { "": { tools: [tool("read", "Of another server.")] } };
    expect(await list(await sessionClient(server))).toEqual([]);
  });

  test("tell what is known of a tool, and whether its key called it before", async () => {
    const name = await serverWith({ pin: "warn" });
    const entry = (await serversOf(env, Date.now(), () => {})).servers[name];
    if (entry === undefined) throw new Error("no entry");
    const known = (of: string, key = "key_a") => knownTool(env, { name, server: entry }, of, key);
    expect(await known("read")).toEqual({ state: "unknown", definition: null, annotations: null, isFirstUse: true });
    const annotated = { ...tool("read"), annotations: { readOnlyHint: true } };
    pages = { "": { tools: [annotated] } };
    await list(await sessionClient(name));
    expect(await known("read")).toMatchObject({ state: "accepted", definition: annotated, annotations: { readOnlyHint: true } });
    expect(await known("other")).toMatchObject({ state: "new" });
    await noteToolUse(env, { name, server: entry }, "read", "key_a");
    expect([await known("read"), await known("read", "key_b")].map(({ isFirstUse }) => isFirstUse)).toEqual([false, true]);
    expect(await knownTool(env, { name, server: { ...entry, pin: "off" } }, "read", "key_a")).toMatchObject({ state: "unknown" });
  });

  test("are not needed where rules believe what tools say of themselves: definitions are kept, and all pass", async () => {
    const server = await serverWith({ trustAnnotations: true });
    const client = await sessionClient(server);
    await list(client);
    change();
    expect(await list(client)).toEqual(["read", "delete_branch", "write"]);
    expect((await knownAt(server)).map(({ tool: name, state }) => [name, state])).toContainEqual(["read", "changed"]);
    const [, read] = await knownAt(server);
    await toolsStub(env, server).decide([{ name: "read", digest: read?.digest ?? "" }], false);
    expect(await list(client)).toEqual(["read", "delete_branch", "write"]);
    expect(await call(client, "read")).toMatchObject({ result: {} });
  });

  test("cost no object and change no byte where the entry has none", async () => {
    const server = await serverWith({});
    const client = new RelayClient(server);
    await client.connect();
    const text = `{"jsonrpc":"2.0", "id":7, "result":{"tools":[{"name":"a","name":"b","x":1.0}]}}`;
    upstream.answer = ({ message }) =>
      message.method === "tools/list" ? new Response(text, { headers: { "Content-Type": "application/json" } }) : undefined;
    expect(await (await client.request(7, "tools/list")).text()).toBe(text);
    expect(await knownAt(server)).toEqual([]);
  });
});

describe("a server that hides a tool elsewhere", () => {
  const evil = { jsonrpc: "2.0", id: 5, result: { tools: [tool("delete_branch"), tool("read")] } };
  const denying = (): Promise<string> => serverWith({ tools: { deny: ["delete_*"] } });

  async function connected(): Promise<RelayClient> {
    const client = new RelayClient(await denying());
    await client.connect();
    return client;
  }

  test.each([
    ["on the stream of another request", () => streamOf(eventFor(evil), eventFor({ jsonrpc: "2.0", id: 9, result: {} }))],
    ["behind a blank line that is one to some clients alone", () => streamOf(`data: {}\u2028\u2028data: ${JSON.stringify(evil)}\n\n`)],
    ["in an event that does not end", () => streamOf(`data: ${JSON.stringify(evil)}`)],
    ["under an escaped name", () => streamOf(`data: ${JSON.stringify(evil).replace("tools", String.raw`\u0074ools`)}\n\n`)],
    ["in several lines of data", () => streamOf(`data: ${JSON.stringify(evil, null, 1).replaceAll("\n", "\ndata: ")}\n\n`)],
    ["in UTF-16", () => new Response(utf16(JSON.stringify(evil)), { headers: { "Content-Type": "application/json" } })],
    ["with an error's status", () => Response.json(evil, { status: 400 })],
  ])("%s does not show it", async (_, given) => {
    const client = await connected();
    upstream.answer = ({ message }) => (message.id === 9 ? given() : undefined);
    const bytes = new Uint8Array(await (await client.request(9, "ping")).arrayBuffer());
    expect(new TextDecoder().decode(bytes.filter((each) => each !== 0))).not.toContain("delete_branch");
  });

  test("on the stream without a request does not show it", async () => {
    const client = await connected();
    upstream.answer = ({ method }) => (method === "GET" ? streamOf(eventFor(evil)) : undefined);
    const text = await (await client.send({ method: "GET" })).text();
    expect(text).toContain("read");
    expect(text).not.toContain("delete_branch");
  });

  test("is told when its client has left, as without a setting", async () => {
    const client = await connected();
    const stream = openStream();
    upstream.answer = ({ method }) => (method === "GET" ? stream.response() : undefined);
    stream.say(eventFor(evil));
    const reader = (await client.send({ method: "GET" })).body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await eventually("the end of the server's stream", () => Promise.resolve(stream.isOver() ? true : undefined));
  });

  test("a change of its list is passed on", async () => {
    const client = await connected();
    const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
    upstream.answer = ({ method }) => (method === "GET" ? streamOf(eventFor(changed)) : undefined);
    expect(await (await client.send({ method: "GET" })).text()).toContain("notifications/tools/list_changed");
  });
});

const utf16 = (text: string): Uint8Array => new Uint8Array(Uint16Array.from(text, (each) => each.charCodeAt(0)).buffer);

describe("a call that is none to this parser", () => {
  test("is not sent: without an id, in a batch, or with a name that is no text", async () => {
    upstream.answer = ({ message }) =>
      message.method === "initialize"
        ? Response.json(
            { jsonrpc: "2.0", id: message.id, result: initializeResult("2025-03-26") },
            { headers: { "Mcp-Session-Id": upstream.session } },
          )
        : undefined;
    const client = new RelayClient(await serverWith({ tools: { allow: ["read"] } }));
    await client.connect({}, "2025-03-26");
    const evil = { jsonrpc: "2.0", method: "tools/call", params: { name: "write" } };
    expect((await client.post(evil)).status).toBe(400);
    expect(
      await (
        await client.post([
          { jsonrpc: "2.0", id: 1, method: "ping" },
          { ...evil, id: 2 },
        ])
      ).json(),
    ).toMatchObject([
      { id: 1, ...unknownTool("write") },
      { id: 2, ...unknownTool("write") },
    ]);
    expect(await (await client.post({ ...evil, id: 3, params: { name: ["write"] } })).json()).toMatchObject({ id: 3, ...unknownTool("") });
    expect(called()).toEqual([]);
  });
});
