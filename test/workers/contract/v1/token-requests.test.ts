// Requests for tokens, a host's and a server's: each counts for its key, as every other request
// does.

import { beforeEach, expect, test } from "vitest";
import { createKey, eventually, gateway, jsonBody } from "../../support/gateway.ts";
import {
  RelayClient,
  type Upstream,
  configureServers,
  eventFor,
  openStream,
  responseTo,
  samplingRequest,
  scriptUpstream,
  upstreamOrigin,
} from "../../support/mcp-server.ts";
import { recordLines } from "../../support/record.ts";

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ open: { url: `${upstreamOrigin}/mcp`, v1Tokens: { maxUsd: 0.05, maxSeconds: 600 } } });
});

test("a server that asks for a token again and again is rate limited by the key's limit of calls", async () => {
  const { key, id } = await createKey({ limits: { callsPerMinute: 10 } });
  const client = new RelayClient("open", { key });
  await client.connect();
  const asked = Array.from({ length: 30 }, (_, each) => `s${each}`);
  const request = (each: string) => eventFor(samplingRequest(each, "hi", { _meta: { "countersign/v1Token": {} } }));
  const stream = openStream();
  upstream.answer = ({ message }) => (message.method === "tools/call" ? stream.response() : undefined);
  for (const each of asked) stream.say(request(each));
  const calling = client.call(1).then((response) => response.text());
  const answers = await eventually("every answer", async () => {
    const all = asked.flatMap((each) => upstream.answersTo(each));
    return all.length === asked.length ? all : null;
  });
  stream.say(eventFor(responseTo(1)));
  stream.end();
  await calling;
  const refused = answers.filter(({ error }) => error?.code === -32013);
  expect(refused.length).toBeGreaterThanOrEqual(20);
  const made = (await recordLines({})).filter(({ fact }) => fact.kind === "tokenMade" && fact.key === id);
  expect(made.length).toBe(asked.length - refused.length);
});

test("a host that asks for a token again and again is rate limited by the key's limit of calls", async () => {
  const { key, id } = await createKey({ limits: { callsPerMinute: 20 } });
  const ask = (of: number): Promise<Response> => {
    const originatingRequest = { id: of, method: "tools/call", name: "summarize", server: "open" };
    return gateway("/tokens", { key, ...jsonBody("POST", { session: "sess-1", originatingRequest, maxUsd: 1 }) });
  };
  // Each wakes an object, and counts for ten calls: what comes back within a second is far less.
  const answers = await Promise.all(Array.from({ length: 10 }, (_, each) => ask(each)));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThanOrEqual(7);
  const made = (await recordLines({})).filter(({ fact }) => fact.kind === "tokenMade" && fact.key === id);
  expect(made.length).toBe(answers.length - refused.length);
});
