// CPU a request of the fast path beside that of another checkout, both under load at the same time:
// what a change costs, to a few percent, also on a busy machine.

import type { Settings } from "../options.ts";
import type { Findings, Row } from "../report.ts";
import type { Rig } from "../rig.ts";
import { completion, configured, sampling } from "../sampling-load.ts";
import { ratioOf, sideBySide } from "../side-by-side.ts";

const connections = 8;
const ways = { "`/sampling`": sampling, "`/v1`": (connection: number) => completion(connection) } as const;

/** Without a base it is this checkout beside itself, which shows how much is noise. */
export async function cpu(rig: Rig, { base, short, rounds, seconds }: Settings): Promise<Findings> {
  const watching = {
    connections,
    warmUpRequests: short ? 10 : 3_000,
    // More than a flush of what is written behind.
    windowRequests: short ? 5 : 300,
    windows: short ? 4 : Number.POSITIVE_INFINITY,
    mostMs: (short ? 20 : rounds * seconds) * 1_000,
  };
  const configuration = configured(`http://127.0.0.1:${(await rig.provider()).port}`);
  const entry = base === null ? {} : { entry: `${base}/workers/index.ts` };
  const rows: Row[] = [];
  for (const [name, request] of Object.entries(ways)) {
    const before = { name: `${name}, the base`, served: await rig.gateway(configuration, entry), request };
    const now = { name, served: await rig.gateway(configuration), request };
    const [base = [], micros = []] = await sideBySide([before, now], watching);
    const { median, low, high } = ratioOf(micros, base);
    rows.push(
      { labels: [before.name], values: { cpuMicros: base } },
      { labels: [name], values: { cpuMicros: micros, ratio: [median], low: [low], high: [high] } },
    );
    await Promise.all([before.served.stop(), now.served.stop()]);
  }
  const columns = [
    { key: "cpuMicros", title: "CPU µs a request", digits: 0 },
    { key: "ratio", title: "times the base", digits: 3 },
    { key: "low", title: "95 % from", digits: 3 },
    { key: "high", title: "to", digits: 3 },
  ];
  const measured = `Windows of ${watching.windowRequests} requests or more, both loaded at once by ${connections} connections each: median.`;
  return { measured, tables: [{ title: "CPU of the fast path", labels: [""], columns, rows }] };
}
