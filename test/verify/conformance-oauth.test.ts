// The scenarios about OAuth of the conformance suite of 2026-07-28: the official client by itself,
// with the helper, and by the relay. And the others with the official client by itself, which
// test/rest/relay/conformance-2026-client.test.ts has with the helper and through the relay.

import { afterAll, beforeAll, expect, test } from "vitest";
import { type ClientsUnderTest, clientsUnderTest, isAboutOAuth } from "../outside/support/conformance-clients.ts";
import { requiredOf } from "../outside/support/relay-conformance.ts";

/** What a client does not pass through the relay, with the entry's `passAuthorization`. */
const notThroughTheRelay: Readonly<Record<string, string>> = {
  "auth/metadata-var1": "The server's 401 does not say where its metadata is, and the client looks for them at the relay's address.",
  "auth/metadata-var2": "The same, with the metadata at the root of the server's address.",
};

let clients: ClientsUnderTest;
let about: string[];
beforeAll(async () => {
  clients = await clientsUnderTest();
  about = (await requiredOf("Client")).filter(isAboutOAuth);
});
afterAll(() => clients?.close());

test.each(["direct", "helper"] as const)("the official client passes them all: %s", async (kind) => {
  expect(about).toHaveLength(25);
  for (const scenario of about) expect([scenario, ...(await clients.complaintsOf(kind, scenario))]).toEqual([scenario]);
});

test("a client that knows which server is behind the relay passes them through it, but for those with a reason", async () => {
  const fallen: string[] = [];
  for (const scenario of about) if ((await clients.complaintsOf("relay", scenario)).length > 0) fallen.push(scenario);
  expect(fallen.toSorted()).toEqual(Object.keys(notThroughTheRelay).toSorted());
});

test("the official client by itself passes those that are not about OAuth, or that comparison would say nothing", async () => {
  const others = (await requiredOf("Client")).filter((scenario) => !isAboutOAuth(scenario));
  expect(others).toHaveLength(7);
  for (const scenario of others) expect([scenario, ...(await clients.complaintsOf("direct", scenario))]).toEqual([scenario]);
});
