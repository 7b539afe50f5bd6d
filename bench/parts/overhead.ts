// What the fast path adds to a request: against the provider alone, forwarders, and Portkey's
// gateway.

import { compare } from "../rounds.ts";
import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import { type Rig, providerText } from "../rig.ts";
import { completion, configured, control, message, sampling } from "../sampling-load.ts";
import { portkey, toPortkey } from "../portkey.ts";
import { withTools } from "../tools.ts";

const body = { model: "mock-1", max_tokens: 100, messages: [message] };

export async function overhead(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const chat = post("/chat", body);
  const direct = post("/v1/chat/completions", body);
  const throughPortkey = post("/v1/chat/completions", body, toPortkey(url));
  const inMemory = await rig.gateway(configured(url));
  const table = await compare(
    [
      { name: "provider alone", served: provider, request: () => direct },
      { name: "Hono forwarder", served: await rig.worker("forwarder", providerText(url)), request: () => chat },
      { name: "Hono + `openai` client", served: await rig.worker("openai-forwarder", providerText(url)), request: () => chat },
      ...(await withTools(settings, async () => [
        { name: "Portkey's gateway, on Node", served: await portkey(rig), request: () => throughPortkey },
      ])),
      { name: "Countersign `/sampling`", served: inMemory, request: sampling },
      { name: "Countersign `/control`", served: inMemory, request: (connection) => control(connection) },
      { name: "Countersign `/v1`", served: inMemory, request: (connection) => completion(connection) },
      {
        name: "Countersign `/sampling`, objects on disk",
        served: await rig.gateway(configured(url), { storage: "disk" }),
        request: sampling,
      },
    ],
    { title: "A request on the fast path", connectionCounts: settings.connections ?? [1, 16, 64], settings },
  );
  return { tables: [table] };
}
