// What a server's entry switches on: context that its requests may carry, and and which request in
// flight counts for what is asked on the stand-alone stream.

import { beforeEach, describe, expect, test } from "vitest";
import { configure, eventually, gateway, model, notices, openNotice, policy, runReaches, travel } from "../support/gateway.ts";
import { promptMarker } from "../support/logs.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  initializeResult,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  streamOf,
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { recordLines } from "../support/record.ts";
import { decide, pathOf } from "../support/reviewer.ts";
import { Stream } from "../support/stream.ts";

const url = `${upstreamOrigin}/mcp`;
const prompt = `${promptMarker} Summarize this.`;
let upstream: Upstream;

beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({
    "request-gate": { url, context: true },
    "open-context": { url, context: true },
    "open-none": { url },
    "open-flying": { url, association: "inFlight" },
    "open-strict": { url, association: "strict" },
  });
});

const connected = async (server: string): Promise<RelayClient> => {
  const client = new RelayClient(server);
  await client.connect();
  return client;
};
const answered = (id: string | number): Promise<ReturnType<Upstream["answersTo"]>[number]> =>
  eventually(`an answer to ${id}`, async () => upstream.answersTo(id)[0]);
const declared = (): unknown => upstream.calls.find(({ message }) => message.method === "initialize")?.message.params?.["capabilities"];
const systemSent = (): string => JSON.stringify(model.calls.at(-1)?.body["messages"]);

/** Answers a tool call with a stream that first asks for sampling. */
function asksIn(params: object): ReturnType<typeof openStream> {
  const stream = openStream();
  upstream.answer = ({ message }) => {
    if (message.method === "initialize")
      return Response.json(
        { jsonrpc: "2.0", id: message.id, result: { ...initializeResult("2025-11-25"), instructions: "Notes of meetings, newest last." } },
        { headers: { "Mcp-Session-Id": "s" } },
      );
    return message.method === "tools/call" ? stream.response() : undefined;
  };
  stream.say(eventFor(samplingRequest("ask-1", prompt, params)));
  return stream;
}

describe("context", () => {
  const allowing = (server: string, context: string): Promise<void> =>
    configure("policy", {
      ...policy,
      rules: [
        {
          name: "with context",
          when: { server },
          then: { request: server === "request-gate" ? "review" : "allow", response: "allow", context },
        },
      ],
    });

  test.each([
    ["thisServer", true],
    ["allServers", true],
    ["none", false],
  ])("includeContext %s, where entry and policy allow it: added is %s", async (includeContext, isAdded) => {
    await allowing("open-context", "thisServer");
    const stream = asksIn({ includeContext, systemPrompt: "Be brief." });
    const client = await connected("open-context");
    expect(declared()).toMatchObject({ sampling: { context: {} } });
    void client.call(1, { arguments: { meeting: "Tuesday" } });
    await answered("ask-1");
    stream.say(eventFor(responseTo(1)));
    stream.end();
    expect(systemSent()).toContain("Be brief.");
    for (const words of ["Notes of meetings, newest last.", "Tuesday", "Context added by Countersign"])
      expect(systemSent().includes(words)).toBe(isAdded);
  });

  test("is not added where the policy does not say so, nor declared where the entry does not", async () => {
    await allowing("open-context", "none");
    asksIn({ includeContext: "thisServer" }).end();
    await (await connected("open-context")).call(1, { arguments: { meeting: "Tuesday" } });
    await answered("ask-1");
    expect(systemSent()).not.toContain("Tuesday");
    upstream.calls.length = 0;
    await connected("open-none");
    expect(declared()).toEqual({
      sampling: { tools: {} },
      experimental: expect.anything() as unknown,
      tasks: expect.anything() as unknown,
    });
  });

  test("is on the review page, in the system prompt and with a note, and a reviewer may take it out", async () => {
    await allowing("request-gate", "thisServer");
    asksIn({ includeContext: "thisServer", systemPrompt: "Be brief." });
    void (await connected("request-gate")).call(1, { arguments: { meeting: "Tuesday" } });
    const { link } = await openNotice("request");
    const page = await (await gateway(pathOf(link), { key: null })).text();
    expect(page).toContain("Notes of meetings, newest last.");
    expect(page).toContain("because the server asked for context");
    await decide("request", "approve", undefined, (fields) => fields.set("edit:/systemPrompt", "Be brief."));
    await answered("ask-1");
    expect(systemSent()).not.toContain("Tuesday");
    expect(systemSent()).toContain("Be brief.");
  });

  test("cannot carry a request past the rule for what it becomes", async () => {
    await configure("policy", {
      ...policy,
      rules: [
        { name: "no tokens", when: { risk: "high" }, then: { request: "refuse" } },
        { name: "with context", when: { server: "open-context" }, then: { request: "allow", response: "allow", context: "thisServer" } },
      ],
    });
    asksIn({ includeContext: "thisServer" }).end();
    await (await connected("open-context")).call(1, { arguments: { key: "ghp_0123456789abcdefghijklmnopqrstuvwxyz" } });
    expect((await answered("ask-1")).result).toBeDefined();
    expect(systemSent()).not.toContain("ghp_");
  });
});

