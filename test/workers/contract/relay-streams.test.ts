// Streams of the relay that break or that nobody reads: what a client can resume from, and what is
// closed at the server.

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
  await configureServers({ "request-gate": { url, protocol: "2026" }, open: { url }, "open-strict": { url, association: "strict" } });
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
  const client = new RelayClient("open-strict", { send: (path, init) => gatewayWith({ HEARTBEAT_SECONDS: "60" }, path, init) });
  await client.connect();
  const streams = { "with an id": openStream(), "without an id": openStream() };
  upstream.answer = ({ message }) => (message.method === "tools/call" ? streams[message.id as keyof typeof streams].response() : undefined); // the ids below
  streams["with an id"].say("id: 1\ndata: \n\n");
  streams["without an id"].say(": open\n\n");
  const [resumable, other] = [new Stream(await client.call("with an id")), new Stream(await client.call("without an id"))];
  await resumable.next();
  while (!/(: waiting\n\n){2}/.test(other.text)) await other.next();
  streams["with an id"].end();
  expect(await resumable.rest()).toBe("");
  expect(resumable.text).toMatch(/^id: \S+\ndata: \n\n$/);
  await other.leave();
});

test("a call that takes a while has a place to come back to, where its server gives none and may ask on the stand-alone stream", async () => {
  upstream.answer = ({ message }) => {
    if (message.id !== "slow") return undefined;
    const stream = openStream();
    stream.say(": open\n\n");
    return stream.response();
  };
  const comeBack = async (server: string, method: string): Promise<string> => {
    const client = new RelayClient(server);
    await client.connect();
    const stream = new Stream(await client.request("slow", method, { name: "summarize" }));
    // The place comes before the first comment, or not at all.
    while (!/^(id|: waiting)/m.test(stream.text)) await stream.next();
    await stream.leave();
    const place = /^id: (\S+)\ndata: \n\n/m.exec(stream.text)?.[1];
    if (place === undefined) return "no place";
    return (await client.send({ method: "GET", headers: { "Last-Event-ID": place } })).text();
  };
  expect(await comeBack("open", "tools/call")).toContain("the outcome of the request is unknown");
  expect(await comeBack("open", "tools/list")).toBe("no place");
  expect(await comeBack("open-strict", "tools/call")).toBe("no place");
});
