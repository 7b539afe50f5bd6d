// Runs client scenarios of the conformance suite of 2026-07-28, with a gateway for the clients that
// need one. A client under test that comes by the relay asks here where that is: the suite's server
// is entered in the servers document then.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { FakeGateway } from "../../support/fake-gateway.ts";
import { clientConformance2026Of } from "./relay-conformance.ts";
import { type RelayOffice, relayKey, relayOffice } from "./relay-office.ts";

const command = `${process.execPath} ${fileURLToPath(new URL("conformance-client.ts", import.meta.url))}`;

/** `unaware` comes by the relay too, and does not know which server is behind it. */
export type ClientKind = "direct" | "helper" | "relay" | "unaware";

export type ClientsUnderTest = {
  /** What a scenario has to complain of. */
  readonly complaintsOf: (kind: ClientKind, scenario: string) => Promise<string[]>;
  readonly close: () => Promise<void>;
};

export const isAboutOAuth = (scenario: string): boolean => scenario.startsWith("auth/");

export async function clientsUnderTest(): Promise<ClientsUnderTest> {
  const [gateway, office] = await Promise.all([new FakeGateway().listen(), relayOffice()]);
  const [plain, passing] = await Promise.all([switchboardTo(office, {}), switchboardTo(office, { passAuthorization: true })]);
  return {
    complaintsOf: async (kind, scenario) => {
      const relay = isAboutOAuth(scenario) ? passing : plain;
      const switchboard = kind === "relay" || kind === "unaware" ? relay : gateway;
      const checks = await clientConformance2026Of(command, scenario, { CLIENT_UNDER_TEST: kind, SWITCHBOARD: switchboard.url });
      if (checks.length === 0) throw new Error(`the suite looked at nothing in ${scenario}`);
      return checks
        .filter(({ status }) => status === "FAILURE" || status === "WARNING")
        .map(({ id, errorMessage }) => `${id}: ${errorMessage}`);
    },
    close: async () => {
      await Promise.all([plain.close(), passing.close()]);
      await Promise.all([gateway.close(), office.close()]);
    },
  };
}

type Switchboard = { readonly url: string; readonly close: () => Promise<void> };

/** @param entry what the document says of each server beside its address. */
async function switchboardTo(office: RelayOffice, entry: object): Promise<Switchboard> {
  let entered = 0;
  const server = createServer((incoming, outgoing) => {
    const address = new URL(incoming.url ?? "/", "http://127.0.0.1").searchParams.get("server") ?? "";
    entered += 1;
    const name = `suite-${entered}`;
    void office.serve({ [name]: { url: address, allowPrivate: true, ...entry } }).then(
      () => outgoing.end(JSON.stringify({ url: office.relay(name), key: relayKey })),
      (error: unknown) => outgoing.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
