// The relay in revision 2026-07-28, request by request: what is refused before a server hears of
// it, and what a server gets.

import { beforeEach, describe, expect, test } from "vitest";
import { clientCapabilitiesKey, protocolVersionKey, revision2026 } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { model } from "../support/gateway.ts";
import { type Upstream, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import {
  type Asked,
  type Said,
  StatelessClient,
  capabilitiesAt,
  continuations,
  formInput,
  lastOf,
  metaOf,
  responsesTo,
  samplesOnce,
  samplingInput,
} from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
let upstream: Upstream;
let client: StatelessClient;
beforeEach(async () => {
  upstream = scriptUpstream();
  client = new StatelessClient();
  await configureServers({
    open: { url, protocol: "2026" },
    "open-forward": { url, protocol: "2026", mode: "forward" },
    "open-fallback": { url, protocol: "2026", mode: "fallback" },
    "open-plain": { url, protocol: "2026", tools: false },
    "open-own": { url, protocol: "2026", passAuthorization: true },
  });
});

const call = { name: "größe", arguments: {} };
const base64 = (text: string): string => `=?base64?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
const old = { headers: { "MCP-Protocol-Version": "2025-11-25" } };

describe("the headers and _meta of a request", () => {
  test.each<[string, string, object, Asked, number, number]>([
    ["another version in the header", "tools/call", call, old, 400, -32020],
    ["no version in the header", "tools/call", call, { headers: { "MCP-Protocol-Version": null } }, 400, -32020],
    ["another method in the header", "tools/call", call, { headers: { "Mcp-Method": "prompts/get" } }, 400, -32020],
    ["another case of the method", "tools/call", call, { headers: { "Mcp-Method": "Tools/Call" } }, 400, -32020],
    ["no method in the header", "tools/call", call, { headers: { "Mcp-Method": null } }, 400, -32020],
    ["another name in the header", "tools/call", call, { headers: { "Mcp-Name": "grosse" } }, 400, -32020],
    ["another name in Base64", "tools/call", call, { headers: { "Mcp-Name": base64("grösse") } }, 400, -32020],
    ["a name in Base64 that is none", "tools/call", call, { headers: { "Mcp-Name": "=?base64?gr*?=" } }, 400, -32020],
    ["a name in Base64 that is no UTF-8", "tools/call", call, { headers: { "Mcp-Name": "=?base64?/w==?=" } }, 400, -32020],
    ["a name that is missing in the header", "tools/call", call, { headers: { "Mcp-Name": null } }, 400, -32020],
    ["a name in the header alone", "tools/call", { arguments: {} }, { headers: { "Mcp-Name": "summarize" } }, 400, -32020],
    ["another uri in the header", "resources/read", { uri: "test://a" }, { headers: { "Mcp-Name": "test://b" } }, 400, -32020],
    ["another prompt in the header", "prompts/get", { name: "a" }, { headers: { "Mcp-Name": "b" } }, 400, -32020],
    ["another task in the header", "tasks/get", { taskId: "a" }, { headers: { "Mcp-Name": "b" } }, 400, -32020],
    [
      "a version that there is not",
      "tools/call",
      call,
      { meta: { [protocolVersionKey]: "2027-01-01" }, headers: { "MCP-Protocol-Version": "2027-01-01" } },
      400,
      -32022,
    ],
    ["a version of sessions", "tools/call", call, { meta: { [protocolVersionKey]: "2025-11-25" }, ...old }, 400, -32022],
    ["no version in _meta", "tools/call", call, { meta: { [protocolVersionKey]: undefined } }, 400, -32602],
    ["a version that is no text", "tools/call", call, { meta: { [protocolVersionKey]: 20260728 } }, 400, -32602],
    ["no capabilities in _meta", "tools/call", call, { meta: { [clientCapabilitiesKey]: undefined } }, 400, -32602],
    ["capabilities that are a list", "tools/call", call, { meta: { [clientCapabilitiesKey]: [] } }, 400, -32602],
    ["an id that is none", "tools/call", call, { id: 1.5 }, 400, -32600],
  ])("%s is refused, and nothing reaches the server", async (_what, method, params, asked, status, code) => {
    const answer = await client.request(method, params, { id: "r", ...asked });
    expect(answer.status).toBe(status);
    const said = await answer.json<Said>();
    expect([said.error?.code, said.id]).toEqual([code, asked.id === undefined ? "r" : undefined]);
    if (code === -32022) expect(said.error?.data).toMatchObject({ supported: [revision2026] });
    expect(upstream.calls).toEqual([]);
  });

  test.each<[string, string]>([
    ["no params at all", `{"jsonrpc":"2.0","id":"r","method":"tools/list"}`],
    ["params that are a list", `{"jsonrpc":"2.0","id":"r","method":"tools/list","params":[]}`],
    ["params without _meta", `{"jsonrpc":"2.0","id":"r","method":"tools/list","params":{}}`],
    ["a _meta that is a text", `{"jsonrpc":"2.0","id":"r","method":"tools/list","params":{"_meta":"m"}}`],
  ])("%s is -32602, where the header says this revision", async (_what, body) => {
    const answer = await client.post(body, { "MCP-Protocol-Version": revision2026, "Mcp-Method": "tools/list" });
    expect([answer.status, (await answer.json<Said>()).error?.code]).toEqual([400, -32602]);
    expect(upstream.calls).toEqual([]);
  });

  test.each<[string, string]>([
    ["in Base64", base64("größe")],
    ["with spaces around it", `  ${base64("größe")} `],
  ])("the name %s is the name", async (_what, name) => {
    const answer = await client.request("tools/call", call, { headers: { "Mcp-Name": name } });
    expect(answer.status).toBe(200);
    expect(upstream.calls[0]?.headers.get("Mcp-Name")).toBe(base64("größe"));
  });

  test("a name that looks like Base64 is sent as Base64", async () => {
    const name = "=?base64?eA==?=";
    expect((await client.request("tools/call", { name, arguments: {} })).status).toBe(200);
    expect(upstream.calls[0]?.headers.get("Mcp-Name")).toBe(base64(name));
    // As it is it would stand for x.
    const answer = await client.request("tools/call", { name, arguments: {} }, { headers: { "Mcp-Name": name } });
    expect((await answer.json<Said>()).error?.code).toBe(-32020);
  });

  test("ids of both kinds come back as they were, and the server gets them", async () => {
    for (const id of ["seven", "", 7, 0, -1]) {
      upstream.calls.length = 0;
      expect(await client.says("tools/list", {}, { id })).toMatchObject({ id });
      expect(upstream.calls[0]?.message.id).toBe(id);
    }
  });

  test("a notification is taken, and the server never hears of it", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: metaOf() } });
    const answer = await client.post(body, { "MCP-Protocol-Version": revision2026, "Mcp-Method": "notifications/cancelled" });
    expect([answer.status, await answer.text()]).toEqual([202, ""]);
    expect(upstream.calls).toEqual([]);
  });

  test("there is no stream to listen to and no session to end; a session id and Last-Event-ID mean nothing", async () => {
    const headers = { "MCP-Protocol-Version": revision2026, "Mcp-Session-Id": "of-somebody", "Last-Event-ID": "of-some-stream" };
    for (const method of ["GET", "DELETE"]) {
      const answer = await client.post("", headers, method);
      expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
    }
    const answer = await client.request("tools/list", {}, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.has("Mcp-Session-Id")).toBe(false);
    expect(upstream.calls).toHaveLength(1);
    for (const name of ["Mcp-Session-Id", "Last-Event-ID", "Authorization"]) expect(upstream.calls[0]?.headers.has(name)).toBe(false);
  });

  test("an unknown method is the server's to refuse, with its status", async () => {
    upstream.answer = ({ message }) =>
      Response.json({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } }, { status: 404 });
    const answer = await client.request("tools/guess");
    expect([answer.status, (await answer.json<Said>()).error?.code]).toEqual([404, -32601]);
  });
});

describe("what the server gets", () => {
  const odd =
    `{"zebra" : 1, "name":"summarize","arguments":{"id":12345678901234567890, "f":1.10,"e":1e400,"b":"\\u0061","\\ud800":"\\udfff"},"unknown":[1.0,{"a":2}],` +
    `"_meta":{"${protocolVersionKey}":"${revision2026}","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",` +
    `"${clientCapabilitiesKey}":{"elicitation":{"form":{}},"extensions":{"a/b":{"c":1.0}}},"com.example/own":9007199254740993}}`;
  const headers = { "MCP-Protocol-Version": revision2026, "Mcp-Method": "tools/call", "Mcp-Name": "summarize", "Mcp-Param-Region": "eu" };
  const bodyOf = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;

  test("is every member of the params as it was written, with sampling among the capabilities", async () => {
    await client.post(bodyOf(odd), headers);
    const { text = "" } = upstream.calls[0] ?? {};
    const sent = text.slice(text.indexOf(`"params":`) + 9, -1);
    const before = odd.slice(0, odd.indexOf(`"${clientCapabilitiesKey}"`));
    expect(sent.startsWith(before)).toBe(true);
    expect(sent.endsWith(`"com.example/own":9007199254740993}}`)).toBe(true);
    expect(capabilitiesAt(upstream.calls[0])).toEqual({
      elicitation: { form: {} },
      extensions: { "a/b": { c: 1 } },
      sampling: { tools: {} },
      experimental: { "countersign/responseFormat": {} },
    });
    expect(upstream.calls[0]?.headers.get("Mcp-Param-Region")).toBe("eu");
  });

  test("is that also in the continuation, with a new id and the server's own state", async () => {
    upstream.answer = samplesOnce();
    const said = await lastOf(await client.post(bodyOf(odd), headers));
    expect(said).toMatchObject({ id: 1, result: { resultType: "complete" } });
    const [first, second] = upstream.calls;
    for (const part of [
      `"zebra":1`,
      `"name":"summarize"`,
      `"arguments":{"id":12345678901234567890, "f":1.10,"e":1e400,"b":"\\u0061","\\ud800":"\\udfff"}`,
    ])
      expect(second?.text).toContain(part);
    expect(second?.text).toContain(`"unknown":[1.0,{"a":2}]`);
    expect(second?.message.id).not.toBe(first?.message.id);
    expect(second?.message.params).toMatchObject({
      requestState: "the server's state",
      _meta: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" },
    });
    expect(capabilitiesAt(second)).toEqual(capabilitiesAt(first));
    expect(second?.headers.get("Mcp-Param-Region")).toBe("eu");
    expect([second?.headers.get("Mcp-Name"), second?.headers.get("Mcp-Method")]).toEqual(["summarize", "tools/call"]);
    expect(responsesTo(second ?? first!)).toMatchObject({ reply: { role: "assistant" } });
  });

  test("is an answer of the client to a round as it was written", async () => {
    upstream.answer = samplesOnce({ confirm: formInput });
    const capabilities = { elicitation: { form: {} } };
    const { result } = await client.call({}, { capabilities });
    const params = `{"name":"summarize","arguments":{},"requestState":${JSON.stringify(result?.requestState)},"inputResponses":{"confirm":{"action":"accept","content":{"n":12345678901234567890,"f":1.10}}},"_meta":${JSON.stringify(metaOf(capabilities))}}`;
    await client.post(bodyOf(params), headers);
    expect(continuations(upstream.calls)[0]?.text).toContain(`{"action":"accept","content":{"n":12345678901234567890,"f":1.10}}`);
  });

  test("two requests whose numbers only a parser takes for equal are two calls", async () => {
    upstream.answer = samplesOnce();
    const said = await Promise.all(
      ["12345678901234567890", "12345678901234567891"].map(async (number, index) =>
        lastOf(
          await client.post(
            bodyOf(`{"name":"summarize","arguments":{"id":${number}},"_meta":${JSON.stringify(metaOf())}}`).replace(
              '"id":1',
              `"id":${index}`,
            ),
            headers,
          ),
        ),
      ),
    );
    expect(said.every(({ result }) => result !== undefined)).toBe(true);
    const sent = continuations(upstream.calls).map(({ text }) => /"arguments":\{"id":(\d+)\}/.exec(text)?.[1]);
    expect(sent.toSorted()).toEqual(["12345678901234567890", "12345678901234567891"]);
  });
});

describe("sampling in each mode", () => {
  const own = { sampling: { context: {} } };
  test.each<[string, object, object | undefined]>([
    ["open", {}, { tools: {} }],
    ["open", own, { tools: {} }],
    ["open-plain", {}, {}],
    ["open-forward", {}, undefined],
    ["open-forward", own, own.sampling],
    ["open-fallback", {}, { tools: {} }],
    ["open-fallback", own, own.sampling],
  ])("%s declares, for a client with %j, sampling %j", async (server, capabilities, declared) => {
    await new StatelessClient(server).says("tools/list", {}, { capabilities });
    expect(capabilitiesAt(upstream.calls[0])["sampling"]).toEqual(declared);
  });

  test.each<[string, object, "gateway" | "client" | "refused"]>([
    ["open", {}, "gateway"],
    ["open", own, "gateway"],
    ["open-forward", own, "client"],
    ["open-forward", {}, "refused"],
    ["open-fallback", {}, "gateway"],
    ["open-fallback", own, "client"],
  ])("%s, for a client with %j, is answered by: %s", async (server, capabilities, by) => {
    upstream.answer = samplesOnce();
    const at = new StatelessClient(server);
    const answer = await at.request("tools/call", { name: "summarize", arguments: {} }, { capabilities });
    const said = await lastOf(answer);
    if (by === "refused") {
      expect([answer.status, said.error?.code, said.error?.data]).toEqual([400, -32021, { requiredCapabilities: { sampling: {} } }]);
      return;
    }
    expect(model.calls).toHaveLength(by === "gateway" ? 1 : 0);
    if (by === "gateway") return expect(said.result?.["content"]).toBeDefined();
    expect(said.result?.inputRequests).toEqual({ reply: samplingInput() });
    expect(said.result?.requestState).not.toContain("the server's state");
    const own = { role: "assistant", model: "own", content: { type: "text", text: "mine" } };
    await at.call({ requestState: said.result?.requestState, inputResponses: { reply: own } }, { capabilities });
    expect(continuations(upstream.calls).map(responsesTo)).toEqual([{ reply: own }]);
  });

  test("a reply that the client makes up does not reach the server: nobody asked it", async () => {
    upstream.answer = samplesOnce();
    const reply = { role: "assistant", model: "own", content: { type: "text", text: "made up" } };
    const said = await new StatelessClient("open").call({ inputResponses: { reply } });
    expect(said.result?.["content"]).toBeDefined();
    expect(upstream.calls.filter(({ text }) => text.includes("made up"))).toEqual([]);
    expect(model.calls).toHaveLength(1);
  });

  test("tools: false refuses sampling with tools", async () => {
    upstream.answer = samplesOnce({ reply: samplingInput("x", { tools: [{ name: "t", inputSchema: { type: "object" } }] }) });
    const { result } = await new StatelessClient("open-plain").call();
    expect(result).toMatchObject({ isError: true });
    expect([model.calls.length, continuations(upstream.calls).length]).toEqual([0, 0]);
  });
});
