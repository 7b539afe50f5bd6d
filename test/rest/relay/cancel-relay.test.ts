// What ends a review behind the relay: whoever asked gives up, in words. And what does not: a
// connection that drops.

import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema, CreateMessageResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RawMcpServer, askFor, event, openStream, resultOf, startRawMcpServer } from "../../support/raw-mcp-server.ts";
import { decideByLink } from "../../outside/support/killable-gateway.ts";
import { type RawClient, rawClient, until } from "../../outside/support/raw-client.ts";
import { type RelayOffice, openGates, relayOffice } from "../../outside/support/relay-office.ts";
import { type StreamingServer, serveStreaming } from "../../outside/support/relay-serve.ts";
import { sessionsOf } from "../../outside/support/relay-sessions.ts";

let office: RelayOffice;
let server: RawMcpServer;
/** What a call's stream is written to, by the call's id. */
const streams = new Map<string | number, Parameters<RawMcpServer["behave"]>[1]>();
/** The stand-alone streams that are open at the server. */
const listening = new Set<Parameters<RawMcpServer["behave"]>[1]>();
let isSilent = false;
beforeAll(async () => {
  [office, server] = await Promise.all([relayOffice({ HEARTBEAT_SECONDS: "1" }), startRawMcpServer()]);
  const then = { request: "review", response: "allow", reviewers: ["everyone"] };
  await office.rule({
    ...openGates,
    rules: [{ name: "reviewed", when: { server: "reviewed" }, then }],
    reviewers: { everyone: [{ name: "Ada" }] },
  });
  await office.serve({ reviewed: { url: server.url, allowPrivate: true } });
  server.behave = ({ method, message, headers }, response) => {
    const resumed = headers["last-event-id"];
    if (method === "GET" && resumed === undefined) {
      listening.add(response);
      response.on("close", () => listening.delete(response));
      // Without a byte of an answer, where the test has the server say none.
      if (isSilent) return true;
    } else if (method === "GET" && typeof resumed === "string") streams.set(`resumed ${resumed}`, response);
    else if (message.method === "tools/call" && message.id !== undefined) streams.set(message.id, response);
    else return false;
    openStream(response);
    return true;
  };
});
afterAll(async () => {
  await Promise.all([office?.close(), server?.close()]);
});

type Waiting = {
  readonly client: RawClient;
  readonly id: string;
  readonly link: string;
  readonly run: string;
  readonly text: Promise<string>;
  readonly seen: () => string;
  readonly leave: () => void;
};

/** A call that was sampled for, whose review is open. */
async function waiting(id: string, client?: RawClient): Promise<Waiting> {
  const known = client ?? (await rawClient(office.relay("reviewed")));
  const before = new Set((await office.notices()).map(({ run }) => run));
  const leaving = new AbortController();
  let seen = "";
  const text = known.call(id, leaving.signal).then(async ({ body }) => {
    for await (const piece of body ?? []) seen += Buffer.from(piece).toString("utf8");
    return seen;
  });
  // Who leaves does not read on.
  text.catch(() => {});
  const stream = await until("the call", () => streams.get(id));
  stream.write(event(askFor(`s-${id}`, `Question of ${id}`), "1"));
  const { link, run } = await until("its review", async () => (await office.notices()).find((each) => !before.has(each.run)));
  return { client: known, id, link: link ?? "", run, text, seen: () => seen, leave: () => leaving.abort() };
}

const runs = async (): Promise<Set<string>> => {
  const answer = await fetch(`${office.url}/admin/runs`, { headers: { Authorization: "Bearer admin-token-of-the-tests-0123456789" } });
  return new Set(((await answer.json()) as { runs: { id?: string; run?: string }[] }).runs.map(({ id, run }) => id ?? run ?? ""));
};

const stateOf = async (run: string): Promise<string> => {
  const answer = await fetch(`${office.url}/admin/runs/${run}`, {
    headers: { Authorization: "Bearer admin-token-of-the-tests-0123456789" },
  });
  return ((await answer.json()) as { state: string }).state;
};

async function isWithdrawn({ id, link, run }: Waiting): Promise<void> {
  await until("its end", async () => (await stateOf(run)) === "cancelled");
  const page = await (await fetch(link)).text();
  expect(page).toContain("withdrawn");
  await expect(decideByLink(link, "approve")).rejects.toThrow("no form");
  // Whoever gave it up is told nothing, and nobody is paid.
  expect(server.answersTo(`s-${id}`)).toEqual([]);
  expect(JSON.stringify(office.model.requests)).not.toContain(`Question of ${id}`);
}

