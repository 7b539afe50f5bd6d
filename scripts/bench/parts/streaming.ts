// The time to the first token of a stream: through Countersign and through a forwarder. Portkey's gateway 1.15.2 is not among them: on
// Node 24 it answers each streamed request of this kind with an error ("TypeError: immutable").

import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import { type Rig, providerText } from "../rig.ts";
import { compare } from "../rounds.ts";
import { configured, control, message } from "../sampling-load.ts";

const body = { model: "mock-1", max_tokens: 100, stream: true, messages: [message] };

export async function streaming(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const direct = post("/v1/chat/completions", body);
  const chat = post("/chat", body);
  const table = await compare(
    [
      { name: "provider alone", served: provider, request: () => direct },
      { name: "Hono forwarder", served: await rig.worker("forwarder", providerText(url)), request: () => chat },
      { name: "Countersign `/control`", served: await rig.gateway(configured(url)), request: (connection) => control(connection, true) },
    ],
    { title: "Time to the first token of a stream", connectionCounts: settings.connections ?? [1, 32], settings, firstToken: "Paris" },
  );
  return { tables: [{ ...table, labels: ["", "streams at once"] }] };
}
