// A gateway with the relay's servers written down, a scripted model, and a person or a policy that
// lets everything pass.

import { type Killable, adminToken, apiKey, killableGateway } from "./killable-gateway.ts";

export const relayKey = apiKey;

/** Both gates open: nobody is asked. */
export const openGates = { rules: [], default: { request: "allow", response: "allow" } };

export type RelayOffice = Killable & {
  /** Replaces the servers document. */
  readonly serve: (servers: Readonly<Record<string, object>>) => Promise<void>;
  /** Where the relay is, for one of these servers. */
  readonly relay: (server: string) => string;
  /** A new API key. */
  readonly key: (wish: object) => Promise<string>;
  /** Revokes the key of this name. */
  readonly revoke: (name: string) => Promise<void>;
};

/** `variables`: what is set beside the usual. */
export async function relayOffice(variables: Readonly<Record<string, string>> = {}): Promise<RelayOffice> {
  const office = await killableGateway(variables);
  await office.start();
  await office.configure();
  await office.rule(openGates);
  const headers = { Authorization: `Bearer ${adminToken}`, "Content-Type": "application/json" };
  return {
    ...office,
    serve: (servers) => office.put("servers", { servers }),
    relay: (server) => `${office.url}/mcp/${server}`,
    key: async (wish) => {
      const answer = await fetch(`${office.url}/admin/keys`, { method: "POST", body: JSON.stringify(wish), headers });
      if (!answer.ok) throw new Error(`keys: ${answer.status} ${await answer.text()}`);
      return ((await answer.json()) as { key: string }).key;
    },
    revoke: async (name) => {
      const { keys } = (await (await fetch(`${office.url}/admin/keys`, { headers })).json()) as { keys: { id: string; name: string }[] };
      const id = keys.find((each) => each.name === name)?.id ?? "";
      const answer = await fetch(`${office.url}/admin/keys/${id}`, { method: "DELETE", headers });
      if (!answer.ok) throw new Error(`keys: ${answer.status} ${await answer.text()}`);
    },
  };
}
