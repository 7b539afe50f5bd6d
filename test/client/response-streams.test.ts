import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResponseStreams } from "../../client/response-streams.ts";

const sampling = (id: number | string): string =>
  `data: ${JSON.stringify({ jsonrpc: "2.0", id, method: "sampling/createMessage", params: { text: "é😀" } })}\r\n\r\n`;
const post = (...ids: number[]): RequestInit => {
  const requests = ids.map((id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: {} }));
  return { method: "POST", body: JSON.stringify(requests.length === 1 ? requests[0] : requests) };
};
const resume = (id: string): RequestInit => ({ method: "GET", headers: { "last-event-id": id } });

function serving(text: string, type = "text/event-stream", sizes: readonly number[] = []) {
  const streams = new ResponseStreams();
  const bytes = new TextEncoder().encode(text);
  const fetch = streams.wrap(() => {
    let at = 0;
    let chunk = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const size = sizes[chunk] ?? bytes.length;
        chunk += 1;
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      },
    });
    const response = new Response(body, { status: 200, headers: { "content-type": type, "mcp-session-id": "x" } });
    Object.defineProperty(response, "url", { value: "http://server.test/final" });
    return Promise.resolve(response);
  });
  return { streams, read: async (init: RequestInit) => (await fetch("http://server.test/mcp", init)).text(), fetch };
}

describe("the wrapped fetch", () => {
  test("passes on every byte, the headers and the address, and tells the stream of each sampling request, however the bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 20 }), async (sizes) => {
        const text = `: x\n\n${sampling(1)}${sampling("1")}`;
        const { streams, fetch } = serving(text, "text/event-stream; charset=utf-8", sizes);
        const response = await fetch("http://server.test/mcp", post(7));
        expect(await response.text()).toBe(text);
        expect(response.url).toBe("http://server.test/final");
        expect(response.headers.get("mcp-session-id")).toBe("x");
        expect([streams.take(1), streams.take("1"), streams.take(2)]).toEqual([7, 7, undefined]);
      }),
    );
  });

  test("passes on an event that is too long to be looked at, and everything after it", async () => {
    const text = `${sampling(1)}data: ${"x".repeat(10_001_000)}\n\n${sampling(2)}`;
    const { streams, read } = serving(text, "text/event-stream", [200, 9_999_950]);
    expect((await read(post(7))) === text).toBe(true);
    expect([streams.take(1), streams.take(2)]).toEqual([7, undefined]);
  });

  test("tells it once, and nothing after a new connection began", async () => {
    const { streams, read } = serving(`id: e1\n${sampling(1)}${sampling(2)}`);
    await read(post(7));
    expect([streams.take(1), streams.take(1)]).toEqual([7, undefined]);
    streams.clear();
    expect(streams.take(2)).toBeUndefined();
    await read(resume("e1"));
    expect(streams.take(1)).toBeUndefined();
  });

  test("tells nothing of a stream that answers several requests, of the standing stream, and of one resumed from an older event", async () => {
    for (const init of [post(7, 8), { method: "GET" }, resume("e1")]) {
      const { streams, read } = serving(`id: e1\ndata: {}\n\nid: e2\n${sampling(1)}`);
      if (init.method === "GET" && init.headers !== undefined) {
        await read(post(7));
        streams.take(1);
      }
      await read(init);
      expect(streams.take(1)).toBeUndefined();
    }
  });

  test("knows a resumed stream by its last event", async () => {
    const { streams, read } = serving(`id: e1\ndata:\n\nid: e2\n${sampling(1)}`);
    await read(post(7));
    streams.take(1);
    await read(resume("e2"));
    expect(streams.take(1)).toBe(7);
  });

  test("leaves answers that are no event stream untouched", async () => {
    const { streams, read } = serving(sampling(1), "application/json");
    expect(await read(post(7))).toBe(sampling(1));
    expect(streams.take(1)).toBeUndefined();
  });
});
