// What the console's pages take with a full ledger: lines of 30 days, of many servers, models and
// keys, with reviews, and with some that wait.

import { join } from "node:path";
import { endStates } from "../../shared/record/record.ts";
import type { RunSummary } from "../../shared/record/run-summary.ts";
import { adminToken } from "../gateway-on-workerd.ts";
import { type Filling, fillLedger } from "../ledger-lines.ts";
import { isFailed, open } from "../load.ts";
import type { Settings } from "../options.ts";
import type { Column, Findings, Row } from "../report.ts";
import type { Rig } from "../rig.ts";
import type { Served } from "../workerd.ts";
import { configured, sampling } from "../sampling-load.ts";

const columns: readonly Column[] = [
  { key: "least", title: "fastest ms", digits: 0 },
  { key: "p50", title: "p50 ms", digits: 0 },
  { key: "most", title: "slowest ms", digits: 0 },
  { key: "cpu", title: "CPU ms", digits: 0 },
  { key: "kib", title: "KiB", digits: 0 },
];

const days = 30;
const shards = 16;

/** As many outcomes as a policy with people has; two in a hundred still wait. */
const filling = (lines: number): Filling => ({
  stepMs: Math.floor((days * 86_400_000) / (lines / shards)),
  vary: (index, at): Partial<RunSummary> => {
    const waited = 1_000 * (5 + ((index * 7_919) % 1_200));
    const named = { server: `server-${index % 12}`, key: `key_${index % 20}`, costUsd: (index % 50) / 10_000 };
    if (index % 50 === 7) return { ...named, state: "waiting", endedAt: null, model: null, costUsd: 0, deadlineAt: at + 86_400_000 };
    if (index % 3 > 0) return { ...named, model: `model-${index % 4}` };
    const state = index % 30 === 0 ? (endStates[1 + (Math.floor(index / 30) % 6)] ?? "rejected") : "completed";
    const how = state === "completed" ? "approved" : state === "rejected" ? "denied" : "expired";
    return { ...named, state, endedAt: at + waited, reviews: [{ gate: "request", how, ms: waited }] };
  },
});

const pages = [
  ["Overview", ""],
  ["Overview, 30 days", "?period=month"],
  ["Usage by server", "/usage"],
  ["Usage by key, 365 days", "/usage?by=key&days=365"],
  ["Usage by day", "/usage?by=day"],
  ["Requests", "/requests"],
  ["Routing", "/routing"],
  ["Policy", "/policy"],
  ["Keys", "/keys"],
  ["Servers", "/servers"],
  ["Reviewers", "/reviewers"],
  ["Grants", "/grants"],
  ["Budgets", "/budgets"],
  ["Record", "/record"],
  ["Documents", "/documents/routing"],
] as const;

/** `cpu`: of the whole process, all objects among it. */
type Shown = { readonly ms: number; readonly cpu: number; readonly text: string };

export async function consolePages(rig: Rig, settings: Settings): Promise<Findings> {
  const lines = settings.short ? 3_200 : 100_000;
  const provider = await rig.provider();
  const objects = join(rig.memory(), "objects");
  const load = configured(`http://127.0.0.1:${provider.port}`);
  const before = await rig.gateway(load, { objects });
  await sendOwn(before.port, settings.short ? 200 : 400);
  await before.stop();
  fillLedger(objects, lines, filling(lines));
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
    tables: [{ title: "The console's pages", labels: ["page"], columns, rows }],
    notes: [
      `All ${lines.toLocaleString("en-US")} lines were counted ${(caughtUp / 1_000).toFixed(1)} s after the first view, while the page was loaded again and again.`,
    ],
  };
}

const rowOf = (name: string, views: readonly Shown[]): Row => {
  const times = views.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return {
    labels: [name],
    values: {
      least: [times[0] ?? 0],
      p50: [times[Math.floor(times.length / 2)] ?? 0],
      most: [times.at(-1) ?? 0],
      // The system counts it in steps of ten milliseconds.
      cpu: [views.reduce((sum, { cpu }) => sum + cpu, 0) / views.length],
      kib: [(views[0]?.text.length ?? 0) / 1_024],
    },
  };
};

async function shown({ port, cpuSeconds }: Served, page: string, { cookie, home }: ConsoleSession): Promise<Shown> {
  const [before, cpuBefore] = [performance.now(), cpuSeconds()];
  const answer = await fetch(`http://127.0.0.1:${port}${home}${page}`, { headers: { Cookie: cookie } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${home}${page}: ${answer.status} ${text.slice(0, 300)}`);
  return { ms: performance.now() - before, cpu: (cpuSeconds() - cpuBefore) * 1_000, text };
}

type ConsoleSession = { readonly cookie: string; /** The path of its pages. */ readonly home: string };

/** The session of an operator who signed in by the admin token. */
async function signIn(port: number): Promise<ConsoleSession> {
  const base = `http://127.0.0.1:${port}/console`;
  const form = await (await fetch(base)).text();
  const session = /name="session" value="([^"]+)"/.exec(form)?.[1] ?? "";
  const answer = await fetch(`${base}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: `http://127.0.0.1:${port}` },
    body: new URLSearchParams({ session, token: adminToken }),
  });
  const [cookie, home] = [answer.headers.get("Set-Cookie")?.split(";")[0], answer.headers.get("Location")];
  if (cookie === undefined || home === null) throw new Error(`the console did not let the operator in: ${answer.status}`);
  return { cookie, home };
}

/** Every shard gets a line of the gateway's own, once this returns. */
async function sendOwn(port: number, count: number): Promise<void> {
  const exchange = await open(port);
  for (let sent = 0; sent < count; sent += 1) {
    const { text } = await exchange.send(sampling(0));
    if (isFailed(text)) throw new Error(`a request was answered with ${text.slice(0, 300)}`);
  }
  exchange.close();
  // The record is written after the responses.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}
