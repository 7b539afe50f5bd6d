// The console's pages as a benchmark loads them, and the lines of a month that they show: of many
// servers, models and keys, with reviews, and with some that wait.

import { endStates } from "../shared/record/record.ts";
import type { RunSummary } from "../shared/record/run-summary.ts";
import { adminToken } from "./gateway-on-workerd.ts";
import type { Filling } from "./ledger-lines.ts";
import { isFailed, open } from "./load.ts";
import type { Column, Row } from "./report.ts";
import { sampling } from "./sampling-load.ts";
import type { Served } from "./workerd.ts";

export const pageColumns: readonly Column[] = [
  { key: "least", title: "fastest ms", digits: 0 },
  { key: "p50", title: "p50 ms", digits: 0 },
  { key: "most", title: "slowest ms", digits: 0 },
  { key: "cpu", title: "CPU ms", digits: 0 },
  { key: "kib", title: "KiB", digits: 0 },
];

export const days = 30;
/**
 * As many outcomes as a policy with people has; two in a hundred of the newest hundred thousand
 * still wait.
 */
export const filling = (lines: number, stepMs: number): Filling => ({
  stepMs,
  vary: (index, at): Partial<RunSummary> => {
    const waited = 1_000 * (5 + ((index * 7_919) % 1_200));
    const named = { server: `server-${index % 12}`, key: `key_${index % 20}`, costUsd: (index % 50) / 10_000 };
    if (index % 50 === 7 && index >= lines - 100_000)
      return { ...named, state: "waiting", endedAt: null, model: null, costUsd: 0, deadlineAt: at + 86_400_000 };
    if (index % 3 > 0) return { ...named, model: `model-${index % 4}` };
    const state = index % 30 === 0 ? (endStates[1 + (Math.floor(index / 30) % 6)] ?? "rejected") : "completed";
    const how = state === "completed" ? "approved" : state === "rejected" ? "denied" : "expired";
    return { ...named, state, endedAt: at + waited, reviews: [{ gate: "request", how, ms: waited }] };
  },
});

export const pages = [
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
export type Shown = { readonly ms: number; readonly cpu: number; readonly text: string };

export const rowOf = (name: string, views: readonly Shown[]): Row => {
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

export async function shown({ port, cpuSeconds }: Served, page: string, { cookie, home }: ConsoleSession): Promise<Shown> {
  const [before, cpuBefore] = [performance.now(), cpuSeconds()];
  const answer = await fetch(`http://127.0.0.1:${port}${home}${page}`, { headers: { Cookie: cookie } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${home}${page}: ${answer.status} ${text.slice(0, 300)}`);
  return { ms: performance.now() - before, cpu: (cpuSeconds() - cpuBefore) * 1_000, text };
}

type ConsoleSession = { readonly cookie: string; /** The path of its pages. */ readonly home: string };

/** The session of an operator who signed in by the admin token. */
export async function signIn(port: number): Promise<ConsoleSession> {
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
export async function sendOwn(port: number, count: number): Promise<void> {
  const exchange = await open(port);
  for (let sent = 0; sent < count; sent += 1) {
    const { text } = await exchange.send(sampling(0));
    if (isFailed(text)) throw new Error(`a request was answered with ${text.slice(0, 300)}`);
  }
  exchange.close();
  // The record is written after the responses.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
}
