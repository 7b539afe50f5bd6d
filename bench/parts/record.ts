// What it costs to have each request's line in the record before its answer: RECORD=before beside
// the record that is written behind.

import { compare } from "../rounds.ts";
import { post } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { completion, configured, message, sampling } from "../sampling-load.ts";

const body = { model: "mock-1", max_tokens: 100, messages: [message] };

export async function record(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const given = configured(`http://127.0.0.1:${provider.port}`);
  const behind = await rig.gateway(given);
  const before = await rig.gateway({ ...given, variables: { RECORD: "before" } });
  const direct = post("/v1/chat/completions", body);
  const table = await compare(
    [
      { name: "provider alone", served: provider, request: () => direct },
      { name: "`/v1`, the record behind", served: behind, request: (connection) => completion(connection) },
      { name: "`/v1`, `RECORD=before`", served: before, request: (connection) => completion(connection) },
      { name: "`/sampling`, the record behind", served: behind, request: sampling },
      { name: "`/sampling`, `RECORD=before`", served: before, request: sampling },
    ],
    { title: "A request with its line before its answer", connectionCounts: settings.connections ?? [1, 16], settings },
  );
  return { tables: [table] };
}
