// The time to the first token of a stream: through Countersign, a forwarder, and Portkey's gateway.

import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import { type Rig, providerText } from "../rig.ts";
import { compare } from "../rounds.ts";
import { portkey, toPortkey } from "../portkey.ts";
import { completion, configured, control, message } from "../sampling-load.ts";
import { withTools } from "../tools.ts";

const body = { model: "mock-1", max_tokens: 100, stream: true, messages: [message] };

export async function streaming(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const direct = post("/v1/chat/completions", body);
  const chat = post("/chat", body);
  const throughPortkey = post("/v1/chat/completions", body, toPortkey(url));
  const countersign = await rig.gateway(configured(url));
  const table = await compare(
    [
      { name: "provider alone", served: provider, request: () => direct },
      { name: "Hono forwarder", served: await rig.worker("forwarder", providerText(url)), request: () => chat },
      ...(await withTools(settings, async () => [
        { name: "Portkey's gateway, on Node, patched", served: await portkey(rig, { streams: true }), request: () => throughPortkey },
      ])),
      { name: "Countersign `/control`", served: countersign, request: (connection) => control(connection, true) },
      { name: "Countersign `/v1`", served: countersign, request: (connection) => completion(connection, true) },
    ],
    { title: "Time to the first token of a stream", connectionCounts: settings.connections ?? [1, 32], settings, firstToken: "Paris" },
  );
  return { tables: [{ ...table, labels: ["", "streams at once"] }] };
}
