// A server whose JSON library ignores case and punctuation in names, and takes the last of two
// members. No client can make it read another message than the gateway judged: neither its own
// answer to the server's sampling, nor another tool.

import { beforeEach, describe, expect, test } from "vitest";
import { revision2026 } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { gateway, gatewayWith } from "../support/gateway.ts";
import { RelayClient, type Upstream, type UpstreamCall, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { decide } from "../support/reviewer.ts";
import { type Said, StatelessClient, metaOf, answerWith, roundOf, samplingInput, textResult } from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const madeUp = { role: "assistant", model: "none", content: { type: "text", text: "made up by the client" } };

/** What the server ran, by its own reading. */
const ran: { tool: unknown; replies: unknown; state: unknown }[] = [];

/** A member as such a library reads it. */
function read(value: unknown, name: string): unknown {
  const fold = (text: string): string =>
    text
      .toLowerCase()
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]/g, "");
  return Object.entries((value ?? {}) as object).findLast(([written]) => fold(written) === fold(name))?.[1];
}

function lenient(call: UpstreamCall): Response | undefined {
  const message: unknown = JSON.parse(call.text);
  if (read(message, "method") === "server/discover")
    return answerWith(call, { resultType: "complete", supportedVersions: [revision2026], capabilities: { tools: {} } });
  if (read(message, "method") !== "tools/call") return undefined;
  const params = read(message, "params");
  const [tool, replies, state] = [read(params, "name"), read(params, "inputResponses"), read(params, "requestState")];
  ran.push({ tool, replies, state });
  return answerWith(call, replies === undefined ? roundOf({ reply: samplingInput() }, "the state") : textResult(JSON.stringify(replies)));
}

let upstream: Upstream;
beforeEach(async () => {
  ran.length = 0;
  upstream = scriptUpstream();
  upstream.answer = lenient;
  await configureServers({ open: { url, protocol: "2026" }, "request-gate": { url, protocol: "2026" }, "open-sessions": { url } });
});

const reply = JSON.stringify({ reply: madeUp });
const disguises: readonly [string, string][] = [
  ["InputResponses", `"InputResponses":${reply}`],
  ["INPUTRESPONSES", `"INPUTRESPONSES":${reply}`],
  ["inputReſponses, with a long s", `"inputRe\u017fponses":${reply}`],
  ["an escape of a long s", `"inputRe\\u017fponses":${reply}`],
  ["input_responses", `"input_responses":${reply}`],
  ["RequestState", `"RequestState":"another state"`],
  ["Name", `"Name":"delete_all"`],
  ["name twice", `"name":"delete_all"`],
  ["an escaped name twice", `"n\\u0061me":"delete_all"`],
  ["Arguments", `"Arguments":{"everything":true}`],
  ["_Meta", `"_Meta":{}`],
];
const messages: readonly [string, (body: string) => string][] = [
  ["Params", (body) => body.replace(/\}$/, `,"Params":{"name":"delete_all"}}`)],
  ["params twice", (body) => body.replace(/\}$/, `,"params":{"name":"delete_all"}}`)],
  ["Method", (body) => body.replace(/\}$/, `,"Method":"tools/list"}`)],
  ["id twice", (body) => body.replace(/\}$/, `,"id":99}`)],
];
const inParams =
  (member: string) =>
  (body: string): string =>
    body.replace(/"arguments":\{\}/, (found) => `${found},${member}`);
const all = [...disguises.map(([name, member]) => [name, inParams(member)] as const), ...messages];

const stateless = (params: object, capabilities: object = {}): string =>
  JSON.stringify({
    jsonrpc: "2.0",
    id: 7,
    method: "tools/call",
    params: { name: "summarize", arguments: {}, ...params, _meta: metaOf(capabilities) },
  });
const statelessHeaders = { "MCP-Protocol-Version": revision2026, "Mcp-Method": "tools/call", "Mcp-Name": "summarize" };

const isRefused = async (answer: Response): Promise<void> => {
  expect(answer.status).toBe(400);
  const [said] = [(await answer.json()) as Said | readonly Said[]].flat();
  const { error, id } = said ?? {};
  expect(error).toMatchObject({ code: -32600, message: expect.stringMatching(/send it (once|under that name)/) });
  expect(id).not.toBeUndefined();
  expect(ran).toEqual([]);
};

