// Streams of the relay that break or that nobody reads: what a client can resume from, and what is closed at the server.

import { beforeEach, expect, test } from "vitest";
import { gatewayWith } from "../support/gateway.ts";
import { RelayClient, type Upstream, configureServers, openStream, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { decide } from "../support/reviewer.ts";
import { answerWith, samplesOnce } from "../support/stateless.ts";
import { Stream } from "../support/stream.ts";

const url = `${upstreamOrigin}/mcp`;
let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  await configureServers({ "request-gate": { url, protocol: "2026" }, open: { url } });
});

/** Reads the stream's first event, which is an id alone, and leaves: that id. */
async function leaveAtId(response: Response): Promise<string> {
  const stream = new Stream(response);
  while (!stream.text.includes("\n\n")) if ((await stream.next()) === "") break;
  await stream.leave();
  const id = /^id: (\S+)\ndata: \n\n/.exec(stream.text)?.[1];
  if (id === undefined) throw new Error(`no event id first: ${stream.text}`);
  return id;
}

test("a stream that breaks again before its first message is resumed once more, at a server of 2026-07-28", async () => {
  const rounds = samplesOnce();
  upstream.answer = (call) =>
    call.message.method === "server/discover"
      ? answerWith(call, { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } })
      : rounds(call);
  const client = new RelayClient("request-gate");
  await client.connect();
  const resumed = (id: string): Promise<Response> => client.send({ method: "GET", headers: { "Last-Event-ID": id } });
  let id = await leaveAtId(await client.call("call"));
  const first = id;
  for (let broken = 0; broken < 3; broken += 1) id = await leaveAtId(await resumed(id));
  expect(id).toBe(first);
  const last = new Stream(await resumed(id));
  expect(await last.next()).toBe(`id: ${id}\ndata: \n\n`);
  await decide("request", "approve");
  expect(await last.rest()).toContain('"role\\":\\"assistant');
});

test("a stream to which its client cannot come back has a comment every few seconds, which shows that the client is there", async () => {
  const client = new RelayClient("open", { send: (path, init) => gatewayWith({ HEARTBEAT_SECONDS: "60" }, path, init) });
  await client.connect();
  const streams = { "with an id": openStream(), "without an id": openStream() };
  upstream.answer = ({ message }) => (message.method === "tools/call" ? streams[message.id as keyof typeof streams].response() : undefined); // the ids below
  streams["with an id"].say("id: 1\ndata: \n\n");
  streams["without an id"].say(": open\n\n");
  const [resumable, other] = [new Stream(await client.call("with an id")), new Stream(await client.call("without an id"))];
  await resumable.next();
  for (let comments = 0; comments < 2;) comments += (await other.next()) === ": waiting\n\n" ? 1 : 0;
  streams["with an id"].end();
  expect(await resumable.rest()).toBe("");
  expect(resumable.text).toMatch(/^id: \S+\ndata: \n\n$/);
  await other.leave();
});
