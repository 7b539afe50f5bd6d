// The fast path's work stays what it is: counted (bench/counted-work.ts), since no ratio of times
// holds on a machine that does other things.

import { expect, test } from "vitest";
import { withCountedWork } from "../../bench/counted-work.ts";
import { work } from "../../bench/parts/work.ts";
import { type Row, readReport } from "../../bench/report.ts";
import { createRig } from "../../bench/rig.ts";

/** What a change may add before somebody has to say that it is worth that. */
const mostMore = 1.15;

/**
 * On a machine with nearly no time left what is written behind goes in more parts: the least of so
 * many counts is the path's own.
 */
const mostCounts = 6;

const nodesOf = (tables: readonly { readonly rows: readonly Row[] }[]): [string, number][] =>
  tables.flatMap(({ rows }) => rows.map(({ labels: [way = ""], values }): [string, number] => [way, values["nodes"]?.[0] ?? Number.NaN]));

test("a request on the fast path takes no more than 15 % more work than bench/results/work.json says", { timeout: 600_000 }, async () => {
  const settings = { rounds: 1, seconds: 1, warmUpSeconds: 1, connections: null, short: false, base: null };
  const committed = new Map(nodesOf(readReport("bench/results", "work").tables));
  const least = new Map<string, number>();
  const isMore = ([way, nodes]: [string, number]): boolean => (least.get(way) ?? Infinity) >= nodes * mostMore;
  for (let counts = 0; counts < mostCounts && [...committed].some(isMore); counts += 1) {
    const rig = createRig();
    try {
      for (const [way, nodes] of nodesOf((await work(rig, settings)).tables)) least.set(way, Math.min(nodes, least.get(way) ?? Infinity));
    } finally {
      await rig.end();
    }
  }
  expect([...committed.keys()]).toEqual([...least.keys()]);
  const advice = "Where it is worth it, commit what `npm run bench -- work` writes.";
  expect([...committed].filter(isMore), `more work than committed: ${JSON.stringify([...least])}. ${advice}`).toEqual([]);
});

test("what runs is counted as often as it runs, and changes nothing else", () => {
  const source = `let log=[];const f=a=>a&&log.push(a),g=x=>({x});
    for(let i=0;i<3;i++)f(i);
    switch(log.length){case 2:log.push("two");break;default:log.push("other")}
    if(!log)log=1;else if(log.length===3)log.push(g(1)?"yes":"no");
    globalThis.logged=[log,log.length>2?1:2];`;
  const run = (text: string): { readonly logged: unknown; readonly work: number } => {
    const scope = { logged: undefined, workSoFar: () => 0 };
    new Function("globalThis", text)(scope);
    return { logged: scope.logged, work: scope.workSoFar() };
  };
  const { logged, work: nodes } = run(withCountedWork(source));
  expect(logged).toEqual(run(source).logged);
  expect(logged).toEqual([[1, 2, "two", "yes"], 1]);
  expect(nodes).toBeGreaterThan(0);
  expect(run(withCountedWork(source.replace("i<3", "i<6"))).work).toBeGreaterThan(nodes);
});
