// The work of a request on the fast path, counted: the same on a quiet and on a busy machine. CI
// compares it with bench/results/work.json.

import { withCountedWork } from "../counted-work.ts";
import { type Exchange, isFailed, open } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings } from "../report.ts";
import type { Rig } from "../rig.ts";
import { completion, configured, sampling } from "../sampling-load.ts";
import { change } from "../workerd.ts";

const entry = "bench/workers/counting-gateway.ts";
const ways = { "`/sampling`": sampling, "`/v1`": (connection: number) => completion(connection) } as const;
const connections = 4;

type Work = { readonly nodes: number; readonly objectStubs: number };
/** Other load makes more of it: what is written behind goes in smaller parts. */
const least = (counted: readonly Work[], kind: keyof Work): number => Math.min(...counted.map((each) => each[kind]));

export async function work(rig: Rig, { short }: Settings): Promise<Findings> {
  change(entry, withCountedWork);
  const provider = await rig.provider();
  const { port } = await rig.gateway(configured(`http://127.0.0.1:${provider.port}`), { entry });
  const soFar = async (): Promise<Work> => (await fetch(`http://127.0.0.1:${port}/bench/work`)).json() as Promise<Work>; // of counting-gateway.ts
  const rows = [];
  for (const [name, request] of Object.entries(ways)) {
    const exchanges = await Promise.all(Array.from({ length: connections }, () => open(port)));
    await send(exchanges, 5, request);
    await atRest(soFar);
    const counted: Work[] = [];
    for (let round = 0; round < (short ? 1 : 3); round += 1) {
      const each = short ? 5 : 30;
      const before = await soFar();
      await send(exchanges, each, request);
      const after = await atRest(soFar);
      const ofOne = (kind: keyof Work): number => (after[kind] - before[kind]) / (each * connections);
      counted.push({ nodes: ofOne("nodes"), objectStubs: ofOne("objectStubs") });
    }
    for (const { close } of exchanges) close();
    rows.push({ labels: [name], values: { nodes: [least(counted, "nodes")], objectStubs: [least(counted, "objectStubs")] } });
  }
  const columns = [
    { key: "nodes", title: "nodes a request", digits: 0 },
    { key: "objectStubs", title: "stubs of objects", digits: 2 },
  ];
  return {
    measured: "120 requests in a round, with what is written behind them: the least of three rounds.",
    tables: [{ title: "Work of the fast path", labels: [""], columns, rows }],
  };
}

async function send(exchanges: readonly Exchange[], each: number, request: (connection: number) => Buffer): Promise<void> {
  await Promise.all(
    exchanges.map(async (exchange, connection) => {
      for (let count = 0; count < each; count += 1) {
        const { text } = await exchange.send(request(connection));
        if (isFailed(text)) throw new Error(`the gateway answered ${text.slice(0, 200)}`);
      }
    }),
  );
}

/** The work, once nothing has been done for a while but telling it. */
async function atRest(soFar: () => Promise<Work>): Promise<Work> {
  for (let [before, quiet] = [await soFar(), 0]; ;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = await soFar();
    quiet = now.nodes - before.nodes < 1_000 ? quiet + 1 : 0;
    if (quiet === 8) return now;
    before = now;
  }
}