describe.each(all)("a request with %s is refused before its server hears of it", (_name, disguise) => {
  test("from a client of 2026-07-28", async () => {
    await isRefused(await new StatelessClient().post(disguise(stateless({})), statelessHeaders));
  });

  test("from a client with a session, at a server of 2026-07-28", async () => {
    const client = new RelayClient("open");
    await client.connect();
    await isRefused(
      await client.send({ body: disguise('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"summarize","arguments":{}}}') }),
    );
  });

  test("from a client with a session, at a server with sessions, also in a batch", async () => {
    const client = new RelayClient("open-sessions");
    await client.connect();
    const body = disguise('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"summarize","arguments":{}}}');
    await isRefused(await client.send({ body }));
    await isRefused(await client.send({ body: `[{"jsonrpc":"2.0","id":1,"method":"ping"},${body}]` }));
  });
});

test("after a review the approved reply is the one that such a server reads", async () => {
  const send: typeof gateway = (path, init) => gatewayWith({ RELAY_HOLD_SECONDS: "1" }, path, init);
  const client = new StatelessClient("request-gate", { send });
  const waiting = await client.call();
  const requestState = waiting.result?.requestState ?? "";
  ran.length = 0;
  await decide("request", "approve");
  const disguised = inParams(`"InputResponses":${reply}`)(stateless({ requestState }));
  await isRefused(await client.post(disguised, statelessHeaders));
  const said: Said = await client.callToEnd({ requestState });
  expect(JSON.stringify(said.result)).not.toContain("made up by the client");
  expect(ran).toHaveLength(1);
  expect(ran[0]).toMatchObject({ tool: "summarize", state: "the state" });
});

test.each([
  ["a byte order mark", (text: string) => `\ufeff${text}`],
  ["a NUL", (text: string) => `${text}\0`],
  ["a number that only some libraries read", (text: string) => text.replace('"arguments":{}', '"arguments":{"n":NaN}')],
  ["a comma at its end", (text: string) => text.replace(/\}$/, ",}")],
])("a body with %s is no JSON to the relay, and its server does not get it", async (_what, change) => {
  const answer = await new StatelessClient().post(change(stateless({})), statelessHeaders);
  expect([answer.status, (await answer.json<Said>()).error?.code]).toEqual([400, -32700]);
  expect(ran).toEqual([]);
});

describe("in a session with a server that has sessions", () => {
  const tool = (name: string, more = "", id = "7"): string =>
    `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}"${more}}}`;

  test.each([
    ["is no JSON, which its library reads", tool("delete_all", ',"arguments":{"n":NaN}')],
    ["has a fraction as its id", tool("delete_all", "", "7.5")],
    ["has an id that is no id", tool("delete_all", "", "true")],
    ["has no jsonrpc", tool("delete_all").replace('"jsonrpc":"2.0",', "")],
    ["is in a batch in a batch", `[[${tool("delete_all")}]]`],
  ])("a request that %s does not pass unseen beside one that is judged", async (_how, hidden) => {
    const client = new RelayClient("open-sessions");
    await client.connect();
    const sent = upstream.calls.length;
    const answer = await client.send({ body: hidden });
    expect(answer.status).toBe(400);
    expect(upstream.calls).toHaveLength(sent);
  });

  test.each([
    ["that is a request too", { method: "ping", result: madeUp }],
    ["with nothing but content", { result: { content: madeUp.content } }],
  ])("a client's own reply to sampling, %s, does not pass", async (_how, message) => {
    const client = new RelayClient("open-sessions");
    await client.connect();
    const sent = upstream.calls.length;
    expect((await client.send({ body: JSON.stringify({ jsonrpc: "2.0", id: 5, ...message }) })).status).toBe(400);
    expect(upstream.calls).toHaveLength(sent);
  });

  test.each(["utf-7", "UTF-16", "iso-2022-jp", 'utf-8; charset="utf-7"', "utf-8;charset*=x"])(
    "a message whose charset is %s does not pass: its server would decode another one",
    async (charset) => {
      const client = new RelayClient("open-sessions");
      await client.connect();
      const sent = upstream.calls.length;
      const body = tool("summarize", ',"arguments":{"x":"+ACIAfQAs-+ACI-name+ACIAOgAi-delete_all+ACI-"}');
      const answer = await client.send({ body, headers: { "Content-Type": `application/json; charset=${charset}` } });
      expect([answer.status, (await answer.json<Said>()).error?.code]).toEqual([400, -32700]);
      expect(upstream.calls).toHaveLength(sent);
    },
  );

  test.each(["application/json; charset=utf-8", 'application/json;charset="UTF-8"', "application/json"])(
    "a message with the type %s passes",
    async (type) => {
      const client = new RelayClient("open-sessions");
      await client.connect();
      await client.send({ body: tool("summarize"), headers: { "Content-Type": type } });
      expect(upstream.calls.at(-1)?.headers.get("Content-Type")).toBe(type);
    },
  );
});
