// The official conformance suites for the 2025 family against a server directly and through the
// relay by default settings: the same findings, at a server of that family alone and at one of
// both.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ofBothFamilies } from "../../outside/support/both-families.ts";
import { conforming2026 } from "../../outside/support/conforming-2026.ts";
import { conformance2025Of, conformanceOf, type Findings, requiredOf } from "../../outside/support/relay-conformance.ts";
import { conformingEndpoint } from "../../outside/support/relay-conforming-server.ts";
import { type Endpoint, endpointTo } from "../../outside/support/relay-endpoint.ts";
import { type RelayOffice, relayKey, relayOffice } from "../../outside/support/relay-office.ts";
import { serveStreaming } from "../../outside/support/relay-serve.ts";

let office: RelayOffice;
const ends: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  office = await relayOffice();
});
afterAll(async () => {
  await Promise.all(ends.map((end) => end()));
  await office?.close();
});

/** The suite sends no API key, so that it comes in by an endpoint that adds one. */
async function through(name: string, url: string, entry: object, withoutSampling: boolean): Promise<string> {
  const endpoint: Endpoint = await endpointTo(office.relay(name), relayKey, { withoutSampling });
  ends.push(endpoint.close);
  await office.serve({ [name]: { url, allowPrivate: true, origins: [new URL(endpoint.url).origin], ...entry } });
  return endpoint.url;
}

/**
 * What each scenario looked at and how that ended; which HTTP traffic led there is not part of it.
 */
const verdicts = (findings: Findings): Record<string, string[]> =>
  Object.fromEntries([...findings].map(([scenario, checks]) => [scenario, checks.map(({ id, status }) => `${status} ${id}`)]));

/**
 * What the suite saw of the sampling tool. The newer suite ends each scenario with a check of its
 * own.
 */
const sampledIn = (findings: Findings) =>
  findings.get("tools-call-sampling")?.find(({ details }) => details?.["samplingRequested"] !== undefined)?.details;

const makers = {
  "of the 2025 family": () => conformingEndpoint(),
  "of both families": () => ofBothFamilies(conformingEndpoint(), conforming2026()),
};
/** With the scenarios that a conforming server has to pass. */
const suites = {
  "0.1.16": [conformanceOf, (direct: Findings) => Promise.resolve([...direct.keys()]), 32],
  "0.2.0-alpha.12": [conformance2025Of, () => requiredOf("Server", "2025-11-25"), 30],
} as const;

describe.each(Object.entries(makers))("a conforming server %s", (kind, make) => {
  describe.each(Object.entries(suites))("by suite %s", (version, [suite, required, least]) => {
    const name = `${kind}-${version}`.replaceAll(/[^a-z0-9]+/g, "-");
    let url: string;
    let direct: Findings;
    beforeAll(async () => {
      const server = await serveStreaming(make());
      ends.push(server.close);
      url = `${server.url}/mcp`;
      direct = await suite(url);
    });

    test("passes every required scenario by itself, or this comparison would say nothing", async () => {
      const scenarios = await required(direct);
      expect(scenarios.length).toBeGreaterThanOrEqual(least);
      expect(scenarios.filter((scenario) => !direct.has(scenario))).toEqual([]);
      const fallen = scenarios.flatMap((scenario) => direct.get(scenario) ?? []).filter(({ status }) => status === "FAILURE");
      expect(fallen).toEqual([]);
      // A stream that the server closes in the middle and the client resumes is where a relay could
      // most easily differ.
      expect(verdicts(direct)["server-sse-polling"]).toContain("SUCCESS server-sse-disconnect-resume");
    });

    test("passes the same scenarios through the relay, where the client's own sampling is used", async () => {
      const asked = office.model.requests.length;
      const relayed = await suite(await through(`${name}-forwarded`, url, { mode: "fallback" }, false));
      expect(verdicts(relayed)).toEqual(verdicts(direct));
      expect(sampledIn(relayed)).toMatchObject({ samplingRequested: true });
      expect(office.model.requests).toHaveLength(asked);
    });

    test("gets its sampling answered for a client that declares none, and passes every other scenario as before", async () => {
      const asked = office.model.requests.length;
      const relayed = await suite(await through(`${name}-fulfilled`, url, {}, true));
      const [sampled = "", ...more] = relayed.get("tools-call-sampling")?.flatMap(({ errorMessage }) => errorMessage ?? []) ?? [];
      // The suite looks at whether its own client was asked, which is what the relay is there to
      // prevent; it has nothing else to say.
      expect([sampled, more]).toEqual(["Server did not request sampling from client", []]);
      expect(sampledIn(relayed)).toEqual({
        samplingRequested: false,
        result: { content: [{ type: "text", text: "LLM response: Hello from the scripted provider." }] },
      });
      const others = (findings: Findings) => ({ ...verdicts(findings), "tools-call-sampling": [] });
      expect(others(relayed)).toEqual(others(direct));
      expect(office.model.requests).toHaveLength(asked + 1);
    });
  });
});
