// Rounds of load on several servers in turn, so that other load on the machine affects all alike.

import { type Load, type Measured, measure } from "./load.ts";
import type { Settings } from "./options.ts";
import type { Column, Row, Table } from "./report.ts";

export type Contender = {
  readonly name: string;
  /** Where it answers, and the CPU time of its process so far. */
  readonly served: { readonly port: number; readonly cpuSeconds: () => number };
  readonly request: Load["request"];
};

export type Comparison = {
  readonly title: string;
  readonly connectionCounts: readonly number[];
  readonly settings: Settings;
  /** See `Load.firstToken`. */
  readonly firstToken?: string;
};

const loadColumns: readonly Column[] = [
  { key: "p50Ms", title: "p50 ms", digits: 2 },
  { key: "addedP50Ms", title: "added p50 ms", digits: 2 },
  { key: "p99Ms", title: "p99 ms", digits: 2 },
  { key: "addedP99Ms", title: "added p99 ms", digits: 2 },
  { key: "perSecond", title: "requests a second", digits: 0 },
  { key: "cpuMicros", title: "CPU µs a request", digits: 0 },
  { key: "failed", title: "failed", digits: 0 },
];

type Figures = Measured & { readonly cpuMicros: number };

/**
 * Measures all contenders in each round. What is added is the difference from the first one in the
 * same round.
 */
export async function compare(contenders: readonly Contender[], comparison: Comparison): Promise<Table> {
  const rows: Row[] = [];
  for (const connections of comparison.connectionCounts) {
    const figures = await figuresOf(contenders, connections, comparison);
    const [first] = figures;
    rows.push(
      ...contenders.map(({ name }, index) => rowOf([name, String(connections)], figures[index] ?? [], index === 0 ? null : (first ?? []))),
    );
  }
  return { title: comparison.title, labels: ["", "connections"], columns: loadColumns, rows };
}

/** For each contender its figures, one for each round. */
async function figuresOf(
  contenders: readonly Contender[],
  connections: number,
  { settings: { rounds, seconds, warmUpSeconds }, firstToken }: Comparison,
): Promise<Figures[][]> {
  const token = firstToken === undefined ? {} : { firstToken };
  for (const { served, request } of contenders)
    await measure({ port: served.port, connections, seconds: warmUpSeconds, request, ...token });
  const figures: Figures[][] = contenders.map(() => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [index, { name, served, request }] of contenders.entries()) {
      const before = served.cpuSeconds();
      const measured = await measure({ port: served.port, connections, seconds, request, ...token });
      const cpuMicros = ((served.cpuSeconds() - before) / measured.requests) * 1e6;
      figures[index]?.push({ ...measured, cpuMicros });
      console.error(
        `round ${round}/${rounds}, ${connections} at once, ${name}: p50 ${measured.p50Ms.toFixed(2)} ms, ${measured.perSecond.toFixed(0)} a second${measured.failed > 0 ? `, ${measured.failed} FAILED` : ""}`,
      );
    }
  }
  return figures;
}

/** `base`: the rounds that this contender's are compared with; null: none. */
function rowOf(labels: readonly string[], figures: readonly Figures[], base: readonly Figures[] | null): Row {
  const of = (key: keyof Figures): number[] => figures.map((each) => each[key]);
  const added = (key: "p50Ms" | "p99Ms"): number[] =>
    base === null ? [] : figures.map((each, round) => each[key] - (base[round]?.[key] ?? Number.NaN));
  return {
    labels,
    values: {
      p50Ms: of("p50Ms"),
      addedP50Ms: added("p50Ms"),
      p99Ms: of("p99Ms"),
      addedP99Ms: added("p99Ms"),
      perSecond: of("perSecond"),
      cpuMicros: of("cpuMicros"),
      failed: [figures.reduce((sum, { failed }) => sum + failed, 0)],
      requests: of("requests"),
    },
  };
}
