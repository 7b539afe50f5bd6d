// What exporting spans adds to a request on the fast path: the same gateway without a collector, and with one that takes every span.

import { compare } from "../rounds.ts";
import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured, message, sampling } from "../sampling-load.ts";

export async function traces(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const collector = await rig.worker("empty");
  const direct = post("/v1/chat/completions", { model: "mock-1", max_tokens: 100, messages: [message] });
  const without = configured(`http://127.0.0.1:${provider.port}`);
  const withTraces = { ...without, variables: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}` } };
  const table = await compare(
    [
      { name: "provider alone", served: provider, request: () => direct },
      { name: "without traces", served: await rig.gateway(without), request: sampling },
      { name: "with traces", served: await rig.gateway(withTraces), request: sampling },
    ],
    {
      title: "A request on the fast path, without traces and with every span exported",
      connectionCounts: settings.connections ?? [1, 16],
      settings,
    },
  );
  return { tables: [table] };
}
