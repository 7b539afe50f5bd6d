// What a model's concurrency queue costs where it has free slots: the same sampling requests with a queue, in which none waits, and without.

import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { compare } from "../rounds.ts";
import { configured, sampling } from "../sampling-load.ts";

export async function lane(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const url = `http://127.0.0.1:${provider.port}`;
  const table = await compare(
    [
      { name: "no lane", served: await rig.gateway(configured(url)), request: sampling },
      { name: "a free lane", served: await rig.gateway(configured(url, { concurrency: 100 })), request: sampling },
    ],
    { title: "A request to a model with a lane", connectionCounts: settings.connections ?? [1, 16], settings },
  );
  return { tables: [table] };
}