describe("the stand-alone stream", () => {
  /**
   * What the record says of the request that was answered; on the fast path it is written a moment
   * later.
   */
  const received = ({ result }: ReturnType<Upstream["answersTo"]>[number]): Promise<unknown> => {
    const { id } = (result as { _meta: { "countersign/run": { id: string } } })._meta["countersign/run"];
    return eventually("the record", async () =>
      (await recordLines())
        .flatMap(({ run, fact }) => (run === id && fact.kind === "received" ? [[fact.name, fact.provenance, fact.association]] : []))
        .at(-1),
    );
  };

  /**
   * A client that listens there, and a server that answers each call on a stream of its own, as the
   * test tells it to.
   */
  const listening = async (server: string) => {
    const alone = openStream();
    const streams = new Map<unknown, ReturnType<typeof openStream>>();
    upstream.answer = ({ method, message, text }) => {
      if (method === "GET") return alone.response();
      if (message.method !== "tools/call" && !text.startsWith("[")) return undefined;
      const stream = openStream();
      streams.set(message.id, stream);
      return stream.response();
    };
    const client = await connected(server);
    let heard = "";
    void client.send({ method: "GET" }).then(async (response) => {
      const stream = new Stream(response);
      while ((await stream.next()) !== "") heard = stream.text;
    });
    const streamFor = (id: unknown): Promise<ReturnType<typeof openStream>> =>
      eventually("the call at the server", async () => streams.get(id));
    return {
      client,
      alone,
      /** What the client has of it. */
      heard: (): string => heard,
      streamFor,
      /** Resolves once the server has the call. What the client gets is in "answer". */
      call: async (id: string | number, more: object = {}): Promise<{ answer: Promise<string> }> => {
        const answer = client.call(id, more).then((response) => response.text());
        await streamFor(id);
        return { answer };
      },
      answers: async (id: string | number, result: object = {}): Promise<void> => {
        const stream = await streamFor(id);
        stream.say(eventFor({ jsonrpc: "2.0", id, result }));
        stream.end();
      },
      asks: async (id: string, params: object = {}): Promise<ReturnType<Upstream["answersTo"]>[number]> => {
        alone.say(eventFor(samplingRequest(id, prompt, params)));
        return answered(id);
      },
    };
  };
  type Listening = Awaited<ReturnType<typeof listening>>;
  const reasonIn = ({ error }: ReturnType<Upstream["answersTo"]>[number]): unknown =>
    (error as { data?: { reason?: unknown } } | undefined)?.data?.reason;

  test("counts by default for the only request in flight, and page and record say that this is inferred", async () => {
    const { call, asks } = await listening("request-gate");
    await call(7);
    const answer = asks("only-1");
    const { link } = await openNotice("request");
    expect(await (await gateway(pathOf(link), { key: null })).text()).toContain("this was the only one in flight. This may be wrong");
    await decide("request", "approve");
    expect(await received(await answer)).toEqual(["summarize", "inferred", "inferred: the only request in flight"]);
  });

  test("is refused by default while several requests are in flight, with an error that names the setting", async () => {
    const { call, asks } = await listening("open-none");
    await call(7);
    await call(8, { name: "delete" });
    const refused = await asks("several-1");
    expect(refused.error?.code).toBe(-32602);
    expect(refused.error?.message).toContain('"association": "inFlight"');
    expect(reasonIn(refused)).toBe("severalInFlight");
    expect(model.calls).toEqual([]);
  });

  test("counts for the newest of several where the entry says so, and the record says so", async () => {
    const { call, asks } = await listening("open-flying");
    await call(7);
    await call("8", { name: "translate" });
    expect(await received(await asks("newest-1"))).toEqual(["translate", "inferred", "inferred: the newest of several requests in flight"]);
  });

  test("is no place to ask for sampling where the entry is strict: the error says why, and it never reaches the client", async () => {
    const { call, asks } = await listening("open-strict");
    await call(1);
    const refused = await asks("strict-1");
    expect(refused.error?.code).toBe(-32602);
    expect(refused.error?.message).toContain('"association": "strict"');
    expect(reasonIn(refused)).toBe("nothingShown");
    expect(await notices()).toEqual([]);
  });

  test.each(["open-none", "open-strict", "open-flying"])(
    "counts at %s for the request whose task is named, whatever is in flight",
    async (server) => {
      const { answers, call, asks } = await listening(server);
      const { answer } = await call(7, { name: "research", task: {} });
      await answers(7, { task: { taskId: "task-7", status: "working" } });
      await answer;
      await call(8);
      await call(9);
      const naming = (taskId: string): object => ({ _meta: { "io.modelcontextprotocol/related-task": { taskId } } });
      expect(await received(await asks("named-1", naming("task-7")))).toEqual([
        "research",
        "observed",
        "observed: the server named the request's task",
      ]);
      expect((await asks("named-2", naming("a task that nobody began"))).error?.code).toBe(-32602);
    },
  );

  const cancelled = (requestId: number): object => ({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
  test.each<[string, (on: Listening) => Promise<unknown>]>([
    [
      "was answered on its stream",
      async ({ call, answers }) => {
        const { answer } = await call(1);
        await answers(1);
        return answer;
      },
    ],
    [
      "was answered on a stream that stays open",
      async ({ client, streamFor }) => {
        const stream = new Stream(await client.call(1));
        (await streamFor(1)).say(eventFor(responseTo(1)));
        while (!stream.text.includes("done")) await stream.next();
      },
    ],
    ["was answered in JSON", async ({ client }) => (await client.request(1, "prompts/get", { name: "brief" })).text()],
    [
      "its client cancelled",
      async ({ call, client }) => {
        await call(1);
        return (await client.post(cancelled(1))).text();
      },
    ],
    [
      "ended with a stream that broke off",
      async ({ call, streamFor }) => {
        const { answer } = await call(1);
        (await streamFor(1)).breakOff();
        return answer.catch(() => "broken off");
      },
    ],
    [
      "ended with a stream that its server closed without an answer, and that nobody can resume",
      async ({ call, streamFor }) => {
        const { answer } = await call(1);
        (await streamFor(1)).end();
        return answer;
      },
    ],
    [
      "nobody has been heard of for minutes, as after a crash of the gateway",
      async ({ client, streamFor }) => {
        void client.call(1).then((response) => response.body?.cancel());
        await streamFor(1);
        travel(5 * 60_000);
      },
    ],
    ["asked for a list", async ({ client }) => (await client.request(1, "tools/list")).text()],
  ])("does not count for a request that %s", async (_how, ends) => {
    const on = await listening("open-none");
    await ends(on);
    expect(reasonIn(await on.asks("over-1"))).toBe("noneInFlight");
    await on.call(2, { name: "translate" });
    expect(await received(await on.asks("over-2"))).toEqual(["translate", "inferred", "inferred: the only request in flight"]);
  });

  const toolCall = (id: number): object => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "translate", arguments: {} } });
  const ping = { jsonrpc: "2.0", id: 9, method: "ping" };

  test("counts for the one request of a batch that may be sampled for, and for none of two", async () => {
    const { client, streamFor, asks } = await listening("open-none");
    void client.post([toolCall(1), ping]).then((response) => response.text());
    await streamFor(undefined);
    expect(await received(await asks("batch-1"))).toEqual(["translate", "inferred", "inferred: the only request in flight"]);
    void client.post([toolCall(2), toolCall(3)]).then((response) => response.text());
    await eventually("the second batch", async () => upstream.calls.some(({ text }) => text.includes('"id":3')));
    expect(reasonIn(await asks("batch-2"))).toBe("severalInFlight");
  });

  test("counts for a request whose stream its server closed for its client to come back to, until that is answered", async () => {
    const { client, streamFor, asks } = await listening("open-none");
    const first = await client.call(1);
    const stream = await streamFor(1);
    stream.say("id: 5\ndata: \n\n");
    stream.end();
    const place = /id: (\S+\.5)\n/.exec(await first.text())?.[1] ?? "";
    expect((await asks("parked-1")).result).toBeDefined();
    upstream.answer = () => streamOf(eventFor(responseTo(1), "6"));
    expect(await (await client.send({ method: "GET", headers: { "Last-Event-ID": place } })).text()).toContain("done");
    expect(reasonIn(await asks("parked-2"))).toBe("noneInFlight");
  });

  test("keeps a review open for a server whose own patience ends, as a response stream does", async () => {
    const { call, alone, heard } = await listening("request-gate");
    await call(7);
    alone.say(eventFor(samplingRequest("patience-1", prompt)));
    const { run } = await openNotice("request");
    const params = { requestId: "patience-1", reason: "McpError: MCP error -32001: Request timed out" };
    alone.say(eventFor({ jsonrpc: "2.0", method: "notifications/cancelled", params }));
    alone.say(eventFor({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "said after it" } }));
    await eventually("what came after it", async () => heard().includes("said after it"));
    await decide("request", "approve");
    await runReaches(run, "completed");
    expect(upstream.answersTo("patience-1")).toEqual([]);
  });
});
