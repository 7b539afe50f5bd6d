// What the console's pages take with a full ledger: lines of 30 days, of many servers, models and
// keys, with reviews, and with some that wait.

import { join } from "node:path";
import { type Shown, days, filling, pageColumns, pages, rowOf, sendOwn, shown, signIn } from "../console-pages.ts";
import { fillLedger } from "../ledger-lines.ts";
import type { Settings } from "../options.ts";
import type { Findings, Row } from "../report.ts";
import type { Rig } from "../rig.ts";
import { configured } from "../sampling-load.ts";

const shards = 16;

export async function consolePages(rig: Rig, settings: Settings): Promise<Findings> {
  const lines = settings.short ? 3_200 : 100_000;
  const provider = await rig.provider();
  const objects = join(rig.memory(), "objects");
  const load = configured(`http://127.0.0.1:${provider.port}`);
  const before = await rig.gateway(load, { objects });
  await sendOwn(before.port, settings.short ? 200 : 400);
  await before.stop();
  fillLedger(objects, lines, filling(lines, Math.floor((days * 86_400_000) / (lines / shards))));
  console.error(`${lines} lines in the ledger, of which none is counted`);
  const served = await rig.gateway(load, { objects });
  const session = await signIn(served.port);
  const view = (page: string): Promise<Shown> => shown(served, page, session);
  // The isolate's first page compiles what makes it: the kill switch's reads no ledger.
  await view("/stops");
  const since = performance.now();
  const first = await view("");
  let behind = first;
  while (/being counted/.test(behind.text)) behind = await view("");
  const caughtUp = performance.now() - since;
  const rows: Row[] = [rowOf("Overview, of lines that were never counted", [first])];
  for (const [name, page] of pages) {
    const times: Shown[] = [];
    for (let round = 0; round < settings.rounds * 5; round += 1) times.push(await view(page));
    rows.push(rowOf(name, times));
  }
  return {
    measured: `${lines.toLocaleString("en-US")} lines in 16 shards; each page ${settings.rounds * 5} times, one after another`,
    tables: [{ title: "The console's pages", labels: ["page"], columns: pageColumns, rows }],
    notes: [
      `All ${lines.toLocaleString("en-US")} lines were counted ${(caughtUp / 1_000).toFixed(1)} s after the first view, while the page was loaded again and again.`,
    ],
  };
}
