// What a server's entry switches on: context that its requests may carry, and requests in flight that count for what is asked on the
// stand-alone stream.

import { beforeEach, describe, expect, test } from "vitest";
import { configure, eventually, gateway, model, notices, openNotice, policy } from "../support/gateway.ts";
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
  upstreamOrigin,
} from "../support/mcp-server.ts";
import { decide, pathOf } from "../support/reviewer.ts";

const url = `${upstreamOrigin}/mcp`;
const prompt = `${promptMarker} Summarize this.`;
let upstream: Upstream;

beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({
    "request-gate": { url, context: true },
    "open-context": { url, context: true },
    "open-none": { url },
    flying: { url, association: "inFlight" },
    strict: { url },
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
    expect(declared()).toEqual({ sampling: { tools: {} }, tasks: expect.anything() as unknown });
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
  const listening = async (server: string) => {
    const [calls, alone] = [openStream(), openStream()];
    upstream.answer = ({ method, message }) =>
      method === "GET" ? alone.response() : message.method === "tools/call" ? calls.response() : undefined;
    const client = await connected(server);
    void client.send({ method: "GET" }).then((response) => response.text());
    return { calls, alone, client };
  };

  test("is no place to ask for sampling: it is refused, and never reaches the client", async () => {
    const { alone, client } = await listening("strict");
    void client.call(1);
    alone.say(eventFor(samplingRequest("ask-1", prompt)));
    expect((await answered("ask-1")).error?.code).toBe(-32602);
    expect(await notices()).toEqual([]);
  });

  test("counts for the newest request in flight where the entry says so, and the page says that this is inferred", async () => {
    const { calls, alone, client } = await listening("flying");
    void client.call(7);
    await eventually("the call at the server", async () => upstream.calls.some(({ message }) => message.id === 7));
    alone.say(eventFor(samplingRequest("ask-1", prompt)));
    const { link } = await openNotice("request");
    expect(await (await gateway(pathOf(link), { key: null })).text()).toMatch(/guess|inferred|took the newest/i);
    await decide("request", "approve");
    await decide("response", "approve");
    expect((await answered("ask-1")).result).toBeDefined();
    calls.say(eventFor(responseTo(7)));
    calls.end();
    // Once it is answered, nothing is in flight.
    await eventually("a refusal", async () => {
      const id = `late-${upstream.calls.length}`;
      alone.say(eventFor(samplingRequest(id, prompt)));
      return (await answered(id)).error?.code === -32602;
    });
  });
});
