// The slowest of a hundred requests at a provider that takes 21 ms, by the method of BerriAI's
// AIGatewayBench (github.com/BerriAI/ai-gateway-bench): p99 through the gateway less p99 of the
// provider alone, at 1, 4, 16 and 64 connections that stay open.

import { compare } from "../rounds.ts";
import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import { portkey, toPortkey } from "../portkey.ts";
import type { Findings } from "../report.ts";
import { type Rig, providerText } from "../rig.ts";
import { completion, configured, message, sampling } from "../sampling-load.ts";
import { withTools } from "../tools.ts";

/** Their provider alone answers one connection in 21 ms. */
const providerMs = 21;

const body = { model: "mock-1", max_tokens: 100, messages: [message] };

export async function tail(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider(providerMs);
  const url = `http://127.0.0.1:${provider.port}`;
  const gateway = await rig.gateway(configured(url));
  const [direct, chat, throughPortkey] = [
    post("/v1/chat/completions", body),
    post("/chat", body),
    post("/v1/chat/completions", body, toPortkey(url)),
  ];
  const table = await compare(
    [
      { name: "provider alone", served: provider, request: () => direct },
      { name: "Hono forwarder", served: await rig.worker("forwarder", providerText(url)), request: () => chat },
      ...(await withTools(settings, async () => [
        { name: "Portkey's gateway, on Node", served: await portkey(rig), request: () => throughPortkey },
      ])),
      { name: "Countersign `/v1`", served: gateway, request: (connection) => completion(connection) },
      { name: "Countersign `/sampling`", served: gateway, request: sampling },
    ],
    { title: "At a provider that takes 21 ms", connectionCounts: settings.connections ?? [1, 4, 16, 64], settings },
  );
  return { tables: [table] };
}
