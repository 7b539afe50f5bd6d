// Servers and clients of both SDK generations, stateful and stateless, with streams and with JSON,
// in every 2025 revision.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pause } from "../../../scripts/local-gateway.ts";
import { officialErrors } from "../../shared/wire/official.ts";
import {
  clientKinds,
  type Heard,
  matrixClient,
  matrixEndpoint,
  revisions,
  type ServerKind,
  statelessAskingEndpoint,
  tools,
} from "../../outside/support/relay-matrix.ts";
import { type RelayOffice, relayOffice } from "../../outside/support/relay-office.ts";
import { serveStreaming, type StreamingServer } from "../../outside/support/relay-serve.ts";

const kinds: Record<string, ServerKind> = {};
for (const sdk of [1, 2] as const)
  for (const stateful of [true, false])
    for (const json of [true, false])
      kinds[`sdk${sdk}-${stateful ? "stateful" : "stateless"}-${json ? "json" : "sse"}`] = { sdk, stateful, json };

/** Only the latest revision has servers close a stream that is to be resumed. */
const resumables: Record<string, ServerKind> = {
  "sdk1-resumable": { sdk: 1, stateful: true, json: false, resumable: true },
  "sdk2-resumable": { sdk: 2, stateful: true, json: false, resumable: true },
};

const servers: StreamingServer[] = [];
const heard: Record<string, Heard> = {};
let office: RelayOffice;
let key: string;

beforeAll(async () => {
  office = await relayOffice();
  // These clients leave without a word, and that one has gone shows at its stream's next heartbeat:
  // until then it has its place.
  key = await office.key({ name: "matrix", limits: { requestsPerMinute: 10_000, heldStreams: 1_000 } });
  const entries: Record<string, object> = {};
  const made = Object.entries({ ...kinds, ...resumables }).map(([name, kind]) => ({ name, ...matrixEndpoint(kind) }));
  for (const { name, endpoint, heard: hears } of [...made, { name: "raw-stateless-sse", ...statelessAskingEndpoint() }]) {
    const server = await serveStreaming(endpoint);
    servers.push(server);
    heard[name] = hears;
    entries[name] = { url: `${server.url}/mcp`, allowPrivate: true };
    entries[`${name}-strict`] = { ...entries[name], association: "strict" };
  }
  await office.serve(entries);
});
afterAll(async () => {
  await office?.close();
  await Promise.all(servers.map((server) => server.close()));
});

const reply = JSON.stringify({ type: "text", text: "Hello from the scripted provider." });
const connect = (kind: (typeof clientKinds)[number], server: string, revision: (typeof revisions)[number]) =>
  matrixClient(kind, office.relay(server), { Authorization: `Bearer ${key}` }, revision);

const declared = (revision: string) => ({
  experimental: { "countersign/responseFormat": {} },
  ...(revision === "2025-11-25"
    ? { sampling: { tools: {} }, tasks: { cancel: {}, requests: { sampling: { createMessage: {} } } } }
    : { sampling: {} }),
});

describe.each(revisions)("revision %s", (revision) => {
  describe.each(clientKinds)("client of %s", (kind) => {
    test.each(Object.entries(kinds))("%s", async (name, { stateful, json }) => {
      const client = await connect(kind, name, revision);
      expect(client.agreed()).toBe(revision);
      expect(await client.list()).toEqual(tools);
      expect(await client.call("plain")).toBe("Nobody was asked.");
      // A stateless server of an SDK forgets its client at once: it knows of no sampling, and could
      // not hear an answer.
      if (stateful) expect(heard[name]?.capabilities).toEqual(declared(revision));
      // Nor has an answer in JSON a stream to ask on.
      if (stateful && !json) expect(await client.call("ask", "What is new?")).toBe(reply);
      await client.close();
    });

    test("a server without sessions that samples on its response stream", async () => {
      const client = await connect(kind, "raw-stateless-sse", revision);
      expect(heard["raw-stateless-sse"]?.capabilities).toEqual(declared(revision));
      expect(await client.list()).toEqual(tools);
      expect(await client.call("plain")).toBe("Nobody was asked.");
      expect(await client.call("ask", "What is new?")).toBe(reply);
      const results = heard["raw-stateless-sse"]?.messages.flatMap((each) => (each as { result?: unknown }).result ?? []) ?? [];
      // The answer is one of this revision.
      expect(results.length).toBeGreaterThan(0);
      expect(officialErrors(revision, "CreateMessageResult", results.at(-1))).toEqual([]);
      await client.close();
    });

    test.each(Object.entries(kinds).filter(([, { stateful }]) => stateful))("%s, asking on the stand-alone stream", async (name) => {
      // A server that asks before its client listens there asks nobody, with us or without.
      const listening = async (from: number): Promise<void> => {
        while ((heard[name]?.streams ?? 0) === from) await pause(5);
      };
      const before = heard[name]?.streams ?? 0;
      const strict = await connect(kind, `${name}-strict`, revision);
      await listening(before);
      expect(await strict.call("aside", "What is new?")).toContain("Sampling request is not associated with a client request");
      await strict.close();
      const client = await connect(kind, name, revision);
      await listening(before + 1);
      expect(await client.call("aside", "What is new?")).toBe(reply);
      await client.close();
    });
  });
});

describe.each(clientKinds)("client of %s", (kind) => {
  test.each(Object.keys(resumables))("%s, asking on a stream that it closed and the client resumed", async (name) => {
    const client = await connect(kind, name, "2025-11-25");
    expect(await client.call("resumed", "What is new?")).toBe(reply);
    await client.close();
  });
});
