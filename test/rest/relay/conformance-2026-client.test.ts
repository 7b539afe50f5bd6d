// The official conformance suite of 2026-07-28 with a client under test: the official client with
// our helper attached, and through the relay. The official client by itself is in
// test/verify/conformance-oauth.test.ts.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClientsUnderTest, clientsUnderTest, isAboutOAuth } from "../../outside/support/conformance-clients.ts";
import { requiredOf } from "../../outside/support/relay-conformance.ts";

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

let clients: ClientsUnderTest;
beforeAll(async () => void (clients = await clientsUnderTest()));
afterAll(() => clients?.close());

test("every required scenario is run, those about OAuth in test/verify/conformance-oauth.test.ts", async () => {
  const required = await requiredOf("Client");
  expect(required).toHaveLength(32);
  expect(required.filter((scenario) => !scenarios.includes(scenario) && !isAboutOAuth(scenario))).toEqual([]);
});

describe.each(scenarios)("%s", (scenario) => {
  test("is passed with the helper attached", async () => {
    expect(await clients.complaintsOf("helper", scenario)).toEqual([]);
  });

  test("is passed through the relay", async () => {
    expect(await clients.complaintsOf("relay", scenario)).toEqual([]);
  });
});

describe("a scenario about OAuth", () => {
  test("is passed with the helper attached: its fetch carries the client's requests for tokens too", async () => {
    expect(await clients.complaintsOf("helper", "auth/metadata-default")).toEqual([]);
  });

  test("is passed through the relay by a client that knows which server is behind it", async () => {
    expect(await clients.complaintsOf("relay", "auth/metadata-default")).toEqual([]);
  });

  test("ends for a client that knows nothing of the relay: the server's tokens are not for the relay's address", async () => {
    expect((await clients.complaintsOf("unaware", "auth/metadata-default")).join()).toContain("authorization-request");
  });
});