const cancelled = (id: string): object => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId: id, reason: "not needed any more" },
});

describe("a review is withdrawn, and its page says so, where", () => {
  test("the client cancels its request", async () => {
    const call = await waiting("client-cancels");
    expect((await call.client.cancel(call.id)).status).toBe(202);
    await isWithdrawn(call);
    expect(server.calls.some(({ message }) => message.method === "notifications/cancelled")).toBe(true);
  });

  test("the session ends", async () => {
    const one = await waiting("session-ends");
    const other = await waiting("session-ends-too", one.client);
    const stranger = await waiting("another-session");
    await one.client.end();
    await isWithdrawn(one);
    await isWithdrawn(other);
    expect(await stateOf(stranger.run)).not.toBe("cancelled");
  });

  test("the request has its response", async () => {
    const call = await waiting("answered");
    streams.get(call.id)?.end(event(resultOf(call.id, "without it")));
    await isWithdrawn(call);
    expect(await call.text).toContain("without it");
  });

  test("the request is answered with an error", async () => {
    const call = await waiting("answered-badly");
    streams.get(call.id)?.end(event({ jsonrpc: "2.0", id: call.id, error: { code: -32000, message: "no" } }));
    await isWithdrawn(call);
  });

  test("the server cancels what it asked", async () => {
    const call = await waiting("server-cancels");
    streams.get(call.id)?.write(event(cancelled(`s-${call.id}`)));
    await isWithdrawn(call);
    streams.get(call.id)?.end(event(resultOf(call.id)));
    // The client has heard of neither.
    expect(await call.text).not.toContain("cancelled");
  });

  test("the server cancels it in the same breath", async () => {
    const client = await rawClient(office.relay("reviewed"));
    const known = await runs();
    const text = client.call("at-once").then((answer) => answer.text());
    const stream = await until("the call", () => streams.get("at-once"));
    stream.write(event(askFor("s-at-once", "Question of at-once")) + event(cancelled("s-at-once")));
    const [run] = await until("its run", async () => {
      const fresh = [...(await runs())].filter((each) => !known.has(each));
      return fresh.length > 0 && fresh;
    });
    await until("its end", async () => (await stateOf(run ?? "")) === "cancelled");
    stream.end(event(resultOf("at-once")));
    expect(await text).not.toMatch(/createMessage|cancelled/);
    expect(server.answersTo("s-at-once")).toEqual([]);
  });

  test("the response comes on a stream that was resumed", async () => {
    const call = await waiting("resumed");
    const place = await until("a place to resume from", () => /id: (\S+\.1)\n/.exec(call.seen())?.[1]);
    call.leave();
    const resumed = call.client.listen(place).then((answer) => answer.text());
    const stream = await until("the resumed stream", () => streams.get("resumed 1"));
    stream.end(event(resultOf(call.id, "late"), "2"));
    expect(await resumed).toContain("late");
    await isWithdrawn(call);
  });

  test("the server cancels what it asked on a stream that was resumed", async () => {
    streams.delete("resumed 1");
    const call = await waiting("resumed-and-cancelled");
    const place = await until("a place to resume from", () => /id: (\S+\.1)\n/.exec(call.seen())?.[1]);
    call.leave();
    const resumed = call.client.listen(place).then((answer) => answer.text());
    const stream = await until("the resumed stream", () => streams.get("resumed 1"));
    stream.write(event(cancelled(`s-${call.id}`)));
    await isWithdrawn(call);
    stream.end();
    await resumed;
  });
});

