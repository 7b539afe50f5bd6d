// A server's requests for tokens: each counts for its client's key, as every other request does.

import { beforeEach, expect, test } from "vitest";
import { createKey, eventually } from "../../support/gateway.ts";
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
