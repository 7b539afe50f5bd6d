// What passes through the relay passes byte for byte, both ways: compared on the wire with the same
// exchange without us.

import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { type Endpoint, serveStreaming, type StreamingServer } from "../../outside/support/relay-serve.ts";

const ownSession = "the-server's-own";
let server: StreamingServer;
let office: RelayOffice;
/** What the server answers to whatever is not `initialize`. */
let answer: () => Response;
/** What came to it, `initialize` left out. */
let came: { readonly method: string; readonly headers: Headers; readonly body: string }[];

const initialize = {
  jsonrpc: "2.0",
  id: "begin",
  method: "initialize",
  params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

const endpoint: Endpoint = async (request) => {
  const body = await request.text();
  if (body.includes('"initialize"'))
    return Response.json(
      {
        jsonrpc: "2.0",
        id: "begin",
        result: { protocolVersion: "2025-03-26", capabilities: {}, serverInfo: { name: "raw", version: "1" } },
      },
      { headers: { "Mcp-Session-Id": ownSession } },
    );
  came.push({ method: request.method, headers: request.headers, body });
  return answer();
};

beforeAll(async () => {
  server = await serveStreaming(endpoint);
  office = await relayOffice();
  // It is not asked which revisions it speaks: every request is counted. With "strict" no call gets
  // a place of ours to come back to.
  await office.serve({ raw: { url: `${server.url}/mcp`, allowPrivate: true, protocol: "2025", association: "strict" } });
});
beforeEach(() => {
  came = [];
});
afterAll(async () => {
  await office?.close();
  await server?.close();
});

const asking = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };

/** Begins a session there, and gives what asks in it. */
async function sessionAt(url: string, more: Record<string, string>): Promise<(method: string, body?: string) => Promise<Response>> {
  const begun = await fetch(url, { method: "POST", headers: { ...asking, ...more }, body: JSON.stringify(initialize) });
  const session = begun.headers.get("Mcp-Session-Id") ?? "";
  await begun.text();
  return (method, body) =>
    fetch(url, {
      method,
      headers: { ...asking, ...more, "Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-03-26" },
      ...(body === undefined ? {} : { body }),
    });
}

type Seen = { readonly status: number; readonly headers: Record<string, string | null>; readonly body: string };

const seenOf = async (response: Response): Promise<Seen> => ({
  status: response.status,
  headers: Object.fromEntries(["Content-Type", "Cache-Control", "Retry-After", "Allow"].map((name) => [name, response.headers.get(name)])),
  body: await response.text(),
});

/** The same exchange without us and through the relay. */
async function both(method: string, body?: string): Promise<{ direct: Seen; relayed: Seen }> {
  const direct = await (await sessionAt(`${server.url}/mcp`, {}))(method, body);
  const seen = await seenOf(direct);
  const relayed = await (await sessionAt(office.relay("raw"), { Authorization: `Bearer ${relayKey}` }))(method, body);
  return { direct: seen, relayed: await seenOf(relayed) };
}

const call = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}';

describe("what the server gets", () => {
  test.each([
    [
      "a request with white space, odd numbers and unknown members",
      '{ "id":1e0 ,"jsonrpc":"2.0","method":"tools/call", "x":12345678901234567890,\n"params":{"name":"\\u0074","n":1.0}}',
    ],
    ["an unknown method", '{"jsonrpc":"2.0","id":"a","method":"no/such/method","params":[1,2]}'],
    ["a notification", '{"jsonrpc":"2.0","method":"notifications/anything"}'],
    ["an answer to a request of its own", '{"jsonrpc":"2.0","id":"elicit-1","result":{"action":"accept","content":{}}}'],
    ["a batch", `[${call},{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"}]`],
    ["what is no message", "42"],
  ])("is %s as it was sent", async (_name, body) => {
    answer = () => new Response(null, { status: 202 });
    const { direct, relayed } = await both("POST", body);
    expect(relayed).toEqual(direct);
    expect(came.map((each) => each.body)).toEqual([body, body]);
  });

  test("is its own session id and the client's revision and types, and neither our key nor anything else of the client", async () => {
    answer = () => new Response(null, { status: 202 });
    const ask = await sessionAt(office.relay("raw"), {
      "X-Countersign-Key": relayKey,
      Authorization: "Bearer of-somebody",
      Cookie: "a=b",
      "X-Other": "1",
      Origin: office.url,
    });
    await ask("POST", call);
    const headers = came[0]?.headers;
    expect(headers?.get("Mcp-Session-Id")).toBe(ownSession);
    expect(headers?.get("MCP-Protocol-Version")).toBe("2025-03-26");
    expect(headers?.get("Accept")).toBe(asking.Accept);
    expect(headers?.get("Content-Type")).toBe(asking["Content-Type"]);
    for (const name of ["X-Countersign-Key", "Authorization", "Cookie", "X-Other", "Origin"])
      expect([name, headers?.get(name)]).toEqual([name, null]);
  });
});

