// The official conformance suite of 2026-07-28 with a client under test: the official client by itself, and with our helper attached.

import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FakeGateway } from "../../support/fake-gateway.ts";
import { clientConformance2026Of, requiredOf } from "../support/relay-conformance.ts";

const command = `${process.execPath} ${fileURLToPath(new URL("../support/conformance-client.ts", import.meta.url))}`;

/** The first seven are required. The suite got the last one after the revision was released. */
const scenarios = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation",
];

let required: string[];
let gateway: FakeGateway;
let listening: { url: string; close: () => Promise<void> };
beforeAll(async () => {
  gateway = new FakeGateway();
  [listening, required] = await Promise.all([gateway.listen(), requiredOf("Client")]);
});
afterAll(() => listening?.close());

const checksOf = async (kind: string, scenario: string): Promise<string[]> => {
  const checks = await clientConformance2026Of(command, scenario, { CLIENT_UNDER_TEST: kind, SWITCHBOARD: listening.url });
  expect(checks.length).toBeGreaterThan(0);
  return checks
    .filter(({ status }) => status === "FAILURE" || status === "WARNING")
    .map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
};

test("every required scenario is run", () => {
  expect(required).toHaveLength(32);
  expect(required.filter((scenario) => !scenarios.includes(scenario) && !scenario.startsWith("auth/"))).toEqual([]);
});

describe.each(scenarios)("%s", (scenario) => {
  test("is passed by the official client, or this comparison would say nothing", async () => {
    expect(await checksOf("direct", scenario)).toEqual([]);
  });

  test("is passed with the helper attached", async () => {
    expect(await checksOf("helper", scenario)).toEqual([]);
  });
});

test("the 25 scenarios about OAuth are passed with the helper attached: its fetch carries the client's requests for tokens too", async () => {
  const about = required.filter((scenario) => scenario.startsWith("auth/"));
  expect(about).toHaveLength(25);
  for (const scenario of about) expect([scenario, ...(await checksOf("helper", scenario))]).toEqual([scenario]);
});
