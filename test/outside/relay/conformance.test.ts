// The official conformance suite against a server directly and through the relay: the same findings.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conformanceOf, type Findings } from "../support/relay-conformance.ts";
import { conformingEndpoint } from "../support/relay-conforming-server.ts";
import { type Endpoint, endpointTo } from "../support/relay-endpoint.ts";
import { type RelayOffice, relayKey, relayOffice } from "../support/relay-office.ts";
import { serveStreaming, type StreamingServer } from "../support/relay-serve.ts";

let server: StreamingServer;
let office: RelayOffice;
let direct: Findings;
const endpoints: Endpoint[] = [];

beforeAll(async () => {
  server = await serveStreaming(conformingEndpoint());
  [office, direct] = await Promise.all([relayOffice(), conformanceOf(`${server.url}/mcp`)]);
});
afterAll(async () => {
  await Promise.all(endpoints.map((endpoint) => endpoint.close()));
  await office?.close();
  await server?.close();
});

/** The suite sends no API key, so that it comes in by an endpoint that adds one. */
async function through(name: string, entry: object, withoutSampling: boolean): Promise<Findings> {
  const endpoint = await endpointTo(office.relay(name), relayKey, { withoutSampling });
  endpoints.push(endpoint);
  const origins = [new URL(endpoint.url).origin];
  await office.serve({ [name]: { url: `${server.url}/mcp`, allowPrivate: true, origins, ...entry } });
  return conformanceOf(endpoint.url);
}

/** What each scenario looked at and how that ended; which HTTP traffic led there is not part of it. */
const verdicts = (findings: Findings): Record<string, string[]> =>
  Object.fromEntries([...findings].map(([scenario, checks]) => [scenario, checks.map(({ id, status }) => `${status} ${id}`)]));

const detailsOf = (findings: Findings, scenario: string) => findings.get(scenario)?.at(-1)?.details;

describe("a conforming server", () => {
  test("passes every scenario by itself, or this comparison would say nothing", () => {
    expect([...direct.keys()].length).toBeGreaterThanOrEqual(32);
    const fallen = [...direct.values()].flat().filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
    expect(fallen).toEqual([]);
    // A stream that the server closes in the middle and the client resumes is where a relay could most easily differ.
    expect(verdicts(direct)["server-sse-polling"]).toContain("SUCCESS server-sse-disconnect-resume");
  });

  test("passes the same scenarios through the relay, where the client's own sampling is used", async () => {
    const relayed = await through("forwarded", { mode: "fallback" }, false);
    expect(verdicts(relayed)).toEqual(verdicts(direct));
    expect(detailsOf(relayed, "tools-call-sampling")).toMatchObject({ samplingRequested: true });
    expect(office.model.requests).toEqual([]);
  });

  test("gets its sampling answered for a client that declares none, and passes every other scenario as before", async () => {
    const relayed = await through("fulfilled", { mode: "fulfil" }, true);
    const [sampled = "", ...more] = relayed.get("tools-call-sampling")?.flatMap(({ errorMessage }) => errorMessage ?? []) ?? [];
    // The suite looks at whether its own client was asked, which is what the relay is there to prevent; it has nothing else to say.
    expect([sampled, more]).toEqual(["Server did not request sampling from client", []]);
    expect(detailsOf(relayed, "tools-call-sampling")).toEqual({
      samplingRequested: false,
      result: { content: [{ type: "text", text: "LLM response: Hello from the scripted provider." }] },
    });
    const others = (findings: Findings) => ({ ...verdicts(findings), "tools-call-sampling": [] });
    expect(others(relayed)).toEqual(others(direct));
    expect(office.model.requests).toHaveLength(1);
  });
});