describe("a server of the SDK that does not wait any longer", () => {
  let sdk: StreamingServer;
  afterAll(() => sdk?.close());

  test("leaves the review open, and its next try gets what was decided meanwhile: nobody is asked twice", async () => {
    let patienceMs = 8_000;
    sdk = await serveStreaming(
      sessionsOf(() => {
        const server = new Server({ name: "impatient", version: "1" }, { capabilities: { tools: {} } });
        server.setRequestHandler(CallToolRequestSchema, async (_request, { sendRequest }) => {
          const messages = [{ role: "user" as const, content: { type: "text" as const, text: "The question of the impatient" } }];
          const request = { method: "sampling/createMessage" as const, params: { messages, maxTokens: 20 } };
          const reply = await sendRequest(request, CreateMessageResultSchema, { timeout: patienceMs });
          return { content: [{ type: "text", text: `said by ${reply.model}` }] };
        });
        return server;
      }),
    );
    await office.serve({ reviewed: { url: sdk.url, allowPrivate: true } });
    const before = new Set((await office.notices()).map(({ run }) => run));
    const client = await rawClient(office.relay("reviewed"));
    const first = await (await client.call("first")).text();
    expect(first).toContain("timed out");
    const fresh = (await office.notices()).filter(({ run }) => !before.has(run));
    expect(fresh).toHaveLength(1);
    const link = fresh[0]?.link ?? "";
    expect(await (await fetch(link)).text()).toContain("has disconnected");
    expect((await decideByLink(link, "approve")).status).toBe(303);
    await until("its end", async () => (await stateOf(fresh[0]?.run ?? "")) === "completed");
    patienceMs = 60_000;
    expect(await (await client.call("second")).text()).toContain("said by scripted-1");
    expect(office.model.requests.filter(({ body }) => JSON.stringify(body).includes("of the impatient"))).toHaveLength(1);
    await office.serve({ reviewed: { url: server.url, allowPrivate: true } });
  });
});

describe("a review waits on, where", () => {
  test("the client's connection drops: the run goes on, and its answer is posted to the server once", async () => {
    const call = await waiting("dropped");
    call.leave();
    await expect(call.text).rejects.toThrow();
    expect((await decideByLink(call.link, "approve")).status).toBe(303);
    const answer = await until("the answer", () => server.answersTo("s-dropped")[0]);
    expect(answer.result).toMatchObject({ role: "assistant", model: "scripted-1" });
    expect(await stateOf(call.run)).toBe("completed");
    // What the server still sends on the stream that nobody reads harms nobody.
    streams.get(call.id)?.end(event(resultOf(call.id)));
    expect(await (await call.client.post({ jsonrpc: "2.0", id: "after", method: "ping" })).json()).toMatchObject({ id: "after" });
    expect(server.answersTo("s-dropped")).toHaveLength(1);
  });

  test("the server's own stream breaks off: it may still be told", async () => {
    const call = await waiting("broken-off");
    streams.get(call.id)?.socket?.resetAndDestroy();
    await expect(call.text).rejects.toThrow();
    expect((await decideByLink(call.link, "approve")).status).toBe(303);
    expect((await until("the answer", () => server.answersTo("s-broken-off")[0])).result).toMatchObject({ role: "assistant" });
  });

  test("another request of the session ends, or one with an id of another type is cancelled", async () => {
    const call = await waiting("7");
    await call.client.cancel(7);
    await call.client.cancel("8");
    const other = call.client.call("8").then((answer) => answer.text());
    (await until("the other call", () => streams.get("8"))).end(event(resultOf("8")));
    await other;
    expect((await decideByLink(call.link, "approve")).status).toBe(303);
    expect((await until("the answer", () => server.answersTo("s-7")[0])).result).toBeDefined();
    streams.get("7")?.end(event(resultOf("7")));
    expect(await call.text).toContain("done");
  });
});

describe("a stream at the server is closed, where its client", () => {
  const open = async (): Promise<{ client: RawClient; leaving: AbortController[] }> => {
    const client = await rawClient(office.relay("reviewed"));
    const leaving = Array.from({ length: 20 }, () => new AbortController());
    await Promise.all(leaving.map(({ signal }) => client.listen(undefined, signal).catch(() => {})));
    return { client, leaving };
  };

  test("has gone, which listened: of 20 none stays", async () => {
    const { leaving } = await open();
    await until("twenty streams", () => listening.size === 20);
    for (const each of leaving) each.abort();
    await until("their end", () => listening.size === 0);
  });

  test("ends the session, whatever the server makes of that", async () => {
    const client = await rawClient(office.relay("reviewed"));
    const listened = (await client.listen()).text();
    await until("the stream", () => listening.size === 1);
    await client.end();
    await until("its end", () => listening.size === 0);
    await listened;
  });

  test("has gone before the server said a word", async () => {
    isSilent = true;
    const client = await rawClient(office.relay("reviewed"));
    const leaving = new AbortController();
    client.listen(undefined, leaving.signal).catch(() => {});
    await until("the stream", () => listening.size === 1);
    leaving.abort();
    await until("its end", () => listening.size === 0);
    isSilent = false;
  });

  test("has gone, which called a tool", async () => {
    const client = await rawClient(office.relay("reviewed"));
    const leaving = new AbortController();
    await client.call("left", leaving.signal);
    let isClosed = false;
    streams.get("left")?.on("close", () => (isClosed = true));
    leaving.abort();
    await until("its end", () => isClosed);
  });
});
