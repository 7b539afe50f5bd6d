// From a reviewer's press to the last byte at the caller who waited, with many callers waiting:
// against one bare hop through an object.

import type { Settings } from "../options.ts";
import { type Column, type Findings, roundsWords } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured } from "../sampling-load.ts";
import { type Waited, decideAll, waitAndDecide, waitingCallers } from "../waiting.ts";

const columns: readonly Column[] = [
  { key: "aloneP50", title: "one press at a time: p50 ms", digits: 2 },
  { key: "p50", title: "32 at once: p50 ms", digits: 2 },
  { key: "p99", title: "p99 ms", digits: 2 },
  { key: "max", title: "max ms", digits: 2 },
  { key: "decisionsPerSecond", title: "decisions a second", digits: 0 },
  { key: "lost", title: "lost", digits: 0 },
];

export async function decision(rig: Rig, { rounds, short }: Settings): Promise<Findings> {
  const load = short ? { count: 20, alone: 2 } : { count: 1_000, alone: 100 };
  const provider = await rig.provider();
  const contenders: { name: string; waited: Waited[]; run: () => Promise<Omit<Waited, "openedMs">> }[] = [
    { name: "one bare WebSocket hop through an object", waited: [], run: () => bareHop(rig, load) },
    { name: "Countersign", waited: [], run: () => reviewed(rig, provider.port, load) },
  ];
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, waited, run } of contenders) {
      const one = { openedMs: Number.NaN, ...(await run()) };
      waited.push(one);
      console.error(
        `round ${round}/${rounds}, ${name}: p50 ${one.aloneP50.toFixed(2)} ms alone, ${one.p50.toFixed(2)} ms at once, ${one.lost} lost ${one.reasons.join("; ")}`,
      );
    }
  }
  const rows = contenders.map(({ name, waited }) => ({
    labels: [name, load.count.toLocaleString("en-US")],
    values: {
      ...Object.fromEntries(columns.map(({ key }) => [key, waited.map((each) => Number(each[key as keyof Waited]))])),
      lost: [waited.reduce((sum, { lost }) => sum + lost, 0)],
    },
  }));
  return {
    measured: `${roundsWords(rounds)}: median (least to greatest).`,
    tables: [{ title: "From the press of the button to the caller's last byte", labels: ["", "waiting"], columns, rows }],
  };
}

type Load = { readonly count: number; readonly alone: number };

/** Each round has a gateway of its own, so that no round finds more in the ledger than another. */
async function reviewed(rig: Rig, providerPort: number, load: Load): Promise<Waited> {
  const { routing } = configured(`http://127.0.0.1:${providerPort}`).documents;
  const gateway = await rig.gateway({ documents: { routing: routing ?? {} }, keys: {} });
  const waited = await waitAndDecide({ url: `http://127.0.0.1:${gateway.port}` }, load);
  await gateway.stop();
  return waited;
}

async function bareHop(rig: Rig, { count, alone }: Load): Promise<Omit<Waited, "openedMs">> {
  const objects = `, durableObjectNamespaces = [(className = "HopObject", uniqueKey = "HopObject", enableSql = true)], durableObjectStorage = (inMemory = void)`;
  const served = await rig.worker("hop", `(name = "HOP", durableObjectNamespace = "HopObject")`, objects);
  const url = `http://127.0.0.1:${served.port}`;
  const callers = waitingCallers(async (index) => {
    const answer = await fetch(`${url}/wait/${index}`);
    if ((await answer.text()) !== "decided") throw new Error(`a caller was answered with ${answer.status}`);
    return String(index);
  });
  callers.open(count);
  const names = Array.from({ length: count }, (_, index) => String(index));
  for (const name of names) while ((await (await fetch(`${url}/waiting/${name}`)).json()) !== true);
  const waited = await decideAll(callers, names, {
    alone,
    press: (name) => callers.press(name, () => fetch(`${url}/press/${name}`, { method: "POST", redirect: "manual" })),
    nameOf: (name) => name,
  });
  await served.stop();
  return waited;
}
