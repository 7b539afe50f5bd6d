// Rounds of load on several servers in turn, so that other load on the machine affects all alike; and their table.

import { rmSync } from "node:fs";
import { type Measured, measure } from "./load.ts";
import type { Served } from "./workerd.ts";

export type Contender = { readonly name: string; readonly served: Served; readonly request: (connection: number, count: number) => Buffer };

export type Rounds = {
  readonly connectionCounts: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Folders that are deleted at the end. */
  readonly clean: readonly string[];
};

type Row = Measured & { readonly cpuMicros: number };

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const spread = (values: number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;

/** Measures all of them, prints a table as Markdown, and stops them. The first one is what the others are compared with. */
export async function compare(
  contenders: readonly Contender[],
  { connectionCounts, rounds, seconds, warmUpSeconds, clean }: Rounds,
): Promise<void> {
  const results = new Map<string, Row[]>();
  try {
    for (const connections of connectionCounts) {
      for (const { served, request } of contenders) await measure({ port: served.port, connections, seconds: warmUpSeconds, request });
      for (let round = 1; round <= rounds; round += 1) {
        for (const { name, served, request } of contenders) {
          const before = served.cpuSeconds();
          const measured = await measure({ port: served.port, connections, seconds, request });
          const row = { ...measured, cpuMicros: ((served.cpuSeconds() - before) / measured.requests) * 1e6 };
          const key = `${name}|${connections}`;
          results.set(key, [...(results.get(key) ?? []), row]);
          console.error(
            `round ${round}/${rounds}, ${connections} connection${connections > 1 ? "s" : ""}, ${name}: ${row.perSecond.toFixed(0)} requests/s, p50 ${row.p50Ms.toFixed(2)} ms${row.failed > 0 ? `, ${row.failed} FAILED` : ""}`,
          );
        }
      }
    }
  } finally {
    for (const { served } of contenders) await served.stop();
    for (const each of clean) rmSync(each, { recursive: true, force: true });
  }

  const [first] = contenders;
  console.log(
    "| | connections | p50 ms | added p50 ms | p99 ms | requests/s | CPU µs a request | failed |\n|---|---|---|---|---|---|---|---|",
  );
  for (const connections of connectionCounts) {
    const alone = median((results.get(`${first?.name}|${connections}`) ?? []).map(({ p50Ms }) => p50Ms));
    for (const { name } of contenders) {
      const rows = results.get(`${name}|${connections}`) ?? [];
      const added =
        name === first?.name
          ? ""
          : spread(
              rows.map(({ p50Ms }) => p50Ms - alone),
              2,
            );
      console.log(
        `| ${name} | ${connections} | ${spread(
          rows.map(({ p50Ms }) => p50Ms),
          2,
        )} | ${added} | ${spread(
          rows.map(({ p99Ms }) => p99Ms),
          2,
        )} | ${spread(
          rows.map(({ perSecond }) => perSecond),
          0,
        )} | ${spread(
          rows.map(({ cpuMicros }) => cpuMicros),
          0,
        )} | ${rows.reduce((sum, { failed }) => sum + failed, 0)} |`,
      );
    }
  }
}