describe("what the client gets", () => {
  test("is a JSON answer to the last white space", async () => {
    const body =
      '{"jsonrpc":"2.0", "id":7,\r\n "result" : {"n":12345678901234567890.50,"u":"\\u00e9 é","z":[ ],"createMessage":"tasks"}}\n\n';
    answer = () => new Response(body, { headers: { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store" } });
    const { direct, relayed } = await both("POST", call);
    expect(relayed).toEqual(direct);
    expect(relayed.body).toBe(body);
  });

  test("is what a compressed answer says", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 7, result: { text: "long ".repeat(500) } });
    answer = () => new Response(gzipSync(body), { headers: { "Content-Type": "application/json", "Content-Encoding": "gzip" } });
    const { direct, relayed } = await both("POST", call);
    expect(relayed).toEqual(direct);
    expect(relayed.body).toBe(body);
  });

  test.each([
    [400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}', {}],
    [404, "", {}],
    [405, "Not here", { Allow: "POST" }],
    [429, "{}", { "Retry-After": "7" }],
    [500, "<h1>Oh</h1>", { "Content-Type": "text/html" }],
    [503, "", { "Retry-After": "1" }],
  ])("is status %d with its body", async (status, body, headers) => {
    answer = () => new Response(body === "" ? null : body, { status, headers: { "Content-Type": "application/json", ...headers } });
    for (const method of ["POST", "GET", "DELETE"]) {
      const { direct, relayed } = await both(method, method === "POST" ? call : undefined);
      expect(relayed).toEqual(direct);
      expect(relayed.status).toBe(status);
    }
  });

  /** In pieces of so many bytes, wherever they fall. */
  const inPieces = (text: string, size: number): Response => {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    return new Response(
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (at >= bytes.length) return controller.close();
          controller.enqueue(bytes.slice(at, at + size));
          at += size;
        },
      }),
      { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" } },
    );
  };

  const noted = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"Füße 🦶 tasks createMessage"}}';
  const result = '{"jsonrpc":"2.0","id":7,"result":{"n":12345678901234567890,"u":"\\u00e9"}}';
  const streams: readonly (readonly [string, string])[] = [
    ["line feeds", `: a comment\n\nevent: message\ndata: ${noted}\n\nretry: 250\ndata:${result}\n\n`],
    ["both", `event: message\r\ndata: ${noted}\r\n\r\ndata: ${result}\r\n\r\n`],
    ["carriage returns", `data: ${noted}\r\rdata: ${result}\r\r`],
    [
      "data in several lines, other fields and events, and an end without one",
      `foo: bar\nevent: other\ndata: {"a":\ndata: 1}\n\ndata: ${result}\n\ndata: cut`,
    ],
  ];

  test.each(streams.flatMap(([name, stream]) => [1, 7, 100_000].map((size) => [name, size, stream] as const)))(
    "is a stream with %s, that comes in pieces of %d bytes",
    async (_name, size, stream) => {
      answer = () => inPieces(stream, size);
      const { direct, relayed } = await both("POST", call);
      expect(relayed).toEqual(direct);
      expect(relayed.body).toBe(stream);
    },
  );

  test("is a stand-alone stream, from the first event on while it is open", async () => {
    let send: (text: string) => void = () => {};
    answer = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          start: (controller) => (send = (text) => controller.enqueue(new TextEncoder().encode(text))),
        }),
        { headers: { "Content-Type": "text/event-stream" } },
      );
    const ask = await sessionAt(office.relay("raw"), { Authorization: `Bearer ${relayKey}` });
    // The headers are there before the server has said anything.
    const reader = (await ask("GET")).body?.getReader();
    for (const text of [`data: ${noted}\n\n`, ": still here\n\n"]) {
      send(text);
      let read = "";
      while (read.length < text.length)
        read = (read + Buffer.from((await reader?.read())?.value ?? []).toString("latin1")).replaceAll(": waiting\n\n", "");
      expect(Buffer.from(read, "latin1").toString()).toBe(text);
    }
    await reader?.cancel();
  });

  test("is the same event ids behind a mark, by which the server's own come back to it", async () => {
    answer = () => inPieces(`id: one\ndata: ${noted}\n\nid:\ndata: ${noted}\n\nid: two words\ndata: ${result}\n\n`, 50);
    const url = office.relay("raw");
    const headers = { Authorization: `Bearer ${relayKey}` };
    const begun = await fetch(url, { method: "POST", headers: { ...asking, ...headers }, body: JSON.stringify(initialize) });
    const session = { ...headers, "Mcp-Session-Id": begun.headers.get("Mcp-Session-Id") ?? "" };
    await begun.text();
    const stream = await (await fetch(url, { method: "POST", headers: { ...asking, ...session }, body: call })).text();
    const ids = [...stream.matchAll(/^id: ?(.*)$/gm)].map(([, id]) => id ?? "");
    expect(ids.map((id) => id.slice(id.indexOf(".") + 1))).toEqual(["one", "", "two words"]);
    await (await fetch(url, { headers: { Accept: "text/event-stream", ...session, "Last-Event-ID": ids[2] ?? "" } })).text();
    expect(came.at(-1)?.headers.get("Last-Event-ID")).toBe("two words");
  });
});

test("of a batch only the sampling request is taken out, and answered to the server", async () => {
  const asked =
    '{"jsonrpc":"2.0","id":"s1","method":"sampling/createMessage","params":{"maxTokens":5,"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}]}}';
  const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"n"}}';
  const result = '{"jsonrpc":"2.0","id":7,"result":{}}';
  let end: () => void = () => {};
  answer = () => {
    if (came.length > 1) {
      end();
      return new Response(null, { status: 202 });
    }
    return new Response(
      new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode(`data: [${asked},${note}]\n\n`));
          end = () => {
            controller.enqueue(new TextEncoder().encode(`data: [${result}]\n\n`));
            controller.close();
          };
        },
      }),
      { headers: { "Content-Type": "text/event-stream" } },
    );
  };
  const ask = await sessionAt(office.relay("raw"), { Authorization: `Bearer ${relayKey}` });
  const stream = await (await ask("POST", `[${call}]`)).text();
  // An event without data may say from where the stream can be resumed.
  expect(stream.split("\n").filter((line) => /^data: ./.test(line))).toEqual([`data: [${note}]`, `data: [${result}]`]);
  expect(JSON.parse(came[1]?.body ?? "")).toMatchObject({ jsonrpc: "2.0", id: "s1", result: { role: "assistant" } });
});
