// What the list of requests takes, in the API and in the console, with a hundred thousand requests in the ledger: also a search that finds nothing.

import { join } from "node:path";
import { sendOwn, signIn } from "../console-operator.ts";
import { adminToken } from "../gateway-on-workerd.ts";
import { fillLedger } from "../ledger-lines.ts";
import { type Load, get, measure } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Findings, Row } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured } from "../sampling-load.ts";

const lines = 100_000;
const linesWhenShort = 3_000;

type Measurable = { readonly labels: readonly [string, string]; readonly request: Load["request"] };

export async function searching(rig: Rig, settings: Settings): Promise<Findings> {
  const provider = await rig.provider();
  const contents = configured(`http://127.0.0.1:${provider.port}`);
  const objects = join(rig.memory(), "objects");
  const first = await rig.gateway(contents, { objects });
  await sendOwn(first.port, 400);
  await first.stop();
  fillLedger(objects, settings.short ? linesWhenShort : lines, {
    stepMs: 1_000,
    vary: (index) => (index % 1_000 === 0 ? { name: "rare" } : {}),
  });
  const { port } = await rig.gateway(contents, { objects });
  const { cookie, home } = await signIn(port);
  const run = await newestRun(port);
  const api = (path: string): Load["request"] => always(get(path, { Authorization: `Bearer ${adminToken}` }));
  const page = (path: string): Load["request"] => always(get(home + path, { Cookie: cookie }));
  const measured: readonly Measurable[] = [
    { labels: ["API", "the newest 50"], request: api("/admin/runs?limit=50") },
    { labels: ["API", "50 of one state"], request: api("/admin/runs?limit=50&state=completed") },
    { labels: ["API", "50 of one model"], request: api("/admin/runs?limit=50&model=mock") },
    { labels: ["API", "one in a thousand, by its tool"], request: api("/admin/runs?limit=50&tool=rare") },
    { labels: ["API", "a search that finds nothing, one call"], request: api("/admin/runs?limit=50&q=nothing-has-this") },
    { labels: ["API", "a state that there is none of"], request: api("/admin/runs?limit=50&state=failed") },
    { labels: ["API", "one request"], request: api(`/admin/runs/${run}`) },
    { labels: ["API", "the events of one request"], request: api(`/admin/runs/${run}/events`) },
    { labels: ["page", "Requests"], request: page("/requests") },
    { labels: ["page", "Requests, a search that finds nothing"], request: page("/requests?q=nothing-has-this") },
    { labels: ["page", "one request"], request: page(`/requests/${run}`) },
  ];
  const rows = measured.map(({ labels }): Row & { values: { p50: number[]; p99: number[] } } => ({ labels, values: { p50: [], p99: [] } }));
  for (const { request } of measured) await measure({ port, request, connections: 1, seconds: settings.warmUpSeconds / 3 });
  for (let round = 0; round < settings.rounds; round += 1)
    for (const [index, { labels, request }] of measured.entries()) {
      const { p50Ms, p99Ms, failed } = await measure({ port, request, connections: 1, seconds: settings.seconds });
      if (failed > 0) throw new Error(`${labels.join(", ")}: ${failed} requests failed`);
      rows[index]?.values.p50.push(p50Ms);
      rows[index]?.values.p99.push(p99Ms);
    }
  return {
    tables: [
      {
        title: "With 100,000 requests in the ledger",
        labels: ["", "what is asked for"],
        columns: [
          { key: "p50", title: "p50 ms", digits: 1 },
          { key: "p99", title: "p99 ms", digits: 1 },
        ],
        rows,
      },
    ],
    notes: [],
  };
}

const always =
  (request: Buffer): Load["request"] =>
  () =>
    request;

async function newestRun(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/admin/runs?limit=1`, { headers: { Authorization: `Bearer ${adminToken}` } });
  const { runs } = (await answer.json()) as { runs: { id: string }[] }; // the API's own answer
  return runs[0]?.id ?? "";
}
