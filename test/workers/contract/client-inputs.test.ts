// What a client of a 2025 revision is asked in a round of a server of 2026-07-28, and which
// response of which session answers it.

import { beforeEach, expect, test } from "vitest";
import { inputId, inputPlace } from "../../../shared/relay/client-inputs.ts";
import { revision2026 } from "../../../shared/wire/mcp-2026/stateless-request.ts";
import { eventually } from "../support/gateway.ts";
import { RelayClient, type Upstream, configureServers, scriptUpstream, upstreamOrigin } from "../support/mcp-server.ts";
import { decide } from "../support/reviewer.ts";
import { readUntil } from "../support/stream.ts";
import { answerWith, continuations, formInput, roundOf, samplingInput, textResult } from "../support/stateless.ts";

const url = `${upstreamOrigin}/mcp`;
const madeUp = { role: "assistant", model: "none", content: { type: "text", text: "made up by the client" } };

let upstream: Upstream;
beforeEach(async () => {
  upstream = scriptUpstream();
  upstream.answer = (call) => {
    if (call.message.method === "server/discover")
      return answerWith(call, { resultType: "complete", supportedVersions: [revision2026], capabilities: { tools: {} } });
    const isFirst = call.message.params?.["inputResponses"] === undefined;
    return answerWith(call, isFirst ? roundOf({ confirm: formInput, reply: samplingInput() }, "the state") : textResult("done"));
  };
  await configureServers({ "request-gate": { url, protocol: "2026" }, open: { url, protocol: "2026", mode: "forward" } });
});

test("a session answers what it was asked itself: none answers the sampling of another session's call, at no server", async () => {
  const client = new RelayClient("request-gate");
  await client.connect({ elicitation: {} });
  const stream = (await client.call(7)).body?.getReader();
  if (stream === undefined) throw new Error("no stream");
  const [, asked = ""] = await readUntil(stream, /"id":"(countersign\/input\/[\w-]+)"/);
  const place = inputPlace(asked);
  if (place === null) throw new Error("no place");
  const forwarding = new RelayClient("open");
  await forwarding.connect({ sampling: {} });
  for (const index of [0, 1]) {
    const forged = { jsonrpc: "2.0", id: inputId({ ...place, index }), result: madeUp };
    expect((await forwarding.post(forged)).status).toBe(202);
  }
  await client.post({ jsonrpc: "2.0", id: asked, result: { action: "accept", content: { ok: true } } });
  await decide("request", "approve");
  await eventually("the continued call", async () => continuations(upstream.calls).length > 0);
  const [continued] = continuations(upstream.calls);
  expect(continued?.text).not.toContain("made up by the client");
  expect(continued?.text).toContain('"accept"');
  await readUntil(stream, /"done"/);
});

test("the gateway answers sampling from the moment an operator says so, also what the client was asked before", async () => {
  await configureServers({ "request-gate": { url, protocol: "2026", mode: "forward" } });
  const client = new RelayClient("request-gate");
  await client.connect({ sampling: {}, elicitation: {} });
  const stream = (await client.call(7)).body?.getReader();
  if (stream === undefined) throw new Error("no stream");
  const [, asked = ""] = await readUntil(stream, /"id":"(countersign\/input\/[\w-]+)"/);
  const place = inputPlace(asked);
  if (place === null) throw new Error("no place");
  await configureServers({ "request-gate": { url, protocol: "2026", mode: "fulfil" } });
  await client.post({ jsonrpc: "2.0", id: inputId({ ...place, index: 1 }), result: madeUp });
  await client.post({ jsonrpc: "2.0", id: inputId({ ...place, index: 0 }), result: { action: "accept", content: { ok: true } } });
  await decide("request", "approve");
  await eventually("the continued call", async () => continuations(upstream.calls).length > 0);
  const [continued] = continuations(upstream.calls);
  expect(continued?.text).not.toContain("made up by the client");
  expect(continued?.text).toContain('"accept"');
  await readUntil(stream, /"done"/);
});
